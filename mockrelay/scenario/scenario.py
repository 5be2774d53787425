"""A scenario: all that a world starts from, checked and ready to make worlds of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mockrelay.core.accounts.keys import with_real_key, with_real_owner
from mockrelay.core.commands.layer1 import ChangeLayer1
from mockrelay.core.config import Config
from mockrelay.core.context import Context
from mockrelay.core.events import EventKind
from mockrelay.core.faults import Fault
from mockrelay.core.models import Account
from mockrelay.core.orders.scripted import ScriptedOrder, place
from mockrelay.core.world import World
from mockrelay.scenario.accounts import Funded
from mockrelay.scenario.history import History, make_history
from mockrelay.spec.choices import DEFAULTS

GAS_PRICE_WEI = 20 * 10**9
"""What gas costs where a scenario does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """What a scenario says. Worlds made of one scenario share what never changes and nothing else."""

    config: Config
    start_ms: int | None
    """When it starts, in milliseconds since 1970; None: whenever it is started."""
    choices: Mapping[str, str]
    """The readings that it sets; the others are as in `spec.choices.DEFAULTS`."""
    limits_on: bool
    funded: tuple[Funded, ...]
    layer1: ChangeLayer1
    resting: tuple[ScriptedOrder, ...]
    faults: tuple[Fault, ...]
    history: History
    texts: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """Its own text and those that it extends, nearest first."""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.config.name

    @property
    def accounts(self) -> tuple[Account, ...]:
        """Its accounts, in the order given."""
        return tuple(one.account for one in self.funded)

    def world(self, start_ms: int, choices: Mapping[str, str] | None = None, limits_on: bool | None = None) -> World:
        """A world as it is at the start. `choices`, which must exist, go over the scenario's; `limits_on` None: as the
        scenario says.
        """
        world = self.empty_world(start_ms, {**self.choices, **(choices or {})}, limits_on)
        ctx = world_context(world)
        for order in self.resting:
            place(ctx, order)
        for fault in self.faults:
            world.faults.add(fault._replace(from_scenario=True))
        make_history(world, self.history)
        for index, entry in enumerate(self.config.timeline):
            world.events.plan(start_ms + entry.at_ms, EventKind.TIMELINE, str(index))
        return world

    def empty_world(self, start_ms: int, choices: Mapping[str, str], limits_on: bool | None = None) -> World:
        """The world without its orders and faults: accounts, their money, and layer 1."""
        world = World.new(
            self.config,
            choices={**DEFAULTS, **choices},
            start_ms=start_ms,
            limits_on=self.limits_on if limits_on is None else limits_on,
            gas_price_wei=GAS_PRICE_WEI,
        )
        symbols = {token.symbol: token.token_id for token in self.config.tokens.values()}
        signs = world.choices["signature.scheme"] == "protocol"
        for account, balances_wei in self.funded:
            own = with_real_owner(self.config, with_real_key(self.config, account)) if signs else account
            world.add_account(own)
            for symbol, wei in balances_wei.items():
                world.ledger.deposit(account.account_id, symbols[symbol], wei)
        self.layer1.apply(world_context(world))
        return world


def world_context(world: World) -> Context:
    """The surroundings of what happens at a world's start, where its own choices decide."""
    return Context(world, world.start_ms)
