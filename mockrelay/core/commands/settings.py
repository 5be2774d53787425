"""Commands on choices, fees and faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from mockrelay.core.accounts.keys import with_real_key
from mockrelay.core.commands.base import Command, CommandRow, Target, TokenRef, json_field, rows_of, wei_of
from mockrelay.core.commands.lookup import token_of
from mockrelay.core.errors import BAD, CONFLICT, MISSING, CommandRefused, InvalidInput
from mockrelay.core.fault_json import check_served, format_fault, parse_fault
from mockrelay.core.faults import Fault
from mockrelay.core.units import decimal_text, units_of_text
from mockrelay.core.world import check_choices
from mockrelay.spec.request_kinds import FEE_KINDS, FeeKind
from mockrelay.suggest import in_quotes, shown

if TYPE_CHECKING:
    from mockrelay.core.context import Context
    from mockrelay.core.world import World

CheckFields = Callable[[str, Mapping[str, Any], "World"], None]
"""(endpoint, decoded fields, world): raises InvalidInput if no request to the endpoint can have these fields."""

FAULTS_MAX = 1000
"""The most faults of a world, fired ones included, because every call is compared with each."""
FEE_MAX_WEI = 2**96 - 1
"""The largest amount in a signed request."""
FACTOR_MAX = 10**9
_FACTOR_DECIMALS = 18


@dataclass(frozen=True, kw_only=True)
class SetChoices(Command["Context"]):
    """Change options of choices, from now on."""

    name = "choices"
    choices: Mapping[str, str]

    @classmethod
    def build(cls, fields: Mapping[str, Any]) -> Self:
        """The command of a map of options by choice."""
        return cls(choices=fields)

    def fields(self) -> dict[str, Any]:
        """Options by choice."""
        return dict(self.choices)

    def apply(self, ctx: Context) -> Any:
        """All choices and their options after it."""
        world = ctx.world
        check_choices(self.choices, world.config.profile)
        changed = {key for key, option in self.choices.items() if world.choices[key] != option}
        world.choices.update(self.choices)
        ctx.discard_options(self.choices)
        if self.choices.get("signature.scheme") == "protocol":
            for account in list(world.accounts.values()):
                world.add_account(with_real_key(world.config, account))
        world.limiter.forget(changed)
        return dict(world.choices)


def _kind(json_value: int | str) -> FeeKind:
    return FEE_KINDS[str(json_value)]


def _fee_wei(digits: str) -> int:
    fee_wei = wei_of(digits)
    if fee_wei > FEE_MAX_WEI:
        raise InvalidInput((), shown(digits), f"at most {FEE_MAX_WEI}")
    return fee_wei


def _factor_e18(json_value: float | str) -> int:
    """Exactly the decimal digits: 1.3 is thirteen tenths, not the nearest float."""
    units = units_of_text(str(json_value), _FACTOR_DECIMALS)
    if units is None or units > FACTOR_MAX * 10**_FACTOR_DECIMALS:
        raise InvalidInput((), f"the number {json_value}", f'a factor up to {FACTOR_MAX}, such as "1.3"')
    return units


def _factor_text(factor_e18: int) -> str:
    return decimal_text(factor_e18, _FACTOR_DECIMALS)


@dataclass(frozen=True, kw_only=True)
class SetFee(Command["Context"]):
    """Change a fee, to an amount or by a factor (rounded down)."""

    name = "fees"
    kind: FeeKind = field(metadata=json_field("requestType", _kind, str))
    token: TokenRef = field(metadata=json_field("token", target=Target.TOKEN))
    fee_wei: int | None = field(default=None, metadata=json_field("fee", _fee_wei, str))
    factor_e18: int | None = field(default=None, metadata=json_field("factor", _factor_e18, _factor_text))
    """In parts of 10**-18."""

    def apply(self, ctx: Context) -> Any:
        """The fee after it; 409 if it is too large for a signed request, or for a factor of a fee that does not exist."""
        token = token_of(ctx, self.token)
        fees = ctx.world.fees[self.kind]
        fee_wei = self.fee_wei
        if fee_wei is None:
            assert self.factor_e18 is not None
            if token.token_id not in fees:
                error = f"no {self.kind} fee is offered in {token.symbol}"
                raise CommandRefused(CONFLICT, error, "token", "a token with a fee")
            fee_wei = fees[token.token_id] * self.factor_e18 // 10**_FACTOR_DECIMALS
        if fee_wei > FEE_MAX_WEI:
            raise CommandRefused(CONFLICT, f"a fee of {fee_wei}", "fee", f"at most {FEE_MAX_WEI}")
        ctx.world.fees[self.kind] = dict(sorted({**fees, token.token_id: fee_wei}.items()))
        ctx.world.exchange_view = None
        return {"fee": str(fee_wei)}


@dataclass(frozen=True, kw_only=True)
class AddFault(Command["Context"]):
    """Arm a fault."""

    name = "fault"
    fault: Fault
    check_fields: CheckFields = field(repr=False, compare=False)

    def fields(self) -> dict[str, Any]:
        """The fault's JSON form."""
        return format_fault(self.fault)

    def apply(self, ctx: Context) -> Any:
        """Its id, and whether the spec lists its code for its endpoint; 400 if it could never fire, 409 if there are too
        many faults.
        """
        faults, match = ctx.world.faults, self.fault.match
        try:
            check_served(ctx.world.config.profile, match.on)
        except InvalidInput as wrong:
            raise CommandRefused(BAD, f"on: found {wrong.found}", "on", wrong.expected) from None
        try:
            self.check_fields(match.on, match.when, ctx.world)
        except InvalidInput as wrong:
            error = wrong.under("when")
            raise CommandRefused(BAD, f"{error.field}: found {error.found}", error.field, error.expected) from None
        if len(faults) >= FAULTS_MAX:
            meant = "to remove some first: DELETE faults/ID"
            raise CommandRefused(CONFLICT, f"there are {FAULTS_MAX} faults", "on", meant)
        armed = faults.add(self.fault._replace(from_scenario=ctx.event is not None))
        return {"id": armed.id, "listed": armed.is_listed}


@dataclass(frozen=True, kw_only=True)
class RemoveFault(Command["Context"]):
    """Disarm a fault."""

    name = "remove_fault"
    id: str = field(metadata=json_field("id"))

    def apply(self, ctx: Context) -> Any:
        """Its id; 404 if there is no fault with this id."""
        if not ctx.world.faults.remove(self.id):
            raise no_fault(self.id)
        return {"id": self.id}


@dataclass(frozen=True, kw_only=True)
class ClearFaults(Command["Context"]):
    """Disarm all faults."""

    name = "clear_faults"

    def apply(self, ctx: Context) -> Any:
        """The remaining faults: none."""
        ctx.world.faults.clear()
        return []


def no_fault(fault_id: str) -> CommandRefused:
    """The refusal if no fault has this id."""
    return CommandRefused(MISSING, f"there is no fault {in_quotes(fault_id)}", "id", "the id that POST faults answered")


def rows(check_fields: CheckFields) -> dict[str, CommandRow]:
    """The rows of this file; `check_fields` checks the `when` of faults."""

    def add_fault(fields: Mapping[str, Any]) -> AddFault:
        return AddFault(fault=parse_fault(fields), check_fields=check_fields)

    fault = CommandRow(AddFault.name, add_fault, judged=None)
    return {**rows_of(SetChoices, SetFee), fault.name: fault, **rows_of(RemoveFault, ClearFaults)}
