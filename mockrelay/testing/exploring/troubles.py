"""The troubles that a client must be ready for, by kind, and the paces at which requests may go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mockrelay.core.faults import KIND_RULES, FaultKind
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.testing.exploring.deviations import Pace, Trouble

LATER_CODES = (C.ORDER_FREEZE_FAILED, C.ORDER_SUBMIT_FAILED, C.UNKNOWN_ERROR)
"""Codes that come without the client having done anything wrong."""
_ASYNC = ("received", "processing")


class Sort(NamedTuple):
    """A sort of trouble."""

    name: str
    told: str
    """For people, with the call in the place of `{}`."""
    does: tuple[tuple[str, Any], ...]
    only_posts: bool = False


SORTS: tuple[Sort, ...] = (
    Sort("rate", "{} is refused with status 429", (("status", 429), ("at", "instead"))),
    Sort("status", "{} is refused with status 503", (("status", 503), ("at", "instead"))),
    Sort("lost request", "{} is lost on its way", (("drop", True), ("at", "instead"))),
    Sort("lost answer", "{} is carried out and its answer lost", (("drop", True),), only_posts=True),
    Sort("spoilt status", "{} is carried out and answered with status 502", (("status", 502),), only_posts=True),
    Sort("body", "the answer to {} is a page of HTML", (("body", "html"),)),
    Sort("body", "the answer to {} is cut off", (("body", "truncated"),)),
    Sort("body", "the answer to {} is empty", (("body", "empty"),)),
    Sort("hold", "{} is held as UNKNOWN", (("hold", "UNKNOWN"),)),
    Sort("hold", "{} is held as WAIT_FREEZE_BALANCE", (("hold", "WAIT_FREEZE_BALANCE"),)),
    Sort("outcome", "{} is accepted and fails later", (("outcome", "failed"),)),
    Sort("layer1", "layer 1 is down for {}", (("layer1", "down"),)),
    Sort("layer1", "layer 1 is in error for {}", (("layer1", "error"),)),
)
"""Held answers (`delay`) are not among them: a clock that stands still would never let them go."""
SORT_NAMES = tuple(dict.fromkeys((*(sort.name for sort in SORTS), "code")))


def troubles_of(endpoint: str, nth: int, names: frozenset[str]) -> Iterator[tuple[str, Trouble]]:
    """What may befall one call, each with the name of its sort."""
    row = BY_NAME[endpoint]
    for sort in SORTS:
        if sort.name in names and _may_befall(sort, endpoint) and (row.method == "POST" or not sort.only_posts):
            yield sort.name, Trouble(endpoint, nth, sort.told, sort.does)
    if "code" in names:
        for code in LATER_CODES:
            if any(judged.code is code for judged in row.codes):
                yield "code", Trouble(endpoint, nth, f"{{}} is refused with {int(code)}", (("code", int(code)),))


def _may_befall(sort: Sort, endpoint: str) -> bool:
    kind = next(FaultKind(name) for name, _ in sort.does if name != "at")
    return endpoint in (KIND_RULES[kind].on or (endpoint,))


def paces_of(kind: str) -> tuple[Pace, ...]:
    """How requests of a kind may go on, the usual way not among them."""
    if kind == "cancel":
        return (Pace(kind, "a cancelled order is `cancelling` for 30s", {"cancelling": {"after": "30s"}}),)
    first = "processing" if kind.startswith("nft_") else "received"
    start: Mapping[str, Any] = {} if first == "processing" else {"received": {"after": "0s"}}
    name = f"each `{kind}`"
    found = [
        Pace(kind, f"{name} is processed after 30s", {**start, "processing": {"after": "30s"}}),
        Pace(kind, f"{name} is processed at the next call", {**start, "processing": {"after": "0s"}}),
        Pace(kind, f"{name} is processed with its block", {**start, "processing": {"after": {"blocks": 1}}}),
        Pace(kind, f"{name} fails at once", {**start, "processing": {"after": "0s", "then": "failed"}}),
        Pace(kind, f"{name} fails after 30s", {**start, "processing": {"after": "30s", "then": "failed"}}),
    ]
    if kind != "transfer":
        found.append(Pace(kind, f"{name} is processed when asked after twice", {**start, "processing": _TWO_POLLS}))
    if first == "received":
        slow = {"received": {"after": "30s"}, "processing": {"after": "0s"}}
        found.append(Pace(kind, f"{name} is `received` for 30s", slow))
    return tuple(found)


_TWO_POLLS: Mapping[str, Any] = {"after": {"polls": 2}}
