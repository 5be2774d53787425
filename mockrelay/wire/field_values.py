"""Whether the requests of an endpoint can have a field, and the field a value.

An expectation or a fault with any other field or value can match no call: it is refused, so that a test for the absence of
calls does not pass because of a typing mistake. Fields are checked as they are decoded: `accountId` is a number in a query
as in a body.

A value is right that its schema allows under some option of the choices. Where the field names an account, a token, a market
or markets with commas (`x-names`: `account`, `token`, `market`, `markets`), the world must have it. Fields and values that a
client has sent are never refused.
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
from mockrelay.spec.sockets import SOCKET_EVENTS
from mockrelay.suggest import any_of, in_quotes, nearest, shown
from mockrelay.wire.decode import unshown_fields
from mockrelay.wire.schemas import SCHEME, Option, Place, choices_of, keyword, place_of, properties_of, type_of
from mockrelay.wire.violations import check

ACCOUNT, TOKEN, MARKET, MARKETS = "account", "token", "market", "markets"
"""What `x-names` may say."""
_ANY_TEXT = Place({"type": "string"}, "")


class WorldNames(NamedTuple):
    """The names in a world that the fields of requests can refer to."""

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
        """The names in a world."""
        config = world.config
        return cls.of(world.accounts.values(), config.tokens.values(), config.markets.values())

    def by_id(self, kind: str) -> Mapping[int, str]:
        """The names of all accounts or tokens, by id."""
        return self.accounts if kind == ACCOUNT else self.tokens


class SentFields(Protocol):
    """The fields and values that clients have sent."""

    def has_field(self, path: Path) -> bool:
        """Whether some call has a field at this path."""

    def has_value(self, path: Path, value: Any) -> bool:
        """Whether some call has this value there."""


class _NothingSent:
    def has_field(self, path: Path) -> bool:
        return False

    def has_value(self, path: Path, value: Any) -> bool:
        return False


NOTHING_SENT: SentFields = _NothingSent()


def check_fields(endpoint: str, values: Mapping[str, Any], names: WorldNames, sent: SentFields = NOTHING_SENT) -> None:
    """Nothing where a request of the endpoint can have these fields with these values, or has had them; an inner map stands
    for some fields of an object. InvalidInput for the first that it cannot have.
    """
    event = SOCKET_EVENTS.get(endpoint)
    if event is not None:
        places = {name: Place(schema, "") for name, schema in event.items()}
        _check_object(places, values, (), _Context(names, sent, ((),)))
        return
    schema_id = f"{SCHEME}requests/{endpoint}.json"
    fields = properties_of(place_of(schema_id)) | dict.fromkeys(unshown_fields(BY_NAME[endpoint]), _ANY_TEXT)
    _check_object(fields, values, (), _Context(names, sent, _alternatives(schema_id)))


def check_in_world(endpoint: str, values: Mapping[str, Any], world: World) -> None:
    """`check_fields` in a world; what clients have sent does not matter."""
    check_fields(endpoint, values, WorldNames.of_world(world))


class _Context(NamedTuple):
    names: WorldNames
    sent: SentFields
    alternatives: tuple[tuple[Option, ...], ...]


@cache
def _alternatives(schema_id: str) -> tuple[tuple[Option, ...], ...]:
    """Options under which a request's form differs; the defaults first. No form depends on two choices at once."""
    return ((), *(((key, option),) for key in sorted(choices_of(schema_id)) for option in BY_KEY[key].options))


def _check_object(fields: Mapping[str, Place], values: Mapping[str, Any], outer: Path, context: _Context) -> None:
    for name, value in values.items():
        path = (*outer, name)
        if name not in fields:
            if not context.sent.has_field(path):
                expected = nearest(name, fields) if fields else "no field: it takes none"
                raise InvalidInput(path, f"the unknown field {in_quotes(name, 60)}", expected, at_key=True)
        elif isinstance(value, dict) and type_of(fields[name]) == "object":
            _check_object(properties_of(fields[name]), value, path, context)
        else:
            wrong = _wrong(fields[name], value, context)
            if wrong is not None and not context.sent.has_value(path, value):
                raise wrong.under(*path)


def _wrong(place: Place, value: Any, context: _Context) -> InvalidInput | None:
    """Why a field cannot have a value; None where it can."""
    misfits = [_misfit(place, value, options) for options in context.alternatives]
    if misfits[0] is not None and None not in misfits:
        return InvalidInput((), shown(value), _expected(place, value, misfits[0], context.names))
    kind = keyword(place, "x-names")
    if kind is None:
        return None
    if kind in (MARKET, MARKETS):
        markets = context.names.markets
        named = value.split(",") if kind == MARKETS else [value]
        unknown = next((market for market in named if market not in markets), None)
        return (
            None
            if unknown is None
            else InvalidInput((), f"the unknown market {in_quotes(unknown)}", nearest(unknown, markets))
        )
    names_by_id = context.names.by_id(kind)
    if int(value) in names_by_id:
        return None
    return InvalidInput(
        (), f"{value}, which is not the id of {'an' if kind == ACCOUNT else 'a'} {kind}", _ids(names_by_id)
    )


def _misfit(place: Place, value: Any, options: tuple[Option, ...]) -> InvalidInput | None:
    try:
        check(place, value, options)
    except InvalidInput as misfit:
        return misfit
    return None


def _fits(place: Place, value: Any) -> bool:
    return _misfit(place, value, ()) is None


def _expected(place: Place, value: Any, misfit: InvalidInput, names: WorldNames) -> str:
    """What was meant by a value that does not fit: the same in the right type, the id of what it names, or the meaning in
    its schema.
    """
    if isinstance(value, int) and _fits(place, json.dumps(value)):
        return f'"{json.dumps(value)}", in quotes'
    kind, other = keyword(place, "x-names"), _without_quotes(value)
    if other is not None and _fits(place, other):
        return f"{value}, without quotes"
    if kind in (ACCOUNT, TOKEN):
        names_by_id = names.by_id(kind)
        meant = next(
            (f"{id_}, the id of {name}" for id_, name in names_by_id.items() if name.lower() == str(value).lower()),
            None,
        )
        return meant or _ids(names_by_id)
    title = keyword(place, "title")
    if title is None or any(keyword(place, name) is not None for name in ("enum", "x-meant")):
        return misfit.expected
    return str(title) if type_of(place) != "integer" else f"{title}: {misfit.expected}"


def _without_quotes(value: Any) -> Any:
    """The number or boolean that a text writes; None where it writes none."""
    try:
        found = json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, int) else None


def _ids(names: Mapping[int, str]) -> str:
    return any_of([f"{id_} ({name})" for id_, name in names.items()])
