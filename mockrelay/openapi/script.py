"""The script that makes the relayer document's examples: for each endpoint an accepted call and a refused one.

Every request has the right shape. Where an endpoint accepts any such request, a fault makes it refuse one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from mockrelay.client import bodies
from mockrelay.client.bodies import right_fields
from mockrelay.client.facts import NO_BLOCK, SIGNATURE_PARTS, Facts
from mockrelay.client.wrong_calls import WRONG_CALLS
from mockrelay.openapi.players import Player
from mockrelay.openapi.playing import Control, Example, facts_of
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoint import KeyHeader
from mockrelay.spec.endpoints import BY_NAME, ENDPOINTS


@cache
def examples() -> tuple[Example, ...]:
    """All examples, in the order of the script."""
    script = _Script(Player())
    for part in (_market, _layer1, _money, _nft):
        part(script, script.facts)
    _others(script)
    _limits(script.player)
    return tuple(script.player.examples)


class _Script:
    """Makes the script's right and wrong calls to the player's relayer."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.facts = facts_of(player.relay)

    def right(self, endpoint: str, fields: Mapping[str, Any] | None = None, **how: Any) -> Any:
        """A right call, with the usual fields unless others are given; its answer."""
        is_keyed = BY_NAME[endpoint].key is KeyHeader.REQUIRED
        how.setdefault("account", "alice" if is_keyed else None)
        return self.player.play(endpoint, right_fields(self.facts, endpoint) if fields is None else fields, **how)

    def wrong(self, endpoint: str, wrong_call: str, fields: Mapping[str, Any] | None = None, **how: Any) -> None:
        """A call with one thing wrong: the row of `WRONG_CALLS` with this id."""
        row = next(row for row in WRONG_CALLS[endpoint] if row.id == wrong_call)
        code = row.codes if isinstance(row.codes, int) else next(iter(row.codes))
        changed = row.apply(self.facts, right_fields(self.facts, endpoint) if fields is None else fields)
        self.right(endpoint, changed, code=code, **how)

    def failing(self, endpoint: str, code: int, fault: Mapping[str, Any]) -> None:
        """A right call that a fault refuses."""
        self.right(endpoint, before=(Control("POST", "faults", {"on": endpoint, **fault}),), code=code)


def _market(script: _Script, facts: Facts) -> None:
    """Tokens, orders that match, and market data."""
    for endpoint in ("get_tokens", "get_exchange_info"):
        info = script.right(endpoint)
        script.right(endpoint, account=None, code=C.AUTH_KEY_EMPTY)
    facts.add_fees(info["data"])
    script.right("get_order_id")
    script.wrong("get_order_id", "unknown-account")
    base, quote = facts.pair
    base_wei, quote_wei = 100 * base.unit_wei, quote.unit_wei // 20
    sale = bodies.order(facts, facts.alice, (base, base_wei), (quote, quote_wei), clientOrderId="first")
    sale |= SIGNATURE_PARTS
    script.right("submit_order", sale)
    script.right("submit_order", sale, code=C.ORDER_EXISTS)
    script.wrong("submit_order", "unknown-bought", sale | {"orderId": sale["orderId"] + 1})
    half = bodies.order(facts, facts.bob, (quote, quote_wei // 2), (base, base_wei // 2))
    script.right("submit_order", half | SIGNATURE_PARTS, account="bob")
    script.right("get_orders", right_fields(facts, "get_orders") | {"status": "processing,processed", "limit": 10})
    script.right("get_orders", {"accountId": facts.bob.account_id}, code=C.AUTH_ACCOUNT_ID_INVALID)
    script.right("get_depth")
    script.wrong("get_depth", "unknown-market")
    script.wrong("get_depth", "unknown-level")
    script.right("get_candlestick")
    script.wrong("get_candlestick", "unknown-market")
    script.right("get_ticker", {"market": ",".join(facts.markets[:2])})
    script.wrong("get_ticker", "unknown-market")


def _layer1(script: _Script, facts: Facts) -> None:
    """Layer 1, and the errors when it does not answer."""
    for endpoint, state, code in (
        ("send_eth_tx", "down", C.LAYER1_NODE_UNAVAILABLE),
        ("get_token_balances", "error", C.LAYER1_NODE_ERROR),
        ("get_allowances", "down", C.LAYER1_REQUEST_FAILED),
        ("get_eth_balance", "down", C.LAYER1_REQUEST_FAILED),
        ("get_gas_price", "down", C.GAS_PRICE_UNAVAILABLE),
    ):
        script.right(endpoint)
        script.failing(endpoint, code, {"layer1": state})


def _money(script: _Script, facts: Facts) -> None:
    """Accounts, transfers, withdrawals and their blocks."""
    script.right("get_account")
    script.wrong("get_account", "unknown-owner")
    script.right("get_account", {"owner": "0x" + "11" * 20}, code=C.USER_NOT_FOUND)
    transfer = bodies.transfer(facts) | SIGNATURE_PARTS
    script.right("submit_transfer", transfer)
    script.right("submit_transfer", transfer, code=C.REQUEST_NONCE_INVALID)
    withdrawal = bodies.withdrawal(facts)
    script.right("submit_withdrawal", withdrawal)
    script.right("get_pending_requests")
    script.right("get_pending_requests", account=None, code=C.AUTH_KEY_EMPTY)
    script.wrong("submit_withdrawal", "other-exchange", withdrawal)
    update = bodies.account_update(facts, facts.bob)
    script.right("update_account", update)
    script.wrong("update_account", "other-owner", update)
    script.player.wait(10)
    script.right("get_block", {"id": "1"})
    script.right("get_block", {"id": NO_BLOCK}, code=C.UNKNOWN_ERROR)


def _nft(script: _Script, facts: Facts) -> None:
    """An NFT from the address of its contract to its withdrawal to layer 1."""
    facts.contract_address = contract = script.right("compute_token_address")["tokenAddress"]
    script.wrong("compute_token_address", "other-factory")
    mint = bodies.mint(facts)
    facts.nft = script.right("mint_nft", mint, account="carol")["raw_data"]
    script.wrong("mint_nft", "other-contract", mint, account="carol")
    script.right("get_nft_data", account="carol")
    script.wrong("get_nft_data", "unknown-minter", account="carol")
    script.right("transfer_nft", account="carol")
    script.right("transfer_nft", bodies.nft_move(facts, facts.alice, 9), account="carol", code=C.INVALID_ARGUMENT)
    withdrawal = bodies.nft_move(facts, facts.carol)
    script.right("withdraw_nft", withdrawal, account="carol", code=C.INVALID_ARGUMENT)
    deployment = bodies.deployment(facts)
    script.wrong("deploy_nft_contract", "other-payee", deployment, account="carol")
    script.right("deploy_nft_contract", deployment, account="carol")
    script.player.wait(15)
    script.right("get_code", {"address": contract})
    script.failing("get_code", C.UNKNOWN_ERROR, {"code": int(C.UNKNOWN_ERROR)})
    script.right("withdraw_nft", withdrawal, account="carol")


def _others(script: _Script) -> None:
    """Endpoints that need no preparation: the right call, and the first of their wrong calls or a fault."""
    played = {example.endpoint for example in script.player.examples}
    for row in ENDPOINTS:
        if row.name not in played:
            script.right(row.name)
            if row.name in WRONG_CALLS:
                script.wrong(row.name, WRONG_CALLS[row.name][0].id)
            else:
                script.failing(row.name, C.UNKNOWN_ERROR, {"code": int(C.UNKNOWN_ERROR)})


def _limits(player: Player) -> None:
    """Exceed each rate limit by a call that changes nothing: the endpoint's last refused one."""
    refused: Mapping[str, Example] = {example.endpoint: example for example in player.examples if example.code}
    for row in ENDPOINTS:
        example = refused.get(row.name)
        if row.per_second is not None and example is not None:
            times = row.per_second + 1
            player.play(row.name, example.fields, account=example.account, times=times, code=C.UNKNOWN_ERROR)
