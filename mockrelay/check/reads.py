"""Checks of calls that read: the exchange, layer 1, accounts, blocks and NFTs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.check import rules
from mockrelay.check.answer import Answer
from mockrelay.check.calls import api_call
from mockrelay.check.checks import check
from mockrelay.check.run import CheckCase, Run, Skipped
from mockrelay.client.facts import NO_BLOCK, SOME_ADDRESS

_GWEI = 10**9

_EXCHANGE = (
    check("list", "get_tokens", "The tokens are listed"),
    check("native", "get_tokens", "The native coin is one of the tokens, and only one is of type ETH"),
    check("unique", "get_tokens", "No two tokens have the same id, symbol or address"),
    check("precision", "get_tokens", "The precision of a token is not above its decimals", "TokenInfo"),
    check("amounts", "get_tokens", "A token's dust is not above its minimum, nor that above its maximum", "TokenInfo"),
    check("as-world", "get_tokens", "The tokens are those that the control API shows"),
    check("answered", "get_exchange_info", "The exchange is described"),
    check("fee-tokens", "get_exchange_info", "Each fee is in a token that is listed, and in each token once"),
    check("as-world", "get_exchange_info", "The exchange is the one that the control API shows"),
)


def _exchange(run: Run) -> None:
    tokens = run.expect_accepted("list", api_call(run, "get_tokens"))
    listed: list[dict[str, Any]] = tokens.payload
    native = [token["symbol"] for token in listed if token["type"] == "ETH"]
    run.expect("native", tokens, len(native) == 1, f"of type ETH: {', '.join(native) or 'none'}")
    for field in ("tokenId", "symbol", "address"):
        values = [str(token[field]).lower() for token in listed]
        run.expect("unique", tokens, len(set(values)) == len(values), f"{field} is not unique: {', '.join(values)}")
    for token in listed:
        precision, decimals = token["precision"], token["decimals"]
        run.expect("precision", tokens, precision <= decimals, f"{token['symbol']}: {precision} of {decimals} decimals")
        dust, least, most = (int(token[f"{name}OrderAmount"]) for name in ("dust", "min", "max"))
        run.expect("amounts", tokens, dust <= least <= most, f"{token['symbol']}: {dust}, {least}, {most}")
    if run.own_world is not None:
        run.expect("as-world", tokens, listed == run.world.state["tokens"], f"found {tokens}", rules.MEMORY)
    else:
        run.facts.add_tokens(listed)
    info = run.expect_accepted("answered", api_call(run, "get_exchange_info"))
    symbols = {token["symbol"] for token in listed}
    for name in ("transferFees", "withdrawalFees"):
        fees: list[dict[str, str]] = info.payload[name]
        paid = [fee["token"] for fee in fees]
        run.expect(
            "fee-tokens", info, set(paid) <= symbols and len(set(paid)) == len(paid), f"{name}: {', '.join(paid)}"
        )
    run.facts.add_fees(info.payload)
    for name in ("chainId", "exchangeId", "exchangeAddress"):
        if run.own_world is not None:
            found, due = info.payload[name], run.facts.exchange[name]
            run.expect("as-world", info, found == due, f"{name} {found}, the world has {due}", rules.MEMORY)
        run.facts.exchange.setdefault(name, info.payload[name])


_LAYER1 = (
    check("one", "get_token_balances", "There is one balance for one token"),
    check("any-case", "get_token_balances", "Addresses are the same in any letter case", "Resources"),
    check("known", "get_token_balances", "The balance is the one that layer 1 has"),
    check("one", "get_allowances", "There is one allowance for one token"),
    check("known", "get_allowances", "The allowance is the one that layer 1 has"),
    check("answered", "get_eth_balance", "A right call is answered with the balance of the native coin"),
    check("known", "get_eth_balance", "The balance is the one that layer 1 has"),
    check("answered", "get_gas_price", "A right call is answered with a gas price above nothing"),
    check("known", "get_gas_price", "The gas price is that of layer 1, in Gwei"),
)
_KNOWN_WEI = {"get_token_balances": "123456789012345678901", "get_allowances": "9007199254740993"}
_KNOWN_NATIVE_WEI = "340282366920938463463374607431768211457"
_KNOWN_GAS_WEI, _KNOWN_GAS_GWEI = "21500000000", "21.5"


def _layer1(run: Run) -> None:
    owner, token = run.facts.owner, run.facts.erc20
    if run.own_world is not None:
        own = {token.symbol: _KNOWN_WEI["get_token_balances"], "ETH": _KNOWN_NATIVE_WEI}
        allowed = {token.symbol: _KNOWN_WEI["get_allowances"]}
        wish = {"balances": {owner: own}, "allowances": {owner: allowed}, "gasPrice": _KNOWN_GAS_WEI}
        run.own_world.control("POST", "layer1", wish)
    for endpoint, known in _KNOWN_WEI.items():
        call = api_call(run, endpoint, {"owner": owner, "token": token.address})
        answer = run.expect_accepted("one", call)
        run.expect("one", answer, len(answer.payload) == 1, f"{len(answer.payload)} amounts for one token")
        if run.own_world is not None:
            run.expect(
                "known", answer, answer.payload == [known], f"{answer.payload}, layer 1 has {known}", rules.MEMORY
            )
        if endpoint == "get_token_balances":
            upper = run.expect_accepted("one", call.but(owner=_upper(owner)))
            same = upper.payload == answer.payload
            run.expect("any-case", upper, same, f"{upper.payload} in capitals, {answer.payload} otherwise")
    native = run.expect_accepted("answered", api_call(run, "get_eth_balance", {"owner": owner}))
    gas = run.expect_accepted("answered", api_call(run, "get_gas_price"))
    run.expect("answered", gas, gas.payload.strip("0.") != "", f"the gas price is {gas.payload}")
    if run.own_world is not None:
        found = native.payload
        run.expect(
            "known", native, found == _KNOWN_NATIVE_WEI, f"{found}, layer 1 has {_KNOWN_NATIVE_WEI}", rules.MEMORY
        )
        units = {_KNOWN_GAS_GWEI: "gwei", _KNOWN_GAS_WEI: "wei"}
        run.expect("known", gas, gas.payload in units, f"{gas.payload}, layer 1 has {_KNOWN_GAS_GWEI} Gwei")
        if gas.payload in units:
            run.observe("gas_price.unit", {units[gas.payload]}, gas)


_ACCOUNT = (
    check("answered", "get_account", "A right call is answered with the account of an address"),
    check("own", "get_account", "The account is the owner's"),
    check("any-case", "get_account", "Addresses are the same in any letter case", "Resources"),
    check("as-world", "get_account", "The account is as the control API shows it"),
    check("layer1-only", "get_account", "An address that layer 1 alone knows has no user: 101002", "Errors"),
)
_WITHOUT_ACCOUNT = "0x" + "5e" * 20
_KEY = ("publicKeyX", "publicKeyY")


def _account(run: Run) -> None:
    owner = run.facts.owner
    account = run.expect_accepted("answered", api_call(run, "get_account", {"owner": owner}))
    record: dict[str, Any] = account.payload
    expected = run.facts.alice.account_id
    if expected is not None:
        run.expect("own", account, record["accountId"] == expected, f"account {record['accountId']}, not {expected}")
    run.nonce = record["accountNonce"]
    if record[_KEY[0]].startswith("0x"):
        run.observe("account.key_text", {"as_set"}, account)
    upper = run.expect_accepted("answered", api_call(run, "get_account", {"owner": _upper(owner)}))
    run.expect("any-case", upper, upper.payload == record, f"another account in capitals; found {upper}")
    if run.own_world is not None:
        account_view = run.own_world.control("GET", f"accounts/{expected}")
        for name, value in record.items():
            shown = account_view.get(name)
            same = _number(value) == _number(shown) if name in _KEY else value == shown
            run.expect(
                "as-world", account, same, f"{name} {value}, the world has {account_view.get(name)}", rules.MEMORY
            )
        if record[_KEY[0]] != account_view[_KEY[0]]:
            run.observe("account.key_text", {"decimal"}, account)
        run.nonce = account_view["accountNonce"]
        run.own_world.control("POST", "layer1", {"balances": {_WITHOUT_ACCOUNT: {"ETH": "1"}}})
        run.expect_refused("layer1-only", api_call(run, "get_account", {"owner": _WITHOUT_ACCOUNT}), 101_002)


def _number(text: str) -> int | None:
    """The number of a key's coordinate; None: there is no key."""
    return int(text, 0) if text else None


def _upper(address: str) -> str:
    return "0x" + address[2:].upper()


_BLOCKS = (
    check("answered", "get_block", "A call with a number, `finalized` or `confirmed` is answered with that block"),
    check("default", "get_block", "Without an id the newest final block is answered"),
    check("size", "get_block", "blockSize is the number of transactions", "Block records"),
    check("exchange", "get_block", "The block is one of the exchange's", "Block records"),
    check("by-number", "get_block", "A block is the same by its number"),
    check("confirmed", "get_block", "The newest confirmed block is not older than the newest final one"),
    check("unknown", "get_block", "A block that does not exist is refused, or has an empty answer"),
    check("answered", "get_pending_requests", "The requests that wait for the next block are listed"),
)


def look_at_blocks(run: Run) -> None:
    """The newest blocks, and one that does not exist."""
    call = api_call(run, "get_block")
    default = run.expect_accepted("answered", call)
    block: dict[str, Any] = default.payload
    _look_at_block(run, default)
    by_word = run.expect_accepted("answered", call.but(id="finalized"))
    run.expect("default", by_word, by_word.payload == block, f"{by_word}, without an id {default}")
    by_number = run.expect_accepted("answered", call.but(id=str(block["blockId"])))
    run.expect("by-number", by_number, by_number.payload == block, f"{by_number}, by the word {default}")
    confirmed = run.expect_accepted("answered", call.but(id="confirmed"))
    newest = confirmed.payload["blockId"]
    run.expect("confirmed", confirmed, newest >= block["blockId"], f"block {newest}, final is {block['blockId']}")
    options = {100_000: "100000", 0: "empty", 103_011: "103011"}
    unknown = run.expect_option("unknown", call.but(id=NO_BLOCK), "block.unknown_id", options)
    if unknown.code == 0:
        run.expect("unknown", unknown, unknown.value == {}, f"an answer about a block that is not there: {unknown}")
    run.expect_accepted("answered", api_call(run, "get_pending_requests"))


def _look_at_block(run: Run, answer: Answer) -> None:
    block = answer.payload
    size, count = block["blockSize"], len(block["transactions"])
    run.expect("size", answer, size == count, f"blockSize {size}, {count} transactions")
    own = run.facts.of_exchange("exchangeAddress").lower()
    run.expect("exchange", answer, block["exchange"].lower() == own, f"exchange {block['exchange']}, not {own}")


_NFT = (
    check("answered", "compute_token_address", "A right call is answered with the address of an owner's contract"),
    check("same", "compute_token_address", "The address is the same whenever it is asked for, in any letter case"),
    check("own", "compute_token_address", "Another owner has another contract"),
    check("no-base-uri", "compute_token_address", "Without a base URI it is the same, or all fields are needed"),
    check("answered", "get_code", "A right call is answered with the code of an address"),
    check("none", "get_code", "An address without a contract has the code `0x`"),
    check("answered", "get_nft_fee", "A right call is answered with the fees of each type of request"),
    check("tokens", "get_nft_fee", "Fees are in tokens that are listed, each once"),
    check("gas", "get_nft_fee", "The gas price is the recommended one, in wei or in Gwei"),
    check("answered", "get_broker", "A right call is answered with the broker"),
    check("as-world", "get_broker", "The broker is the one that the control API shows"),
)
_REQUEST_TYPES = (9, 10, 11, 13)


def _nft(run: Run) -> None:
    code = run.expect_accepted("answered", api_call(run, "get_code", {"address": SOME_ADDRESS}))
    run.expect(
        "none", code, code.payload["result"] == "0x", f"{SOME_ADDRESS} has the code {code.payload['result'][:20]}"
    )
    broker = run.expect_accepted("answered", api_call(run, "get_broker"))
    if run.own_world is not None:
        found, due = broker.payload["broker"], run.facts.of_exchange("broker")
        run.expect("as-world", broker, found == due, f"{found}, the world has {due}", rules.MEMORY)
    _nft_fees(run)
    factory = run.facts.exchange.get("nftFactory")
    if factory is None:
        raise Skipped("the official factory is known of a mockrelay only")
    _contracts(run, factory)


def _nft_fees(run: Run) -> None:
    symbols = {token.symbol for token in run.facts.tokens}
    gas = run.expect_accepted("answered", api_call(run, "get_gas_price")).payload
    for request_type in _REQUEST_TYPES:
        fields = {"accountId": run.facts.account_id, "requestType": request_type, "tokenAddress": SOME_ADDRESS}
        answer = run.expect_accepted("answered", api_call(run, "get_nft_fee", fields))
        paid = [fee["token"] for fee in answer.payload["fees"]]
        is_listed = set(paid) <= symbols and len(set(paid)) == len(paid) > 0
        run.expect("tokens", answer, is_listed, f"type {request_type} is paid in {', '.join(paid) or 'nothing'}")
        if run.own_world is not None:
            look_at_gas_price(run, answer, gas)


def look_at_gas_price(run: Run, answer: Answer, recommended: str) -> None:
    """The gas price of a fee answer, which is in wei or in Gwei; `recommended` is that of get_gas_price."""
    is_wei = run.choices.is_certainly("gas_price.unit", "wei")
    wei = recommended if is_wei else _wei_of(recommended)
    units: Mapping[str, str] = {wei: "wei", _gwei_of(wei): "gwei"}
    found = answer.payload["gasPrice"]
    run.expect("gas", answer, found in units, f"gasPrice {found}, where {wei} wei are recommended")
    if found in units:
        run.observe("fee.gas_price_unit", {units[found]}, answer)


def _wei_of(gwei: str) -> str:
    whole, _, part = gwei.partition(".")
    return str(int(whole) * _GWEI + int(part.ljust(9, "0")[:9]))


def _gwei_of(wei: str) -> str:
    whole, part = divmod(int(wei), _GWEI)
    return f"{whole}.{part:09}".rstrip("0").rstrip(".")


def _contracts(run: Run, factory: str) -> None:
    owner = run.facts.carol.owner
    assert owner is not None
    call = api_call(run, "compute_token_address", {"nftFactory": factory, "nftOwner": owner, "nftBaseUri": ""})
    address = run.expect_accepted("answered", call)
    contract = address.payload["tokenAddress"]
    run.facts.contract_address = contract
    again = run.expect_accepted("answered", call.but(nftOwner=_upper(owner)))
    run.expect("same", again, again.payload["tokenAddress"].lower() == contract.lower(), f"{again}, before {contract}")
    other = run.expect_accepted("answered", call.but(nftOwner=SOME_ADDRESS))
    run.expect("own", other, other.payload["tokenAddress"].lower() != contract.lower(), "two owners have one contract")
    without = {0: "lenient", 100_001: "strict", 100_000: "strict"}
    bare = run.expect_option("no-base-uri", call.without("nftBaseUri"), "nft.optional_fields", without)
    if bare.code == 0 and bare.is_sound:
        run.expect(
            "no-base-uri", bare, bare.payload["tokenAddress"].lower() == contract.lower(), f"{bare}, with it {contract}"
        )


READS: tuple[CheckCase, ...] = (
    CheckCase("exchange", _exchange, _EXCHANGE, writes=False),
    CheckCase("layer 1", _layer1, _LAYER1, writes=False),
    CheckCase("account", _account, _ACCOUNT, writes=False),
    CheckCase("blocks", look_at_blocks, _BLOCKS, writes=False),
    CheckCase("NFT look-ups", _nft, _NFT, writes=False),
)
