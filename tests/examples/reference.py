"""The API reference of the guide: each endpoint from its row, its schemas, what is known of its codes, and a played call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mockrelay.core.handle import ACTIONS
from mockrelay.openapi.call_forms import documented_headers, pretty
from mockrelay.openapi.parts import summary_of
from mockrelay.openapi.right_calls import right_call
from mockrelay.report.how_to_reach import Means, Recipe, recipe_of_code
from mockrelay.spec.codes import Code
from mockrelay.spec.endpoint import Endpoint, KeyHeader
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.wire.schemas import Place, follow, keyword, place_of, properties_of
from tests.examples.choices_met import choices_of_endpoint
from tests.examples.tables import table, way_of

_PLAIN = "mockrelay:objects/"
_KEYS = {
    KeyHeader.REQUIRED: "`X-API-KEY`",
    KeyHeader.NOT_SHOWN: "`X-API-KEY` where the choice `auth.key_on_silent` asks for it",
    KeyHeader.NOT_LISTED: "",
}


def reference() -> str:
    """All endpoints, then the objects that their fields hold."""
    return "\n\n".join([*map(_endpoint, ENDPOINTS), "## Objects", *_objects()])


def _endpoint(row: Endpoint) -> str:
    signature = f"`X-API-SIG` ({row.signature} signature)" if row.signature else ""
    headers = " and ".join(word for word in (_KEYS[row.key], signature) if word) or "none"
    limit = "No rate limit." if row.per_second is None else f"At most {row.per_second} calls a second."
    return "\n\n".join(
        [
            f"## {row.name}",
            f"{summary_of(ACTIONS[row.name])}.",
            f"`{row.method} {row.path}`. Headers: {headers}. {limit}",
            f"**Request** ({'query' if row.method == 'GET' else 'JSON body'}):"
            + (fields_table(_request(row), "required") or " no fields."),
            *_signatures(row),
            f"**Answer** ({'in an envelope' if row.enveloped else 'without an envelope'}):" + _answer(row),
            f"**Codes**, {_judging(row)}. {_shape(row)}",
            table(("code", "meaning", "how it is met"), list(_codes(row))),
            f"**Choices**: {', '.join(f'`{key}`' for key in choices_of_endpoint(row)) or 'only those of every call'}.",
            _example(row),
        ]
    )


def _request(row: Endpoint) -> Place:
    return place_of(f"mockrelay:requests/{row.name}.json")


def _answer(row: Endpoint) -> str:
    place = place_of(f"mockrelay:responses/{row.name}.json")
    if keyword(place, "type") == "array":
        return f" {type_text(place)}; {keyword(place, 'title')}."
    return fields_table(place, "on success")


def _signatures(row: Endpoint) -> Iterator[str]:
    if "signature.scheme" in choices_of_endpoint(row):
        yield (
            "Signatures: what is required of them must be there and well-formed; they are verified only under "
            "`signature.scheme=protocol`."
        )


def _judging(row: Endpoint) -> str:
    limited = "" if row.per_second is None else ", but for the rate limit, which is judged first"
    return f"in the order in which they are judged{limited}"


def fields_table(place: Place, needed: str) -> str:
    """A table of an object's fields; nothing where it has none. `needed` is the head of the column that marks those that
    an object must have.
    """
    fields = properties_of(place)
    if not fields:
        return ""
    required = keyword(place, "required") or ()
    rows = [
        (f"`{name}`", type_text(inner), "yes" if name in required else "", meaning_of(inner))
        for name, inner in fields.items()
    ]
    return "\n\n" + table(("field", "type", needed, "meaning"), rows)


def meaning_of(place: Place) -> str:
    """What a field means, its default, and the code that a wrong one has of its own."""
    schema = place.schema
    default = f" Default: `{schema['default']}`." if "default" in schema else ""
    own = schema.get("x-code")
    if isinstance(own, Mapping):
        reasons = {
            "required": "absent",
            "type": "no number",
            "minimum": "too small",
            "maximum": "too large",
            "pattern": "blank",
        }
        codes = "; ".join(f"{reasons[rule]}: code {code}" for rule, code in own.items())
        return f"{schema['description']}{default} {codes[0].upper()}{codes[1:]}."
    return f"{schema['description']}{default}" + (f" Of a wrong form: code {own}." if own else "")


def type_text(place: Place) -> str:
    """The type of a field, with its unit and form."""
    name = object_name(place)
    if name is not None:
        return f"[{name}](#{name.lower()})"
    if keyword(place, "type") == "array":
        items = keyword(place, "items")
        if items is not None and keyword(place, "prefixItems") is None:
            return f"list of {type_text(Place(items, file_of(place)))}"
        return f"list: {keyword(place, 'title')}"
    return ", ".join(_form(place))


def _form(place: Place) -> Iterator[str]:
    """What is said of a plain value, in words."""
    yield str(keyword(place, "type") or "string")
    words, title, unit = keyword(place, "enum"), keyword(place, "title"), keyword(place, "x-unit")
    low, high = keyword(place, "minimum"), keyword(place, "maximum")
    if words is not None:
        yield "one of " + ", ".join(f"`{word}`" for word in words)
    elif unit is not None:
        most = keyword(place, "maxLength")
        yield f"in {unit}" if most is None else f"at most {most} {unit}"
    elif low is not None and high is not None and high < 2**53 - 1:
        yield f"{low} to {high}"
    elif title is not None and title not in ("a text that is not empty", "a whole number from 0 on"):
        yield str(title)
    elif low is not None:
        yield f"{low} or more"


def object_name(place: Place) -> str | None:
    """The name of the object file that a field refers to; None for plain values."""
    ref = place.schema.get("$ref", "")
    is_object = ref.startswith(_PLAIN) and "properties" in place_of(ref).schema
    return ref.removeprefix(_PLAIN).removesuffix(".json").removeprefix("_") if is_object else None


def file_of(place: Place) -> str:
    return follow(place.schema["$ref"], place.file_id).file_id if "$ref" in place.schema else place.file_id


def _objects() -> Iterator[str]:
    """Each object that a field holds, under its name."""
    places: dict[str, Place] = {}
    for row in ENDPOINTS:
        for place in (_request(row), place_of(f"mockrelay:responses/{row.name}.json")):
            gather(place, places)
    yield from object_tables(places)


def object_tables(places: Mapping[str, Place]) -> Iterator[str]:
    """The table of each object, under its name."""
    for name in sorted(places):
        title = str(keyword(place_of(places[name].schema["$ref"]), "title"))
        yield f"### {name}\n\n{title[0].upper()}{title[1:]}." + fields_table(places[name], "always")


def gather(place: Place, places: dict[str, Place]) -> None:
    """Add the objects that the fields or items of a schema refer to, by name."""
    items = keyword(place, "items")
    inner = [Place(items, file_of(place))] if isinstance(items, Mapping) else []
    for held in (*inner, *properties_of(place).values()):
        name = object_name(held)
        if name is None or name not in places:
            if name is not None:
                places[name] = held
            gather(held, places)


def _shape(row: Endpoint) -> str:
    code = "the code of the choice `nft.error_code`" if row.shape is None else f"code {int(row.shape)}"
    return f"A field of a wrong type or form has {code}, unless the table of fields gives another."


def _codes(row: Endpoint) -> Iterator[tuple[str, ...]]:
    for code, listed in row.codes:
        yield str(int(code)) + ("" if listed else " \\*"), code.meaning, way_of(_recipe(row, code))


def _recipe(row: Endpoint, code: Code) -> Recipe:
    """How a code is met. NFT calls have one code for all that is wrong with a call, and a choice says which."""
    if (
        row.nft
        and code in (Code.INVALID_ARGUMENT, Code.UNKNOWN_ERROR)
        and not any(judged.listed for judged in row.codes)
    ):
        how = "a field of a wrong form, or anything else that is wrong with the call"
        return Recipe(Means.NATURAL, how, {"nft.error_code": str(int(code))})
    return recipe_of_code(row, code)


def _example(row: Endpoint) -> str:
    example = right_call(row.name)
    lines = [
        f"{row.method} {example.call.target}",
        *(f"{name}: {value}" for name, value in documented_headers(example).items()),
    ]
    before = f" after {', '.join(f'`{step}`' for step in example.before)}" if example.before else ""
    body: list[Any] = ["", pretty(example.call.fields)] if example.call.payload else []
    request = "\n".join([*lines, *body])
    answer = pretty(example.answer)
    return f"**Example**{before}, at `{example.now}`:\n\n```text\n{request}\n```\n\n```json\n{answer}\n```"
