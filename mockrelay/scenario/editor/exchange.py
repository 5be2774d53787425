"""JSON Schemas of what an exchange is: its contract, tokens, markets, accounts, fees, readings, and the chain below."""

from __future__ import annotations

from mockrelay.scenario.accounts import ACCOUNT_KEYS, DERIVED_KEYS, HOUSE, LAYER1_KEYS
from mockrelay.scenario.editor.forms import (
    BOOLEAN,
    TEXT,
    Schema,
    by_name,
    either,
    fields,
    listed,
    one_of,
    or_none,
    shared,
    whole,
)
from mockrelay.scenario.exchange import (
    BIPS_MAX,
    CHAIN_ID_MAX,
    DECIMALS_MAX,
    EXCHANGE_KEYS,
    MARKET_KEYS,
    NFT_KEYS,
    RATE_KEYS,
    TOKEN_KEYS,
)
from mockrelay.scenario.fees import IN_EXCHANGE, OTHER_KINDS
from mockrelay.scenario.merging import NAMED_BY
from mockrelay.spec.choices import CHOICES
from mockrelay.spec.vocab import NodeState, TokenType


def choices() -> Schema:
    """Readings by key."""
    said = {
        choice.key: (
            f"{choice.spec_says} Default: {choice.default}. {choice.why}",
            one_of(choice.options) | {"default": choice.default},
        )
        for choice in CHOICES
    }
    return fields(said, said)


def exchange() -> Schema:
    """The exchange contract and the two lists of fees that its own answer shows."""
    fee = fields(
        ("type", "fee"),
        {"type": ("The fee's category.", TEXT), "fee": ("In wei of the native coin.", shared("amount"))},
        required=("type", "fee"),
    )
    listed_fee = fields(
        ("token", "fee"),
        {"token": ("The token's symbol.", TEXT), "fee": ("In wei of the token.", shared("amount"))},
        required=("token", "fee"),
    )
    return fields(
        EXCHANGE_KEYS,
        {
            "chainId": ("The chain's number; 1 is the main net.", whole(1, CHAIN_ID_MAX)),
            "exchangeId": ("What requests must name as exchangeId.", whole()),
            "exchangeAddress": ("The exchange's contract.", shared("address")),
            "onchainFees": ("Fees of what is done on layer 1.", listed(fee)),
            **{key: (f"What a {kind.value} costs, by token.", listed(listed_fee)) for kind, key in IN_EXCHANGE.items()},
        },
    )


def token() -> Schema:
    """A token, which may be laid over another of its symbol."""
    return fields(
        TOKEN_KEYS,
        {
            "type": ("ETH for the native coin.", one_of(TokenType) | {"default": TokenType.ERC20.value}),
            "tokenId": ("Its number.", whole()),
            "symbol": ("Its symbol, by which everything else names it.", TEXT),
            "name": ("Its name; the symbol where it has none.", TEXT),
            "address": ("Its contract.", shared("address")),
            "unit": ("The name of its unit.", TEXT),
            "decimals": ("1 of it is 10^decimals in the smallest unit.", whole(0, DECIMALS_MAX)),
            "precision": ("How many decimals count; all of them unless given.", whole(0, DECIMALS_MAX)),
            "minOrderAmount": ("The least that an order may sell.", shared("amount")),
            "maxOrderAmount": ("The most that an order may sell.", shared("amount")),
            "dustOrderAmount": ("What is left of an order below this ends it.", shared("amount")),
            "enabled": ("false refuses its withdrawal and deposit.", BOOLEAN),
        },
        required=(NAMED_BY["tokens"],),
    )


def market() -> Schema:
    """A market, which may be laid over another of its name."""
    levels = listed(whole(0, DECIMALS_MAX)) | {"minItems": 1, "uniqueItems": True}
    return fields(
        MARKET_KEYS,
        {
            "market": (
                "Base and quote, such as LRC-ETH.",
                {"type": "string", "pattern": "-", "minLength": 3, "examples": ["LRC-ETH"]},
            ),
            "pricePrecision": ("How many decimals a price has.", whole(0, DECIMALS_MAX)),
            "levels": ("Depth levels; level n shows prices in steps of 10^n of the last decimal.", levels),
        },
        required=(NAMED_BY["markets"],),
    )


def account() -> Schema:
    """An account, which may be laid over another of its name."""
    return fields(
        ACCOUNT_KEYS,
        {
            "name": ("What this file calls it.", TEXT | {"not": {"const": HOUSE}}),
            "accountId": ("Its number.", whole(1)),
            "owner": ("Its owner's address; of the seed unless given.", shared("address")),
            "apiKey": ("Its X-API-KEY; of the seed unless given.", shared("apiKey")),
            "publicKeyX": ("Its public key; of the seed unless given.", shared("coordinate")),
            "publicKeyY": ("Its public key; of the seed unless given.", shared("coordinate")),
            "eddsaKey": (
                "Its private key, which the public key follows from where none is given.",
                shared("privateKey"),
            ),
            "keySeed": ("The text that its layer-1 key makes its key of, where no other is given.", TEXT),
            "layer1Key": (
                "Its owner's private key, which the owner follows from where none is given.",
                shared("privateKey"),
            ),
            "derived": ("What follows from the seed, worked out beforehand.", _derived()),
            "keyNonce": ("How often its key has changed.", whole()),
            "accountNonce": ("The nonce of its next request.", whole()),
            "frozen": ("Whether it is frozen.", BOOLEAN),
            "tags": ("Its tags, as the account's answer shows them.", TEXT),
            "rates": ("Trading fees of its own.", rates()),
            "balances": ("What it has on layer 2, by symbol.", by_name(shared("amount"))),
        },
        required=(NAMED_BY["accounts"],),
    )


def _derived() -> Schema:
    return fields(
        DERIVED_KEYS,
        {
            "seed": ("The seed that it holds for; under another it is passed over.", either(TEXT, {"type": "integer"})),
            "owner": ("The address of the layer-1 key.", shared("address")),
            "publicKeyX": ("The public key of the layer-2 key.", shared("coordinate")),
            "publicKeyY": ("The public key of the layer-2 key.", shared("coordinate")),
        },
        required=DERIVED_KEYS,
    )


def rates() -> Schema:
    """Trading fees."""
    bips = whole(0, BIPS_MAX)
    said = {
        "maker": ("In bips, for the order that rested.", bips),
        "taker": ("In bips, for the order that came.", bips),
    }
    return fields(RATE_KEYS, said)


def nft() -> Schema:
    """Where NFT contracts come from."""
    said = {
        "factory": ("Who deploys NFT contracts.", shared("address")),
        "implementation": ("What they delegate to.", shared("address")),
        "broker": ("Who a deployment is paid to.", shared("address")),
    }
    return fields(NFT_KEYS, said)


def fees() -> Schema:
    """What requests cost by kind and symbol."""
    said = {
        kind.value: (f"What {kind.value} costs, by symbol.", by_name(or_none(shared("amount")))) for kind in OTHER_KINDS
    }
    return fields(said, said)


def layer1() -> Schema:
    """The chain below."""
    amounts = by_name(by_name(shared("amount")))
    return fields(
        LAYER1_KEYS,
        {
            "state": ("Whether the node answers.", one_of(NodeState)),
            "gasPrice": ("In wei.", shared("amount")),
            "balances": ("By an account's name or an address in quotes, then by symbol.", amounts),
            "allowances": ("What the exchange may take: by name or address, then by symbol.", amounts),
            "approvedHashes": (
                "Hashes that stand for a signature, by name or address.",
                by_name(listed(shared("hash"))),
            ),
        },
    )
