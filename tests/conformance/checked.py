"""Calls that must succeed, whose answers are held against the transcript on the way; and the world after one trade."""

from __future__ import annotations

from typing import Any

from mockrelay.relay import Relay
from tests.conformance.checks import all_integers_safe, conforms, payload
from tests.conformance.fields import ANSWERS
from tests.support.bodies import E18
from tests.support.calls import Request, accepted, bid, call, order, valid_request
from tests.support.client import done
from tests.support.worlds import world


def pending(relay: Relay) -> list[dict[str, Any]]:
    """What waits for the next block."""
    found: list[dict[str, Any]] = payload(call(relay, Request("get_pending_requests", {})), "get_pending_requests")
    conforms("list:TransactionBlock", found)
    all_integers_safe(found)
    return found


def block(relay: Relay, block_id: int | str | None = None) -> dict[str, Any]:
    """A block that must be there."""
    fields = {} if block_id is None else {"id": block_id}
    found: dict[str, Any] = payload(call(relay, Request("get_block", fields)), "get_block")
    conforms("Block", found)
    all_integers_safe(found)
    assert found["blockSize"] == len(found["transactions"])
    return found


def blocks(relay: Relay) -> list[dict[str, Any]]:
    """All blocks, from block 0 on."""
    found = [block(relay, 0)]
    while True:
        answer = call(relay, Request("get_block", {"id": len(found)}))
        if answer.status != 200:
            return found
        found.append(block(relay, len(found)))


def seal(relay: Relay, count: int = 1) -> list[int]:
    """Seal by hand; the ids of the new blocks."""
    found: list[int] = done(relay, "POST", "blocks/seal", {"count": count})["blockIds"]
    return found


def advance_to(relay: Relay, hash_: str, to: str) -> None:
    """Move a request on by hand."""
    done(relay, "POST", f"submissions/{hash_}/advance", {"to": to})


def balances(relay: Relay, name: str) -> Any:
    """The account's layer-2 balances, as the state of the world shows them."""
    return next(entry["balances"] for entry in done(relay, "GET", "state")["accounts"] if entry["name"] == name)


def look_up(relay: Relay, nft_id: str) -> Any:
    """The NFT's record."""
    answer = call(relay, valid_request("get_nft_data").but(nftId=nft_id))
    assert answer.status == 200, answer.body
    return answer.json


def busy() -> Relay:
    """W after one trade: O of 100 LRC at 0.0005 ETH rests, bob has bought 40 LRC of it, and bids for 10 at 0.0004."""
    relay = world()
    accepted(relay, order(1, clientOrderId="first"))
    accepted(relay, bid(1))
    accepted(relay, bid(2, lrc=10 * E18, eth=4 * 10**15))
    return relay


def read(relay: Relay, name: str, **fields: Any) -> Any:
    """The payload of a call that must succeed, held against the transcript."""
    found = payload(call(relay, Request(name, fields) if fields else valid_request(name)), name)
    conforms(ANSWERS[name][0], found, name)
    all_integers_safe(found)
    return found
