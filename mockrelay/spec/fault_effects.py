"""What a scripted fault can do to a call: one row an effect.

All else follows from an effect's row: how it is read, checked, shown and saved, its place in the schemas of scenarios and
of the control API, in the guide's table and among the faults that `explore` draws. What an effect does is written once, at
the place that its phase names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.spec.codes import Code
from mockrelay.spec.endpoint import SPEC, Endpoint
from mockrelay.spec.endpoints import ALL_ENDPOINTS, BY_NAME
from mockrelay.spec.request_kinds import SUBMISSIONS
from mockrelay.spec.sockets import ON_MESSAGE, ON_PUSH, Ending, PushTrouble
from mockrelay.spec.vocab import HeldAs, NodeState, RequestStatus

Schema = Mapping[str, Any]
"""A JSON Schema. A `$ref` is the name of a schema object. `x-meant` says what an error means where the schema does not."""

COUNT_MAX = 2**32 - 1
CODE_MAX = 2**53 - 1
DURATION, FAULT_TARGET = "Duration", "FaultTarget"
"""The schema objects that a `$ref` may name."""


class Point(StrEnum):
    """When a fault acts, unless it does so inside the endpoint's action."""

    BEFORE = "before"
    """Ahead of the limiter; nothing is counted."""
    INSTEAD = "instead"
    """After limiter, key, signature header and shape, in place of the endpoint's own checks and action."""
    AFTER = "after"
    """Once the call is applied: only its answer is changed."""


class Phase(IntEnum):
    """What an effect acts on. Where faults of several phases meet at one point, the lower phase comes first."""

    ANSWER = 1
    """It gives an answer in place of the endpoint's (`wire.encode.encode_scripted`)."""
    CONTENT = 2
    """It changes what is sent of an answer (`wire.encode.ALTERATIONS`)."""
    TIMING = 3
    """It changes when an answer is sent (`wire.encode.ALTERATIONS`)."""
    ACTION = 4
    """It changes what an endpoint's action does, which asks for it (`Context.fire_fault`)."""


class SpoiltBody(StrEnum):
    """What becomes of an answer's body."""

    MALFORMED = "malformed"
    TRUNCATED = "truncated"
    HTML = "html"
    EMPTY = "empty"


class Sample(NamedTuple):
    """One use of an effect that clients must be ready for, as `explore` draws it."""

    group: str
    """What `explore(trouble=…)` calls it."""
    sentence: str
    """For people, with the call in the place of `{}`."""
    value: Any
    at: Point | None = None
    """None: at the effect's default point."""
    only_posts: bool = False


class FaultEffect(NamedTuple):
    """One effect; its name is the field of a fault that has its value."""

    name: str
    phase: Phase
    value: Schema
    does: str
    """What the client meets, in a sentence."""
    met: str
    """What the client met, in a report on one call, with the value of the effect in the place of `{}`."""
    points: tuple[Point, ...] = ()
    """The points at which it may act, the default first; none: it acts inside the action."""
    endpoints: tuple[str, ...] = ()
    """The endpoints that it can act on; none: all."""
    beside: Mapping[str, Schema] = MappingProxyType({})
    """Further fields of the fault that are its alone; each may be left out."""
    samples: tuple[Sample, ...] = ()


def _whole(least: int, most: int, **more: Any) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most, **more}


def _word(*words: str) -> Schema:
    return {"type": "string", "enum": [str(word) for word in words]}


def _names(acts_on: Callable[[Endpoint], bool]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.name for row in ALL_ENDPOINTS if acts_on(row)))


_NODE_CODES = frozenset(code for code in Code if code.name.startswith("LAYER1_") or code is Code.GAS_PRICE_UNAVAILABLE)
"""What calls are answered that ask layer 1, where it does not answer."""
NAME_MAX, TEXT_MAX = 200, 1000
"""How many characters the name of a fault and its message may have."""
_FROM_AFTER = (Point.AFTER, Point.BEFORE, Point.INSTEAD)

CODE = FaultEffect(
    "code",
    Phase.ANSWER,
    _whole(1, CODE_MAX, examples=[102014]),
    "The answer is that code, of the specification or not, in the endpoint's place.",
    "code {} in place of the answer",
    points=(Point.INSTEAD, Point.BEFORE, Point.AFTER),
    beside={"message": {"type": "string", "maxLength": TEXT_MAX, "description": "The message beside the code."}},
)
STATUS = FaultEffect(
    "status",
    Phase.CONTENT,
    _whole(200, 599, examples=[503]),
    "The answer has that HTTP status and is otherwise right; with `at: instead` nothing is applied.",
    "{} in place of the answer",
    points=_FROM_AFTER,
    samples=(
        Sample("status", "{} is refused with status 503", 503, Point.INSTEAD),
        Sample("spoilt status", "{} is carried out and answered with status 502", 502, only_posts=True),
    ),
)
BODY = FaultEffect(
    "body",
    Phase.CONTENT,
    _word(*SpoiltBody),
    "The answer has that body.",
    "body of the answer {}",
    points=_FROM_AFTER,
    samples=(
        Sample("body", "the answer to {} is a page of HTML", "html"),
        Sample("body", "the answer to {} is cut off", "truncated"),
        Sample("body", "the answer to {} is empty", "empty"),
    ),
)
# Without samples: a clock that stands still would never let the answer go.
DELAY = FaultEffect(
    "delay",
    Phase.TIMING,
    {"$ref": DURATION, "x-meant": "a duration such as 15s (units ms, s, m, h, d)", "examples": ["30s"]},
    "The answer comes that much later on the relayer's clock.",
    "held for {}",
    points=_FROM_AFTER,
)
RATE_LIMIT = FaultEffect(
    "rate_limit",
    Phase.ANSWER,
    {"type": "boolean", "const": True},
    "The call is refused as by a rate limit, in the way that the choices `rate.status`, `rate.body` and `rate.retry_after` say.",
    "refused as by the rate limit",
    points=(Point.INSTEAD, Point.BEFORE),
    samples=(Sample("rate", "{} is refused for its rate", value=True),),
)
DROP = FaultEffect(
    "drop",
    Phase.CONTENT,
    {"type": "boolean", "const": True},
    "The connection is closed without an answer.",
    "answer lost",
    points=_FROM_AFTER,
    samples=(
        Sample("lost request", "{} is lost on its way", value=True, at=Point.INSTEAD),
        Sample("lost answer", "{} is carried out and its answer lost", value=True, only_posts=True),
    ),
)
HOLD = FaultEffect(
    "hold",
    Phase.ACTION,
    _word(*HeldAs),
    "The order is taken but not settled, until `release`; both words are answered with `UNKNOWN`.",
    "order held as {}",
    endpoints=("submit_order", "submit_order_v2"),
    samples=tuple(Sample("hold", f"{{}} is held as {word}", word.value) for word in HeldAs),
)
OUTCOME = FaultEffect(
    "outcome",
    Phase.ACTION,
    _word(RequestStatus.FAILED),
    "The request is accepted, and fails in the end.",
    "{} in the end",
    endpoints=_names(lambda row: row.id in SUBMISSIONS),
    samples=(Sample("outcome", "{} is accepted and fails later", RequestStatus.FAILED.value),),
)
LAYER1 = FaultEffect(
    "layer1",
    Phase.ACTION,
    _word(NodeState.DOWN, NodeState.ERROR),
    "Layer 1 does not answer this call.",
    "layer 1 {}",
    endpoints=_names(lambda row: not _NODE_CODES.isdisjoint(row.listed_codes)),
    samples=(
        Sample("layer1", "layer 1 is down for {}", NodeState.DOWN.value),
        Sample("layer1", "layer 1 is in error for {}", NodeState.ERROR.value),
    ),
)

# Without samples: `explore` draws none, since its clients are called through HTTP alone.
DISCONNECT = FaultEffect(
    "disconnect",
    Phase.ACTION,
    _word(*Ending),
    "The WebSocket ends in place of the push or of the answer to the message: closed, broken off, silent, or cut off as slow.",
    "connection ended, {}",
    endpoints=(ON_MESSAGE, ON_PUSH),
)
PUSH = FaultEffect(
    "push",
    Phase.ACTION,
    _word(*PushTrouble),
    "The push is left out, sent twice, held with all behind it until `release`, or sent behind the next one.",
    "push: {}",
    endpoints=(ON_PUSH,),
)
REFUSE = FaultEffect(
    "refuse",
    Phase.ACTION,
    _whole(1, CODE_MAX, examples=[104115]),
    "The client's message is refused with that code, and nothing of it is done.",
    "refused with code {}",
    endpoints=(ON_MESSAGE,),
)

EFFECTS: Mapping[str, FaultEffect] = MappingProxyType(
    {
        row.name: row
        for row in (
            *(CODE, STATUS, BODY, DELAY, DROP, HOLD, OUTCOME, LAYER1, RATE_LIMIT),
            *(DISCONNECT, PUSH, REFUSE),
        )
    }
)
"""All effects by name, in the order in which they are listed."""

FIELDS: Mapping[str, Schema] = MappingProxyType(
    {
        "name": {
            "type": "string",
            "minLength": 1,
            "maxLength": NAME_MAX,
            "description": "What it is called; one laid over another has its name.",
        },
        "on": {"$ref": FAULT_TARGET, "description": "The endpoint, or what happens on a WebSocket."},
        **{row.name: {**row.value, "description": row.does} for row in EFFECTS.values()},
        **{name: schema for row in EFFECTS.values() for name, schema in row.beside.items()},
        "when": {"type": "object", "description": "Decoded fields that the call must have."},
        "nth": _whole(1, COUNT_MAX, description="The first matching call that it fires on, counted from 1."),
        "times": _whole(1, COUNT_MAX, default=1, description="How many matching calls it fires on, from that one on."),
        "at": {
            **_word(*Point),
            "description": "When it acts: ahead of everything, in place of the action, or once that is done.",
        },
    }
)
"""The schema of each field of a fault, in the order in which they are listed."""


def endpoints_of(effect: FaultEffect) -> tuple[str, ...]:
    """The names of the endpoints that an effect can act on."""
    return effect.endpoints or tuple(BY_NAME)


def shown_endpoints(effect: FaultEffect) -> tuple[str, ...]:
    """Those of them that every profile has; what is none of HTTP is always among them."""
    return tuple(name for name in endpoints_of(effect) if name not in BY_NAME or BY_NAME[name].profile == SPEC)


def effects_at(at: Point, *phases: Phase) -> tuple[FaultEffect, ...]:
    """The effects of these phases that may act at a point, in the order in which they act where several meet."""
    return tuple(row for phase in sorted(phases) for row in EFFECTS.values() if row.phase is phase and at in row.points)
