"""The troubles that a client must be ready for, by kind, and the paces at which requests may go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.fault_effects import CODE, EFFECTS, endpoints_of
from mockrelay.testing.exploring.deviations import Pace, Trouble

LATER_CODES = (C.ORDER_FREEZE_FAILED, C.ORDER_SUBMIT_FAILED, C.UNKNOWN_ERROR)
"""Codes that come without the client having done anything wrong."""
_PLAINEST = ("rate", "status", "lost request", "lost answer")
"""The sorts that come first, so that a failure shrinks to one of them where it can."""
_GROUPS = tuple(sample.group for effect in EFFECTS.values() for sample in effect.samples)
SORT_NAMES = tuple(dict.fromkeys((*_PLAINEST, *_GROUPS, "code")))


def troubles_of(endpoint: str, nth: int, names: frozenset[str]) -> Iterator[tuple[str, Trouble]]:
    """What may befall one call, each with the name of its sort."""
    row = BY_NAME[endpoint]
    for effect in EFFECTS.values():
        for sample in effect.samples if endpoint in endpoints_of(effect) else ():
            if sample.group in names and (row.method == "POST" or not sample.only_posts):
                at = () if sample.at is None else (("at", sample.at.value),)
                yield sample.group, Trouble(endpoint, nth, sample.sentence, ((effect.name, sample.value), *at))
    if "code" in names:
        for code in LATER_CODES:
            if any(judged.code is code for judged in row.codes):
                yield "code", Trouble(endpoint, nth, f"{{}} is refused with {int(code)}", ((CODE.name, int(code)),))


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
