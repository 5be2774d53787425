"""What each control verb does: its fields read, the relay asked, the answer put into words."""

from __future__ import annotations

from typing import Any

import mockrelay
from mockrelay.clock import ClockWish
from mockrelay.control.fields import Fields, clock_wish_of
from mockrelay.control.steered import Steered
from mockrelay.control.views import account_state, fault_view, order_state_view, world_view
from mockrelay.core import verbs
from mockrelay.core.choosing import check_choices
from mockrelay.core.context import Context
from mockrelay.core.errors import BAD, CONFLICT, MISSING, CommandRefused, InvalidInput
from mockrelay.core.fault_json import parse_fault
from mockrelay.core.faults import Fault
from mockrelay.core.units import moment_text
from mockrelay.scenario import ScenarioError
from mockrelay.spec.choices import CHOICES
from mockrelay.spec.vocab import NodeState
from mockrelay.wire.registry import request_fields

CHOICE_KEYS = tuple(choice.key for choice in CHOICES)
FAULTS_MAX = 1000
"""Faults that a world has at most, those that have fired too: every call is compared with each."""

Words = tuple[str, ...]


def health(relay: Steered, fields: Fields, words: Words) -> Any:
    """Whether the relayer answers, and which scenario it runs."""
    return {"status": "ok", "version": mockrelay.__version__, "scenario": relay.scenario_name, "now_ms": relay.now_ms()}


def state(relay: Steered, fields: Fields, words: Words) -> Any:
    """The whole world."""
    with relay.steering() as ctx:
        return world_view(ctx)


def reset(relay: Steered, fields: Fields, words: Words) -> Any:
    """Everything back to the start, of the same or of another scenario."""
    if "scenario" in fields and "scenarioText" in fields:
        raise CommandRefused(BAD, "two scenarios were given", "scenarioText", "scenario or scenarioText")
    limits_on = fields.one_of("limits", ("spec", "off")) == "spec" if "limits" in fields else None
    try:
        relay.reset(
            scenario=fields.text("scenario") if "scenario" in fields else None,
            scenario_text=fields.text("scenarioText") if "scenarioText" in fields else None,
            choices=check_choices(fields.mapping("choices")) if "choices" in fields else None,
            clock=_clock_wish(fields),
            limits_on=limits_on,
        )
    except ScenarioError as error:
        field = "scenarioText" if "scenarioText" in fields else "scenario"
        raise CommandRefused(BAD, f"{error.place}: found {error.found}", field, error.meant) from None
    except InvalidInput as error:
        raise _misused_choice(error) from None
    return health(relay, fields, words)


def show_clock(relay: Steered, fields: Fields, words: Words) -> Any:
    """What time it is for the relayer, and how fast its time goes by."""
    now_ms = relay.now_ms()
    return {"now_ms": now_ms, "now": moment_text(now_ms), "rate": relay.clock.rate}


def move_clock(relay: Steered, fields: Fields, words: Words) -> Any:
    """Advance it, set it, or let it run at another rate; all that falls due by then happens."""
    given = [name for name in ("advance", "set", "rate") if name in fields]
    if len(given) != 1:
        raise CommandRefused(
            BAD, f"found {' and '.join(given) or 'nothing'} to do", "advance", "one of advance, set, rate"
        )
    try:
        if given == ["advance"]:
            relay.advance(fields.duration_ms("advance"))
        elif given == ["set"]:
            relay.set_clock(fields.moment_ms("set"))
        else:
            relay.set_rate(_rate(fields))
    except ValueError as error:
        meant = "a number from 0 on" if given == ["rate"] else "a later moment"
        raise CommandRefused(BAD, str(error), given[0], meant) from None
    return show_clock(relay, fields, words)


def show_choices(relay: Steered, fields: Fields, words: Words) -> Any:
    """Every choice and the option that holds."""
    with relay.steering() as ctx:
        return dict(ctx.world.choices)


def set_choices(relay: Steered, fields: Fields, words: Words) -> Any:
    """Change some choices; all of them or, where one is wrong, none."""
    try:
        relay.set_choices(check_choices(fields.everything()))
    except InvalidInput as error:
        raise _misused_choice(error) from None
    return show_choices(relay, fields, words)


def show_faults(relay: Steered, fields: Fields, words: Words) -> Any:
    """All faults that are armed or have fired."""
    with relay.steering() as ctx:
        return [fault_view(fault) for fault in ctx.world.faults]


def show_fault(relay: Steered, fields: Fields, words: Words) -> Any:
    """One fault."""
    with relay.steering() as ctx:
        for fault in ctx.world.faults:
            if fault.id == words[0]:
                return fault_view(fault)
    raise _no_fault(words[0])


def add_fault(relay: Steered, fields: Fields, words: Words) -> Any:
    """Arm a fault."""
    wanted = _fault(fields)
    with relay.steering() as ctx:
        faults = ctx.world.faults
        if len(faults) >= FAULTS_MAX:
            raise CommandRefused(
                CONFLICT, f"there are {FAULTS_MAX} faults", "on", "to remove some first: DELETE faults/ID"
            )
        return {"id": faults.add(wanted).id, "listed": wanted.is_listed}


def clear_faults(relay: Steered, fields: Fields, words: Words) -> Any:
    """Disarm all faults."""
    with relay.steering() as ctx:
        ctx.world.faults.clear()
    return []


def remove_fault(relay: Steered, fields: Fields, words: Words) -> Any:
    """Disarm one fault."""
    with relay.steering() as ctx:
        if not ctx.world.faults.remove(words[0]):
            raise _no_fault(words[0])
    return {"id": words[0]}


def show_order(relay: Steered, fields: Fields, words: Words) -> Any:
    """One order."""
    with relay.steering() as ctx:
        return order_state_view(ctx, verbs.order_of(ctx, words[0]))


def cancel_order(relay: Steered, fields: Fields, words: Words) -> Any:
    """Cancel an order as its owner would."""
    with relay.steering() as ctx:
        return order_state_view(ctx, verbs.cancel_order(ctx, words[0]))


def fill_order(relay: Steered, fields: Fields, words: Words) -> Any:
    """Let the house trade with an order."""
    size_wei = fields.amount_wei("size")
    price = fields.text("price") if "price" in fields else None
    with relay.steering() as ctx:
        return order_state_view(ctx, verbs.fill_order(ctx, words[0], size_wei, price))


def release_order(relay: Steered, fields: Fields, words: Words) -> Any:
    """Settle a held order."""
    failed = fields.one_of("as", ("active", "failed")) == "failed"
    with relay.steering() as ctx:
        return order_state_view(ctx, verbs.release_order(ctx, words[0], failed=failed))


def show_accounts(relay: Steered, fields: Fields, words: Words) -> Any:
    """All accounts, with keys and balances."""
    with relay.steering() as ctx:
        return [account_state(ctx, account) for account in ctx.world.accounts.values()]


def show_account(relay: Steered, fields: Fields, words: Words) -> Any:
    """One account."""
    with relay.steering() as ctx:
        return account_state(ctx, ctx.world.accounts[account_id_of(ctx, words[0])])


def deposit(relay: Steered, fields: Fields, words: Words) -> Any:
    """Money for an account."""
    token, amount_wei = fields.token("token"), fields.amount_wei("amount")
    with relay.steering() as ctx:
        account_id = account_id_of(ctx, words[0])
        verbs.deposit(ctx, account_id, token, amount_wei)
        balance = ctx.world.ledger.balance(account_id, verbs.token_of(ctx, token).token_id)
        return {"accountId": account_id, "free": str(balance.free_wei)}


def freeze_account(relay: Steered, fields: Fields, words: Words) -> Any:
    """Freeze an account, or let it go."""
    frozen = fields.boolean("frozen")
    with relay.steering() as ctx:
        account = verbs.freeze_account(ctx, account_id_of(ctx, words[0]), frozen=frozen)
        return {"accountId": account.account_id, "frozen": account.frozen}


def set_layer1(relay: Steered, fields: Fields, words: Words) -> Any:
    """Change what layer 1 says."""
    node = fields.one_of("state", tuple(NodeState)) if "state" in fields else None
    gas_price_wei = fields.amount_wei("gasPrice") if "gasPrice" in fields else None
    balances_wei, allowances_wei = fields.amounts_wei("balances"), fields.amounts_wei("allowances")
    approved_hashes = fields.texts("approvedHashes")
    with relay.steering() as ctx:
        verbs.set_layer1(
            ctx,
            state=None if node is None else NodeState(node),
            gas_price_wei=gas_price_wei,
            balances_wei=balances_wei,
            allowances_wei=allowances_wei,
            approved_hashes=approved_hashes,
        )
        layer1 = ctx.world.layer1
        return {"state": layer1.state, "gasPrice": str(layer1.gas_price_wei)}


def _fault(fields: Fields) -> Fault:
    try:
        given = {name: value for name, value in fields.everything().items() if name in fields}
        return parse_fault(given, request_fields)
    except InvalidInput as invalid:
        error = f"{invalid.field}: found {invalid.found}"
        raise CommandRefused(BAD, error, invalid.field, invalid.expected) from None


def _clock_wish(fields: Fields) -> ClockWish | None:
    if "clock" not in fields:
        return None
    try:
        return clock_wish_of(fields.given("clock"))
    except ValueError as error:
        raise CommandRefused(BAD, str(error), "clock", 'real, frozen, a rate or {"rate", "start"}') from None


def _rate(fields: Fields) -> float:
    rate = fields.everything()["rate"]
    if isinstance(rate, bool) or not isinstance(rate, (int, float)):
        raise CommandRefused(BAD, f"{rate!r} is no rate", "rate", "a number: 0 stands still, 1 is real time")
    try:
        return float(rate)
    except OverflowError:
        raise CommandRefused(BAD, "a rate that large is none", "rate", "a number from 0 on") from None


def account_id_of(ctx: Context, word: str) -> int:
    """The account that a word of the path names: by its id, its owner's address, or the scenario's name."""
    accounts = ctx.world.accounts
    if word.isascii() and word.isdigit() and len(word) <= len(str(2**64)) and int(word) in accounts:
        return int(word)
    for account in accounts.values():
        if word == account.name or word.lower() == account.owner.lower():
            return account.account_id
    known = ", ".join(f"{account.account_id} ({account.name})" for account in accounts.values())
    raise CommandRefused(MISSING, f"there is no account {word[:60]!r}", "account", f"one of {known}")


def _misused_choice(error: InvalidInput) -> CommandRefused:
    return CommandRefused(BAD, f"{error.field}: {error.found}", error.field, error.expected)


def _no_fault(fault_id: str) -> CommandRefused:
    return CommandRefused(MISSING, f"there is no fault {fault_id!r}", "id", "the id that POST faults answered")
