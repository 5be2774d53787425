"""The section `timeline`: what happens at set moments after the start. Each entry is read as far as it can be before its
moment has come, so that what is left to go wrong is the state that it then meets.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mockrelay.core.commands import Command, Reference, Target
from mockrelay.core.commands.base import HOUSE
from mockrelay.core.commands.orders import PlaceOrder
from mockrelay.core.errors import InvalidInput
from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.timeline import Entry
from mockrelay.core.wording import nearest, shown
from mockrelay.scenario.errors import ScenarioError
from mockrelay.scenario.known import Known
from mockrelay.scenario.nodes import Node, plain_of
from mockrelay.scenario.reading import ADDRESS, Fields, duration, entries, items
from mockrelay.scenario.resting import read_order
from mockrelay.wire.commands import WORLD_COMMANDS, parse

ENTRY_KEYS = ("at", "do")
VERBS = (PlaceOrder.name, *WORLD_COMMANDS)
"""What `do` can ask for: an order, or a command of the control API."""


def read_timeline(node: Node, known: Known) -> tuple[Entry, ...]:
    """The entries in the order given, which is theirs where two have one moment."""
    return tuple(_entry(item, known) for item in items(node))


def _entry(node: Node, known: Known) -> Entry:
    fields = Fields(node, ENTRY_KEYS)
    at_ms, do = fields.need("at", duration), fields.node_of("do")
    verbs = entries(do)
    for verb, given in verbs.items():
        if verb not in VERBS:
            raise given.key_error(f"the unknown verb {verb!r}", nearest(verb, VERBS))
    if len(verbs) != 1:
        raise do.error(" and ".join(map(repr, verbs)) or "nothing to do", "one verb, such as {cancel: {...}}")
    ((verb, given),) = verbs.items()
    if verb == PlaceOrder.name:
        return Entry(at_ms, PlaceOrder(order=read_order(given, known.ids, known.markets)))
    return Entry(at_ms, _command(verb, given, known))


def _command(verb: str, node: Node, known: Known) -> Command[Any]:
    fields = plain_of(node)
    references = tuple(WORLD_COMMANDS[verb].references(fields)) if isinstance(fields, dict) else ()
    try:
        command = parse(WORLD_COMMANDS, verb, fields)
    except InvalidInput as wrong:
        # A name that leads to what is wrong comes first.
        above = [each for each in references if each.at_key and wrong.path[: len(each.path)] == each.path]
        raise _at_its_place(node, _unknown(above, known) or wrong) from None
    wrong_name = _unknown(references, known)
    if wrong_name is not None:
        raise _at_its_place(node, wrong_name)
    return command


def _unknown(references: Iterable[Reference], known: Known) -> InvalidInput | None:
    """The first of these that is nothing in the scenario, or an owner named twice."""
    seen: dict[tuple[Any, ...], str] = {}
    try:
        for reference in references:
            _check(reference, known)
            if reference.target is Target.OWNER:
                _check_once(reference, known, seen)
    except InvalidInput as wrong:
        return wrong
    return None


def _check(reference: Reference, known: Known) -> None:
    """InvalidInput for what nothing in the scenario has for a name or an id."""
    target, value, path, at_key = reference
    if target is Target.TRADER and value in (HOUSE, HOUSE_ID):
        return
    if target is Target.OWNER:
        _check_owner(reference, known)
        return
    named: dict[str, int]
    if target is Target.TOKEN:
        named = {token.symbol: token.token_id for token in known.tokens.values()}
    else:
        named = {account.name: account.account_id for account in known.accounts.values()}
        owners = {account.owner.lower() for account in known.accounts.values()}
        if str(value).lower() in owners:
            return
    if value in (named if isinstance(value, str) else named.values()):
        return
    found = f"the unknown name {value!r}" if at_key else shown(value)
    if isinstance(value, int):
        raise InvalidInput(path, found, f"one of {', '.join(f'{id_} ({name})' for name, id_ in named.items())}")
    raise InvalidInput(path, found, nearest(value, named), at_key=at_key)


def _check_owner(reference: Reference, known: Known) -> None:
    who = str(reference.value)
    if who in known.accounts or ADDRESS.fullmatch(who):
        return
    if who.startswith("0x"):
        raise InvalidInput(reference.path, shown(who), "an address, 0x and 40 hex digits in quotes", at_key=True)
    meant = f"{nearest(who, known.accounts)}, or an address in quotes"
    raise InvalidInput(reference.path, f"the unknown name {who!r}", meant, at_key=True)


def _check_once(reference: Reference, known: Known, seen: dict[tuple[Any, ...], str]) -> None:
    """InvalidInput for an owner by name and by address, or by an address in two spellings."""
    who = str(reference.value)
    owner = known.accounts[who].owner if who in known.accounts else who
    if seen.setdefault((*reference.path[:-1], owner.lower()), who) != who:
        raise InvalidInput(reference.path, f"the owner {who!r} again", "each owner once", at_key=True)


def _at_its_place(node: Node, wrong: InvalidInput) -> ScenarioError:
    """The error at the node that it is about; at the map where what is missing should be."""
    for step in wrong.path:
        inner = _inner(node, step)
        if inner is None:
            return node.error(wrong.found, wrong.expected)
        node = inner
    error = node.key_error if wrong.at_key else node.error
    return error(wrong.found, wrong.expected)


def _inner(node: Node, step: str | int) -> Node | None:
    value = node.value
    if isinstance(value, dict) and isinstance(step, str):
        return value.get(step)
    return value[step] if isinstance(value, list) and isinstance(step, int) else None
