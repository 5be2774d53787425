"""The endpoints whose requests can be signed, in which schemes and forms, and a request to be signed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from mockrelay.core.errors import BAD, CommandRefused
from mockrelay.spec.endpoint import SignatureHeader
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.signed_bodies import MessageForm, OwnerSigns
from mockrelay.spec.signed_rows import SIGNED_BODIES

FAMILIES = ("python", "javascript")
"""The families of clients by their way of signing on layer 2; the first is the default."""
BOTH, EDDSA, ECDSA = "both", "eddsa", "ecdsa"
"""Schemes: the layer-2 key, the owner's layer-1 key, or both."""
URL_MEANT = "where the client finds the relayer: http://HOST:PORT, or http://HOST:PORT/w/NAME for a world"
TYPED_FORMS: Mapping[str, str] = {"typed": "02", "personal": "03", "bare": ""}
"""Forms of the owner's signature of a typed request, and the suffix of each: the hash signed as it is, as a personal
message, or as it is and without a suffix, which the newest clients send."""
TEXT_FORMS = ("memo", "no_memo", "memo_two_blanks", "no_memo_two_blanks")
"""Forms of the personal message of a gen-2 transfer, in the order of `owner.transfer_v2_texts`."""


class Signable(NamedTuple):
    """The ways in which an endpoint's request can be signed; the first of each is the default."""

    schemes: tuple[str, ...]
    forms: tuple[str, ...]
    """The forms of the owner's signature."""


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
    # The header with the owner's signature is required; a layer-2 signature in parts of the body is, too.
    return Signable((BOTH,) if form.in_parts else (BOTH, ECDSA), forms)


SIGNABLE: Mapping[str, Signable] = {
    row: _signable(row, body.form) for row, body in SIGNED_BODIES.items() if row in BY_NAME
}
"""By endpoint; its other forms are signed in the same ways. A deployment's header is always signed on layer 2; its scheme
is that of the transfer inside it.
"""


class Unsigned(NamedTuple):
    """A request to be signed, and how."""

    endpoint: str
    body: Mapping[str, Any]
    url: str | None
    """The base URL that the client uses, without a slash at the end; None: not given."""
    scheme: str
    family: str
    form: str | None
    """The form of the owner's signature; None: there is none."""


def no_url(endpoint: str) -> CommandRefused:
    """The refusal where a signature covers the URL and none was given."""
    return CommandRefused(BAD, f"url is missing: the signature of {endpoint} covers the address", "url", URL_MEANT)
