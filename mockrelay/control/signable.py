"""Which kinds of requests can be signed, in which forms, and a request to be signed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from mockrelay.core.errors import BAD, CommandRefused
from mockrelay.spec.endpoints import BY_NAME, SignatureHeader
from mockrelay.spec.request_kinds import SIGNED_BODIES
from mockrelay.spec.signed_bodies import MessageForm, OwnerSigns

FAMILIES = ("python", "javascript")
"""Whose way of signing on layer 2 is followed; the first unless asked otherwise."""
BOTH, EDDSA, ECDSA = "both", "eddsa", "ecdsa"
"""Schemes: the layer-2 key, the owner's layer-1 key, or both."""
URL_MEANT = "where the client finds the relayer: http://HOST:PORT, or http://HOST:PORT/w/NAME for a world"
TYPED_FORMS: Mapping[str, str] = {"typed": "02", "personal": "03", "bare": ""}
"""Forms of the owner's signature of a typed request, and the suffix of each: the hash signed as it is, as a personal
message, or as it is and without a suffix, which the newest clients send."""
TEXT_FORMS = ("memo", "no_memo", "memo_two_blanks", "no_memo_two_blanks")
"""Forms of the personal message of a gen-2 transfer, in the order of `owner.transfer_v2_texts`."""


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


class Unsigned(NamedTuple):
    """A request to be signed, and how."""

    endpoint: str
    body: Mapping[str, Any]
    url: str | None
    """The base that the client was given, without a slash at the end; None where it was not said."""
    scheme: str
    family: str
    form: str | None
    """None: no signature of the owner is made."""


def no_url(endpoint: str) -> CommandRefused:
    """What is to be said where a signature covers an address that nobody gave."""
    return CommandRefused(BAD, f"url is missing: the signature of {endpoint} covers the address", "url", URL_MEANT)
