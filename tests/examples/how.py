"""How each code is come by: the shortest way for each, which the conformance tests go."""

from __future__ import annotations

from typing import NamedTuple

from mockrelay.spec.codes import Code as C


class Way(NamedTuple):
    """What a client does to be told a code; `endpoint` and `how` name the cause that the conformance tests try."""

    code: C
    endpoint: str
    how: str
    told: str


WAYS: tuple[Way, ...] = (
    Way(C.UNKNOWN_ERROR, "get_tokens", "too often", "More calls in a second than the limit allows (with status 429)."),
    Way(C(100001), "get_candlestick", "no such market", "Ask for the candles of a market that does not exist."),
    Way(C(101001), "get_account", "known nowhere", "Ask for an address that neither layer knows."),
    Way(
        C(101002),
        "get_account",
        "known on layer 1 only",
        "Ask for an address that has money on layer 1 and no account.",
    ),
    Way(C(102001), "submit_order", "another exchange", "An order with another `exchangeId`."),
    Way(C(102002), "submit_order", "sold token", "An order that sells a token that the exchange does not have."),
    Way(C(102003), "submit_order", "no such account", "An order with an `accountId` that does not exist."),
    Way(C(102004), "submit_order", "used", "Another order with the `orderId` of one that was accepted."),
    Way(C(102005), "submit_order", "no such market", "An order between two tokens that have no market."),
    Way(C(102006), "submit_order", "maxFeeBips 64", "An order with `maxFeeBips` beyond 63."),
    Way(C(102007), "submit_order", "again", "The same order twice."),
    Way(C(102008), "submit_order", "past", "An order whose `validUntil` is not after now."),
    Way(C(102010), "submit_order", "no signatureRx", "An order without one of the three parts of its signature."),
    Way(C(102011), "submit_order", "one wei more than there is", "An order that sells one wei more than is free."),
    Way(
        C(102012),
        "submit_order",
        "one wei below the minimum",
        "An order whose `amountS` is below its token's `minOrderAmount`, or whose `amountB` counts as zero.",
    ),
    Way(
        C(102014),
        "submit_order",
        "frozen, by choice",
        'A fault: `{on: submit_order, code: 102014}`; or freeze the account under `order.frozen_account: "102014"`.',
    ),
    Way(C(102020), "submit_order", "one wei above the maximum", "An order above the token's `maxOrderAmount`."),
    Way(C(102021), "submit_transfer", "nonce ahead", "A transfer with a nonce that is not the account's next one."),
    Way(C(102022), "submit_transfer", "another's account", "A transfer from an account that is not the API key's."),
    Way(C(102023), "submit_transfer", "receiver unknown", "A transfer to an account that does not exist."),
    Way(C(102024), "submit_transfer", "fee token unknown", "A transfer whose fee is in a token without a fee."),
    Way(C(102025), "submit_transfer", "fee in another token", "A transfer whose fee is in another token."),
    Way(C(102027), "submit_order", "frozen", "An order of a frozen account (`POST accounts/ID/freeze`)."),
    Way(
        C(102120),
        "submit_order",
        "milliseconds",
        "An order with `validUntil` in milliseconds, or with a `validSince` not before it.",
    ),
    Way(C(104001), "get_order_id", "no key", "A call without `X-API-KEY`."),
    Way(C(104002), "get_order_id", "nobody's key", "A call with a key that belongs to nobody."),
    Way(C(104003), "get_order_id", "another's key", "A call about another account than the key's."),
    Way(C(104004), "submit_withdrawal", "no signature header", "A withdrawal without the header `X-API-SIG`."),
    Way(C(104005), "submit_order", "field", "A part of a signature that is not below the field's prime."),
    Way(C(104202), "send_eth_tx", "node down", "A transaction while layer 1 is `down` (`POST layer1`)."),
    Way(C(104205), "get_token_balances", "node down", "A question about balances while layer 1 is `down`."),
    Way(C(104208), "send_eth_tx", "node in error", "A transaction while layer 1 is in `error`."),
    Way(C(105001), "get_gas_price", "node down", "The gas price while layer 1 is `down`."),
    Way(C(107001), "get_orders", "no account id", "The list of orders without `accountId`."),
    Way(C(108000), "get_depth", "turned round", "The depth of `ETH-LRC`, which is `LRC-ETH` turned round."),
    Way(C(108001), "get_depth", "level too large", "The depth at a level that the market does not have."),
)
