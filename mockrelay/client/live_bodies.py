"""The fields of a right call to each row that the profile `live` adds, without signatures, by the id of the row.

All of them raise Missing where a fact is not known that they need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mockrelay.client import bodies
from mockrelay.client.bodies import Fields
from mockrelay.client.facts import DAY_S, VALID_S, Facts
from mockrelay.spec.live_endpoints import LIKE

SOME_NAME = "alice.eth"
"""The name that the packaged scenarios of the profile have."""
CLIENT_ORDER_ID = "first"
"""The client's own id of its orders."""
_CURRENCY = "USD"


def order_gen3(facts: Facts, **changes: Any) -> Fields:
    """An order of the third generation: alice sells 100 of the base token."""
    base, quote = facts.pair
    return {
        "exchange": facts.of_exchange("exchangeAddress"),
        "accountId": facts.account_id,
        "storageId": facts.next_id(),
        "sellToken": bodies.volume(base, 100 * base.unit_wei),
        "buyToken": bodies.volume(quote, quote.unit_wei),
        "validUntil": facts.now_s + VALID_S,
        "maxFeeBips": 63,
        "fillAmountBOrS": False,
        "allOrNone": False,
        "clientOrderId": CLIENT_ORDER_ID,
        "orderType": "LIMIT_ORDER",
    } | changes


def order_v2(facts: Facts) -> Fields:
    """An order of the second generation: the same amounts."""
    base, quote = facts.pair
    sold, bought = (base, 100 * base.unit_wei), (quote, quote.unit_wei)
    return bodies.order(facts, facts.alice, sold, bought, clientOrderId=CLIENT_ORDER_ID)


def transfer_v3(facts: Facts, **changes: Any) -> Fields:
    """A transfer of the third generation: one token from alice to bob's address."""
    token = facts.erc20
    return {
        "exchange": facts.of_exchange("exchangeAddress"),
        "payerId": facts.account_id,
        "payerAddr": facts.owner,
        "payeeId": 0,
        "payeeAddr": facts.receiver.owner,
        "token": bodies.volume(token, token.unit_wei),
        "maxFee": bodies.volume(token, facts.fee_wei("transferFees", token)),
        "storageId": facts.next_id(),
        "validUntil": facts.now_s + VALID_S,
        "memo": "",
    } | changes


def nft_withdrawal(facts: Facts) -> Fields:
    """A withdrawal of the minted NFT to carol's own address, with the fields of a withdrawal of a token."""
    moved, owner = bodies.nft_move(facts, facts.carol), facts.carol.owner
    same = {name: moved[name] for name in ("exchange", "token", "maxFee", "storageId", "validUntil")}
    whose = {"accountId": facts.carol.account_id, "owner": owner}
    return {**same, **whose, "minGas": 0, "to": owner, "extraData": ""}


def _mint(facts: Facts) -> Fields:
    return {name: value for name, value in bodies.mint(facts, royaltyPercentage=5).items() if name != "creatorFeeBips"}


def _update(facts: Facts) -> Fields:
    return bodies.account_update(facts, facts.alice)


def _account(facts: Facts) -> Fields:
    return {"accountId": facts.account_id}


def _account_with_key(facts: Facts) -> Fields:
    """With the public key in decimal digits, as clients send it."""
    x, y = (str(int(part, 0)) for part in facts.public_key)
    return {"accountId": facts.account_id, "publicKeyX": x, "publicKeyY": y}


def _minter(facts: Facts) -> Fields:
    return {"accountId": facts.carol.account_id}


def _owner(facts: Facts) -> Fields:
    return {"owner": facts.owner}


def _owner_and_token(facts: Facts) -> Fields:
    return {"owner": facts.owner, "token": facts.erc20.address}


def _collection(facts: Facts) -> Fields:
    return {
        "name": "Cats",
        "owner": facts.owner,
        "nftFactory": facts.of_exchange("nftFactory"),
        "tileUri": "",
        "description": "All of them.",
        "avatar": "",
        "banner": "",
    }


def _market(facts: Facts) -> Fields:
    return {"market": facts.market}


def _candles(facts: Facts) -> Fields:
    end_ms = facts.now_ms() + DAY_S * 1000
    return {"market": facts.market, "interval": "1min", "end": end_ms, "limit": 2}


def _order(facts: Facts) -> Fields:
    return {"accountId": facts.account_id, "orderHash": facts.submitted_order}


def _client_order(facts: Facts) -> Fields:
    return {"accountId": facts.account_id, "clientOrderId": CLIENT_ORDER_ID}


def _nft_of_minter(facts: Facts) -> Fields:
    owner, nft_id = facts.carol.owner, f"0x{int(bodies.NFT_ID, 16):x}"
    return {"minter": owner, "tokenAddress": facts.contract, "nftId": nft_id}


def _orders(generation: str) -> Mapping[str, Callable[[Facts], Fields]]:
    """The calls about orders and trades that both generations have, by the end of their names."""
    return {
        f"get_order_{generation}": _order,
        f"cancel_orders_{generation}_by_hash": _order,
        f"cancel_orders_{generation}_by_client_id": _client_order,
        f"get_user_trades_{generation}": lambda facts: {**_account(facts), "market": facts.market},
        f"get_trades_{generation}": _market,
        f"get_prices_{generation}": lambda facts: {"legal": _CURRENCY},
        f"get_balances_{generation}": lambda facts: {**_account(facts), "tokens": str(facts.erc20.token_id)},
        f"get_eth_nonce_{generation}": _owner,
        **{f"get_{kind}_{generation}": _account for kind in ("transfers", "withdrawals", "deposits")},
    }


_OWN: Mapping[str, Callable[[Facts], Fields]] = MappingProxyType(
    {
        **_orders("v3"),
        **_orders("v2"),
        **dict.fromkeys(("get_api_key_v3", "post_api_key_v3"), _account),
        **dict.fromkeys(("get_api_key_v2", "post_api_key_v2"), _account_with_key),
        "get_timestamp_v3": lambda facts: {},
        "get_tokens_v3": lambda facts: {},
        "get_markets_v3": lambda facts: {},
        "get_mix_markets": lambda facts: {},
        "get_exchange_info_v3": lambda facts: {},
        "get_amm_pools": lambda facts: {},
        "get_account_v3": _owner,
        "update_account_live": _update,
        "get_storage_id": lambda facts: {**_account(facts), "sellTokenId": facts.erc20.token_id},
        "get_depth_v3": _market,
        "get_mix_depth": lambda facts: {"market": facts.market, "level": 0, "limit": 50},
        "get_ticker_v3": _market,
        "get_mix_ticker": _market,
        "get_candlestick_v3": _candles,
        "get_mix_candlestick": _candles,
        "get_offchain_fee": lambda facts: {**_account(facts), "requestType": 3},
        "get_nft_fee_live": lambda facts: {**_account(facts), "requestType": 9},
        "get_order_rate_amount": lambda facts: {**_account(facts), "market": facts.market},
        "get_nft_order_rate_amount": lambda facts: {**_account(facts), "nftTokenAddress": facts.erc20.address},
        "submit_order_gen3": order_gen3,
        "get_orders_v3": _account,
        "cancel_order_v3": _order,
        "submit_transfer_v3": transfer_v3,
        "submit_withdrawal_live": bodies.withdrawal,
        "get_create_info": _account,
        "get_update_info": _account,
        "get_transactions_v3": lambda facts: {**_account(facts), "types": "transfer"},
        "get_block_live": lambda facts: {"id": "1"},
        "mint_nft_live": _mint,
        "transfer_nft_live": lambda facts: bodies.nft_move(facts, facts.alice),
        "withdraw_nft_live": lambda facts: bodies.nft_move(facts, facts.carol),
        "withdraw_nft_real": nft_withdrawal,
        "get_nft_balances": _minter,
        "get_nfts": lambda facts: {"nftDatas": facts.minted["nftData"]},
        "get_nft_data_live": _nft_of_minter,
        "get_nft_holders": lambda facts: {"nftData": facts.minted["nftData"]},
        "get_nft_mints": _minter,
        "get_nft_transfers": _minter,
        "get_nft_withdrawals": _minter,
        "get_nft_deposits": _minter,
        "get_collections": _owner,
        "get_collection_details": _account,
        "create_collection": _collection,
        "compute_token_address_live": bodies.token_address,
        "get_eth_balance_v3": _owner,
        "get_token_balances_v3": _owner_and_token,
        "get_allowances_v3": _owner_and_token,
        "get_gas_price_v3": lambda facts: {},
        "resolve_ens": lambda facts: {"fullName": SOME_NAME},
        "get_wallet_type": lambda facts: {"wallet": facts.owner},
        "get_counterfactual_info": _account,
        "get_ws_key_v3": lambda facts: {},
        "get_ws_key_v2": lambda facts: {},
        "get_timestamp_v2": lambda facts: {},
        "post_timestamp_v2": lambda facts: {},
        "get_markets_v2": lambda facts: {},
        "submit_order_v2": order_v2,
        "submit_orders_v2": lambda facts: {"orders": [order_v2(facts)]},
        "get_orders_live": _account,
        "cancel_orders_v2": _account,
        "get_fee_rates_v2": lambda facts: {**_account(facts), "markets": facts.market},
        "get_dex_nonce": lambda facts: {},
        "get_storage_id_v2": lambda facts: {**_account(facts), "tokenSId": facts.erc20.token_id},
        "get_order_fee_v2": lambda facts: bodies.right_fields(facts, "get_order_fee"),
    }
)
LIVE_FIELDS: Mapping[str, Callable[[Facts], Fields]] = MappingProxyType(
    {**{row: _OWN[base] for row, base in LIKE.items() if base in _OWN}, **_OWN}
)
"""By the id of the row."""
