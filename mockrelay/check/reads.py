"""Questions about the exchange, layer 1, accounts, blocks and NFTs, and what must hold of the answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.check import rules
from mockrelay.check.answers import Answer
from mockrelay.check.bodies import call, minter
from mockrelay.check.facts import NO_BLOCK, SOME_ADDRESS, Missing
from mockrelay.check.rows import Act, row
from mockrelay.check.run import Run
from mockrelay.check.slips import NFT_CODES

_GWEI = 10**9

_EXCHANGE = (
    row("list", "get_tokens", "The tokens are told"),
    row("native", "get_tokens", "The native coin is one of the tokens, and only one is of type ETH"),
    row("unique", "get_tokens", "No two tokens have the same id, symbol or address"),
    row("precision", "get_tokens", "The precision of a token is not above its decimals", "TokenInfo"),
    row("amounts", "get_tokens", "A token's dust is not above its minimum, nor that above its maximum", "TokenInfo"),
    row("as-world", "get_tokens", "The tokens are those that the control API tells"),
    row("told", "get_exchange_info", "The exchange is told"),
    row("fee-tokens", "get_exchange_info", "Each fee is in a token that is listed, and in each token once"),
    row("as-world", "get_exchange_info", "The exchange is the one that the control API tells"),
)


def _exchange(run: Run) -> None:
    tokens = run.right("list", call(run, "get_tokens"))
    listed: list[dict[str, Any]] = tokens.payload
    native = [token["symbol"] for token in listed if token["type"] == "ETH"]
    run.must("native", tokens, len(native) == 1, f"of type ETH: {', '.join(native) or 'none'}")
    for field in ("tokenId", "symbol", "address"):
        values = [str(token[field]).lower() for token in listed]
        run.must("unique", tokens, len(set(values)) == len(values), f"{field} is not unique: {', '.join(values)}")
    for token in listed:
        precision, decimals = token["precision"], token["decimals"]
        run.must("precision", tokens, precision <= decimals, f"{token['symbol']}: {precision} of {decimals} decimals")
        dust, least, most = (int(token[f"{name}OrderAmount"]) for name in ("dust", "min", "max"))
        run.must("amounts", tokens, dust <= least <= most, f"{token['symbol']}: {dust}, {least}, {most}")
    if run.world is not None:
        run.must("as-world", tokens, listed == run.facts.told["tokens"], f"found {tokens}", rules.MEMORY)
    else:
        run.facts.learn_tokens(listed)
    info = run.right("told", call(run, "get_exchange_info"))
    symbols = {token["symbol"] for token in listed}
    for name in ("transferFees", "withdrawalFees"):
        fees: list[dict[str, str]] = info.payload[name]
        paid = [fee["token"] for fee in fees]
        run.must("fee-tokens", info, set(paid) <= symbols and len(set(paid)) == len(paid), f"{name}: {', '.join(paid)}")
        run.facts.exchange[name] = {fee["token"]: int(fee["fee"]) for fee in fees}
    for name in ("chainId", "exchangeId", "exchangeAddress"):
        if run.world is not None:
            told, known = info.payload[name], run.facts.exchange[name]
            run.must("as-world", info, told == known, f"{name} {told}, the world has {known}", rules.MEMORY)
        run.facts.exchange.setdefault(name, info.payload[name])


_LAYER1 = (
    row("one", "get_token_balances", "One balance is told for one token"),
    row("any-case", "get_token_balances", "Addresses are the same in any letter case", "Resources"),
    row("known", "get_token_balances", "The balance is the one that layer 1 has"),
    row("one", "get_allowances", "One allowance is told for one token"),
    row("known", "get_allowances", "The allowance is the one that layer 1 has"),
    row("told", "get_eth_balance", "The balance of the native coin is told"),
    row("known", "get_eth_balance", "The balance is the one that layer 1 has"),
    row("told", "get_gas_price", "A gas price above nothing is told"),
    row("known", "get_gas_price", "The gas price is that of layer 1, in Gwei"),
)
_KNOWN_WEI = {"get_token_balances": "123456789012345678901", "get_allowances": "9007199254740993"}
_KNOWN_NATIVE_WEI = "340282366920938463463374607431768211457"
_KNOWN_GAS_WEI, _KNOWN_GAS_GWEI = "21500000000", "21.5"


def _layer1(run: Run) -> None:
    owner, token = run.facts.owner(), run.facts.some_token()
    if run.world is not None:
        own = {token.symbol: _KNOWN_WEI["get_token_balances"], "ETH": _KNOWN_NATIVE_WEI}
        allowed = {token.symbol: _KNOWN_WEI["get_allowances"]}
        wish = {"balances": {owner: own}, "allowances": {owner: allowed}, "gasPrice": _KNOWN_GAS_WEI}
        run.world.do("POST", "layer1", wish)
    for endpoint, known in _KNOWN_WEI.items():
        ask = call(run, endpoint, {"owner": owner, "token": token.address})
        answer = run.right("one", ask)
        run.must("one", answer, len(answer.payload) == 1, f"{len(answer.payload)} amounts for one token")
        if run.world is not None:
            run.must("known", answer, answer.payload == [known], f"{answer.payload}, layer 1 has {known}", rules.MEMORY)
        if endpoint == "get_token_balances":
            upper = run.right("one", ask.but(owner=_upper(owner)))
            same = upper.payload == answer.payload
            run.must("any-case", upper, same, f"{upper.payload} in capitals, {answer.payload} otherwise")
    native = run.right("told", call(run, "get_eth_balance", {"owner": owner}))
    gas = run.right("told", call(run, "get_gas_price"))
    run.must("told", gas, gas.payload.strip("0.") != "", f"the gas price is {gas.payload}")
    if run.world is not None:
        told = native.payload
        run.must("known", native, told == _KNOWN_NATIVE_WEI, f"{told}, layer 1 has {_KNOWN_NATIVE_WEI}", rules.MEMORY)
        run.must("known", gas, gas.payload == _KNOWN_GAS_GWEI, f"{gas.payload}, layer 1 has {_KNOWN_GAS_GWEI} Gwei")


_ACCOUNT = (
    row("told", "get_account", "The account of an address is told"),
    row("own", "get_account", "The account is the owner's"),
    row("any-case", "get_account", "Addresses are the same in any letter case", "Resources"),
    row("as-world", "get_account", "The account is as the control API tells it"),
    row("layer1-only", "get_account", "An address that layer 1 alone knows has no user: 101002", "Errors"),
)
_STRANGER = "0x" + "5e" * 20


def _account(run: Run) -> None:
    owner = run.facts.owner()
    account = run.right("told", call(run, "get_account", {"owner": owner}))
    told: dict[str, Any] = account.payload
    expected = run.facts.alice.account_id
    if expected is not None:
        run.must("own", account, told["accountId"] == expected, f"account {told['accountId']}, not {expected}")
    run.facts.nonce = told["accountNonce"]
    upper = run.right("told", call(run, "get_account", {"owner": _upper(owner)}))
    run.must("any-case", upper, upper.payload == told, f"another account in capitals; found {upper}")
    if run.world is not None:
        known = run.world.do("GET", f"accounts/{expected}")
        for name, value in told.items():
            same = value == known.get(name)
            run.must("as-world", account, same, f"{name} {value}, the world has {known.get(name)}", rules.MEMORY)
        run.facts.nonce = known["accountNonce"]
        run.world.do("POST", "layer1", {"balances": {_STRANGER: {"ETH": "1"}}})
        run.wrong("layer1-only", call(run, "get_account", {"owner": _STRANGER}), 101_002)


def _upper(address: str) -> str:
    return "0x" + address[2:].upper()


_BLOCKS = (
    row("told", "get_block", "A block is told by its number and by the words `finalized` and `confirmed`"),
    row("default", "get_block", "Without an id the newest final block is told"),
    row("size", "get_block", "blockSize is how many transactions there are", "Block records"),
    row("exchange", "get_block", "The block is one of the exchange's", "Block records"),
    row("by-number", "get_block", "A block is the same by its number"),
    row("confirmed", "get_block", "The newest confirmed block is not older than the newest final one"),
    row("unknown", "get_block", "A block that is not there is refused or told as nothing"),
    row("told", "get_pending_requests", "What waits for the next block is told"),
)


def look_at_blocks(run: Run) -> None:
    """The newest blocks, and one that is not there."""
    ask = call(run, "get_block")
    default = run.right("told", ask)
    block: dict[str, Any] = default.payload
    _look_at_block(run, default)
    by_word = run.right("told", ask.but(id="finalized"))
    run.must("default", by_word, by_word.payload == block, f"{by_word}, without an id {default}")
    by_number = run.right("told", ask.but(id=str(block["blockId"])))
    run.must("by-number", by_number, by_number.payload == block, f"{by_number}, by the word {default}")
    confirmed = run.right("told", ask.but(id="confirmed"))
    newest = confirmed.payload["blockId"]
    run.must("confirmed", confirmed, newest >= block["blockId"], f"block {newest}, final is {block['blockId']}")
    unknown = run.told("unknown", ask.but(id=NO_BLOCK), "block.unknown_id", {100_000: "100000", 0: "empty"})
    if unknown.code == 0:
        run.must("unknown", unknown, unknown.value == {}, f"told of a block that is not there: {unknown}")
    run.right("told", call(run, "get_pending_requests"))


def _look_at_block(run: Run, answer: Answer) -> None:
    block = answer.payload
    size, there = block["blockSize"], len(block["transactions"])
    run.must("size", answer, size == there, f"blockSize {size}, {there} transactions")
    own = run.facts.about("exchangeAddress").lower()
    run.must("exchange", answer, block["exchange"].lower() == own, f"exchange {block['exchange']}, not {own}")


_NFT = (
    row("told", "compute_token_address", "The address of an owner's contract is told"),
    row("same", "compute_token_address", "The address is the same whenever it is asked for, in any letter case"),
    row("factory", "compute_token_address", "Another factory is refused: only the service's own is supported"),
    row("own", "compute_token_address", "Another owner has another contract"),
    row("no-base-uri", "compute_token_address", "Without a base URI it is the same, or all fields are needed"),
    row("told", "get_code", "The code of an address is told"),
    row("none", "get_code", "An address without a contract has the code `0x`"),
    row("told", "get_nft_fee", "The fees of each type of request are told"),
    row("tokens", "get_nft_fee", "Fees are in tokens that are listed, each once"),
    row("gas", "get_nft_fee", "The gas price is the recommended one, in wei or in Gwei"),
    row("told", "get_broker", "The broker is told"),
    row("as-world", "get_broker", "The broker is the one that the control API tells"),
)
_REQUEST_TYPES = (9, 10, 11, 13)


def _nft(run: Run) -> None:
    code = run.right("told", call(run, "get_code", {"address": SOME_ADDRESS}))
    run.must("none", code, code.payload["result"] == "0x", f"{SOME_ADDRESS} has the code {code.payload['result'][:20]}")
    broker = run.right("told", call(run, "get_broker"))
    if run.world is not None:
        told, known = broker.payload["broker"], run.facts.about("broker")
        run.must("as-world", broker, told == known, f"{told}, the world has {known}", rules.MEMORY)
    _nft_fees(run)
    factory = run.facts.exchange.get("nftFactory")
    if factory is None:
        raise Missing("the official factory is not known of a relayer that cannot be steered")
    _contracts(run, factory)


def _nft_fees(run: Run) -> None:
    symbols = {token.symbol for token in run.facts.tokens}
    gas = run.right("told", call(run, "get_gas_price")).payload
    for request_type in _REQUEST_TYPES:
        fields = {"accountId": run.facts.account_id(), "requestType": request_type, "tokenAddress": SOME_ADDRESS}
        answer = run.right("told", call(run, "get_nft_fee", fields))
        paid = [fee["token"] for fee in answer.payload["fees"]]
        is_listed = set(paid) <= symbols and len(set(paid)) == len(paid) > 0
        run.must("tokens", answer, is_listed, f"type {request_type} is paid in {', '.join(paid) or 'nothing'}")
        if run.world is not None:
            look_at_gas_price(run, answer, gas)


def look_at_gas_price(run: Run, answer: Answer, gwei: str) -> None:
    """The gas price of a fee answer, which is in wei or in Gwei."""
    units: Mapping[str, str] = {_wei_of(gwei): "wei", gwei: "gwei"}
    told = answer.payload["gasPrice"]
    run.must("gas", answer, told in units, f"gasPrice {told}, where {gwei} Gwei are recommended")
    if told in units:
        run.read("fee.gas_price_unit", {units[told]}, answer)


def _wei_of(gwei: str) -> str:
    whole, _, part = gwei.partition(".")
    return str(int(whole) * _GWEI + int(part.ljust(9, "0")[:9]))


def _contracts(run: Run, factory: str) -> None:
    owner = minter(run).owner
    assert owner is not None
    ask = call(run, "compute_token_address", {"nftFactory": factory, "nftOwner": owner, "nftBaseUri": ""})
    address = run.right("told", ask)
    told = address.payload["tokenAddress"]
    run.facts.exchange["contract"] = told
    again = run.right("told", ask.but(nftOwner=_upper(owner)))
    run.must("same", again, again.payload["tokenAddress"].lower() == told.lower(), f"{again}, before {told}")
    other = run.right("told", ask.but(nftOwner=SOME_ADDRESS))
    run.must("own", other, other.payload["tokenAddress"].lower() != told.lower(), "two owners have one contract")
    run.wrong("factory", ask.but(nftFactory=SOME_ADDRESS), NFT_CODES)
    without = {0: "lenient", 100_001: "strict", 100_000: "strict"}
    bare = run.told("no-base-uri", ask.without("nftBaseUri"), "nft.optional_fields", without)
    if bare.code == 0 and bare.is_sound:
        run.must("no-base-uri", bare, bare.payload["tokenAddress"].lower() == told.lower(), f"{bare}, with it {told}")


READS: tuple[Act, ...] = (
    Act("exchange", _exchange, _EXCHANGE, writes=False),
    Act("layer 1", _layer1, _LAYER1, writes=False),
    Act("account", _account, _ACCOUNT, writes=False),
    Act("blocks", look_at_blocks, _BLOCKS, writes=False),
    Act("NFT look-ups", _nft, _NFT, writes=False),
)
