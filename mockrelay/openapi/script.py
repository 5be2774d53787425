"""The script behind the relayer document's examples: each endpoint used rightly, and refused for a reason of its own.

Every request is right in shape. Where an endpoint has nothing else to refuse, a fault does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from mockrelay.core.units import moment_ms
from mockrelay.openapi.players import Player
from mockrelay.openapi.playing import START, Control, Example, prepare
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoints import ENDPOINTS

_DAY_S = 86_400
_LRC_FEE = str(10**17)
_NFT_ID = "0x" + "00c0ffee" * 8
_NOBODY = "0x" + "ab" * 20


@cache
def examples() -> tuple[Example, ...]:
    """All examples, in the order in which they were played."""
    player = Player()
    cast = _Cast(player)
    for act in (_market, _layer1, _money, _nft, _limits):
        act(player, cast)
    return tuple(player.examples)


class _Cast:
    """Who and what the script is about."""

    def __init__(self, player: Player) -> None:
        start_ms = moment_ms(START)
        assert start_ms is not None
        self.now_s = start_ms // 1000
        self.alice, self.bob, self.carol = player.relay.accounts()[:3]
        state = prepare(player.relay, Control("GET", "state"))
        exchange = state["exchange"]
        self.exchange, self.factory, self.broker = (exchange[n] for n in ("exchangeAddress", "nftFactory", "broker"))
        self.lrc = next(token["address"] for token in state["tokens"] if token["symbol"] == "LRC")

    def gen3(self, storage_id: int) -> dict[str, Any]:
        """What signed requests of the third generation have in common."""
        return {"exchange": self.exchange, "storageId": storage_id, "validUntil": self.now_s + _DAY_S}


def _fault(endpoint: str, **does: Any) -> tuple[Control, ...]:
    return (Control("POST", "faults", {"on": endpoint, **does}),)


def _order(cast: _Cast, **fields: Any) -> dict[str, Any]:
    common = {"exchangeId": 2, "orderId": 0, "buy": "false", "maxFeeBips": 63, "label": 211}
    times = {"validSince": cast.now_s, "validUntil": cast.now_s + 60 * _DAY_S}
    parts = {"signatureRx": "1", "signatureRy": "2", "signatureS": "3"}
    return {**common, **times, **parts, **fields}


def _market(player: Player, cast: _Cast) -> None:
    """Tokens, orders that meet, and all that can be seen of them."""
    play = player.play
    lrc, eth, market = str(100 * 10**18), str(5 * 10**16), {"market": "LRC-ETH"}
    unknown = {"market": "LRC-XYZ"}
    play("get_tokens")
    play("get_tokens", account=None, code=C.AUTH_KEY_EMPTY)
    play("get_exchange_info")
    play("get_exchange_info", account=None, code=C.AUTH_KEY_EMPTY)
    play("get_order_id", {"accountId": 10001, "tokenSId": 1})
    play("get_order_id", {"accountId": 10002, "tokenSId": 1}, code=C.AUTH_ACCOUNT_ID_INVALID)
    sale = _order(cast, accountId=10001, tokenSId=1, tokenBId=0, amountS=lrc, amountB=eth, clientOrderId="first")
    play("submit_order", sale)
    play("submit_order", sale, code=C.ORDER_EXISTS)
    play("submit_order", sale | {"orderId": 1, "maxFeeBips": 1, "tokenBId": 7}, code=C.ORDER_TOKEN_UNSUPPORTED)
    half = {"amountS": str(int(eth) // 2), "amountB": str(int(lrc) // 2)}
    play("submit_order", _order(cast, accountId=10002, tokenSId=0, tokenBId=1, **half), account="bob")
    play("get_orders", {"accountId": 10001, "status": "processing,processed", "limit": 10})
    play("get_orders", {"accountId": 10002}, code=C.AUTH_ACCOUNT_ID_INVALID)
    play("get_depth", market | {"level": 0})
    play("get_depth", unknown | {"level": 0}, code=C.MARKET_UNSUPPORTED)
    play("get_depth", market | {"level": 9}, code=C.DEPTH_LEVEL_UNSUPPORTED)
    play("get_candlestick", market | {"interval": "1min"})
    play("get_candlestick", unknown | {"interval": "1min"}, code=C.INVALID_ARGUMENT)
    play("get_ticker", {"market": "LRC-ETH,LRC-USDT"})
    play("get_ticker", unknown, code=C.INVALID_ARGUMENT)
    fee = {"accountId": 10001, "tokenB": 0, "amountB": eth}
    play("get_order_fee", fee | market)
    play("get_order_fee", fee | unknown, code=C.UNKNOWN_ERROR)


def _layer1(player: Player, cast: _Cast) -> None:
    """What the relayer says of the chain below, and what it says when that does not answer."""
    play = player.play
    owner = {"owner": cast.alice["owner"]}
    play("send_eth_tx", {"data": "0xf86b80"})
    play(
        "send_eth_tx", {"data": "0xf86b80"}, before=_fault("send_eth_tx", layer1="down"), code=C.LAYER1_NODE_UNAVAILABLE
    )
    for endpoint, fields, state, code in (
        ("get_token_balances", owner | {"token": cast.lrc}, "error", C.LAYER1_NODE_ERROR),
        ("get_allowances", owner | {"token": cast.lrc}, "down", C.LAYER1_REQUEST_FAILED),
        ("get_eth_balance", owner, "down", C.LAYER1_REQUEST_FAILED),
        ("get_gas_price", {}, "down", C.GAS_PRICE_UNAVAILABLE),
    ):
        play(endpoint, fields)
        play(endpoint, fields, before=_fault(endpoint, layer1=state), code=code)


def _money(player: Player, cast: _Cast) -> None:
    """Accounts, transfers, withdrawals, and the blocks that they come into."""
    play = player.play
    play("get_account", {"owner": cast.alice["owner"]})
    play("get_account", {"owner": _NOBODY}, code=C.ADDRESS_NOT_FOUND)
    play("get_account", {"owner": "0x" + "11" * 20}, code=C.USER_NOT_FOUND)
    money = {"token": 1, "amount": "1000", "tokenF": 1, "amountF": _LRC_FEE, "label": 211}
    parts = {"signatureRx": "1", "signatureRy": "2", "signatureS": "3"}
    transfer = {"exchangeId": 2, "sender": 10001, "receiver": 10002, "nonce": 0, **money, **parts}
    play("submit_transfer", transfer)
    play("submit_transfer", transfer, code=C.REQUEST_NONCE_INVALID)
    max_fee = {"maxFee": {"tokenId": 1, "volume": _LRC_FEE}}
    alice = {"accountId": 10001, "owner": cast.alice["owner"]}
    withdrawal = {**cast.gen3(0), **alice, **max_fee, "token": {"tokenId": 1, "volume": "1000"}}
    withdrawal |= {"minGas": 0, "to": cast.alice["owner"]}
    play("submit_withdrawal", withdrawal)
    play("get_pending_requests")
    play("get_pending_requests", account=None, code=C.AUTH_KEY_EMPTY)
    play("submit_withdrawal", withdrawal | {"exchange": _NOBODY}, code=C.EXCHANGE_ID_INCORRECT)
    update = {"exchange": cast.exchange, "accountId": 10002, "owner": cast.bob["owner"], "nonce": 0, **max_fee}
    update |= {"publicKey": {"x": "0x0a", "y": "0x0b"}, "validUntil": cast.now_s + _DAY_S}
    play("update_account", update, account=None)
    play("update_account", update | {"owner": _NOBODY}, account=None, code=C.REQUEST_SENDER_INVALID)
    player.wait(10)
    play("get_block", {"id": "1"})
    play("get_block", {"id": "999"}, code=C.UNKNOWN_ERROR)


def _nft(player: Player, cast: _Cast) -> None:
    """An NFT from its contract's address to layer 1."""
    play = player.play
    carol = cast.carol
    where = {"nftFactory": cast.factory, "nftOwner": carol["owner"], "nftBaseUri": ""}
    contract = play("compute_token_address", where, account=None)["tokenAddress"]
    play("compute_token_address", where | {"nftFactory": _NOBODY}, account=None, code=C.INVALID_ARGUMENT)
    play("get_nft_fee", {"accountId": 10003, "requestType": 9, "tokenAddress": contract}, account=None)
    play("get_nft_fee", {"accountId": 99999, "requestType": 9}, account=None, code=C.INVALID_ARGUMENT)
    play("get_broker", account=None)
    play("get_broker", account=None, before=_fault("get_broker", code=int(C.UNKNOWN_ERROR)), code=C.UNKNOWN_ERROR)
    paid = {"maxFee": {"tokenId": 1, "amount": _LRC_FEE}}
    mint = {**cast.gen3(0), **paid, "minterId": 10003, "minterAddress": carol["owner"], "toAccountId": 10003}
    mint |= {"toAddress": carol["owner"], "nftType": 0, "tokenAddress": contract, "nftId": _NFT_ID, "amount": "5"}
    mint |= {"creatorFeeBips": 0, "forceToMint": False, "counterFactualNftInfo": where}
    nft_data = play("mint_nft", mint, account="carol")["raw_data"]["nftData"]
    play("mint_nft", mint | {"tokenAddress": _NOBODY}, account="carol", code=C.INVALID_ARGUMENT)
    known = {"minter": "10003", "tokenAddress": contract, "nftId": _NFT_ID}
    play("get_nft_data", known, account="carol")
    play("get_nft_data", known | {"minter": "99999"}, account="carol", code=C.AUTH_ACCOUNT_ID_INVALID)
    move = {**paid, "fromAccountId": 10003, "fromAddress": carol["owner"]}
    move |= {"token": {"tokenId": 32768, "nftData": nft_data, "amount": "1"}}
    gift = {**cast.gen3(1), **move, "toAccountId": 10001, "toAddress": cast.alice["owner"]}
    play("transfer_nft", gift, account="carol")
    too_many = {"token": {"tokenId": 32768, "nftData": nft_data, "amount": "9"}, "storageId": 2}
    play("transfer_nft", gift | too_many, account="carol", code=C.INVALID_ARGUMENT)
    out = {**cast.gen3(2), **move, "toAccountId": 10003, "toAddress": carol["owner"]}
    play("withdraw_nft", out, account="carol", code=C.INVALID_ARGUMENT)
    pays = {**cast.gen3(3), "payerId": 10003, "payerAddr": carol["owner"], "payeeId": 0, "payeeAddr": cast.broker}
    fee = {"tokenId": 1, "volume": _LRC_FEE}
    pays |= {"maxFee": {"tokenId": 1, "volume": "0"}, "token": fee, "memo": "", "eddsaSignature": "0x" + "1b" * 96}
    deploy = {"nftData": nft_data, "tokenAddress": contract, "transfer": pays}
    stray = deploy | {"transfer": pays | {"payeeAddr": _NOBODY}}
    play("deploy_nft_contract", stray, account="carol", code=C.INVALID_ARGUMENT)
    play("deploy_nft_contract", deploy, account="carol")
    player.wait(15)
    play("get_code", {"address": contract}, account=None)
    fault = _fault("get_code", code=int(C.UNKNOWN_ERROR))
    play("get_code", {"address": contract}, account=None, before=fault, code=C.UNKNOWN_ERROR)
    play("withdraw_nft", out, account="carol")


def _limits(player: Player, cast: _Cast) -> None:
    """Each limit met, by a call that changes nothing: the last one of its endpoint that was refused."""
    refused: Mapping[str, Example] = {example.endpoint: example for example in player.examples if example.code}
    for row in ENDPOINTS:
        said = refused.get(row.name)
        if row.per_second is not None and said is not None:
            times = row.per_second + 1
            player.play(row.name, said.fields, account=said.account, times=times, code=C.UNKNOWN_ERROR)
