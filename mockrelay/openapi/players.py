"""Run the scripts: one step a second of the relayer's clock, with an example of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mockrelay.openapi.calls import call_of
from mockrelay.openapi.playing import (
    Control,
    ControlExample,
    Example,
    Json,
    ScriptCall,
    facts_of,
    fresh_relay,
    prepare,
    send,
    send_control,
    signature_of,
    value_of,
)

STEP_MS = 1000
"""The time from one step to the next, so that no step counts towards the rate limit of the next."""


class Player:
    """Makes calls to a relay, one step a second, and collects the examples."""

    def __init__(self) -> None:
        self.relay = fresh_relay()
        self.examples: list[Example] = []

    def wait(self, seconds: int) -> None:
        """Move the relayer's clock ahead."""
        self.relay.advance(seconds * 1000)

    def play(
        self,
        endpoint: str,
        fields: Mapping[str, Json] | None = None,
        *,
        account: str | None = "alice",
        before: Sequence[Control] = (),
        times: int = 1,
        code: int = 0,
    ) -> Json:
        """Make one step; its answer. `code` is the expected code; another one is a bug of the script."""
        self.relay.advance(STEP_MS)
        for first in before:
            prepare(self.relay, first)
        call = ScriptCall(endpoint, fields or {}, account)
        response = [send(self.relay, call) for _ in range(times)][-1]
        example = Example(
            step=len(self.examples) + 1,
            now_ms=self.relay.now_ms(),
            endpoint=endpoint,
            fields=call.fields,
            account=account,
            signature=signature_of(endpoint),
            before=tuple(before),
            times=times,
            status=response.status,
            answer=value_of(response),
        )
        assert example.code == code, (endpoint, fields, example.answer)
        self.examples.append(example)
        return example.answer


class ControlPlayer:
    """The same for control calls."""

    def __init__(self) -> None:
        self.relay = fresh_relay()
        self.facts = facts_of(self.relay)
        self.examples: list[ControlExample] = []
        self._before: list[ScriptCall | Control] = []

    def prepare(self, call: ScriptCall | Control) -> Json:
        """Make a call before the next example; its answer."""
        self._begin()
        self._before.append(call)
        return prepare(self.relay, call)

    def play(self, method: str, path: str, body: Json = None, *, status: int = 200) -> Json:
        """Make one step; its answer. `status` is the expected status."""
        self._begin()
        now_ms = self.relay.now_ms()
        called, words = call_of(method, path)
        response = send_control(self.relay, Control(method, path, body))
        answer = value_of(response)
        assert response.status == status, (method, path, body, answer)
        step = len(self.examples) + 1
        example = ControlExample(step, now_ms, called.operation_id, words, body, tuple(self._before), status, answer)
        self.examples.append(example)
        self._before = []
        return answer

    def _begin(self) -> None:
        if not self._before:
            self.relay.advance(STEP_MS)
