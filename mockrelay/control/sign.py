"""The verb that signs a request for an account: which kinds are signed, in which forms, and the reading of its fields.

What is signed is what was given. Nothing that a body lacks is filled in, and what signing needs and a body lacks is named.
The work itself is in `signer`, which brings the curve and is imported on first use.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from mockrelay.control.fields import Fields
from mockrelay.core.commands.base import account_ref
from mockrelay.core.commands.lookup import account_of
from mockrelay.core.errors import BAD, CommandRefused
from mockrelay.relay import Relay
from mockrelay.spec.endpoints import BY_NAME, SignatureHeader
from mockrelay.spec.request_kinds import SIGNED_BODIES, MessageForm, OwnerSigns
from mockrelay.suggest import any_of, nearest

SIGN_FIELDS = ("account", "endpoint", "body", "url", "scheme", "family", "form")
FAMILIES = ("python", "javascript")
"""Whose way of signing on layer 2 is followed; the first unless asked otherwise."""
BOTH, EDDSA, ECDSA = "both", "eddsa", "ecdsa"
"""Schemes: the layer-2 key, the owner's layer-1 key, or both."""
TYPED_FORMS: Mapping[str, str] = {"typed": "02", "personal": "03", "bare": ""}
"""Forms of the owner's signature of a typed request, and the suffix of each: the hash signed as it is, as a personal
message, or as it is and without a suffix, which the newest clients send."""
TEXT_FORMS = ("memo", "no_memo", "memo_two_blanks", "no_memo_two_blanks")
"""Forms of the personal message of a gen-2 transfer, in the order of `owner.transfer_v2_texts`."""
_URL = re.compile(r"https?://[^\s/?#][^\s?#]*")
_URL_MEANT = "where the client finds the relayer: http://HOST:PORT, or http://HOST:PORT/w/NAME for a world"


class Signable(NamedTuple):
    """How a kind of request may be signed; the first of each is what is done unless asked otherwise."""

    schemes: tuple[str, ...]
    forms: tuple[str, ...]
    """Of the owner's signature."""


_FORMS: Mapping[OwnerSigns | None, tuple[str, ...]] = {
    None: (),
    OwnerSigns.TEXT: TEXT_FORMS,
    OwnerSigns.TYPED: tuple(TYPED_FORMS),
}


def _signable(endpoint: str, form: MessageForm) -> Signable:
    forms = _FORMS[form.owner_signs]
    if not forms:
        return Signable((EDDSA,), forms)
    if BY_NAME[endpoint].signature is not SignatureHeader.ECDSA:
        return Signable((BOTH, EDDSA, ECDSA), forms)
    # The owner signs the header, which must be there; what a body holds in parts must be there as well.
    return Signable((BOTH,) if form.in_parts else (BOTH, ECDSA), forms)


SIGNABLE: Mapping[str, Signable] = {
    endpoint: _signable(endpoint, body.form) for endpoint, body in SIGNED_BODIES.items()
}
"""By endpoint. The header of a deployment is always of layer 2, so that a scheme is about the transfer inside it."""


class Wish(NamedTuple):
    """A request to be signed, and how."""

    endpoint: str
    body: Mapping[str, Any]
    url: str | None
    """The base that the client was given, without a slash at the end; None where it was not said."""
    scheme: str
    family: str
    form: str | None
    """None: no signature of the owner is made."""


def sign(relay: Relay, fields: Fields, words: tuple[str, ...]) -> Any:
    """Sign a request as the client of an account would; nothing is sent."""
    from mockrelay.control import signer  # noqa: PLC0415  # brings the curve, which no other verb needs

    who = fields.given("account")
    if isinstance(who, bool) or not isinstance(who, (str, int)):
        raise CommandRefused(
            BAD, "an account goes by a name or a number", "account", "its id, its name or its owner's address"
        )
    wish = _wish(fields)
    with relay.locked_context() as ctx:
        return signer.signed(ctx, account_of(ctx, account_ref(str(who))), wish)


def _wish(fields: Fields) -> Wish:
    endpoint = fields.text("endpoint")
    if endpoint not in SIGNABLE:
        reason = "is not signed" if endpoint in BY_NAME else "is no endpoint"
        raise CommandRefused(BAD, f"{endpoint[:60]!r} {reason}", "endpoint", nearest(endpoint, tuple(SIGNABLE)))
    fields.given("body")
    schemes, forms = SIGNABLE[endpoint]
    scheme = _option(fields, "scheme", schemes, f"{endpoint} is not signed so") or schemes[0]
    if scheme == EDDSA:
        forms = ()
    if scheme == ECDSA and BY_NAME[endpoint].signature is not SignatureHeader.EDDSA and "family" in fields:
        raise CommandRefused(
            BAD, "a family signs on layer 2, and nothing is signed there", "family", "no family, or scheme both"
        )
    return Wish(
        endpoint,
        fields.mapping("body"),
        _url(fields, endpoint),
        scheme,
        _option(fields, "family", FAMILIES, "no such family of clients") or FAMILIES[0],
        _option(fields, "form", forms, "the owner's signature here has no such form") or (forms[0] if forms else None),
    )


def _option(fields: Fields, name: str, words: tuple[str, ...], problem: str) -> str | None:
    if name not in fields:
        return None
    word = fields.text(name)
    if word not in words:
        meant = any_of(words) if words else f"no {name}: the owner signs nothing here"
        raise CommandRefused(BAD, f"{word[:60]!r}: {problem}", name, meant)
    return word


def _url(fields: Fields, endpoint: str) -> str | None:
    if "url" not in fields:
        return None
    url = fields.text("url").rstrip("/")
    if not _URL.fullmatch(url) or url.endswith(BY_NAME[endpoint].path):
        raise CommandRefused(BAD, f"{url[:60]!r} is no base of addresses", "url", _URL_MEANT)
    return url


def no_url(endpoint: str) -> CommandRefused:
    """What is to be said where a signature covers an address that nobody gave."""
    return CommandRefused(BAD, f"url is missing: the signature of {endpoint} covers the address", "url", _URL_MEANT)
