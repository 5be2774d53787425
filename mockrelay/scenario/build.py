"""A whole document, already laid over what it extends, to a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mockrelay.core.choosing import UnknownChoice, check_choices
from mockrelay.core.records import Account
from mockrelay.core.setting import Setting, make_setting
from mockrelay.scenario.accounts import Funded, Layer1Start, read_accounts, read_layer1
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
from mockrelay.scenario.history import read_history
from mockrelay.scenario.lifecycles import DEFAULT_BLOCKS, DEFAULT_LIFECYCLES, read_blocks, read_lifecycles
from mockrelay.scenario.nodes import Node
from mockrelay.scenario.reading import Fields, each, entries, items, moment, text
from mockrelay.scenario.resting import Resting, check_rests, place, read_order
from mockrelay.scenario.scenario import Scenario, world_context

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
    seed = fields.get("seed", _seed, DEFAULT_SEED)
    tokens = fields.need("tokens", lambda node: read_tokens(node, seed))
    rates = fields.get("rates", lambda node: read_rates(node, NO_RATES), NO_RATES)
    limits = fields.get("limits", read_limits, AS_IN_SPEC)
    lifecycles = fields.get("lifecycles", read_lifecycles, DEFAULT_LIFECYCLES)
    setting = make_setting(
        name=name,
        seed=seed,
        exchange=read_exchange(fields, seed),
        tokens=tuple(tokens.values()),
        markets=fields.need("markets", lambda node: read_markets(node, tokens)),
        maker_bips=rates.maker_bips,
        taker_bips=rates.taker_bips,
        limits=limits or {},
        cancel=lifecycles.cancel,
        fees=read_fees(fields, tokens),
        lifecycles=lifecycles.requests,
        blocks=fields.get("blocks", read_blocks, DEFAULT_BLOCKS),
    )
    funded: tuple[Funded, ...] = fields.get("accounts", lambda node: read_accounts(node, seed, rates, tokens), ())
    accounts = {one.account.name: one.account for one in funded}
    owners = {account.name: account.owner for account in accounts.values()}
    scenario = Scenario(
        setting=setting,
        start_ms=fields.get("clock", _start_ms, None),
        choices=fields.get("choices", _choices, {}),
        limits_on=limits is not None,
        funded=funded,
        layer1=fields.get("layer1", lambda node: read_layer1(node, owners, tokens), Layer1Start()),
        resting=fields.get("orders", lambda node: _resting(node, accounts, setting), ()),
        faults=fields.get("faults", each(read_fault), ()),
        history=fields.get("history", read_history, ()),
    )
    if scenario.resting:
        _check_all_rest(scenario, items(fields.node_of("orders")))
    return scenario


def _seed(node: Node) -> str:
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        return str(node.value)
    return text(node)


def _start_ms(node: Node) -> int | None:
    return Fields(node, ("start",)).need("start", moment)


def _choices(node: Node) -> Mapping[str, str]:
    chosen: dict[str, str] = {}
    for key, option in entries(node).items():
        try:
            chosen |= check_choices({key: option.value})
        except UnknownChoice as error:
            if error.found == repr(option.value):
                raise option.error(option.shown, f"{error.meant}, in quotes") from None
            raise option.key_error(f"the unknown key {key!r}", error.meant) from None
    return chosen


def _resting(node: Node, accounts: Mapping[str, Account], setting: Setting) -> tuple[Resting, ...]:
    ids = {name: account.account_id for name, account in accounts.items()}
    return tuple(read_order(item, ids, setting.markets) for item in items(node))


def _check_all_rest(scenario: Scenario, nodes: list[Node]) -> None:
    """What can be wrong with orders shows when they are placed one after the other; the moment does not matter."""
    ctx = world_context(scenario.empty_world(0, scenario.choices))
    for node, resting in zip(nodes, scenario.resting, strict=True):
        check_rests(ctx, resting, node)
        place(ctx, resting)
