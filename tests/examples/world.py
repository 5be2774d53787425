"""The tables of the guide's page about the default world, from the scenario itself."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from mockrelay.openapi.playing import fresh_relay
from mockrelay.scenario import flat
from mockrelay.spec.request_kinds import KINDS, RequestKind
from tests.examples.tables import table

_FEES = (
    ("transfer", "transferFees"),
    ("withdrawal", "withdrawalFees"),
)


def world_tables() -> dict[str, str]:
    """The tables by the names of their regions."""
    world = flat("default")
    units = {token["symbol"]: int(token["decimals"]) for token in world["tokens"]}
    return {
        "world exchange": _exchange(world),
        "world tokens": _tokens(world),
        "world markets": _markets(world),
        "world accounts": _accounts(world),
        "world balances": _balances(world, units),
        "world fees": _fees(world, units),
        "world lifecycles": _lifecycles(world),
    }


def _whole(wei: str, decimals: int) -> str:
    """An amount in whole tokens."""
    return f"{(Decimal(wei).scaleb(-decimals)).normalize():,f}"


def _exchange(world: Mapping[str, Any]) -> str:
    exchange, nft = world["exchange"], world["nft"]
    rows = [(f"`{name}`", f"`{exchange[name]}`") for name in ("chainId", "exchangeId", "exchangeAddress")]
    rows += [(f"`{name}` of NFT contracts", f"`{nft[name]}`") for name in ("factory", "implementation", "broker")]
    fees = {row["type"]: _whole(row["fee"], 18) for row in exchange["onchainFees"]}
    rates, blocks, gas = world["rates"], world["blocks"], world["layer1"]["gasPrice"]
    seal = blocks["seal"]
    rows += [
        ("a trade costs, in ten-thousandths of what is received", f"maker {rates['maker']}, taker {rates['taker']}"),
        ("a layer-1 transaction costs, in ETH", ", ".join(f"{name} {fee}" for name, fee in fees.items())),
        ("the gas price of layer 1", f"{_whole(gas, 9)} Gwei"),
        ("a block is sealed", f"every {seal['every']} if anything waits, and once {seal['size']} transactions do"),
        ("a block is confirmed", f"{blocks['confirm']['after']} after it is sealed"),
        ("a block is finalized", f"{blocks['finalize']['after']} after it is confirmed"),
    ]
    return table(("what", "value"), rows)


def _tokens(world: Mapping[str, Any]) -> str:
    rows = []
    for token in world["tokens"]:
        sizes = [
            _whole(token[name], token["decimals"]) for name in ("minOrderAmount", "maxOrderAmount", "dustOrderAmount")
        ]
        numbers = [str(token[name]) for name in ("decimals", "precision")]
        rows.append((str(token["tokenId"]), f"`{token['symbol']}`", f"`{token['address']}`", *numbers, *sizes))
    head = ("id", "symbol", "address", "decimals", "precision", "smallest order", "largest order", "dust below")
    return table(head, rows)


def _markets(world: Mapping[str, Any]) -> str:
    rows = [
        (f"`{row['market']}`", str(row["pricePrecision"]), ", ".join(map(str, row["levels"])))
        for row in world["markets"]
    ]
    return table(("market", "decimals of a price", "levels of the depth"), rows)


def _accounts(world: Mapping[str, Any]) -> str:
    keys = {account["name"]: account["apiKey"] for account in fresh_relay().accounts()}
    rows = [
        (f"`{row['name']}`", str(row["accountId"]), f"`{row['derived']['owner']}`", f"`{keys[row['name']]}`")
        for row in world["accounts"]
    ]
    return table(("name", "account id", "owner", "API key"), rows)


def _balances(world: Mapping[str, Any], units: Mapping[str, int]) -> str:
    layer1 = world["layer1"]
    rows = []
    for row in world["accounts"]:
        name = row["name"]
        for where, held in (
            ("layer 2", row["balances"]),
            ("layer 1", layer1["balances"][name]),
            ("allowed to the exchange", layer1["allowances"][name]),
        ):
            amounts = [_whole(held[token], decimals) if token in held else "" for token, decimals in units.items()]
            rows.append((f"`{name}`", where, *amounts))
    return table(("account", "where", *(f"`{token}`" for token in units)), rows)


def _fees(world: Mapping[str, Any], units: Mapping[str, int]) -> str:
    by_kind = {kind: {fee["token"]: fee["fee"] for fee in world["exchange"][name]} for kind, name in _FEES}
    by_kind |= world["fees"]
    rows = [
        (f"`{kind}`", *(_whole(fees[token], decimals) for token, decimals in units.items()))
        for kind, fees in by_kind.items()
    ]
    return table(("fee", *(f"in `{token}`" for token in units)), rows)


def _lifecycles(world: Mapping[str, Any]) -> str:
    rows = []
    for kind, states in world["lifecycles"].items():
        endpoint = f"`{KINDS[RequestKind(kind)].submission.row}`" if kind in set(RequestKind) else "a cancelled order"
        rows += [(f"`{kind}`", endpoint, f"`{state}`", _duration(wait["after"])) for state, wait in states.items()]
    return table(("lifecycle", "of", "state", "lasts"), rows)


def _duration(after: Any) -> str:
    if isinstance(after, Mapping):
        ((unit, number),) = after.items()
        return f"until the next {unit.removesuffix('s')} is sealed" if number == 1 else f"{number} {unit}"
    return "until the next call" if after == "0s" else str(after)
