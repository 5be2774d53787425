"""Faults as scenarios and the control API ask for them: plain fields in, a checked fault out (design: Faults)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.core.faults import KIND_RULES, At, Fault, FaultKind, SpoiltBody
from mockrelay.core.units import duration_ms
from mockrelay.core.wording import LISTED_MAX, any_of, nearest, number_meant, shown
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.vocab import HeldAs, NodeState, RequestStatus

KIND_FIELDS = tuple(kind.value for kind in FaultKind)
FAULT_FIELDS = ("name", "on", *KIND_FIELDS, "message", "when", "nth", "times", "at")
COUNT_MAX = 2**32 - 1
CODE_MAX = 2**53 - 1
LEAST_HTTP_STATUS, MOST_HTTP_STATUS = 100, 599


class WrongFaultError(ValueError):
    """A fault that cannot be: the field to blame, what was found there, and what was meant."""

    def __init__(
        self, field: str, found: str, meant: str, *, blames_name: bool = False, inner: str | None = None
    ) -> None:
        super().__init__(field, found, meant)
        self.field = field
        self.found = found
        self.meant = meant
        self.blames_name = blames_name
        """True: the field should not be there, whatever its value."""
        self.inner = inner
        """The field of the field, where that one alone is to blame."""


class _Form(NamedTuple):
    """How the value of a kind's field is read, and the field of the fault that keeps it."""

    read: Callable[[str, Any], Any]
    kept_as: str | None


def fault_of(given: Mapping[str, Any], fields_of: Callable[[str], Collection[str]]) -> Fault:
    """The fault that these fields (some of FAULT_FIELDS) ask for, not yet armed; WrongFaultError where there is none.
    `fields_of` says which fields the requests of an endpoint have.
    """
    kind = _kind(given)
    on = _endpoint(kind, given)
    fault = Fault(
        id="",
        name=_name("name", given["name"]) if "name" in given else "",
        on=on,
        kind=kind,
        when=_when("when", given["when"], fields_of(on)) if "when" in given else {},
        nth=_whole(1, COUNT_MAX)("nth", given["nth"]) if "nth" in given else 1,
        times=_whole(1, COUNT_MAX)("times", given["times"]) if "times" in given else 1,
        at=_point(kind, given),
        message=_message(kind, given),
    )
    form = _FORMS[kind]
    value = form.read(kind, given[kind])
    return fault if form.kept_as is None else fault._replace(**{form.kept_as: value})


def _kind(given: Mapping[str, Any]) -> FaultKind:
    kinds = [kind for kind in FaultKind if kind.value in given]
    if not kinds:
        raise WrongFaultError(KIND_FIELDS[0], "a fault that does nothing", any_of(KIND_FIELDS))
    if len(kinds) > 1:
        first, second = kinds[:2]
        found = f"{second.value!r} beside {first.value!r}"
        raise WrongFaultError(second, found, "one of them: a fault does one thing", blames_name=True)
    return kinds[0]


def _endpoint(kind: FaultKind, given: Mapping[str, Any]) -> str:
    if "on" not in given:
        raise WrongFaultError("on", "no 'on'", "on, which is required here")
    on, allowed = given["on"], KIND_RULES[kind].on or tuple(BY_NAME)
    if isinstance(on, str) and on in BY_NAME and on not in allowed:
        found = f"{shown(on)}, where {kind.value!r} has nothing to act on"
        raise WrongFaultError("on", found, any_of(allowed) if len(allowed) <= LISTED_MAX else nearest(on, allowed))
    return _word(allowed)("on", on)


def _point(kind: FaultKind, given: Mapping[str, Any]) -> At:
    points = KIND_RULES[kind].points
    if "at" not in given:
        # A kind without points acts inside the action, in place of what would have happened there.
        return points[0] if points else At.INSTEAD
    if not points:
        found = f"'at' beside {kind.value!r}"
        raise WrongFaultError("at", found, "no at: it acts inside the action", blames_name=True)
    return At(_word(points)("at", given["at"]))


def _message(kind: FaultKind, given: Mapping[str, Any]) -> str | None:
    if "message" not in given:
        return None
    if kind is not FaultKind.CODE:
        found = f"'message' beside {kind.value!r}"
        raise WrongFaultError("message", found, "it beside 'code' only", blames_name=True)
    return _text("message", given["message"])


def _text(field: str, value: Any) -> str:
    if not isinstance(value, str):
        raise WrongFaultError(field, shown(value), "a text, in quotes")
    return value


def _name(field: str, value: Any) -> str:
    # Scenarios lay faults over each other by name, so an empty one would name all that have none.
    if not _text(field, value):
        raise WrongFaultError(field, "an empty text", "a text")
    return str(value)


def _when(field: str, value: Any, known: Collection[str]) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise WrongFaultError(field, shown(value), "a map")
    for name in value:
        if name not in known:
            # A field that no request has would be a fault that never fires.
            found, meant = f"the unknown field {name!r}", nearest(name, known) if known else "no field: it takes none"
            raise WrongFaultError(field, found, meant, blames_name=True, inner=name)
    return value


def _duration_ms(field: str, value: Any) -> int:
    found = duration_ms(value) if isinstance(value, str) else None
    if found is None:
        raise WrongFaultError(field, shown(value), "a duration such as 15s (units ms, s, m, h, d)")
    return found


def _true(field: str, value: Any) -> bool:
    if value is not True:
        raise WrongFaultError(field, shown(value), "true")
    return True


def _whole(least: int, most: int) -> Callable[[str, Any], int]:
    def read(field: str, value: Any) -> int:
        if type(value) is not int or not least <= value <= most:
            meant = number_meant(value, f"a whole number from {least} to {most}")
            raise WrongFaultError(field, shown(value), meant)
        return value

    return read


def _word(words: Collection[str]) -> Callable[[str, Any], str]:
    def read(field: str, value: Any) -> str:
        if not isinstance(value, str):
            raise WrongFaultError(field, shown(value), any_of(words))
        if value not in words:
            # Of a few all are told, since the nearest in spelling need not be the one that was meant.
            is_short = len(words) <= LISTED_MAX and value.upper() not in map(str.upper, words)
            meant = any_of(words) if is_short else nearest(value, words)
            raise WrongFaultError(field, shown(value), meant)
        return value

    return read


def _held_as(field: str, value: Any) -> HeldAs:
    return HeldAs(_word(tuple(HeldAs))(field, value))


def _spoilt_body(field: str, value: Any) -> SpoiltBody:
    return SpoiltBody(_word(tuple(SpoiltBody))(field, value))


def _node_state(field: str, value: Any) -> NodeState:
    return NodeState(_word((NodeState.DOWN, NodeState.ERROR))(field, value))


_FORMS: Mapping[FaultKind, _Form] = MappingProxyType(
    {
        FaultKind.CODE: _Form(_whole(1, CODE_MAX), "code"),
        FaultKind.STATUS: _Form(_whole(LEAST_HTTP_STATUS, MOST_HTTP_STATUS), "status"),
        FaultKind.BODY: _Form(_spoilt_body, "body"),
        FaultKind.DELAY: _Form(_duration_ms, "delay_ms"),
        FaultKind.DROP: _Form(_true, None),
        FaultKind.HOLD: _Form(_held_as, "hold"),
        FaultKind.OUTCOME: _Form(_word((RequestStatus.FAILED,)), None),
        FaultKind.LAYER1: _Form(_node_state, "layer1"),
    }
)
