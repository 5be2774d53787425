"""The faults that a client must be ready for, by kind, and the lifecycles that its requests may have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.fault_effects import CODE, EFFECTS, endpoints_of
from mockrelay.testing.exploring.deviations import FaultDeviation, LifecycleDeviation

LATER_CODES = (C.ORDER_FREEZE_FAILED, C.ORDER_SUBMIT_FAILED, C.UNKNOWN_ERROR)
"""Codes that a client can get without having done anything wrong."""
_SIMPLEST = ("rate", "status", "lost request", "lost answer")
"""The kinds that are tried first, so that a failure shrinks to one of them where it can."""
_GROUPS = tuple(sample.group for effect in EFFECTS.values() for sample in effect.samples)
FAULT_KINDS = tuple(dict.fromkeys((*_SIMPLEST, *_GROUPS, "code")))


def fault_deviations(endpoint: str, nth: int, names: frozenset[str]) -> Iterator[tuple[str, FaultDeviation]]:
    """The faults of the named kinds that one call can have, each with its kind."""
    row = BY_NAME[endpoint]
    for effect in EFFECTS.values():
        for sample in effect.samples if endpoint in endpoints_of(effect) else ():
            if sample.group in names and (row.method == "POST" or not sample.only_posts):
                at = () if sample.at is None else (("at", sample.at.value),)
                yield sample.group, FaultDeviation(endpoint, nth, sample.sentence, ((effect.name, sample.value), *at))
    if "code" in names:
        for code in LATER_CODES:
            if any(judged.code is code for judged in row.codes):
                yield (
                    "code",
                    FaultDeviation(endpoint, nth, f"{{}} is refused with {int(code)}", ((CODE.name, int(code)),)),
                )


def lifecycle_deviations(kind: str) -> tuple[LifecycleDeviation, ...]:
    """The lifecycles of a kind of request other than the default one."""
    if kind == "cancel":
        return (
            LifecycleDeviation(kind, "a cancelled order is `cancelling` for 30s", {"cancelling": {"after": "30s"}}),
        )
    first = "processing" if kind.startswith("nft_") else "received"
    start: Mapping[str, Any] = {} if first == "processing" else {"received": {"after": "0s"}}
    name = f"each `{kind}`"
    found = [
        LifecycleDeviation(kind, f"{name} is processed after 30s", {**start, "processing": {"after": "30s"}}),
        LifecycleDeviation(kind, f"{name} is processed at the next call", {**start, "processing": {"after": "0s"}}),
        LifecycleDeviation(
            kind, f"{name} is processed with its block", {**start, "processing": {"after": {"blocks": 1}}}
        ),
        LifecycleDeviation(kind, f"{name} fails at once", {**start, "processing": {"after": "0s", "then": "failed"}}),
        LifecycleDeviation(
            kind, f"{name} fails after 30s", {**start, "processing": {"after": "30s", "then": "failed"}}
        ),
    ]
    if kind != "transfer":
        found.append(
            LifecycleDeviation(kind, f"{name} is processed when asked after twice", {**start, "processing": _TWO_POLLS})
        )
    if first == "received":
        slow = {"received": {"after": "30s"}, "processing": {"after": "0s"}}
        found.append(LifecycleDeviation(kind, f"{name} is `received` for 30s", slow))
    return tuple(found)


_TWO_POLLS: Mapping[str, Any] = {"after": {"polls": 2}}
