"""Writes a record line by line."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Any

from mockrelay.core.errors import CommandRefused
from mockrelay.recording.format import ANSWER, CALL, CONTROL, END, FORMAT, HEAD, MAIN, STATE, WS_IN, WS_OUT, Head
from mockrelay.recording.snapshots import RelayState
from mockrelay.recording.state_line import state_fields
from mockrelay.scenario import Scenario
from mockrelay.wire.http import RawRequest, Response
from mockrelay.wire.json_text import compact_json

UNAVAILABLE = 503
_MEANT = "room for the record and a new start with --resume, or a start with --on-record-failure continue"


class OnFailure(StrEnum):
    """What happens to a call or command that cannot be recorded."""

    REFUSE = "refuse"
    CONTINUE = "continue"


class RecordFailed(CommandRefused):
    """A call or command cannot be recorded, and so it is not carried out."""

    def __init__(self, reason: str) -> None:
        super().__init__(UNAVAILABLE, f"the record cannot be written: {reason}", "record", _MEANT)
        self.reason = reason


class Recorder:
    """Writes the lines of one world. `write` gets each with its line feed; its first error ends the record. After it
    each line raises RecordFailed (`on_failure` REFUSE) or is not written (CONTINUE).
    """

    __slots__ = ("_of", "failure", "on_failure", "write")

    def __init__(
        self, write: Callable[[str], object], of: str = MAIN, on_failure: OnFailure = OnFailure.REFUSE
    ) -> None:
        self.write = write
        self._of = {} if of == MAIN else {"of": of}
        self.on_failure = on_failure
        self.failure: RecordFailed | None = None

    def head(self, head: Head) -> None:
        """Write the first line."""
        self._line(HEAD, {"format": FORMAT, **head._asdict()})

    def state(self, state: RelayState, head_scenario: Scenario, wall_ms: int | None) -> None:
        """Write the whole state of the relayer; `wall_ms` is the machine's time, None for a dump."""
        fields = state_fields(state, head_scenario)
        self._line(STATE, fields if wall_ms is None else {"wall_ms": wall_ms, **fields})

    def call(self, seq: int, now_ms: int, wall_ms: int, raw: RawRequest) -> None:
        """Write a call, before it is answered."""
        self._line(CALL, {"seq": seq, "now_ms": now_ms, "wall_ms": wall_ms, **_request(raw)})

    def control(self, now_ms: int, wall_ms: int, command: str, fields: Mapping[str, Any]) -> None:
        """Write a command, before it is carried out."""
        self._line(CONTROL, {"now_ms": now_ms, "wall_ms": wall_ms, "command": command, "fields": fields})

    def answer(self, seq: int, response: Response) -> None:
        """Write an answer. A failure raises nothing: the call is recorded and has been carried out."""
        fields = {"seq": seq, "status": response.status, "headers": response.headers, **_bytes("body", response.body)}
        with suppress(RecordFailed):
            self._line(ANSWER, fields | {"drop": response.drop})

    def socket_event(self, session: str, now_ms: int, wall_ms: int, event: str, text: str) -> None:
        """Write what happened on a WebSocket, before it takes effect."""
        fields = {"now_ms": now_ms, "wall_ms": wall_ms, "session": session, "event": event, "text": text}
        self._line(WS_IN, fields)

    def socket_out(self, out: Mapping[str, Any]) -> None:
        """Write what was sent on a WebSocket. A failure raises nothing: it has taken effect."""
        with suppress(RecordFailed):
            self._line(WS_OUT, out)

    def end(self) -> None:
        """Write that the world was removed."""
        self._line(END, {})

    def _line(self, kind: str, value: Mapping[str, Any]) -> None:
        if self.failure is None:
            text = compact_json({"kind": kind, **self._of, **value}) + "\n"
            try:
                self.write(text)
            except Exception as error:  # noqa: BLE001 - after any error the line is missing
                self.failure = RecordFailed(getattr(error, "strerror", None) or str(error) or type(error).__name__)
        if self.failure is not None and self.on_failure is OnFailure.REFUSE:
            raise RecordFailed(self.failure.reason)


def _request(raw: RawRequest) -> dict[str, Any]:
    return {
        "method": raw.method,
        "path": raw.path,
        "target": raw.raw_target,
        "query": raw.query,
        "headers": dict(raw.headers),
        **_bytes("body", raw.body),
        "scheme": raw.scheme,
        "host": raw.host,
        "remote": raw.remote,
    }


def _bytes(name: str, body: bytes) -> dict[str, str]:
    try:
        return {name: body.decode()}
    except UnicodeDecodeError:
        return {f"{name}64": base64.b64encode(body).decode()}
