"""A record made shorter that still differs: the fewest calls and acts of control that lead to the same difference.

What wrote the record cannot be asked again, so the answer that it gave to the call in question stands as it is. It is the
same difference as long as that call is answered today by the very bytes (but for the request's number) by which it is
answered at the end of the whole record: then nothing that was left out had a part in it. Answers before it that come out
otherwise without what was left out are left out too; the calls themselves stay. Where mockrelay fails, it must fail on
the same line in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mockrelay.recording.format import ANSWER, CALL, END, STATE, Head, Step, head_of
from mockrelay.relay.relay import REQUEST_ID_HEADER
from mockrelay.replay.diff import NUMBER, parts_of
from mockrelay.replay.load import again
from mockrelay.replay.replay import Difference

if TYPE_CHECKING:
    from mockrelay.relay.relay import Relay
    from mockrelay.wire.http import Response

T = TypeVar("T")

Make = Callable[[Head], "Relay"]


class NotToShrinkError(ValueError):
    """A difference that does not outlive a shorter record, and why."""


class Deed(NamedTuple):
    """A call with the answer that was recorded, a command, or a state that was loaded."""

    step: Step
    answer: Step | None


class Script(NamedTuple):
    """What can be left out of a world's lines, and what cannot."""

    head: Step
    standing: Sequence[Step]
    """The lines that say where the world stands."""
    deeds: Sequence[Deed]
    """What came before the last one."""
    last: Deed
    """The one that is answered otherwise, or on which we fail."""
    aim: object
    """What the last one comes to: status, headers, body; or the kind of error on which we fail."""


def script_of(steps: Sequence[Step], difference: Difference) -> Script:
    """The lines of the world of a difference, up to it. Raises NotToShrinkError."""
    if difference.parts and all(_is_number(part.where) for part in difference.parts):
        raise NotToShrinkError("the answer differs in its number alone, which is another in every shorter record")
    standing = list(takewhile(lambda step: step.kind == STATE, steps[1:]))
    deeds: list[Deed] = []
    for step in steps[1 + len(standing) :]:
        if step.line > difference.call.line:
            break
        if step.kind == ANSWER:
            deeds[-1] = deeds[-1]._replace(answer=step)
        elif step.kind != END:
            deeds.append(Deed(step, None))
    aim = type(difference.failure) if difference.response is None else _without_number(difference.response)
    return Script(steps[0], standing, deeds[:-1], Deed(difference.call, difference.answer), aim)


def shrinking(script: Script, make: Make, tried: Callable[[], object] = lambda: None) -> Iterator[Sequence[Deed]]:
    """Ever fewer of a script's deeds that lead to the same difference; those given last are the fewest: none of them can
    be left out. `tried` is called for each attempt. Raises NotToShrinkError where not even all of them lead to it.
    """

    def holds(deeds: Sequence[Deed]) -> bool:
        tried()
        return _end(script, deeds, make) == script.aim

    if not holds(script.deeds):
        raise NotToShrinkError("the difference did not come again, so it follows from more than the record")
    yield script.deeds
    yield from fewer(script.deeds, holds)


def fewer(items: Sequence[T], holds: Callable[[Sequence[T]], bool]) -> Iterator[Sequence[T]]:
    """Ever shorter selections, in order, for which something holds that holds for all of them. Of the last one no item
    can be left out. The last items are tried first, in pieces of half the length each time.
    """
    kept = list(items)
    size = len(kept)
    while kept:
        before = len(kept)
        for end in range(before, 0, -size):
            shorter = kept[: max(end - size, 0)] + kept[end:]
            if holds(shorter):
                kept = shorter
                yield list(kept)
        if size > 1:
            size = min((size + 1) // 2, len(kept))
        elif len(kept) == before:
            return


def record_of(script: Script, deeds: Sequence[Deed], make: Make) -> bytes:
    """The record of a script with these of its deeds, as one of the main world. Requests are numbered anew, and answers
    before the last that are not given today are left out.
    """
    relay = make(head_of([script.head]))
    for step in script.standing:
        again(relay, step)
    lines = [script.head, *script.standing]
    for step, answer in (*deeds, script.last):
        seq = relay.request_count + (step.kind == CALL)
        lines.append(_numbered(step, seq))
        if step is script.last.step:
            lines += [] if answer is None else [_numbered(answer, seq)]
            break
        told = again(relay, step).told
        if answer is not None and told is not None:
            renumbered = _numbered(answer, seq)
            lines += [] if any(parts_of(renumbered, *told)) else [renumbered]
    return b"".join(map(_line, lines))


def _end(script: Script, deeds: Sequence[Deed], make: Make) -> object:
    """What the last deed comes to after these; None where another one fails."""
    relay = make(head_of([script.head]))
    try:
        for step in script.standing:
            again(relay, step)
        for deed in deeds:
            again(relay, deed.step)
    except Exception:  # noqa: BLE001 - whatever it is, it is not what is looked for
        return None
    try:
        told = again(relay, script.last.step).told
    except Exception as error:  # noqa: BLE001 - see above; it is told by what it is
        return type(error)
    return None if told is None else _without_number(told[1])


def _without_number(response: Response) -> object:
    headers = [header for header in response.headers if header[0] != REQUEST_ID_HEADER]
    return response.status, headers, response.body, response.drop


def _is_number(where: str) -> bool:
    return where in (NUMBER, f"header {REQUEST_ID_HEADER}")


def _numbered(step: Step, seq: int) -> Step:
    """A call or an answer under another number; any other line as it is."""
    if "seq" not in step.value:
        return step
    old = f"r{step.value['seq']}"
    value: dict[str, Any] = {**step.value, "seq": seq}
    if isinstance(headers := value.get("headers"), list):
        value["headers"] = [[REQUEST_ID_HEADER, f"r{seq}"] if h == [REQUEST_ID_HEADER, old] else h for h in headers]
    return step._replace(value=value)


def _line(step: Step) -> bytes:
    value: Mapping[str, Any] = {name: given for name, given in step.value.items() if name != "of"}
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
