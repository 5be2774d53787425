"""The fields of a right call to each endpoint, without signatures. Fields that are given by name replace those here.

All of them raise Missing where a fact is not known that they need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mockrelay.client.facts import SIGNATURES, SOME_ADDRESS, VALID_S, Facts, Party, TokenFacts
from mockrelay.signing.parameters import LAYER2_BASE
from mockrelay.spec.endpoint import SignatureHeader

NFT_ID = "0x" + "00c0ffee" * 8
Fields = dict[str, Any]
Leg = tuple[TokenFacts, int]
"""A token and an amount of it in wei."""


def right_fields(facts: Facts, endpoint: str) -> Fields:
    """The fields of a right call to an endpoint."""
    return _FIELDS[endpoint](facts)


def order(facts: Facts, who: Party, sold: Leg, bought: Leg, **changes: Any) -> Fields:
    """An order that sells one amount for another."""
    return {
        "exchangeId": facts.of_exchange("exchangeId"),
        "orderId": facts.next_id(),
        "accountId": who.account_id,
        "tokenSId": sold[0].token_id,
        "tokenBId": bought[0].token_id,
        "amountS": str(sold[1]),
        "amountB": str(bought[1]),
        "allOrNone": "false",
        "buy": "false",
        "validSince": facts.now_s,
        "validUntil": facts.now_s + VALID_S,
        "maxFeeBips": 63,
        "label": 211,
    } | changes


def transfer(facts: Facts, **changes: Any) -> Fields:
    """A transfer of one token from alice to bob."""
    token = facts.erc20
    return {
        "exchangeId": facts.of_exchange("exchangeId"),
        "sender": facts.account_id,
        "receiver": facts.receiver.account_id,
        "token": token.token_id,
        "tokenF": token.token_id,
        "amount": str(token.unit_wei),
        "amountF": str(facts.fee_wei("transferFees", token)),
        "nonce": facts.nonce_of(facts.alice),
        "label": 211,
        "memo": "check",
    } | changes


def withdrawal(facts: Facts, **changes: Any) -> Fields:
    """A withdrawal of one token of alice's to her own address."""
    token = facts.erc20
    return {
        **_gen3(facts),
        "accountId": facts.account_id,
        "owner": facts.owner,
        "token": volume(token, token.unit_wei),
        "maxFee": volume(token, facts.fee_wei("withdrawalFees", token)),
        "minGas": 0,
        "to": facts.owner,
    } | changes


def account_update(facts: Facts, who: Party, **changes: Any) -> Fields:
    """A new key for an account."""
    return {
        "exchange": facts.of_exchange("exchangeAddress"),
        "owner": who.owner,
        "accountId": who.account_id,
        "publicKey": {axis: f"0x{value:064x}" for axis, value in zip("xy", LAYER2_BASE, strict=True)},
        "maxFee": volume(facts.erc20, facts.erc20.unit_wei),
        "validUntil": facts.now_s + VALID_S,
        "nonce": facts.nonce_of(who),
    } | changes


def mint(facts: Facts, **changes: Any) -> Fields:
    """A mint of five of an NFT under carol's contract."""
    who = facts.carol
    return {
        **_gen3(facts),
        "minterId": who.account_id,
        "minterAddress": who.owner,
        "toAccountId": who.account_id,
        "toAddress": who.owner,
        "nftType": 0,
        "tokenAddress": facts.contract,
        "nftId": NFT_ID,
        "amount": "5",
        "creatorFeeBips": 7,
        "maxFee": _nft_fee(facts),
        "forceToMint": False,
        "counterFactualNftInfo": token_address(facts),
    } | changes


def nft_move(facts: Facts, to: Party, amount: int = 1, **changes: Any) -> Fields:
    """A transfer of the minted NFT to an account, or a withdrawal of it to layer 1."""
    who, nft = facts.carol, facts.minted
    return {
        **_gen3(facts),
        "fromAccountId": who.account_id,
        "fromAddress": who.owner,
        "toAccountId": to.account_id,
        "toAddress": to.owner,
        "token": {"tokenId": nft["nftTokenId"], "nftData": nft["nftData"], "amount": str(amount)},
        "maxFee": _nft_fee(facts),
    } | changes


def deployment(facts: Facts, **changes: Any) -> Fields:
    """A deployment of carol's contract; `changes` are inside the transfer that pays for it."""
    who, token = facts.carol, facts.erc20
    payment = {
        **_gen3(facts),
        "payeeAddr": facts.of_exchange("broker"),
        "payerId": who.account_id,
        "payerAddr": who.owner,
        "payeeId": 0,
        "memo": "",
        "maxFee": volume(token, 0),
        "token": volume(token, token.unit_wei),
        "ecdsaHash": "",
        "eddsaHash": "",
        "ecdsaSignature": "",
        "eddsaSignature": SIGNATURES[SignatureHeader.EDDSA],
    }
    return {"nftData": facts.minted["nftData"], "tokenAddress": facts.contract, "transfer": payment | changes}


def token_address(facts: Facts) -> Fields:
    """The fields from which a contract has its address."""
    owner = facts.contract_owner.owner or facts.owner
    return {"nftFactory": facts.of_exchange("nftFactory"), "nftOwner": owner, "nftBaseUri": ""}


def volume(token: TokenFacts, wei: int) -> Fields:
    """An amount as withdrawals, account updates and deployments have it."""
    return {"tokenId": token.token_id, "volume": str(wei)}


def _gen3(facts: Facts) -> Fields:
    """The fields that signed requests of the third generation have in common."""
    return {
        "exchange": facts.of_exchange("exchangeAddress"),
        "storageId": facts.next_id(),
        "validUntil": facts.now_s + VALID_S,
    }


def _nft_fee(facts: Facts) -> Fields:
    """The fee that an NFT request offers: one whole token, which is above all fees."""
    return {"tokenId": facts.erc20.token_id, "amount": str(facts.erc20.unit_wei)}


def _order(facts: Facts) -> Fields:
    base, quote = facts.pair
    return order(facts, facts.alice, (base, 100 * base.unit_wei), (quote, quote.unit_wei))


def _owner_and_token(facts: Facts) -> Fields:
    return {"owner": facts.owner, "token": facts.erc20.address}


def _order_fee(facts: Facts) -> Fields:
    base, _ = facts.pair
    amount = {"tokenB": base.token_id, "amountB": str(base.unit_wei)}
    return {"accountId": facts.account_id, "market": facts.market, **amount}


def _nft_data(facts: Facts) -> Fields:
    return {"minter": str(facts.carol.account_id), "tokenAddress": facts.contract, "nftId": NFT_ID}


def _nft_fee_query(facts: Facts) -> Fields:
    return {"accountId": facts.account_id, "requestType": 9, "tokenAddress": SOME_ADDRESS}


_FIELDS: Mapping[str, Callable[[Facts], Fields]] = {
    "get_tokens": lambda facts: {},
    "get_exchange_info": lambda facts: {},
    "send_eth_tx": lambda facts: {"data": "0xf86b80"},
    "get_token_balances": _owner_and_token,
    "get_allowances": _owner_and_token,
    "get_eth_balance": lambda facts: {"owner": facts.owner},
    "get_gas_price": lambda facts: {},
    "get_account": lambda facts: {"owner": facts.owner},
    "update_account": lambda facts: account_update(facts, facts.alice),
    "get_depth": lambda facts: {"market": facts.market, "level": 0},
    "get_candlestick": lambda facts: {"market": facts.market, "interval": "1min"},
    "get_ticker": lambda facts: {"market": facts.market},
    "get_order_fee": _order_fee,
    "get_order_id": lambda facts: {"accountId": facts.account_id, "tokenSId": facts.erc20.token_id},
    "submit_order": _order,
    "get_orders": lambda facts: {"accountId": facts.account_id},
    "submit_transfer": transfer,
    "submit_withdrawal": withdrawal,
    "get_block": lambda facts: {},
    "get_pending_requests": lambda facts: {},
    "get_nft_data": _nft_data,
    "compute_token_address": token_address,
    "get_code": lambda facts: {"address": SOME_ADDRESS},
    "get_nft_fee": _nft_fee_query,
    "get_broker": lambda facts: {},
    "mint_nft": mint,
    "transfer_nft": lambda facts: nft_move(facts, facts.alice),
    "withdraw_nft": lambda facts: nft_move(facts, facts.carol),
    "deploy_nft_contract": deployment,
}
