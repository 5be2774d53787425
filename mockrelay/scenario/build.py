"""A whole document, already laid over what it extends, to a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mockrelay.core.scripted import ScriptedOrder
from mockrelay.core.setting import NO_DECISIONS, make_setting
from mockrelay.scenario.accounts import Funded, Layer1Start, read_accounts, read_layer1
from mockrelay.scenario.decisions import read_choices, read_decisions
from mockrelay.scenario.exchange import (
    Rates,
    read_exchange,
    read_limits,
    read_markets,
    read_rates,
    read_tokens,
)
from mockrelay.scenario.faults import read_fault
from mockrelay.scenario.fees import read_fees
from mockrelay.scenario.history import History, read_history
from mockrelay.scenario.known import Known
from mockrelay.scenario.lifecycles import DEFAULT_BLOCKS, DEFAULT_LIFECYCLES, read_blocks, read_lifecycles
from mockrelay.scenario.nodes import Node
from mockrelay.scenario.reading import Fields, each, items, moment, seed_text
from mockrelay.scenario.resting import check_all_rest, read_order
from mockrelay.scenario.scenario import Scenario
from mockrelay.scenario.timeline import read_timeline

SECTIONS = (
    "format",
    "name",
    "extends",
    "clock",
    "choices",
    "limits",
    "exchange",
    "tokens",
    "markets",
    "accounts",
    "lifecycles",
    "blocks",
    "faults",
    "seed",
    "fees",
    "rates",
    "nft",
    "layer1",
    "orders",
    "history",
    "timeline",
    "decisions",
)
FORMAT = 1
DEFAULT_SEED = "1"
NO_RATES = Rates(0, 0)
AS_IN_SPEC: Mapping[str, int | None] | None = MappingProxyType({})
"""No limit differs from the spec."""


def scenario_of(document: Node, name: str) -> Scenario:
    """The scenario that a document describes; ScenarioError with the place of the first thing that is wrong."""
    fields = Fields(document, SECTIONS)
    for section in ("exchange", "tokens", "markets"):
        if section not in fields:
            raise document.error(f"no {section!r}", f"the section {section}, or `extends: default`")
    seed = fields.get("seed", seed_text, DEFAULT_SEED)
    tokens = fields.need("tokens", lambda node: read_tokens(node, seed))
    rates = fields.get("rates", lambda node: read_rates(node, NO_RATES), NO_RATES)
    limits = fields.get("limits", read_limits, AS_IN_SPEC)
    lifecycles = fields.get("lifecycles", read_lifecycles, DEFAULT_LIFECYCLES)
    markets = {market.name: market for market in fields.need("markets", lambda node: read_markets(node, tokens))}
    funded: tuple[Funded, ...] = fields.get("accounts", lambda node: read_accounts(node, seed, rates, tokens), ())
    known = Known({one.account.name: one.account for one in funded}, tokens, markets)
    setting = make_setting(
        name=name,
        seed=seed,
        exchange=read_exchange(fields, seed),
        tokens=tuple(tokens.values()),
        markets=tuple(markets.values()),
        maker_bips=rates.maker_bips,
        taker_bips=rates.taker_bips,
        limits=limits or {},
        cancel=lifecycles.cancel,
        fees=read_fees(fields, tokens),
        lifecycles=lifecycles.requests,
        blocks=fields.get("blocks", read_blocks, DEFAULT_BLOCKS),
        timeline=fields.get("timeline", lambda node: read_timeline(node, known), ()),
        decisions=fields.get("decisions", read_decisions, NO_DECISIONS),
    )
    owners = {account.name: account.owner for account in known.accounts.values()}
    scenario = Scenario(
        setting=setting,
        start_ms=fields.get("clock", _start_ms, None),
        choices=fields.get("choices", read_choices, {}),
        limits_on=limits is not None,
        funded=funded,
        layer1=fields.get("layer1", lambda node: read_layer1(node, owners, tokens), Layer1Start()),
        resting=fields.get("orders", lambda node: _resting(node, known), ()),
        faults=fields.get("faults", each(read_fault), ()),
        history=fields.get("history", lambda node: read_history(node, markets), History()),
    )
    if scenario.resting:
        _check_all_rest(scenario, items(fields.node_of("orders")))
    return scenario


def _start_ms(node: Node) -> int | None:
    return Fields(node, ("start",)).need("start", moment)


def _resting(node: Node, known: Known) -> tuple[ScriptedOrder, ...]:
    ids = known.ids
    return tuple(read_order(item, ids, known.markets) for item in items(node))


def _check_all_rest(scenario: Scenario, nodes: list[Node]) -> None:
    token_ids = {token.symbol: token.token_id for token in scenario.setting.tokens.values()}
    free_wei = {
        (account.account_id, token_ids[symbol]): wei
        for account, balances_wei in scenario.funded
        for symbol, wei in balances_wei.items()
    }
    check_all_rest(zip(nodes, scenario.resting, strict=True), free_wei)
