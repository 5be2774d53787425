"""The reference of the profile live: each row from its table and its schemas. Its calls are printed by `mockrelay example`."""

from __future__ import annotations

from collections.abc import Iterator

from mockrelay.core.handle import ACTIONS
from mockrelay.openapi.parts import summary_of
from mockrelay.spec.endpoint import Endpoint, KeyHeader
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.live_endpoints import LIVE_ENDPOINTS
from mockrelay.wire.schemas import Place, keyword, place_of, properties_of
from tests.examples.reference import file_of, gather, meaning_of, object_name, object_tables, type_text
from tests.examples.tables import table


def live_reference() -> str:
    """All rows but those of WebSockets, then the objects that their fields hold."""
    rows = [row for row in LIVE_ENDPOINTS if not row.upgrades]
    places: dict[str, Place] = {}
    for row in rows:
        for group in ("requests", "responses"):
            gather(_place(row, group), places)
    return "\n\n".join([*map(_row, rows), "## Objects", *object_tables(places)])


def _place(row: Endpoint, group: str) -> Place:
    return place_of(f"mockrelay:{group}/{row.id}.json")


def _row(row: Endpoint) -> str:
    limit = f"At most {row.per_second} calls a second."
    envelope = "in an envelope" if row.enveloped else "without an envelope"
    codes = "; ".join(f"{int(code)} {code.meaning}" for code, _ in row.codes)
    shape = "" if row.shape is None else f" A field of a wrong type or form has code {int(row.shape)}."
    return "\n\n".join(
        [
            f"## {row.id}",
            f"{summary_of(ACTIONS[row.id])}.",
            f"`{row.method} {row.path}` ({row.section}){_form(row)}. Headers: {_headers(row)}. {limit}",
            f"**Request** ({'JSON body' if row.method == 'POST' else 'query'}):"
            + _table(_place(row, "requests"), "required"),
            f"**Answer** ({envelope}):" + _table(_place(row, "responses"), "always"),
            f"**Codes**, in the order in which they are judged: {codes}.{shape}",
        ]
    )


def _form(row: Endpoint) -> str:
    """Which endpoint it is a form of, and by which fields of a body it is recognized."""
    if row.recognized_by:
        return f", a form of `{row.name}`: for bodies with {' or '.join(f'`{name}`' for name in sorted(row.recognized_by))}"
    if row.form and BY_NAME[row.name].path == row.path:
        return f", in place of the specification's `{row.name}`"
    return ""


def _headers(row: Endpoint) -> str:
    words = ["`X-API-KEY`"] if row.key is KeyHeader.REQUIRED else []
    if row.signature is not None:
        instead = "".join(f" or `{field}` in the body" for field in row.body_signatures[-1:])
        words.append(f"`X-API-SIG` ({row.signature} signature){instead}")
    return " and ".join(words) or "none"


def _table(place: Place, needed: str) -> str:
    """A table of the fields; `needed` is the head of the column that marks those that must be there."""
    rows = list(_field_rows(place, ""))
    return "\n\n" + table(("field", "type", needed, "meaning"), rows) if rows else " no fields."


def _field_rows(place: Place, outside: str) -> Iterator[tuple[str, ...]]:
    """The fields of an object, those of objects and lists inside it among them, unless these have a table of their own."""
    if keyword(place, "type") == "array":
        items = Place(keyword(place, "items"), file_of(place))
        if object_name(items) is None and properties_of(items):
            yield from _field_rows(items, f"{outside}[].")
        else:
            yield "(the answer)", type_text(place), "yes", str(keyword(place, "description") or keyword(place, "title"))
        return
    required = keyword(place, "required") or ()
    for name, inner in properties_of(place).items():
        yield f"`{outside}{name}`", type_text(inner), "yes" if name in required else "", meaning_of(inner)
        yield from _inner_rows(inner, f"{outside}{name}")


def _inner_rows(place: Place, path: str) -> Iterator[tuple[str, ...]]:
    items = keyword(place, "items")
    if keyword(place, "type") == "array" and items is not None:
        inner = Place(items, file_of(place))
        if object_name(inner) is None and properties_of(inner):
            yield from _field_rows(inner, f"{path}[].")
    elif object_name(place) is None and properties_of(place):
        yield from _field_rows(place, f"{path}.")
