"""What the sections of a scenario refuse: the whole message, with place, what was found and what was meant."""

from __future__ import annotations

import pytest

from tests.scenario.texts import HEAD, marked, refusal

AMOUNT = 'an amount in the smallest unit, digits in quotes such as "1000"'
ADDRESS = "an address, 0x and 40 hex digits in quotes"
API_KEY = "up to 200 printable characters without a blank"
LIMIT = "a whole number a second from 1 to 4294967295, or none"
MOMENT = 'a moment from 1970 on, such as "2026-01-01T00:00:00Z"'
PRICE = 'a price above zero with up to 8 decimals, such as "0.5"'
SELL = "account: alice, market: LRC-ETH, side: SELL, size: '1000000000000000000'"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n", "1:1: found a list; meant a map"),
        ("name: x\n", "1:1: found no 'format'; meant `format: 1` at the top"),
        ("format: 2\n", "1:9: found the number 2; meant 1, the format that this version reads"),
        ("format: true\n", "1:9: found true; meant 1, the format that this version reads"),
        ("format: 1\n", "1:1: found no 'exchange'; meant the section exchange, or `extends: default`"),
        ("format: 1\nname: 5\n", "2:7: found the number 5; meant a text, in quotes"),
        (f"format: 1\nname: {'x' * 201}\n", f"2:7: found '{'x' * 60}'...; meant at most 200 characters"),
        (
            "format: 1\nextends: defualt\n",
            "2:10: found the scenario 'defualt', which is not shipped; meant 'default', or a path",
        ),
    ],
)
def test_head(text: str, message: str) -> None:
    assert refusal(text) == f"w.yaml:{message}"


REFUSED = (
    ("^acounts: []", "found the unknown key 'acounts'; meant 'accounts'"),
    ("seed: ^true", "found true; meant a text, in quotes"),
    ("clock: {start: ^soon}", f"found 'soon'; meant {MOMENT}"),
    ('clock: {start: ^"2026-01-01T00:00:00"}', f"found '2026-01-01T00:00:00'; meant {MOMENT}"),
    ("clock: {^begin: x}", "found the unknown key 'begin'; meant start"),
    ("choices: {^http.eror_status: '400'}", "found the unknown key 'http.eror_status'; meant 'http.error_status'"),
    ("choices: {http.error_status: ^300}", 'found the number 300; meant one of split, "400", "200"'),
    ("choices: {pending.shape: ^lst}", "found 'lst'; meant one of list, object"),
    ("choices: {order.self_trade: ^no}", "found 'no'; meant one of cancel_newest, allow"),
    ("limits: ^on", "found 'on'; meant off, or a map of endpoint names to numbers"),
    ("limits: {^submit_oder: 3}", "found the unknown name 'submit_oder'; meant 'submit_order'"),
    ("limits: {submit_order: ^many}", f"found 'many'; meant {LIMIT}"),
    ("limits: {submit_order: ^-1}", f"found the number -1; meant {LIMIT}"),
    ("limits: {submit_order: ^0}", f"found the number 0; meant {LIMIT}"),
    ("rates: {maker: ^10001}", "found the number 10001; meant a whole number from 0 to 10000"),
    ("rates: {maker: 1}\naccounts:\n  - ^<<: {name: dave}\n    accountId: 4", "found the unknown key '<<'; meant one of name, accountId, owner, apiKey, publicKeyX, publicKeyY, eddsaKey, keySeed, layer1Key, derived, keyNonce, accountNonce, ..."),
    ("rates: {maker: 1\nseed^: 2", "found broken YAML: did not find expected ',' or '}'; meant valid YAML"),
    ("exchange: {chainId: ^'1'}", "found '1'; meant a whole number from 1 to 9007199254740991, without quotes"),
    ("exchange: {exchangeAddress: ^'0x12'}", f"found '0x12'; meant {ADDRESS}"),
    ("exchange: {transferFees: [{token: ^LCR, fee: '1'}]}", "found 'LCR'; meant 'LRC'"),
    ("exchange: {transferFees: [^{token: LRC}]}", "found no 'fee'; meant fee, which is required here"),
    ("exchange: {transferFees: [{token: LRC, fee: '1'}, {token: ^LRC, fee: '2'}]}", "found the fee token 1 again (first at w.yaml:3:35); meant each fee token once"),
    ("fees: {^transfer: {LRC: '1'}}", "found 'transfer' among the fees; meant this fee at exchange.transferFees"),
    ("fees: {^withdrawal: {LRC: '1'}}", "found 'withdrawal' among the fees; meant this fee at exchange.withdrawalFees"),
    ("fees: {^nft_mint: {LRC: '1'}}", "found the unknown name 'nft_mint'; meant 'NFT_MINT'"),
    ("fees: {NFT_MINT: {^LCR: '1'}}", "found the unknown name 'LCR'; meant 'LRC'"),
    ("fees: {NFT_MINT: {LRC: ^1}}", f"found the number 1; meant {AMOUNT}, or none"),
    ("nft: {implementation: ^zero}", f"found 'zero'; meant {ADDRESS}"),
    ("nft: {^impl: zero}", "found the unknown key 'impl'; meant one of factory, implementation, broker"),
    ("nft: {factory: ^zero}", f"found 'zero'; meant {ADDRESS}"),
    ("tokens: [{symbol: LRC, decimals: ^18.0}]", 'found 18.0 without quotes, which YAML takes for a number with a fraction; meant "18.0"'),
    ("tokens: [{symbol: LRC, enabled: ^yes}]", "found 'yes'; meant true or false"),
    ("tokens: [{symbol: LRC, minOrderAmount: ^1}]", f"found the number 1; meant {AMOUNT}"),
    ("tokens: [{symbol: LRC, minOrderAmount: ^'01'}]", f"found '01'; meant {AMOUNT}"),
    ("tokens: [{symbol: LRC, maxOrderAmount: ^'5'}]", "found 5; meant at least minOrderAmount, 1000000000000000"),
    ("tokens: [{symbol: LRC, precision: ^19}]", "found the number 19; meant a whole number from 0 to 18"),
    ("tokens: [{symbol: LRC}, {symbol: ^LRC}]", "found the symbol LRC again (first at w.yaml:3:19); meant each symbol once"),
    ("tokens: [^{symbol: NEW}]", "found no 'decimals'; meant decimals, which is required here"),
    ("markets: [{market: ^LRC-NEW, pricePrecision: 1, levels: [0]}]", "found 'LRC-NEW'; meant two of the tokens ETH, LRC, USDT, DAI with a hyphen between them"),
    ("markets: [{market: LRC-DAI, pricePrecision: 1, levels: ^[]}]", "found no level; meant at least one, such as [0, 1, 2]"),
    ("markets: [{market: LRC-DAI, pricePrecision: 1, levels: [0, ^0]}]", "found the level 0 again (first at w.yaml:3:57); meant each level once"),
    ("markets: [{market: ^ETH-LRC, pricePrecision: 1, levels: [0]}]", "found a second market of the pair LRC-ETH; meant each pair once"),
    ("accounts: [{name: alice, frozen: ^no}]", "found 'no'; meant true or false"),
    ("accounts: [{name: alice, owner: ^0xa1}]", 'found 0xa1 without quotes, which YAML takes for a number in base 16; meant "0xa1"'),
    ("accounts: [{name: alice, ^ownr: x}]", "found the unknown key 'ownr'; meant 'owner'"),
    ("accounts: [{name: alice, apiKey: ^123}]", f"found the number 123; meant {API_KEY}"),
    ("accounts: [{name: alice, apiKey: ^'a b'}]", f"found 'a b'; meant {API_KEY}"),
    ("accounts: [{name: alice, tags: ^''}]", "found an empty text; meant a text"),
    ("accounts: [{name: alice, publicKeyX: ^xyz}]", "found 'xyz'; meant a coordinate, 0x and up to 64 hex digits in quotes"),
    ("accounts: [{name: alice, balances: {^LRX: '1'}}]", "found the unknown name 'LRX'; meant 'LRC'"),
    ("accounts: [{name: alice, balances: {LRC: ^'-1'}}]", f"found '-1'; meant {AMOUNT}"),
    ("accounts: [^{name: dave}]", "found no 'accountId'; meant accountId, which is required here"),
    ("accounts: [{name: dave, accountId: ^0}]", "found the number 0; meant a whole number from 1 to 4294967295"),
    ("accounts: [^{accountId: 5}]", "found no 'name'; meant name, which is required here"),
    ("accounts: [{name: ^house, accountId: 5}]", "found the name 'house'; meant another: house is account 0, which is always there"),
    ("accounts: [{name: bob, apiKey: k}, {name: carol, apiKey: ^k}]", "found the apiKey k again (first at w.yaml:3:32); meant each apiKey once"),
    ("accounts: [{name: dave, accountId: 4}, {name: ^dave, accountId: 5}]", "found the name dave again (first at w.yaml:3:19); meant each name once"),
    ("accounts: [{name: dave, accountId: 4}, {name: erin, accountId: ^4}]", "found the accountId 4 again (first at w.yaml:3:36); meant each accountId once"),
    ("layer1: {state: ^sideways}", "found 'sideways'; meant one of up, down, error"),
    ("layer1: {gasPrice: ^20}", f"found the number 20; meant {AMOUNT}"),
    ("layer1: {balances: {^alise: {ETH: '1'}}}", "found the unknown name 'alise'; meant 'alice', or an address in quotes"),
    ("layer1: {balances: {^'0x12': {ETH: '1'}}}", f"found '0x12'; meant {ADDRESS}"),
    ("layer1: {nonces: {alice: ^-1}}", "found the number -1; meant a whole number from 0 to 9007199254740991"),
    ("layer1: {nonces: {^alise: 1}}", "found the unknown name 'alise'; meant 'alice', or an address in quotes"),
    ("layer1: {approvedHashes: {alice: ^'0x1'}}", "found '0x1'; meant a list of hashes"),
    ("layer1: {approvedHashes: {alice: [^'0x1']}}", "found '0x1'; meant a hash, 0x and 64 hex digits in quotes"),
    ("layer1: {approvedHashes: {^alise: []}}", "found the unknown name 'alise'; meant 'alice', or an address in quotes"),
    ("orders: [^{account: alicia}]", "found no 'market'; meant market, which is required here"),
    ("orders: [{account: ^eve, market: LRC-ETH, side: SELL, size: '1000000000000000000', price: '0.1'}]", "found 'eve'; meant one of house, alice, bob, carol"),
    ("orders: [{account: alice, market: LRC-ETH, side: ^sell, size: '1000000000000000000', price: '0.1'}]", "found 'sell'; meant 'SELL'"),
    (f"orders: [^{{{SELL}}}]", "found none of them; meant one of price, volume"),
    (f"orders: [^{{{SELL}, price: '0.1', volume: '1'}}]", "found 'price' and 'volume'; meant one of price, volume"),
    (f"orders: [{{{SELL}, price: ^1}}]", "found the number 1; meant a text, in quotes"),
    (f"orders: [{{{SELL}, price: ^'0.000000001'}}]", f"found '0.000000001'; meant {PRICE}"),
    (f"orders: [{{{SELL}, price: ^'0'}}]", f"found '0'; meant {PRICE}"),
    (f"orders: [{{{SELL}, volume: ^'0'}}]", "found a zero amount; meant an amount above zero"),
    ("orders: [{account: alice, market: LRC-ETH, side: SELL, size: '100', price: ^'0.0005'}]", "found 0.0005 for a size too small to have that price; meant volume, in wei of ETH"),
    ("orders: [^{account: alice, market: LRC-ETH, side: SELL, size: '30000001000000000000000000', price: '1'}]", "found an order that sells 30000001000000000000000000 wei of LRC; meant at most the 20000000000000000000000000 that are free"),
    (f"orders:\n - {{{SELL}, price: '0.1'}}\n - ^{{account: alice, market: LRC-ETH, side: BUY, size: '1000000000000000000', price: '0.1'}}", "found an order that would trade at once; meant a price that rests beside the others in LRC-ETH"),
    (f"orders:\n - {{account: alice, market: LRC-ETH, side: BUY, size: '1000000000000000000', price: '0.1'}}\n - ^{{{SELL}, price: '0.1'}}", "found an order that would trade at once; meant a price that rests beside the others in LRC-ETH"),
    ("faults:\n  - {on: submit_order, drop: ^yes}", "found 'yes'; meant true"),
)  # fmt: skip
"""Sections over the default scenario, and what is said of them. The mark ^ stands where the message points."""


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_section(text: str, message: str) -> None:
    plain, place = marked(HEAD + text)
    assert refusal(plain) == f"w.yaml:{place}: {message}"


def test_a_token_id_that_the_base_has_is_refused() -> None:
    """The second of the two stands in default.yaml, whose lines are not this test's business."""
    found = refusal(HEAD + "tokens: [{symbol: LRC, tokenId: 3}]")
    assert ": found the tokenId 3 again (first at w.yaml:3:33); meant each tokenId once" in found


def test_one_owner_named_twice_on_layer_1_is_refused() -> None:
    owner = "0x" + "ab" * 20
    text = f"accounts: [{{name: alice, owner: '{owner}'}}]\nlayer1:\n  balances:\n    '{owner.upper().replace('X', 'x')}': {{}}\n"
    assert refusal(HEAD + text).startswith("w.yaml:6:5: found the owner '0xABAB")
