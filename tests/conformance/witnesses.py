"""For every choice a witness: calls whose bytes differ between two worlds that differ in that choice alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from mockrelay.relay import Relay
from tests.conformance.causes_of_requests import TRANSFER, UPDATE, WITHDRAWAL, inside, taken
from tests.conformance.transcript import BY_NAME
from tests.support.answer import Answer
from tests.support.bodies import E18
from tests.support.calls import OWNER_A, Request, accepted, bid, call, minted, order, ready, valid_request
from tests.support.client import advance, done, post, send
from tests.support.worlds import DAY_S, DUSTY, SLOW_CANCEL, START_S, W


class Witness(NamedTuple):
    """What is called, in which world."""

    calls: Callable[[Relay], bytes]
    scenario: Path = W
    limits: str = "off"


def visible(*answers: Answer) -> bytes:
    """All that a client sees of the answers and that a choice may change."""
    lines = []
    for answer in answers:
        headers = [answer.headers.get(name, "-") for name in ("content-type", "retry-after", "date")]
        lines.append(f"{answer.status} {headers}\n".encode() + answer.body)
    return b"\n\n".join(lines)


def _one(request: Request) -> Witness:
    return Witness(lambda relay: visible(call(relay, request)))


def _listed(relay: Relay, key: str = "alice") -> Answer:
    return call(relay, Request("get_orders", {"accountId": 10001 if key == "alice" else 10002}, key))


def _then_list(*requests: Request) -> Witness:
    def calls(relay: Relay) -> bytes:
        return visible(*(call(relay, request) for request in requests), _listed(relay))

    return Witness(calls)


def _traded(then: Request, *, wait: tuple[str, ...] = ()) -> Witness:
    """One trade of 1 LRC, and after each span of `wait` another; then the call."""

    def calls(relay: Relay) -> bytes:
        accepted(relay, order(1))
        accepted(relay, bid(1, lrc=E18, eth=5 * 10**14))
        for number, span in enumerate(wait, 2):
            advance(relay, span)
            if span != wait[-1] or then.name == "get_candlestick":
                accepted(relay, bid(number, lrc=E18, eth=5 * 10**14))
        return visible(call(relay, then))

    return Witness(calls)


def _plain_text(relay: Relay) -> bytes:
    body = json.dumps(order().fields).encode()
    return visible(post(relay, BY_NAME["submit_order"].path, body, headers={"content-type": "text/plain"}))


def _twice_in_query(relay: Relay) -> bytes:
    return visible(send(relay, "GET", BY_NAME["get_account"].path, query=[("owner", OWNER_A)] * 2))


def _too_often(relay: Relay) -> bytes:
    return visible(*(call(relay, valid_request("get_tokens")) for _ in range(4)))


def _callers(relay: Relay) -> bytes:
    """Alice has used up her calls; then bob from the same address, bob from another, alice from another."""
    for _ in range(3):
        call(relay, valid_request("get_tokens"))
    bob, alice = Request("get_tokens", {}, "bob"), Request("get_tokens", {}, "alice")
    return visible(call(relay, bob), call(relay, bob, remote="10.0.0.9"), call(relay, alice, remote="10.0.0.9"))


def _around_a_second(relay: Relay) -> bytes:
    """Three calls at .900, then two each at .950, at the next .000, .300 and .900."""
    advance(relay, "900ms")
    answers = [call(relay, valid_request("get_tokens")) for _ in range(3)]
    for span in ("50ms", "50ms", "300ms", "600ms"):
        advance(relay, span)
        answers += [call(relay, valid_request("get_tokens")) for _ in range(2)]
    return visible(*answers)


def _brokers(relay: Relay) -> bytes:
    return visible(*(call(relay, valid_request("get_broker")) for _ in range(6)))


def _does_not_slow_down(relay: Relay) -> bytes:
    for _ in range(13):
        call(relay, valid_request("get_tokens"))
    advance(relay, "1s")
    return visible(call(relay, valid_request("get_tokens")))


def _frozen(relay: Relay) -> bytes:
    done(relay, "POST", "accounts/10001/freeze", {"frozen": True})
    return visible(call(relay, order()))


def _dust(relay: Relay) -> bytes:
    """All but one wei of the order is filled, in a world where one wei is dust."""
    order_hash = accepted(relay, order())["orderHash"]
    done(relay, "POST", f"orders/{order_hash}/fill", {"size": str(100 * E18 - 1)})
    return visible(_listed(relay))


def _cancelling(relay: Relay) -> bytes:
    """An order on its way to be cancelled, looked for under `cancelled`."""
    order_hash = accepted(relay, order())["orderHash"]
    done(relay, "POST", f"orders/{order_hash}/cancel", {})
    return visible(call(relay, valid_request("get_orders").but(status="cancelled")))


def _sixty(relay: Relay) -> bytes:
    for order_id in range(60):
        accepted(relay, order(order_id, amountS=str(E18), amountB=str(E18)))
    return visible(call(relay, valid_request("get_orders").but(limit=60)))


_PENDING = Request("get_pending_requests", {})
_ALL = str(10_000 * E18)


def _calls(*requests: Request) -> Witness:
    """All but the last must be accepted under every option; the last one's answer differs."""

    def calls(relay: Relay) -> bytes:
        for request in requests[:-1]:
            taken(relay, request)
        return visible(call(relay, requests[-1]))

    return Witness(calls)


def _repeat_when_done(relay: Relay) -> bytes:
    taken(relay, WITHDRAWAL)
    advance(relay, "10s")
    return visible(call(relay, WITHDRAWAL))


def _id_of_an_order(relay: Relay) -> bytes:
    """Order 7 sells LRC, then LRC are withdrawn under storage id 7."""
    accepted(relay, order(7))
    return visible(call(relay, WITHDRAWAL))


def _credit(relay: Relay) -> bytes:
    """Bob sells one LRC more than he had; alice has just sent him one."""
    taken(relay, TRANSFER)
    all_and_one = {"tokenSId": 1, "tokenBId": 0, "amountS": str(10_001 * E18), "amountB": str(E18), "buy": "false"}
    return visible(call(relay, bid(1).but(**all_and_one)))


def _confirmed_block(relay: Relay) -> bytes:
    taken(relay, TRANSFER)
    advance(relay, "40s")
    return visible(call(relay, Request("get_block", {"id": "1"})))


def _mint_is_looked_up(relay: Relay) -> bytes:
    return visible(call(minted(relay), valid_request("get_nft_data")))


def _deployed_twice(relay: Relay) -> bytes:
    deploy = valid_request("deploy_nft_contract")
    taken(ready(relay, deploy.name), deploy)
    return visible(call(relay, deploy))


_UNSIGNED_TRANSFER = valid_request("submit_transfer")._replace(signature=None)
_CANDLES = valid_request("get_candlestick")
_NO_KEY = valid_request("get_tokens")._replace(key=None)
_SELF = bid(2)._replace(key="alice").but(accountId=10001)

WITNESSES: dict[str, Witness] = {
    "http.error_status": Witness(
        lambda relay: visible(
            call(relay, order(exchangeId=3)), call(relay, valid_request("get_order_fee").but(market="x"))
        )
    ),
    "http.bare_error_body": _one(valid_request("get_order_fee").but(market="x")),
    "http.content_type": Witness(_plain_text),
    "http.unknown_fields": _one(order(surplus=1)),
    "http.numbers": _one(order(exchangeId="2")),
    "http.repeated_query": Witness(_twice_in_query),
    "http.date": _one(valid_request("get_tokens")),
    # Each option lets other calls pass: none, the first, both.
    "auth.key_on_unlisted": Witness(
        lambda relay: visible(call(relay, _NO_KEY), call(relay, valid_request("get_nft_data")._replace(key=None)))
    ),
    "auth.key_on_silent": _one(valid_request("get_broker")._replace(key=None)),
    "auth.missing_signature_header": _one(_UNSIGNED_TRANSFER),
    # No signature, and one that is well-formed and wrong: each option lets another one of them pass.
    "signature.scheme": Witness(
        lambda relay: visible(call(relay, order(1, signatureRx="0")), call(relay, order(2, signatureRx="111")))
    ),
    "hash.scheme": _one(order()),
    "rate.status": Witness(_too_often, limits="spec"),
    "rate.body": Witness(_too_often, limits="spec"),
    "rate.retry_after": Witness(_too_often, limits="spec"),
    "rate.scope": Witness(_callers, limits="spec"),
    "rate.window": Witness(_around_a_second, limits="spec"),
    "rate.unlisted": Witness(_brokers, limits="spec"),
    "rate.escalate": Witness(_does_not_slow_down, limits="spec"),
    "account.unknown": _one(Request("get_account", {"owner": "0x" + "de" * 20})),
    "account.key_text": _one(valid_request("get_account")),
    "order.rejected_answer": _one(order(exchangeId=3)),
    "order.frozen_account": Witness(_frozen),
    "order.valid_since_future": _then_list(order(validSince=START_S + DAY_S)),
    "order.too_short_validity": _one(order(validUntil=START_S + DAY_S)),
    "order.self_trade": _then_list(order(1), _SELF),
    "order.max_fee_below_rate": _one(order(maxFeeBips=1)),
    "order.dust": Witness(_dust, scenario=DUSTY),
    "order.repeated_client_id": _then_list(order(1, clientOrderId="x"), order(2, clientOrderId="x")),
    "order_id.get": Witness(lambda relay: visible(*(call(relay, valid_request("get_order_id")) for _ in range(2)))),
    "order_id.json": _one(valid_request("get_order_id")),
    "orders.filter_cancelling": Witness(_cancelling, scenario=SLOW_CANCEL),
    "orders.unknown_hash": _one(valid_request("get_orders").but(fromHash="0x" + "12" * 32)),
    "page.limit_max": Witness(_sixty),
    "order_fee.many_markets": _one(valid_request("get_order_fee").but(market="LRC-ETH,LRC-USDT")),
    "block.fill_s": _traded(valid_request("get_pending_requests")),
    "pending.shape": _traded(valid_request("get_pending_requests")),
    "tx_type.case": _traded(valid_request("get_pending_requests")),
    "depth.level_above": _one(valid_request("get_depth").but(level=9)),
    "candles.empty": _traded(_CANDLES, wait=("180s",)),
    "candles.order": _traded(_CANDLES, wait=("60s",)),
    "candles.week_start": _traded(_CANDLES.but(interval="1w")),
    "ticker.no_value": _one(valid_request("get_ticker")),
    "ticker.window": _traded(valid_request("get_ticker"), wait=("25h",)),
    "gas_price.unit": _one(valid_request("get_gas_price")),
    "fee.gas_price_unit": _one(valid_request("get_order_fee")),
    "nft.error_code": _one(valid_request("get_code").but(address="x")),
    "account.key_active": _calls(UPDATE, valid_request("get_account")),
    "account.nonce_moves": _calls(UPDATE, valid_request("get_account")),
    "request.repeat": Witness(_repeat_when_done),
    "request.insufficient_funds": _calls(inside(WITHDRAWAL, "token", volume=_ALL)),
    "storage_id.scope": _calls(WITHDRAWAL, inside(WITHDRAWAL, "token", tokenId=0)),
    "storage_id.space": Witness(_id_of_an_order),
    "transfer.fee_token": _calls(TRANSFER.but(tokenF=0, amountF=str(10**16))),
    "withdrawal.fee_token": _calls(inside(WITHDRAWAL, "maxFee", tokenId=0)),
    "transfer.credit": Witness(_credit),
    "fee.charged": _calls(inside(WITHDRAWAL, "maxFee", volume=str(E18)), _PENDING),
    "block.status_words": Witness(_confirmed_block),
    "block.unknown_id": _calls(Request("get_block", {"id": "7"})),
    "nft.visible": Witness(_mint_is_looked_up),
    "nft.repeat_deploy": Witness(_deployed_twice),
    "nft.optional_fields": _calls(valid_request("mint_nft").without("forceToMint")),
}
"""By choice. `START_S` is a Thursday, so a week that starts on Monday starts on another day than an epoch week."""
