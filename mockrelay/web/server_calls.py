"""Carries out the control calls to a server: on its worlds, and on the report about all its relayers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mockrelay.control.answers import answer, as_refused, refusal
from mockrelay.control.fields import Fields
from mockrelay.control.files import ReadFile
from mockrelay.control.reports import zipped
from mockrelay.control.routes import with_file
from mockrelay.control.server_calls import (
    LIST_WORLDS,
    MAKE_NAMED_WORLD,
    MAKE_WORLD,
    METRICS,
    REMOVE_WORLD,
    REMOVE_WORLDS,
    REPORT,
    SHUTDOWN,
    VERBS,
    ServerCall,
    fields_of,
    find_server_call,
)
from mockrelay.core.errors import CONFLICT, MISSING, CommandRefused, InvalidInput
from mockrelay.relay import Relay
from mockrelay.relay.commands import COMMANDS, Reset
from mockrelay.report import Report
from mockrelay.suggest import in_quotes
from mockrelay.web.hosted import HostedRelays
from mockrelay.web.http1 import CONTROL_ROOT, Target, control_error
from mockrelay.wire.commands import parse
from mockrelay.wire.http import RawRequest, Response

Words = tuple[str, ...]
Action = Callable[[Fields, Words], Any]
"""What a call does, with its fields and the values of the path's parameters: the JSON value of the answer, or a Response."""


class ServerCalls:
    """The calls to one server. `report` gives the report about all its relayers, `measure` its metrics."""

    def __init__(
        self,
        main: Relay,
        worlds: HostedRelays,
        report: Callable[[], Report],
        measure: Callable[[], Response],
        read_file: ReadFile,
    ) -> None:
        self.stop: Callable[[], object] | None = None
        """Has the server stop soon; None: the program that runs it stops it."""
        self._main = main
        self._worlds = worlds
        self._read_file = read_file
        self._actions: Mapping[ServerCall, Action] = {
            LIST_WORLDS: lambda fields, words: worlds.views(),
            MAKE_WORLD: self._make_world,
            MAKE_NAMED_WORLD: self._make_world,
            REMOVE_WORLDS: self._remove_worlds,
            REMOVE_WORLD: self._remove_world,
            REPORT: lambda fields, words: zipped(report()),
            METRICS: lambda fields, words: measure(),
            SHUTDOWN: self._stop,
        }

    def answer(self, raw: RawRequest, target: Target) -> Response | None:
        """The answer to a control request that is for the server; None: it is for a relayer."""
        path = target.path[len(CONTROL_ROOT) :].strip("/")
        verb = path.partition("/")[0]
        if verb not in VERBS:
            return None
        if target.world is not None:
            meant = f"{CONTROL_ROOT}/{verb}, without /w/NAME before it"
            return control_error(404, f"a world has no {verb}", "path", meant)
        try:
            call, words = find_server_call(raw.method, path)
            value = self._actions[call](fields_of(call, raw.query, raw.body), words)
        except CommandRefused as refused:
            return refusal(refused)
        except InvalidInput as wrong:
            return refusal(as_refused(wrong))
        return value if isinstance(value, Response) else answer(200, value)

    def _make_world(self, fields: Fields, words: Words) -> Any:
        name = words[0] if words else fields.text("name")
        reset = parse(COMMANDS, MAKE_WORLD.command, fields.others("name"))
        assert isinstance(reset, Reset)
        return self._worlds.make(name, with_file(reset, self._read_file).start(self._main))

    def _stop(self, fields: Fields, words: Words) -> Any:
        if self.stop is None:
            error = "this server ends with the program that runs it, and not by a call"
            raise CommandRefused(CONFLICT, error, "path", "a server of `mockrelay serve`")
        self.stop()
        return {"status": "stopping"}

    def _remove_worlds(self, fields: Fields, words: Words) -> Any:
        is_reported = _is_reported(fields)
        names = [name for name, _ in self._worlds.relays()]
        return [name for name in names if self._worlds.remove(name, is_reported=is_reported)]

    def _remove_world(self, fields: Fields, words: Words) -> Any:
        if not self._worlds.remove(words[0], is_reported=_is_reported(fields)):
            meant = f"one that GET {LIST_WORLDS.path} lists"
            raise CommandRefused(MISSING, f"there is no world {in_quotes(words[0])}", "name", meant)
        return {"name": words[0]}


def _is_reported(fields: Fields) -> bool:
    """Whether what is known of the clients of a world that is removed counts in reports."""
    return fields.boolean("report") if "report" in fields else True
