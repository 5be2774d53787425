"""What clients wish for: right things, and things with something wrong on purpose."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

from tests.properties.models.request_setup import DAI, ETH, LRC, NAMES

TWISTS = ("exchange", "foreign", "receiver", "fee token", "nonce", "storage id", "expired", "zero", "contract", "payee")


class Wish(NamedTuple):
    """What a client wants, whichever kind of request it becomes."""

    account: int
    other: int
    token: int
    amount: int
    fee_token: int
    extra: int
    """What is offered above the fee."""
    pick: int
    twist: str


PICKS = st.integers(0, 30)
WISHES = st.builds(
    Wish,
    st.sampled_from(list(NAMES)),
    st.sampled_from(list(NAMES)),
    st.sampled_from([ETH, LRC, LRC, DAI]),
    st.sampled_from([1, 500, 20_000, 150_000]),
    st.sampled_from([ETH, LRC, LRC]),
    st.sampled_from([0, 0, 0, 5, -1]),
    PICKS,
    st.one_of(st.just(""), st.just(""), st.just(""), st.sampled_from(TWISTS)),
)

ALL = -1
"""As an amount: all that is free beside the fee, or one more than that."""


def _right(account: int, other: int, token: int, amount: int, extra: int, pick: int) -> Wish:
    return Wish(account, other, token, amount, token, extra, pick, "")


_MEANT = (st.sampled_from(list(NAMES)), st.sampled_from(list(NAMES)), st.sampled_from([ETH, LRC]))
RIGHT_WISHES = st.builds(_right, *_MEANT, st.sampled_from([1, 2, 500, 500, ALL]), st.sampled_from([0, 5]), PICKS)
"""Wishes that nothing but want of money stands against."""
WRONG_WISHES = st.builds(
    lambda wish, twist: wish._replace(twist=twist, amount=abs(wish.amount)), RIGHT_WISHES, st.sampled_from(TWISTS)
)
"""The same with one thing wrong."""
