"""Calls that must succeed, each answer held against the transcript on the way."""

from __future__ import annotations

from typing import Any

from mockrelay.relay import Relay
from tests.conformance.checks import all_integers_safe, conforms, payload
from tests.conformance.fields import ANSWERS
from tests.support.bodies import E18
from tests.support.calls import Request, accepted, bid, call, order, valid_request
from tests.support.worlds import world


def busy() -> Relay:
    """W after one trade: O of 100 LRC at 0.0005 ETH rests, bob has bought 40 LRC of it, and bids for 10 at 0.0004."""
    relay = world()
    accepted(relay, order(1, clientOrderId="first"))
    accepted(relay, bid(1))
    accepted(relay, bid(2, lrc=10 * E18, eth=4 * 10**15))
    return relay


def told(relay: Relay, name: str, **fields: Any) -> Any:
    """The payload of a call that must succeed, held against the transcript."""
    found = payload(call(relay, Request(name, fields) if fields else valid_request(name)), name)
    conforms(ANSWERS[name][0], found, name)
    all_integers_safe(found)
    return found
