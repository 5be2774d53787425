"""How a request is submitted: where, under which names, and what is signed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from mockrelay.spec.signed_bodies import SignedBody


class Paths(NamedTuple):
    """The paths of a body's fields by what they mean. `None`: the body has no such field."""

    account: str
    """Who asks, and pays."""
    fee_token: str
    fee: str
    """The most that is paid, in the fee's smallest unit."""
    number: str
    """The account's nonce, or a storage id."""
    owner: str | None = None
    """The address that owns the account."""
    receiver: str | None = None
    """An account's id; of what goes to layer 1, an address."""
    receiver_owner: str | None = None
    """The address that owns the receiver."""
    asset: str | None = None
    """What is moved: a token's id, or an NFT's own."""
    amount: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """How a request is submitted in one form."""

    row: str
    """The id of the row of its endpoint and form."""
    forms: tuple[str, ...] = ()
    """Further forms of that row, with the same fields."""
    has_nonce: bool = False
    """True: it takes the account's next nonce; False: a storage id of the account's own choice."""
    polled_by: str | None
    """The endpoint that is polled for its outcome, which may be its own; None: there is none."""
    body: Paths
    terms: tuple[str, ...]
    """Paths of what it asks for; its nonce or storage id is not among them."""
    signed: SignedBody
