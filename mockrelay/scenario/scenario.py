"""A scenario: everything that a world starts from, checked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from mockrelay.core.accounts.keys import account_at_start
from mockrelay.core.commands.layer1 import ChangeLayer1
from mockrelay.core.config import Config
from mockrelay.core.context import Context
from mockrelay.core.events import EventKind
from mockrelay.core.faults import Fault
from mockrelay.core.models import Account, Collection
from mockrelay.core.orders.scripted import ScriptedOrder, place
from mockrelay.core.world import World
from mockrelay.scenario.accounts import FundedAccount
from mockrelay.scenario.exchange import build_limits
from mockrelay.scenario.history import History, apply_history
from mockrelay.spec.profiles import PROFILES

FORMAT = 1
"""The format of a scenario's text."""
GAS_PRICE_WEI = 20 * 10**9
"""The gas price unless the section `layer1` sets one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """The content of a scenario. Its worlds share only what is immutable."""

    config: Config
    start_ms: int | None
    """When the clock starts, in milliseconds since 1970; None: when the world is created."""
    choices: Mapping[str, str]
    """The options that it sets; the other choices are as the profile has them."""
    limits_on: bool
    funded_accounts: tuple[FundedAccount, ...]
    layer1: ChangeLayer1
    collections: tuple[Collection, ...]
    resting_orders: tuple[ScriptedOrder, ...]
    faults: tuple[Fault, ...]
    history: History
    texts: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """Its own text and those of the scenarios that it extends, nearest first."""

    @property
    def name(self) -> str:
        """Its name."""
        return self.config.name

    @property
    def accounts(self) -> tuple[Account, ...]:
        """Its accounts, in the order given."""
        return tuple(one.account for one in self.funded_accounts)

    @property
    def sets_limits(self) -> bool:
        """Whether it has rate limits of its own beside those of the spec."""
        return self.limits_on and bool(self.config.limits)

    def with_profile(self, name: str | None) -> Scenario:
        """The same scenario in a profile; None: its own."""
        if name is None or name == self.config.profile.name:
            return self
        return self._with(f"profile: {name}", config=replace(self.config, profile=PROFILES[name]))

    def with_limits(self, limits: Mapping[str, int | str]) -> Scenario:
        """The same scenario with limits on, and those of some endpoints in place of its own. InvalidInput for an endpoint that
        its profile does not have.
        """
        by_endpoint = build_limits(limits, self.config.profile) or {}
        config = replace(self.config, limits={**self.config.limits, **by_endpoint})
        return self._with(f"limits: {json.dumps(dict(limits))}", config=config, limits_on=True)

    def _with(self, line: str, **changed: Any) -> Scenario:
        """The same scenario with some fields changed, as a line of its text says."""
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        # Not by `replace`, which makes an object of a subclass, with arguments that it need not take.
        return Scenario(**own | changed | {"texts": (f"format: {FORMAT}\n{line}\n", *self.texts)})

    def world(self, start_ms: int, choices: Mapping[str, str] | None = None, limits_on: bool | None = None) -> World:
        """A world at its start. `choices`, which must be valid, override the scenario's; so does `limits_on` unless it is
        None.
        """
        world = self.empty_world(start_ms, {**self.choices, **(choices or {})}, limits_on)
        ctx = world_context(world)
        for order in self.resting_orders:
            place(ctx, order)
        for fault in self.faults:
            world.faults.add(fault._replace(from_scenario=True))
        apply_history(world, self.history)
        for index, entry in enumerate(self.config.timeline):
            world.events.plan(start_ms + entry.at_ms, EventKind.TIMELINE, str(index))
        return world

    def empty_world(self, start_ms: int, choices: Mapping[str, str], limits_on: bool | None = None) -> World:
        """The world without orders, faults, history and timeline: only the accounts, their balances, collections, and layer 1."""
        world = World.new(
            self.config,
            choices={**self.config.profile.defaults, **choices},
            start_ms=start_ms,
            limits_on=self.limits_on if limits_on is None else limits_on,
            gas_price_wei=GAS_PRICE_WEI,
        )
        symbols = {token.symbol: token.token_id for token in self.config.tokens.values()}
        signs = world.choices["signature.scheme"] == "protocol"
        for account, balances_wei in self.funded_accounts:
            world.add_account(account_at_start(self.config, account, signs=signs))
            for symbol, wei in balances_wei.items():
                world.ledger.deposit(account.account_id, symbols[symbol], wei)
        world.collections.update((collection.contract, collection) for collection in self.collections)
        self.layer1.apply(world_context(world))
        return world


def world_context(world: World) -> Context:
    """The context of the world's start: its own choices apply."""
    return Context(world, world.start_ms)
