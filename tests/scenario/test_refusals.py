"""What the sections of a scenario refuse: the whole message, with place, what was found and what was meant."""

from __future__ import annotations

import pytest

from mockrelay.scenario import ScenarioError, load_text

HEAD = "format: 1\nextends: default\n"


def refusal(text: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        load_text(text, "w.yaml")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n", "1:1: found a list; meant a map"),
        ("name: x\n", "1:1: found no 'format'; meant `format: 1` at the top"),
        ("format: 2\n", "1:9: found the number 2; meant 1, the format that this version reads"),
        ("format: true\n", "1:9: found true; meant 1, the format that this version reads"),
        ("format: 1\n", "1:1: found no 'exchange'; meant the section exchange, or `extends: default`"),
        ("format: 1\nname: 5\n", "2:7: found the number 5; meant a text, in quotes"),
        (
            "format: 1\nextends: defualt\n",
            "2:10: found the scenario 'defualt', which is not shipped; meant 'default', or a path",
        ),
    ],
)
def test_head(text: str, message: str) -> None:
    assert refusal(text) == f"w.yaml:{message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("acounts: []", "3:1: found the unknown key 'acounts'; meant 'accounts'"),
        ("seed: true", "3:7: found true; meant a text, in quotes"),
        (
            "clock: {start: soon}",
            """3:16: found 'soon'; meant a moment from 1970 on, such as "2026-01-01T00:00:00Z\"""",
        ),
        (
            'clock: {start: "2026-01-01T00:00:00"}',
            """3:16: found '2026-01-01T00:00:00'; meant a moment from 1970 on, such as "2026-01-01T00:00:00Z\"""",
        ),
        ("clock: {begin: x}", "3:9: found the unknown key 'begin'; meant start"),
        (
            "choices: {http.eror_status: '400'}",
            "3:11: found the unknown key 'http.eror_status'; meant 'http.error_status'",
        ),
        ("choices: {http.error_status: 400}", '3:30: found the number 400; meant one of split, "400", "200"'),
        ("choices: {pending.shape: lst}", "3:26: found 'lst'; meant one of list, object"),
        ("limits: on", "3:9: found 'on'; meant off, or a map of endpoint names to numbers"),
        ("limits: {submit_oder: 3}", "3:10: found the unknown name 'submit_oder'; meant 'submit_order'"),
        (
            "limits: {submit_order: many}",
            "3:24: found 'many'; meant a whole number a second from 1 to 4294967295, or none",
        ),
        (
            "limits: {submit_order: -1}",
            "3:24: found the number -1; meant a whole number a second from 1 to 4294967295, or none",
        ),
        (
            "limits: {submit_order: 0}",
            "3:24: found the number 0; meant a whole number a second from 1 to 4294967295, or none",
        ),
        ("choices: {order.self_trade: no}", "3:29: found 'no'; meant one of cancel_newest, allow"),
        ("rates: {maker: 10001}", "3:16: found the number 10001; meant a whole number from 0 to 10000"),
        (
            "exchange: {chainId: '1'}",
            "3:21: found '1'; meant a whole number from 1 to 9007199254740991, without quotes",
        ),
        ("exchange: {exchangeAddress: '0x12'}", "3:29: found '0x12'; meant an address, 0x and 40 hex digits in quotes"),
        ("exchange: {transferFees: [{token: LCR, fee: '1'}]}", "3:35: found 'LCR'; meant 'LRC'"),
        ("exchange: {transferFees: [{token: LRC}]}", "3:27: found no 'fee'; meant fee, which is required here"),
        (
            "exchange: {transferFees: [{token: LRC, fee: '1'}, {token: LRC, fee: '2'}]}",
            "3:59: found the fee token 1 again (first at w.yaml:3:35); meant each fee token once",
        ),
        ("nft: {implementation: zero}", "3:23: found 'zero'; meant an address, 0x and 40 hex digits in quotes"),
        ("nft: {impl: zero}", "3:7: found the unknown key 'impl'; meant one of factory, implementation, broker"),
        (
            "fees: {transfer: {LRC: '1'}}",
            "3:8: found 'transfer' among the fees; meant this fee at exchange.transferFees",
        ),
        (
            "fees: {withdrawal: {LRC: '1'}}",
            "3:8: found 'withdrawal' among the fees; meant this fee at exchange.withdrawalFees",
        ),
        ("fees: {nft_mint: {LRC: '1'}}", "3:8: found the unknown name 'nft_mint'; meant 'NFT_MINT'"),
        ("fees: {NFT_MINT: {LCR: '1'}}", "3:19: found the unknown name 'LCR'; meant 'LRC'"),
        (
            "fees: {NFT_MINT: {LRC: 1}}",
            '3:24: found the number 1; meant an amount in the smallest unit, digits in quotes such as "1000", or none',
        ),
        ("nft: {factory: zero}", "3:16: found 'zero'; meant an address, 0x and 40 hex digits in quotes"),
    ],
)
def test_settings(text: str, message: str) -> None:
    assert refusal(HEAD + text) == f"w.yaml:{message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "tokens: [{symbol: LRC, decimals: 18.0}]",
            '3:34: found 18.0 without quotes, which YAML takes for a number with a fraction; meant "18.0"',
        ),
        ("tokens: [{symbol: LRC, enabled: yes}]", "3:33: found 'yes'; meant true or false"),
        (
            "tokens: [{symbol: LRC, minOrderAmount: 1}]",
            """3:40: found the number 1; meant an amount in the smallest unit, digits in quotes such as "1000\"""",
        ),
        (
            "tokens: [{symbol: LRC, minOrderAmount: '01'}]",
            """3:40: found '01'; meant an amount in the smallest unit, digits in quotes such as "1000\"""",
        ),
        (
            "tokens: [{symbol: LRC, maxOrderAmount: '5'}]",
            "3:40: found 5; meant at least minOrderAmount, 1000000000000000",
        ),
        ("tokens: [{symbol: LRC, precision: 19}]", "3:35: found the number 19; meant a whole number from 0 to 18"),
        ("tokens: [{symbol: LRC, tokenId: 3}]", "tokenId"),
        (
            "tokens: [{symbol: LRC}, {symbol: LRC}]",
            "3:34: found the symbol LRC again (first at w.yaml:3:19); meant each symbol once",
        ),
        ("tokens: [{symbol: NEW}]", "3:10: found no 'decimals'; meant decimals, which is required here"),
        (
            "markets: [{market: LRC-NEW, pricePrecision: 1, levels: [0]}]",
            "3:20: found 'LRC-NEW'; meant two of the tokens ETH, LRC, USDT, DAI with a hyphen between them",
        ),
        (
            "markets: [{market: LRC-DAI, pricePrecision: 1, levels: []}]",
            "3:56: found no level; meant at least one, such as [0, 1, 2]",
        ),
        (
            "markets: [{market: LRC-DAI, pricePrecision: 1, levels: [0, 0]}]",
            "3:60: found the level 0 again (first at w.yaml:3:57); meant each level once",
        ),
        (
            "markets: [{market: ETH-LRC, pricePrecision: 1, levels: [0]}]",
            "3:20: found a second market of the pair LRC-ETH; meant each pair once",
        ),
    ],
)
def test_tokens_and_markets(text: str, message: str) -> None:
    found = refusal(HEAD + text)
    if message == "tokenId":
        # The second of the two stands in default.yaml, whose lines are not this test's business.
        assert ": found the tokenId 3 again (first at w.yaml:3:33); meant each tokenId once" in found
    else:
        assert found == f"w.yaml:{message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("accounts: [{name: alice, frozen: no}]", "3:34: found 'no'; meant true or false"),
        (
            "accounts: [{name: alice, owner: 0xa1}]",
            '3:33: found 0xa1 without quotes, which YAML takes for a number in base 16; meant "0xa1"',
        ),
        ("accounts: [{name: alice, ownr: x}]", "3:26: found the unknown key 'ownr'; meant 'owner'"),
        (
            "accounts: [{name: alice, apiKey: 123}]",
            "3:34: found the number 123; meant up to 200 printable characters without a blank",
        ),
        (
            "accounts: [{name: alice, apiKey: 'a b'}]",
            "3:34: found 'a b'; meant up to 200 printable characters without a blank",
        ),
        ("accounts: [{name: alice, tags: ''}]", "3:32: found an empty text; meant a text"),
        (
            "accounts: [{name: alice, publicKeyX: xyz}]",
            "3:38: found 'xyz'; meant a coordinate, 0x and up to 64 hex digits in quotes",
        ),
        ("accounts: [{name: alice, balances: {LRX: '1'}}]", "3:37: found the unknown name 'LRX'; meant 'LRC'"),
        (
            "accounts: [{name: alice, balances: {LRC: '-1'}}]",
            """3:42: found '-1'; meant an amount in the smallest unit, digits in quotes such as "1000\"""",
        ),
        ("accounts: [{name: dave}]", "3:12: found no 'accountId'; meant accountId, which is required here"),
        (
            "accounts: [{name: dave, accountId: 0}]",
            "3:36: found the number 0; meant a whole number from 1 to 4294967295",
        ),
        ("accounts: [{accountId: 5}]", "3:12: found no 'name'; meant name, which is required here"),
        (
            "accounts: [{name: house, accountId: 5}]",
            "3:19: found the name 'house'; meant another: house is account 0, which is always there",
        ),
        (
            "accounts: [{name: bob, apiKey: k}, {name: carol, apiKey: k}]",
            "3:58: found the apiKey k again (first at w.yaml:3:32); meant each apiKey once",
        ),
        ("layer1: {state: sideways}", "3:17: found 'sideways'; meant one of up, down, error"),
        (
            "layer1: {gasPrice: 20}",
            """3:20: found the number 20; meant an amount in the smallest unit, digits in quotes such as "1000\"""",
        ),
        (
            "layer1: {balances: {alise: {ETH: '1'}}}",
            "3:21: found the unknown name 'alise'; meant 'alice', or an address in quotes",
        ),
        (
            "layer1: {balances: {'0x12': {ETH: '1'}}}",
            "3:21: found '0x12'; meant an address, 0x and 40 hex digits in quotes",
        ),
        ("layer1: {approvedHashes: {alice: '0x1'}}", "3:34: found '0x1'; meant a list of hashes"),
        (
            "layer1: {approvedHashes: {alice: ['0x1']}}",
            "3:35: found '0x1'; meant a hash, 0x and 64 hex digits in quotes",
        ),
        (
            "layer1: {approvedHashes: {alise: []}}",
            "3:27: found the unknown name 'alise'; meant 'alice', or an address in quotes",
        ),
    ],
)
def test_accounts_and_layer_1(text: str, message: str) -> None:
    assert refusal(HEAD + text) == f"w.yaml:{message}"


def test_one_owner_named_twice_on_layer_1_is_refused() -> None:
    owner = "0x" + "ab" * 20
    text = f"accounts: [{{name: alice, owner: '{owner}'}}]\nlayer1:\n  balances:\n    '{owner.upper().replace('X', 'x')}': {{}}\n"
    assert refusal(HEAD + text).startswith("w.yaml:6:5: found the owner '0xABAB")


SELL = "account: alice, market: LRC-ETH, side: SELL, size: '1000000000000000000'"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("orders: [{account: alicia}]", "3:10: found no 'market'; meant market, which is required here"),
        (f"orders: [{{{SELL.replace('alice', 'eve')}, price: '0.1'}}]", "3:20: found 'eve'; meant one of house, alice, bob, carol"),
        (f"orders: [{{{SELL.replace('SELL', 'sell')}, price: '0.1'}}]", "3:50: found 'sell'; meant 'SELL'"),
        (f"orders: [{{{SELL}}}]", "3:10: found none of them; meant one of price, volume"),
        (f"orders: [{{{SELL}, price: '0.1', volume: '1'}}]", "3:10: found 'price' and 'volume'; meant one of price, volume"),
        (f"orders: [{{{SELL}, price: 1}}]", "3:92: found the number 1; meant a text, in quotes"),
        (f"orders: [{{{SELL}, price: '0.000000001'}}]", """3:92: found '0.000000001'; meant a price above zero with up to 8 decimals, such as "0.5\""""),
        (f"orders: [{{{SELL}, price: '0'}}]", """3:92: found '0'; meant a price above zero with up to 8 decimals, such as "0.5\""""),
        (f"orders: [{{{SELL}, volume: '0'}}]", "3:93: found a zero amount; meant an amount above zero"),
        (f"orders: [{{{SELL.replace('1000000000000000000', '100')}, price: '0.0005'}}]", "3:76: found 0.0005 for a size too small to have that price; meant volume, in wei of ETH"),
        (f"orders: [{{{SELL.replace('1', '30000001')}, price: '1'}}]", "3:10: found an order that sells 30000001000000000000000000 wei of LRC; meant at most the 20000000000000000000000000 that are free"),
        (f"orders:\n - {{{SELL}, price: '0.1'}}\n - {{{SELL.replace('SELL', 'BUY')}, price: '0.1'}}", "5:4: found an order that would trade at once; meant a price that rests beside the others in LRC-ETH"),
    ],
)  # fmt: skip
def test_orders(text: str, message: str) -> None:
    assert refusal(HEAD + text) == f"w.yaml:{message}"
