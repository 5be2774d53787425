"""How the bodies of requests are signed: which message, where in the body, and by whom."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple


class OwnerSigns(Enum):
    """What the owner's layer-1 key signs."""

    TEXT = "a personal message"
    TYPED = "a typed request"


class MessageForm(NamedTuple):
    """Which message of the protocol is signed; `signing/messages.py` has its fields, under the same name."""

    name: str
    in_parts: bool = False
    """True: the layer-2 signature is three numbers of the body (gen-2); False: one text."""
    owner_signs: OwnerSigns | None = None
    """None: the owner signs nothing."""
    of_order: bool = False
    """Whether it is an order's: then a signature in the header is not read."""


ORDER = MessageForm("ORDER", of_order=True)
ORDER_V2 = MessageForm("ORDER_V2", in_parts=True, of_order=True)
TRANSFER_V2 = MessageForm("TRANSFER_V2", in_parts=True, owner_signs=OwnerSigns.TEXT)
WITHDRAWAL = MessageForm("WITHDRAWAL", owner_signs=OwnerSigns.TYPED)
ACCOUNT_UPDATE = MessageForm("ACCOUNT_UPDATE", owner_signs=OwnerSigns.TYPED)
MINT = MessageForm("MINT")
TRANSFER = MessageForm("TRANSFER", owner_signs=OwnerSigns.TYPED)
NOTHING = MessageForm("NOTHING")
"""Of a body that is signed with the whole call, by the header alone."""


_NO_NAMES: Mapping[str, str] = MappingProxyType({})


class SignedBody(NamedTuple):
    """How a body is signed."""

    form: MessageForm
    part: str = ""
    """The object inside it that is signed; empty: the body itself."""
    own_names: Mapping[str, str] = _NO_NAMES
    """What it calls a field that its form shares with other bodies."""
