"""Checks that the accounts and tokens that a scenario's sections refer to exist.

References are checked once the whole document is valid by its schema. Only where a mistake is below a name that is used as
a key, the name is checked first: if it is unknown, that is the error to report.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from mockrelay.core.commands.base import Reference, Target
from mockrelay.core.commands.lookup import HOUSE
from mockrelay.core.errors import InvalidInput, Path
from mockrelay.core.fault_json import check_served
from mockrelay.core.faults import Fault
from mockrelay.core.ledger import HOUSE_ID
from mockrelay.scenario.section import SCHEMA, Values, at
from mockrelay.spec.profiles import Profile
from mockrelay.suggest import in_quotes, nearest, shown
from mockrelay.wire.commands import WORLD_COMMANDS
from mockrelay.wire.field_values import WorldNames, check_fields
from mockrelay.wire.violations import check


class Names(NamedTuple):
    """The names that a scenario can refer to."""

    accounts: Mapping[str, int]
    """Ids by name."""
    owners: Mapping[str, str]
    """Owner addresses by account name; those of accounts that are not built yet are left out."""
    tokens: Mapping[str, int]
    """Ids by symbol."""


def references(values: Values) -> Iterator[Reference]:
    """The references of a document, which need not be valid. Orders and history check theirs when they are built."""
    for index, account in enumerate(_items(values.get("accounts"))):
        yield from _tokens(_entries(account).get("balances"), ("accounts", index, "balances"))
    for kind, amounts in _entries(values.get("fees")).items():
        yield from _tokens(amounts, ("fees", kind))
    for currency, prices in _entries(values.get("prices")).items():
        yield from _tokens(prices, ("prices", currency))
    for name, account in _entries(values.get("names")).items():
        yield Reference(Target.ACCOUNT, account, ("names", name))
    for index, collection in enumerate(_items(values.get("collections"))):
        owner: Any = _entries(collection).get("owner")
        yield Reference(Target.ACCOUNT, owner, ("collections", index, "owner"))
    yield from _of_command("layer1", values.get("layer1"), ("layer1",))
    for index, entry in enumerate(_items(values.get("timeline"))):
        for verb, fields in _entries(_entries(entry).get("do")).items():
            yield from _of_command(verb, fields, ("timeline", index, "do", verb))


def unknown_name_above(values: Values, wrong: InvalidInput) -> InvalidInput | None:
    """The error of an unknown name above the path of `wrong`; None where all names above it exist."""
    tokens = {str(token.get("symbol")): 0 for token in map(_entries, _items(values.get("tokens")))}
    accounts = {str(account.get("name")): 0 for account in map(_entries, _items(values.get("accounts")))}
    names = Names(accounts, {}, tokens)
    above = (one for one in references(values) if one.at_key and wrong.path[: len(one.path)] == one.path)
    try:
        check_names(above, names)
    except InvalidInput as unknown:
        return unknown
    return None


def check_fault(fault: Fault, names: WorldNames, profile: Profile) -> None:
    """InvalidInput for a fault that could never fire: its endpoint is not served, or no request can match its `when`."""
    with at("on"):
        check_served(profile, fault.match.on)
    with at("when"):
        check_fields(fault.match.on, fault.match.when, names)


def check_names(all_references: Iterable[Reference], names: Names) -> None:
    """InvalidInput for the first unknown name, or for an owner that is named twice."""
    seen: dict[tuple[Path, str], str] = {}
    for reference in all_references:
        if reference.target is Target.OWNER:
            _check_owner(reference, names)
            who = str(reference.value)
            owner = names.owners.get(who, who).lower()
            if seen.setdefault((reference.path[:-1], owner), who) != who:
                raise InvalidInput(reference.path, f"the owner {in_quotes(who)} again", "each owner once", at_key=True)
        else:
            _check(reference, names)


def _check(reference: Reference, names: Names) -> None:
    target, value, path, at_key = reference
    if target is Target.TRADER and value in (HOUSE, HOUSE_ID):
        return
    ids = names.tokens if target is Target.TOKEN else names.accounts
    if value in (ids if isinstance(value, str) else ids.values()):
        return
    if target is not Target.TOKEN and str(value).lower() in map(str.lower, names.owners.values()):
        return
    found = f"the unknown name {in_quotes(value)}" if at_key else shown(value)
    if isinstance(value, int):
        raise InvalidInput(path, found, f"one of {', '.join(f'{id_} ({name})' for name, id_ in ids.items())}")
    raise InvalidInput(path, found, nearest(value, ids), at_key=at_key)


def _check_owner(reference: Reference, names: Names) -> None:
    who = str(reference.value)
    if who in names.accounts:
        return
    if not who.startswith("0x"):
        meant = f"{nearest(who, names.accounts)}, or an address in quotes"
        raise InvalidInput(reference.path, f"the unknown name {in_quotes(who)}", meant, at_key=True)
    try:
        check(f"{SCHEMA}#/$defs/address", who)
    except InvalidInput as wrong:
        raise InvalidInput(reference.path, wrong.found, wrong.expected, at_key=True) from None


def _of_command(name: str, fields: Any, path: Path) -> Iterator[Reference]:
    if name in WORLD_COMMANDS and isinstance(fields, dict):
        for reference in WORLD_COMMANDS[name].references(fields):
            yield reference._replace(path=(*path, *reference.path))


def _tokens(amounts: Any, path: Path) -> Iterator[Reference]:
    for symbol in _entries(amounts):
        yield Reference(Target.TOKEN, symbol, (*path, symbol), at_key=True)


def _entries(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
