"""Scenarios over all sections, right by construction: names that YAML readers stumble over, and whatever a section takes."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from mockrelay.client.wrong_fields import request_place
from mockrelay.spec.choices import CHOICES
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.spec.fault_effects import EFFECTS, FaultEffect, endpoints_of
from mockrelay.spec.request_kinds import KINDS
from mockrelay.spec.sockets import SOCKET_EVENTS
from mockrelay.testing.strategies.schema_values import values_of
from mockrelay.wire.schemas import Place, keyword, properties_of
from tests.properties.fuzzers.timeline_commands import commands

SCENARIO_NAME_MAX = 200
NAMES = [row.name for row in ENDPOINTS]
"""The endpoints of the spec, the profile of scenarios that name none."""

Document = dict[str, Any]

ODD_NAMES = (
    *("on", "off", "yes", "no", "y", "True", "null", "~", "010", "0x1f", "1e18", "12:30", "2026-01-01", "1_000", "-5"),
    *("a b", "a: b", "#a", "a#", "- a", "{a}", "[a]", "&a", "*a", "!a", "'", '"', "\\", "%", "@a", "`", "?", "=", "<<"),
    *(" a", "a ", "a\nb", "\t", "\u00e9", "\u2028", "\u0085", "\ufeff", "\U0001f600", "\x00", "n" * 1100),
)
SYMBOLS = ("ETH", "LRC", "USDT", "DAI")
"""Of the default scenario."""
MARKETS = ("LRC-ETH", "LRC-USDT", "ETH-USDT", "DAI-USDT")
OWNERS = ("alice", "bob", "carol")

names = st.sampled_from(ODD_NAMES) | st.text(min_size=1, max_size=12)
amounts = st.integers(0, 10**30).map(str)
some = st.integers(1, 10**30).map(str)
addresses = st.integers(0, 16**40 - 1).map(lambda number: f"0x{number:040x}")
hashes = st.integers(0, 16**64 - 1).map(lambda number: f"0x{number:064X}")
coordinates = st.integers(0, 16**64 - 1).map(hex) | st.just("")
durations = st.builds(lambda n, unit: f"{n}{unit}", st.integers(0, 999), st.sampled_from(["ms", "s", "m", "h", "d"]))
times = st.builds(lambda n, unit: f"{n}{unit}", st.integers(0, 999), st.sampled_from(["ms", "s", "m"]))
options = {choice.key: st.sampled_from(choice.options) for choice in CHOICES}
choices = st.fixed_dictionaries({}, optional=options)
private_keys = st.integers(1, 2**250).map(hex)
counts = st.integers(1, 2**32 - 1)
plain_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | names | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names | st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def some_of(place: Place) -> st.SearchStrategy[Document]:
    """Some fields of an object of a request, with values that they can have in any world."""
    fields = {name: field for name, field in properties_of(place).items() if keyword(field, "x-names") is None}
    values = {name: some_of(field) if properties_of(field) else values_of(field) for name, field in fields.items()}
    return st.fixed_dictionaries({}, optional=values)


def fault_of(effect: FaultEffect) -> st.SearchStrategy[Document]:
    """A fault of one effect."""
    values: dict[str, st.SearchStrategy[Any]] = {
        "code": st.integers(1, 2**53 - 1),
        "status": st.integers(200, 599),
        "body": st.sampled_from(["malformed", "truncated", "html", "empty"]),
        "delay": durations,
        "drop": st.just(True),
        "hold": st.sampled_from(["UNKNOWN", "WAIT_FREEZE_BALANCE"]),
        "outcome": st.just("failed"),
        "layer1": st.sampled_from(["down", "error"]),
        "rate_limit": st.just(True),
    }
    optional: dict[str, st.SearchStrategy[Any]] = {
        "nth": counts,
        "times": counts,
    }
    if effect.points:
        optional["at"] = st.sampled_from([point.value for point in effect.points])
    if effect.name == "code":
        optional["message"] = st.text(max_size=20)

    def on(endpoint: str) -> st.SearchStrategy[Document]:
        when = some_of(request_place(endpoint))
        required = {"on": st.just(endpoint), effect.name: values[effect.name]}
        return st.fixed_dictionaries(required, optional=optional | {"when": when})

    return st.sampled_from([name for name in endpoints_of(effect) if name in NAMES]).flatmap(on)


# The documents are of the profile of the specification, which has no WebSockets.
faults = st.sampled_from(
    [each for each in EFFECTS.values() if SOCKET_EVENTS.keys().isdisjoint(each.endpoints)]
).flatmap(fault_of)


def _durations(units: tuple[str, ...]) -> st.SearchStrategy[Any]:
    forms: dict[str, st.SearchStrategy[Any]] = {
        "time": durations,
        "blocks": st.fixed_dictionaries({"blocks": counts}),
        "polls": st.fixed_dictionaries({"polls": counts}),
        "hand": st.just("hand"),
    }
    return st.one_of([forms[unit] for unit in units])


def _kinds() -> dict[str, st.SearchStrategy[Document]]:
    found: dict[str, st.SearchStrategy[Document]] = {}
    for name, kind in KINDS.items():
        before_any_block = tuple(unit for unit in kind.units if unit != "blocks")
        stages: dict[str, st.SearchStrategy[Any]] = {
            state: st.fixed_dictionaries({"after": _durations(kind.units)}) for state in kind.durations
        }
        first = next(iter(kind.durations))
        stages[first] |= st.fixed_dictionaries({"after": _durations(before_any_block), "then": st.just("failed")})
        found[name] = st.fixed_dictionaries({}, optional=stages)
    cancelling = st.fixed_dictionaries({"after": _durations(("time", "hand"))})
    found["cancel"] = st.fixed_dictionaries({}, optional={"cancelling": cancelling})
    return found


lifecycles = st.fixed_dictionaries({}, optional=_kinds())
blocks = st.fixed_dictionaries(
    {},
    optional={
        "seal": st.just("hand")
        | st.fixed_dictionaries({"every": durations.filter(lambda text: text[0] != "0"), "size": st.just("none")})
        | st.fixed_dictionaries({"size": counts}),
        "confirm": st.fixed_dictionaries({"after": _durations(("time", "blocks"))}),
        "finalize": st.fixed_dictionaries({"after": _durations(("time", "blocks"))}),
    },
)
rates = st.fixed_dictionaries({}, optional={"maker": st.integers(0, 10_000), "taker": st.integers(0, 10_000)})
limits = st.just("off") | st.dictionaries(st.sampled_from(NAMES), st.just("none") | st.integers(1, 99))
decisions = st.lists(
    st.sampled_from(list(options)).flatmap(
        lambda key: st.fixed_dictionaries({"key": st.just(key), "nth": counts, "value": options[key]})
    )
    | st.fixed_dictionaries({"key": st.just("due.order"), "nth": counts, "value": st.integers(0, 99)}),
    max_size=3,
    unique_by=lambda one: (one["key"], one["nth"]),
)


def balances(symbols: tuple[str, ...], value: st.SearchStrategy[Any] = amounts) -> st.SearchStrategy[Document]:
    """Amounts by symbol."""
    return st.fixed_dictionaries({}, optional=dict.fromkeys(symbols, value))


def accounts(symbols: tuple[str, ...]) -> st.SearchStrategy[list[Document]]:
    """Accounts beside those of the default scenario."""
    one = st.fixed_dictionaries(
        {"name": names.filter(lambda name: name not in ("house", *OWNERS)), "accountId": st.integers(20_000, 30_000)},
        optional={
            "publicKeyX": coordinates,
            "publicKeyY": coordinates,
            "eddsaKey": private_keys,
            "keySeed": names,
            "layer1Key": private_keys,
            "derived": st.fixed_dictionaries(
                {"seed": counts | names, "owner": addresses, "publicKeyX": coordinates, "publicKeyY": coordinates}
            ),
            "keyNonce": counts,
            "accountNonce": counts,
            "frozen": st.booleans(),
            "tags": names,
            "rates": rates,
            "balances": balances(symbols),
        },
    )
    return st.lists(one, max_size=3, unique_by=(lambda given: given["name"], lambda given: given["accountId"]))


def orders(markets: tuple[str, ...], owner: str) -> st.SearchStrategy[Document]:
    """An order that crosses no other: nobody sells a wei below two, nobody buys one above one."""

    def made(market: str, side: str, size: int, more: int, client_id: str | None) -> Document:
        volume = size * 2 + more if side == "SELL" else size
        order = {"account": owner, "market": market, "side": side, "size": str(size), "volume": str(volume)}
        return order if client_id is None else order | {"clientOrderId": client_id}

    return st.builds(
        made,
        st.sampled_from(markets),
        st.sampled_from(["SELL", "BUY"]),
        st.integers(1, 10**24),
        st.integers(0, 10**24),
        st.none() | names,
    )


def histories(markets: tuple[str, ...]) -> st.SearchStrategy[Document]:
    """Trades and transactions of the past."""
    trade = st.fixed_dictionaries(
        {
            "market": st.sampled_from(markets),
            "side": st.sampled_from(["SELL", "BUY"]),
            "size": some,
            "volume": some,
            "before": times,
        }
    )
    transaction = st.fixed_dictionaries(
        {"txType": st.sampled_from(["Noop", "Deposit", "withdraw", "accountupdate", "NftMint"])},
        optional={"accountId": st.integers(0, 99), "owner": addresses, "valid": st.booleans(), "nftType": names},
    )
    return st.fixed_dictionaries(
        {}, optional={"trades": st.lists(trade, max_size=3), "transactions": st.lists(transaction, max_size=3)}
    )


def _common(symbols: tuple[str, ...], markets: tuple[str, ...], owner: str) -> dict[str, st.SearchStrategy[Any]]:
    timeline = st.lists(
        st.fixed_dictionaries(
            {"at": durations, "do": commands(orders(markets, owner), owner, symbols, choices, faults)}
        ),
        max_size=4,
    )
    fees = st.dictionaries(
        st.sampled_from(["account_update", "NFT_MINT", "NFT_WITHDRAWAL", "NFT_TRANSFER", "NFT_DEPLOY"]),
        balances(symbols, amounts | st.just("none")),
    )
    nft = st.fixed_dictionaries({}, optional=dict.fromkeys(["factory", "implementation", "broker"], addresses))
    return {
        "name": names.filter(lambda name: len(name) <= SCENARIO_NAME_MAX),
        "clock": st.sampled_from(["2026-01-01T00:00:00Z", "1970-01-01T01:00:00+01:00"]).map(lambda at: {"start": at}),
        "choices": choices,
        "limits": limits,
        "accounts": accounts(symbols),
        "lifecycles": lifecycles,
        "blocks": blocks,
        "faults": st.lists(faults, max_size=3),
        "timeline": timeline,
        "history": histories(markets),
        "seed": names | st.integers(0, 2**53 - 1),
        "fees": fees,
        "rates": rates,
        "nft": nft,
        "layer1": _layer1(symbols),
        "orders": st.lists(orders(markets, "house"), max_size=3),
        "decisions": decisions,
    }


def _layer1(symbols: tuple[str, ...]) -> st.SearchStrategy[Document]:
    by_owner = st.dictionaries(addresses, balances(symbols), max_size=2)
    return st.fixed_dictionaries(
        {},
        optional={
            "state": st.sampled_from(["up", "down", "error"]),
            "gasPrice": amounts,
            "balances": by_owner,
            "allowances": by_owner,
            "approvedHashes": st.dictionaries(addresses, st.lists(hashes, max_size=2), max_size=2),
        },
    )


collections = st.lists(
    st.fixed_dictionaries(
        {"name": names, "owner": st.sampled_from(OWNERS)},
        optional={
            **dict.fromkeys(
                ["baseUri", "description", "avatar", "banner", "thumbnail", "tileUri"], st.text(max_size=9)
            ),
            "collectionTitle": names,
            "isMintable": st.booleans(),
        },
    ),
    max_size=3,
    unique_by=lambda one: (one["owner"], one.get("baseUri", "")),
)


def _pools(symbols: tuple[str, ...], markets: tuple[str, ...]) -> st.SearchStrategy[list[Document]]:
    def of(market: str) -> st.SearchStrategy[Document]:
        others = [symbol for symbol in symbols if symbol not in market.split("-")]
        decimals = st.integers(0, 36)
        return st.fixed_dictionaries(
            {"market": st.just(market), "lpToken": st.sampled_from(others)},
            optional={
                "name": names,
                "version": names,
                "address": addresses,
                "feeBips": st.integers(0, 10_000),
                "precisions": st.fixed_dictionaries({}, optional={"price": decimals, "amount": decimals}),
                "createdAt": st.just("2021-01-01T00:00:00Z"),
                "status": st.integers(0, 7),
            },
        )

    return st.lists(st.sampled_from(markets).flatmap(of), max_size=2, unique_by=lambda one: one["market"])


extending = st.fixed_dictionaries(
    {"format": st.just(1), "extends": st.just("default")},
    optional={
        **_common(SYMBOLS, MARKETS, "alice"),
        "collections": collections,
        "pools": _pools(SYMBOLS, MARKETS),
    },
)
"""Scenarios laid over the default one."""


@st.composite
def alone(draw: st.DrawFn) -> Document:
    """A scenario that extends nothing, with an exchange of its own."""
    odd = st.sampled_from([name for name in ODD_NAMES if "-" not in name])
    symbols = tuple(draw(st.lists(odd, min_size=2, max_size=4, unique=True)))
    tokens = [draw(_tokens(symbol, number)) for number, symbol in enumerate(symbols)]
    first, second = symbols[:2]
    market = f"{first}-{second}"
    pair = {"market": market, "pricePrecision": draw(st.integers(0, 36)), "levels": draw(_levels)}
    optional = _common(symbols, (market,), "house")
    # A command names accounts, which are drawn elsewhere.
    optional.pop("timeline")
    exchange = st.fixed_dictionaries(
        {"chainId": counts, "exchangeId": counts},
        optional={
            "exchangeAddress": addresses,
            "onchainFees": st.lists(st.fixed_dictionaries({"type": names, "fee": amounts}), max_size=2),
            "transferFees": amounts.map(lambda fee: [{"token": first, "fee": fee}]),
            "withdrawalFees": amounts.map(lambda fee: [{"token": second, "fee": fee}]),
        },
    )
    return draw(
        st.fixed_dictionaries(
            {"format": st.just(1), "exchange": exchange, "tokens": st.just(tokens), "markets": st.just([pair])},
            optional=optional,
        )
    )


_levels = st.lists(st.integers(0, 36), min_size=1, max_size=3, unique=True)


def _tokens(symbol: str, token_id: int) -> st.SearchStrategy[Document]:
    return st.fixed_dictionaries(
        {
            "symbol": st.just(symbol),
            "tokenId": st.just(token_id),
            "decimals": st.integers(18, 36),
            "minOrderAmount": st.just("1"),
            "maxOrderAmount": some,
        },
        optional={
            "type": st.sampled_from(["ETH", "ERC20"]),
            "name": names,
            "address": st.just(f"0x{token_id:040x}"),
            "unit": names,
            "precision": st.integers(0, 18),
            "dustOrderAmount": amounts,
            "enabled": st.booleans(),
        },
    )


documents = extending | alone()
"""Scenarios of every kind."""
