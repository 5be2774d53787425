"""The control call that signs a request for an account.

The body is signed as given: nothing is filled in, and a field that signing needs but the body lacks is an error.
`signer` makes the signatures; it needs the curve, and is imported on first use.
"""

from __future__ import annotations

import re
from typing import Any

from mockrelay.control.fields import Fields
from mockrelay.control.signable import ECDSA, EDDSA, FAMILIES, SIGNABLE, URL_MEANT, Unsigned
from mockrelay.core.commands.base import account_ref
from mockrelay.core.commands.lookup import account_of
from mockrelay.core.errors import BAD, CommandRefused
from mockrelay.relay import Relay
from mockrelay.spec.endpoint import SignatureHeader
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.profiles import Profile
from mockrelay.suggest import any_of, in_quotes, nearest
from mockrelay.wire.decode import MAX_BODY

SIGN_FIELDS = ("account", "endpoint", "body", "url", "scheme", "family", "form")
_URL = re.compile(r"https?://[^\s/?#][^\s?#]*")


def sign(relay: Relay, fields: Fields, words: tuple[str, ...]) -> Any:
    """Sign a request as the client of an account would; nothing is sent."""
    from mockrelay.control import signer  # noqa: PLC0415  # brings the curve, which no other verb needs

    ref = fields.required("account")
    if isinstance(ref, bool) or not isinstance(ref, (str, int)):
        raise CommandRefused(
            BAD, "an account goes by a name or a number", "account", "its id, its name or its owner's address"
        )
    unsigned = _unsigned(fields, relay.world.config.profile)
    with relay.locked_context() as ctx:
        return signer.sign_request(ctx, account_of(ctx, account_ref(str(ref))), unsigned)


def _unsigned(fields: Fields, profile: Profile) -> Unsigned:
    endpoint = fields.text("endpoint")
    served = tuple(name for name in SIGNABLE if profile.row_of(name) is not None)
    if endpoint not in served:
        reason = "is not an endpoint"
        if endpoint in BY_NAME:
            reason = "is not signed" if endpoint not in SIGNABLE else f"is not served under the profile {profile.name}"
        raise CommandRefused(BAD, f"{in_quotes(endpoint, 60)} {reason}", "endpoint", nearest(endpoint, served))
    fields.required("body")
    schemes, forms = SIGNABLE[endpoint]
    scheme = _option(fields, "scheme", schemes, f"{endpoint} is not signed so") or schemes[0]
    if scheme == EDDSA:
        forms = ()
    if scheme == ECDSA and BY_NAME[endpoint].signature is not SignatureHeader.EDDSA and "family" in fields:
        raise CommandRefused(
            BAD, "a family signs on layer 2, and nothing is signed there", "family", "no family, or scheme both"
        )
    body = fields.mapping("body")
    if sum(len(name) + (len(value) if isinstance(value, str) else 0) for name, value in body.items()) > MAX_BODY:
        raise CommandRefused(BAD, "the body is longer than the API takes", "body", f"at most {MAX_BODY} bytes")
    return Unsigned(
        endpoint,
        body,
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
        raise CommandRefused(BAD, f"{in_quotes(word, 60)}: {problem}", name, meant)
    return word


def _url(fields: Fields, endpoint: str) -> str | None:
    if "url" not in fields:
        return None
    url = fields.text("url").rstrip("/")
    if not _URL.fullmatch(url) or url.endswith(BY_NAME[endpoint].path):
        raise CommandRefused(BAD, f"{in_quotes(url, 60)} is not a base address", "url", URL_MEANT)
    return url
