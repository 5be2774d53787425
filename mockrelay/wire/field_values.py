"""Whether the requests of an endpoint can have a field, and the field a value.

An expectation or a fault that asks for any other says nothing about any call: it is refused, so that no check for absence
passes because of what was asked. Fields are judged as they are decoded: a query's `accountId` is a number, as a body's is.

A value is right that its schema allows under some option of the choices, and whose account, token or market the world has
where the schema says that the field names one (`x-names`: `account`, `token`, `market`, or `markets` with a comma between
two). What a client has sent all the same is never refused.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple, Protocol, Self

from mockrelay.core.config import Market, Token
from mockrelay.core.errors import InvalidInput, Path
from mockrelay.core.models import Account
from mockrelay.core.world import World
from mockrelay.spec.choices import BY_KEY
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.suggest import any_of, nearest, shown
from mockrelay.wire.decode import unshown_fields
from mockrelay.wire.schemas import SCHEME, Option, Place, choices_of, keyword, place, properties_of, type_of
from mockrelay.wire.violations import check

Options = tuple[Option, ...]
ACCOUNT, TOKEN, MARKET, MARKETS = "account", "token", "market", "markets"
"""What `x-names` may say."""
_ANY_TEXT = Place({"type": "string"}, "")


class WorldNames(NamedTuple):
    """What the fields of requests can name in a world."""

    accounts: Mapping[int, str]
    """Names by account id."""
    tokens: Mapping[int, str]
    """Symbols by token id."""
    markets: Collection[str]

    @classmethod
    def of(cls, accounts: Iterable[Account], tokens: Iterable[Token], markets: Iterable[Market]) -> Self:
        """The names of these."""
        return cls(
            {account.account_id: account.name for account in accounts},
            {token.token_id: token.symbol for token in tokens},
            tuple(market.name for market in markets),
        )

    @classmethod
    def of_world(cls, world: World) -> Self:
        """What there is in a world."""
        setting = world.config
        return cls.of(world.accounts.values(), setting.tokens.values(), setting.markets.values())

    def by_id(self, kind: str) -> Mapping[int, str]:
        """The names of all accounts or tokens, by id."""
        return self.accounts if kind == ACCOUNT else self.tokens


class Sent(Protocol):
    """What clients have sent."""

    def has_field(self, path: Path) -> bool:
        """Whether there is something at this path of some call's fields."""

    def has_value(self, path: Path, value: Any) -> bool:
        """Whether there is this value."""


class _NothingSent:
    def has_field(self, path: Path) -> bool:
        return False

    def has_value(self, path: Path, value: Any) -> bool:
        return False


NOTHING_SENT: Sent = _NothingSent()


def check_fields(endpoint: str, values: Mapping[str, Any], names: WorldNames, sent: Sent = NOTHING_SENT) -> None:
    """Nothing where a request of the endpoint can have these fields with these values, or has had them; an inner map stands
    for some fields of an object. InvalidInput for the first that it cannot have.
    """
    schema_id = f"{SCHEME}requests/{endpoint}.json"
    fields = properties_of(place(schema_id)) | dict.fromkeys(unshown_fields(BY_NAME[endpoint]), _ANY_TEXT)
    _check_object(fields, values, (), _Judge(names, sent, _alternatives(schema_id)))


def check_in_world(endpoint: str, values: Mapping[str, Any], world: World) -> None:
    """The same in a world, whatever was sent."""
    check_fields(endpoint, values, WorldNames.of_world(world))


class _Judge(NamedTuple):
    names: WorldNames
    sent: Sent
    alternatives: tuple[Options, ...]


@cache
def _alternatives(schema_id: str) -> tuple[Options, ...]:
    """Options under which a request's form differs; the defaults first. No form depends on two choices at once."""
    return ((), *(((key, option),) for key in sorted(choices_of(schema_id)) for option in BY_KEY[key].options))


def _check_object(fields: Mapping[str, Place], values: Mapping[str, Any], outer: Path, judge: _Judge) -> None:
    for name, value in values.items():
        path = (*outer, name)
        if name not in fields:
            if not judge.sent.has_field(path):
                expected = nearest(name, fields) if fields else "no field: it takes none"
                raise InvalidInput(path, f"the unknown field {name[:60]!r}", expected, at_key=True)
        elif isinstance(value, dict) and type_of(fields[name]) == "object":
            _check_object(properties_of(fields[name]), value, path, judge)
        else:
            wrong = _wrong(fields[name], value, judge)
            if wrong is not None and not judge.sent.has_value(path, value):
                raise wrong.under(*path)


def _wrong(here: Place, value: Any, judge: _Judge) -> InvalidInput | None:
    """Why a field cannot have a value; None where it can."""
    misfits = [_misfit(here, value, options) for options in judge.alternatives]
    if misfits[0] is not None and None not in misfits:
        return InvalidInput((), shown(value), _expected(here, value, misfits[0], judge.names))
    kind = keyword(here, "x-names")
    if kind is None:
        return None
    if kind in (MARKET, MARKETS):
        markets = judge.names.markets
        named = value.split(",") if kind == MARKETS else [value]
        unknown = next((market for market in named if market not in markets), None)
        return (
            None if unknown is None else InvalidInput((), f"the unknown market {unknown!r}", nearest(unknown, markets))
        )
    known = judge.names.by_id(kind)
    if int(value) in known:
        return None
    return InvalidInput((), f"{value}, which is not the id of {'an' if kind == ACCOUNT else 'a'} {kind}", _ids(known))


def _misfit(here: Place, value: Any, options: Options) -> InvalidInput | None:
    try:
        check(here, value, options)
    except InvalidInput as misfit:
        return misfit
    return None


def _fits(here: Place, value: Any) -> bool:
    return _misfit(here, value, ()) is None


def _expected(here: Place, value: Any, misfit: InvalidInput, names: WorldNames) -> str:
    """What was meant by a value that does not fit: itself in its right type, the id of what it names, or what its schema
    says.
    """
    if isinstance(value, int) and _fits(here, json.dumps(value)):
        return f'"{json.dumps(value)}", in quotes'
    kind, other = keyword(here, "x-names"), _without_quotes(value)
    if other is not None and _fits(here, other):
        return f"{value}, without quotes"
    if kind in (ACCOUNT, TOKEN):
        known = names.by_id(kind)
        own = next(
            (f"{id_}, the id of {name}" for id_, name in known.items() if name.lower() == str(value).lower()), None
        )
        return own or _ids(known)
    title = keyword(here, "title")
    if title is None or any(keyword(here, name) is not None for name in ("enum", "x-meant")):
        return misfit.expected
    return str(title) if type_of(here) != "integer" else f"{title}: {misfit.expected}"


def _without_quotes(value: Any) -> Any:
    """The number or boolean that a text writes; None where it writes none."""
    try:
        found = json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, int) else None


def _ids(known: Mapping[int, str]) -> str:
    return any_of([f"{id_} ({name})" for id_, name in known.items()])
