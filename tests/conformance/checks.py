"""What the tests ask of an answer: the form of a refusal, the shape of a success; and calls that are checked that way."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from mockrelay.relay import Relay
from tests.conformance import under_live
from tests.conformance.fields import ANSWERS, OBJECTS
from tests.conformance.transcript import BY_NAME, MEANINGS, NFT_SPECIFIC
from tests.support import worlds
from tests.support.answer import Answer
from tests.support.bodies import E18
from tests.support.calls import Request, accepted, bid, call, order, valid_request
from tests.support.client import done

SAFE_INTEGER = 2**53 - 1
_SCALARS: dict[str, type] = {"string": str, "integer": int, "boolean": bool}


def shape_code(name: str) -> int:
    """The code of a wrong that has none of its own, by default choices."""
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
        more = under_live.MORE.get(type_, set()) if worlds.defaults.profile == "live" else set()
        assert set(value) - set(fields) == more, f"{where}: {sorted(set(value) - set(fields))} not in the spec"
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


def pending(relay: Relay) -> list[dict[str, Any]]:
    """What waits for the next block."""
    found: list[dict[str, Any]] = payload(call(relay, Request("get_pending_requests", {})), "get_pending_requests")
    conforms("list:TransactionBlock", found)
    all_integers_safe(found)
    return found


def block(relay: Relay, block_id: int | str | None = None) -> dict[str, Any]:
    """A block that must be there."""
    fields = {} if block_id is None else {"id": block_id}
    found: dict[str, Any] = payload(call(relay, Request("get_block", fields)), "get_block")
    conforms("Block", found)
    all_integers_safe(found)
    assert found["blockSize"] == len(found["transactions"])
    return found


def blocks(relay: Relay) -> list[dict[str, Any]]:
    """All blocks, from block 0 on."""
    found = [block(relay, 0)]
    while True:
        answer = call(relay, Request("get_block", {"id": len(found)}))
        if answer.status != 200:
            return found
        found.append(block(relay, len(found)))


def seal(relay: Relay, count: int = 1) -> list[int]:
    """Seal by hand; the ids of the new blocks."""
    found: list[int] = done(relay, "POST", "blocks/seal", {"count": count})["blockIds"]
    return found


def advance_to(relay: Relay, hash_: str, to: str) -> None:
    """Move a request on by hand."""
    done(relay, "POST", f"submissions/{hash_}/advance", {"to": to})


def balances(relay: Relay, name: str) -> Any:
    """The account's layer-2 balances, as the state of the world shows them."""
    return next(entry["balances"] for entry in done(relay, "GET", "state")["accounts"] if entry["name"] == name)


def look_up(relay: Relay, nft_id: str) -> Any:
    """The NFT's record."""
    answer = call(relay, valid_request("get_nft_data").but(nftId=nft_id))
    assert answer.status == 200, answer.body
    return answer.json


def busy() -> Relay:
    """W after one trade: O of 100 LRC at 0.0005 ETH rests, bob has bought 40 LRC of it, and bids for 10 at 0.0004."""
    relay = worlds.world()
    accepted(relay, order(1, clientOrderId="first"))
    accepted(relay, bid(1))
    accepted(relay, bid(2, lrc=10 * E18, eth=4 * 10**15))
    return relay


def read(relay: Relay, name: str, **fields: Any) -> Any:
    """The payload of a call that must succeed, held against the transcript."""
    found = payload(call(relay, Request(name, fields) if fields else valid_request(name)), name)
    conforms(ANSWERS[name][0], found, name)
    all_integers_safe(found)
    return found
