"""A call to each endpoint that a relayer accepts, for wrong ones to be made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mockrelay.check import bodies
from mockrelay.check.answers import Ask
from mockrelay.check.facts import SOME_ADDRESS, Missing

if TYPE_CHECKING:
    from mockrelay.check.run import Run


def healthy(run: Run, endpoint: str) -> Ask:
    """The call. Raises Missing where something is not known that it needs."""
    if endpoint in _SUBMISSIONS:
        return _SUBMISSIONS[endpoint](run)
    return bodies.call(run, endpoint, _READS[endpoint](run))


def _owner_and_token(run: Run) -> dict[str, Any]:
    return {"owner": run.facts.owner(), "token": run.facts.some_token().address}


def _order_fee(run: Run) -> dict[str, Any]:
    base, _ = run.facts.pair()
    amount = {"tokenB": base.token_id, "amountB": str(10**base.decimals)}
    return {"accountId": run.facts.account_id(), "market": run.facts.market(), **amount}


def _order_id(run: Run) -> dict[str, Any]:
    return {"accountId": run.facts.account_id(), "tokenSId": run.facts.some_token().token_id}


def _nft_data(run: Run) -> dict[str, Any]:
    if run.world is None:
        raise Missing("an NFT that is there is not known of a relayer that cannot be steered")
    minter = bodies.minter(run)
    return {"minter": str(minter.account_id), "tokenAddress": bodies.contract(run), "nftId": bodies.NFT_ID}


def _token_address(run: Run) -> dict[str, Any]:
    owner = bodies.minter(run).owner if run.facts.carol else run.facts.owner()
    return {"nftFactory": run.facts.about("nftFactory"), "nftOwner": owner, "nftBaseUri": ""}


def _nft_fee(run: Run) -> dict[str, Any]:
    return {"accountId": run.facts.account_id(), "requestType": 9, "tokenAddress": SOME_ADDRESS}


_READS: Mapping[str, Callable[[Run], dict[str, Any]]] = {
    "get_tokens": lambda run: {},
    "get_exchange_info": lambda run: {},
    "send_eth_tx": lambda run: {"data": "0xf86b80"},
    "get_token_balances": _owner_and_token,
    "get_allowances": _owner_and_token,
    "get_eth_balance": lambda run: {"owner": run.facts.owner()},
    "get_gas_price": lambda run: {},
    "get_account": lambda run: {"owner": run.facts.owner()},
    "get_depth": lambda run: {"market": run.facts.market(), "level": 0},
    "get_candlestick": lambda run: {"market": run.facts.market(), "interval": "1min"},
    "get_ticker": lambda run: {"market": run.facts.market()},
    "get_order_fee": _order_fee,
    "get_order_id": _order_id,
    "get_orders": lambda run: {"accountId": run.facts.account_id()},
    "get_block": lambda run: {},
    "get_pending_requests": lambda run: {},
    "get_nft_data": _nft_data,
    "compute_token_address": _token_address,
    "get_code": lambda run: {"address": SOME_ADDRESS},
    "get_nft_fee": _nft_fee,
    "get_broker": lambda run: {},
}
READS = tuple(_READS)
"""The endpoints that change nothing, and `send_eth_tx`, which changes nothing that the relayer keeps."""


def _order(run: Run) -> Ask:
    base, quote = run.facts.pair()
    return bodies.order(run, run.facts.alice, (base, 100 * 10**base.decimals), (quote, 10**quote.decimals))


def _update(run: Run) -> Ask:
    who = run.facts.alice
    return bodies.update(run, who, bodies.next_nonce(run, who))


_SUBMISSIONS: Mapping[str, Callable[[Run], Ask]] = {
    "submit_order": _order,
    "submit_transfer": lambda run: bodies.transfer(run, bodies.next_nonce(run, run.facts.alice)),
    "submit_withdrawal": bodies.withdrawal,
    "update_account": _update,
    "mint_nft": bodies.mint,
    "transfer_nft": lambda run: bodies.move(run, "transfer_nft", run.facts.alice),
    "withdraw_nft": lambda run: bodies.move(run, "withdraw_nft", bodies.minter(run)),
    "deploy_nft_contract": bodies.deployment,
}
