"""Builds a scenario of a complete document: merged with what it extends, and valid by its schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from mockrelay.core.commands.layer1 import ChangeLayer1
from mockrelay.core.commands.lookup import HOUSE
from mockrelay.core.config import Exchange, Market, Pool, Token, make_config
from mockrelay.core.fault_json import parse_fault
from mockrelay.core.faults import Fault
from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.models import Account, Collection
from mockrelay.core.units import moment_ms
from mockrelay.core.world import check_choices
from mockrelay.scenario.accounts import FundedAccount, build_accounts, build_collections
from mockrelay.scenario.exchange import (
    NO_RATES,
    build_exchange,
    build_fees,
    build_limits,
    build_markets,
    build_pools,
    build_rates,
    build_tokens,
)
from mockrelay.scenario.history import build_history
from mockrelay.scenario.lifecycles import build_blocks, build_lifecycles
from mockrelay.scenario.resting_orders import build_order, check_orders_rest
from mockrelay.scenario.scenario import Scenario
from mockrelay.scenario.section import SCHEMA, Values, at, each
from mockrelay.scenario.timeline import build_decisions, build_timeline
from mockrelay.scenario.validate import Names, check_fault, check_names, references
from mockrelay.spec.endpoint import SPEC
from mockrelay.spec.profiles import PROFILES, Profile
from mockrelay.wire.field_values import WorldNames
from mockrelay.wire.violations import misfit

_DEFAULTS: Values = MappingProxyType(
    {
        "seed": "1",
        "profile": SPEC,
        **dict.fromkeys(
            (
                "choices",
                "limits",
                "rates",
                "nft",
                "lifecycles",
                "blocks",
                "fees",
                "layer1",
                "history",
                "prices",
                "names",
                "live",
            ),
            MappingProxyType({}),
        ),
        **dict.fromkeys(("accounts", "orders", "decisions", "faults", "timeline", "collections", "pools"), ()),
    }
)
"""The values of sections that are left out."""


def build_scenario(values: Values, name: str) -> Scenario:
    """The scenario that a document describes; InvalidInput with the path of the first mistake."""
    values = {**_DEFAULTS, **values}
    seed = str(values["seed"])
    profile = PROFILES[values["profile"]]
    rates, limits = build_rates(values["rates"], NO_RATES), build_limits(values["limits"], profile)
    with at("tokens"):
        tokens = build_tokens(values["tokens"], seed)
    with at("markets"):
        markets = build_markets(values["markets"], tokens)
    with at("accounts"):
        funded = build_accounts(values["accounts"], seed, rates)
    with at("lifecycles"):
        lifecycles = build_lifecycles(values["lifecycles"])
    with at("blocks"):
        blocks = build_blocks(values["blocks"])
    accounts = [one.account for one in funded]
    names = _names(accounts, tokens.values())
    check_names(references(values), names)
    ids = {HOUSE: HOUSE_ID, **names.accounts}
    request_names = WorldNames.of(accounts, tokens.values(), markets.values())
    with at("timeline"):
        timeline = build_timeline(values["timeline"], ids, markets, request_names, profile)
    with at("decisions"):
        decisions = build_decisions(values["decisions"])
    config = make_config(
        name=name,
        seed=seed,
        profile=profile,
        pools=_pools(values["pools"], markets, tokens, seed),
        prices=values["prices"],
        signed_hosts=tuple(values["live"].get("signed_hosts", profile.signed_hosts)),
        ens_names={name: _named(accounts, account).account_id for name, account in values["names"].items()},
        exchange=build_exchange(values["exchange"], values["nft"], seed),
        tokens=tuple(tokens.values()),
        markets=tuple(markets.values()),
        maker_bips=rates.maker_bips,
        taker_bips=rates.taker_bips,
        limits=limits or {},
        cancel=lifecycles.cancel,
        fees=build_fees(values["exchange"], values["fees"], tokens, profile),
        lifecycles=lifecycles.requests,
        blocks=blocks,
        timeline=timeline,
        decisions=decisions,
    )
    with at("layer1"):
        layer1 = ChangeLayer1.build(values["layer1"])
    with at("orders"):
        resting = each(values["orders"], lambda one: build_order(one, ids, markets))
        check_orders_rest(resting, _free_wei(funded, tokens))
    with at("faults"):
        faults = each(values["faults"], lambda one: _fault(one, request_names, profile))
    with at("history"):
        history = build_history(values["history"], markets)
    return Scenario(
        config=config,
        start_ms=_start_ms(values["clock"]) if "clock" in values else None,
        choices=_choices(values["choices"], profile),
        limits_on=limits is not None,
        funded_accounts=funded,
        layer1=layer1,
        collections=_collections(values["collections"], accounts, config.exchange),
        resting_orders=tuple(resting),
        faults=tuple(faults),
        history=history,
    )


def _names(accounts: Iterable[Account], tokens: Iterable[Token]) -> Names:
    return Names(
        accounts={account.name: account.account_id for account in accounts},
        owners={account.name: account.owner for account in accounts},
        tokens={token.symbol: token.token_id for token in tokens},
    )


def _pools(
    listed: Sequence[Values], markets: Mapping[str, Market], tokens: Mapping[str, Token], seed: str
) -> tuple[Pool, ...]:
    with at("pools"):
        return build_pools(listed, markets, tokens, seed)


def _collections(listed: Sequence[Values], accounts: Sequence[Account], exchange: Exchange) -> tuple[Collection, ...]:
    with at("collections"):
        return build_collections(listed, [_named(accounts, one["owner"]) for one in listed], exchange)


def _named(accounts: Iterable[Account], who: str) -> Account:
    """The account with a name, or of an owner, that is known to be there."""
    return next(one for one in accounts if who == one.name or who.lower() == one.owner.lower())


def _choices(values: Values, profile: Profile) -> dict[str, str]:
    with at("choices"):
        return check_choices(values, profile)


def _fault(values: Values, names: WorldNames, profile: Profile) -> Fault:
    fault = parse_fault(values)
    check_fault(fault, names, profile)
    return fault


def _start_ms(clock: Values) -> int:
    start_ms = moment_ms(clock["start"])
    if start_ms is None or start_ms < 0:
        raise misfit(f"{SCHEMA}#/$defs/moment", clock["start"]).under("clock", "start")
    return start_ms


def _free_wei(funded: Iterable[FundedAccount], tokens: Mapping[str, Token]) -> dict[tuple[int, int], int]:
    """The balances of the accounts, by account id and token id."""
    return {
        (account.account_id, tokens[symbol].token_id): wei
        for account, balances_wei in funded
        for symbol, wei in balances_wei.items()
    }
