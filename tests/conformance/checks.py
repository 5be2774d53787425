"""What the tests ask of an answer, in one place: the form of a refusal and the shape of a success."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tests.conformance.fields import OBJECTS
from tests.conformance.transcript import BY_NAME, MEANINGS, NFT_SPECIFIC
from tests.support.answer import Answer
from tests.support.client import Relayer, state

SAFE_INTEGER = 2**53 - 1
_SCALARS: dict[str, type] = {"string": str, "integer": int, "boolean": bool}


def shape_code(name: str) -> int:
    """The code of a flaw that has none of its own, by default choices."""
    if name == "submit_order":
        return 102120
    if name in ("submit_withdrawal", "update_account", "get_candlestick", "get_ticker") or name in NFT_SPECIFIC:
        return 100001
    return 100000


def error_status(name: str) -> int:
    """HTTP status of a coded refusal under `http.error_status: split`."""
    return 200 if BY_NAME[name].envelope else 400


def refused(answer: Answer, status: int, codes: Collection[int], *named: str) -> None:
    """It is a refusal in the one error shape, with one of the codes, its meaning, and a message that names what is told."""
    said = f"{answer.status} {answer.body!r}"
    assert answer.headers["content-type"].startswith("application/json"), said
    assert set(answer.json) == {"resultInfo"}, said
    assert set(answer.json["resultInfo"]) == {"code", "message"}, said
    assert answer.code in codes, f"expected one of {sorted(codes)}: {said}"
    assert answer.status == status, said
    assert answer.message.startswith(MEANINGS[answer.code]), said
    for word in named:
        assert word in answer.message, f"{word} is not named: {said}"


def refused_call(answer: Answer, name: str, codes: Collection[int], *named: str) -> None:
    """The same for a known endpoint under default choices."""
    refused(answer, error_status(name), codes, *named)


def payload(answer: Answer, name: str) -> Any:
    """What a success carries: `data` of an envelope, all of a bare answer. Fails for a refusal."""
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"].startswith("application/json"), answer.headers
    parsed = answer.json
    if not BY_NAME[name].envelope:
        assert not (isinstance(parsed, dict) and "resultInfo" in parsed), answer.body
        return parsed
    assert set(parsed) <= {"resultInfo", "data"}, answer.body
    assert parsed["resultInfo"] == {"code": 0, "message": "SUCCESS"}, answer.body
    return parsed.get("data")


def conforms(type_: str, value: Any, where: str = "answer") -> None:
    """The value has the transcript's type, all required fields, no field that the spec does not list."""
    if type_.startswith("list:"):
        assert isinstance(value, list), f"{where}: {value!r} is no list"
        for index, item in enumerate(value):
            conforms(type_.removeprefix("list:"), item, f"{where}[{index}]")
    elif type_ == "any":
        return
    elif type_ in _SCALARS:
        assert type(value) is _SCALARS[type_], f"{where}: {value!r} is no {type_}"
        if isinstance(value, int) and not where.endswith(".fillS"):
            assert -SAFE_INTEGER <= value <= SAFE_INTEGER, f"{where}: {value}"
    else:
        assert isinstance(value, dict), f"{where}: {value!r} is no {type_}"
        fields = {field.name: field for field in OBJECTS[type_]}
        assert set(value) <= set(fields), f"{where}: {sorted(set(value) - set(fields))} not in the spec"
        for field in fields.values():
            assert field.name in value or not field.required, f"{where}.{field.name} is missing"
            if field.name in value:
                conforms(field.type, value[field.name], f"{where}.{field.name}")
                if field.form.startswith("word:"):
                    assert value[field.name] in field.form.removeprefix("word:").split("|"), f"{where}.{field.name}"


def all_integers_safe(value: Any) -> None:
    """Every integer in it can be held exactly by every JSON reader (`fillS` apart)."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name != "fillS":
                all_integers_safe(inner)
    elif isinstance(value, list):
        for inner in value:
            all_integers_safe(inner)
    else:
        assert not isinstance(value, float), value
        assert type(value) is not int or abs(value) <= SAFE_INTEGER, value


def conserved(relayer: Relayer) -> None:
    """Per token: all that was put in is with the accounts, the house and the fees; no account owes anything."""
    world = state(relayer)
    for token, put_in in world["putIn"].items():
        parts = [int(part) for one in world["accounts"] for part in one["balances"].get(token, {}).values()]
        assert all(part >= 0 for part in parts)
        house = [int(part) for part in world["house"]["balances"].get(token, {}).values()]
        assert sum(parts) + sum(house) + int(world["fees"].get(token, "0")) == int(put_in), token
