"""Carries out the control calls to a server: on its worlds, and on the report about all its relayers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mockrelay.control.answers import answer, refusal
from mockrelay.control.fields import Fields
from mockrelay.control.reports import zipped
from mockrelay.control.server_calls import (
    LIST_WORLDS,
    REMOVE_WORLD,
    REPORT,
    VERBS,
    ServerCall,
    fields_of,
    find_server_call,
)
from mockrelay.core.errors import MISSING, CommandRefused
from mockrelay.report import Report
from mockrelay.suggest import in_quotes
from mockrelay.web.hosted import HostedRelays
from mockrelay.web.http1 import CONTROL_ROOT, Target, control_error
from mockrelay.wire.http import RawRequest, Response

Words = tuple[str, ...]
Action = Callable[[Fields, Words], Any]
"""What a call does, with its fields and the values of the path's parameters: the JSON value of the answer, or a Response."""


class ServerCalls:
    """The calls to one server. `report` gives the report about all its relayers."""

    def __init__(self, worlds: HostedRelays, report: Callable[[], Report]) -> None:
        self._worlds = worlds
        self._report = report
        self._actions: Mapping[ServerCall, Action] = {
            LIST_WORLDS: lambda fields, words: worlds.views(),
            REMOVE_WORLD: self._remove_world,
            REPORT: lambda fields, words: zipped(report()),
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
        return value if isinstance(value, Response) else answer(200, value)

    def _remove_world(self, fields: Fields, words: Words) -> Any:
        is_reported = fields.boolean("report") if "report" in fields else True
        if not self._worlds.remove(words[0], is_reported=is_reported):
            meant = f"one that GET {LIST_WORLDS.path} lists"
            raise CommandRefused(MISSING, f"there is no world {in_quotes(words[0])}", "name", meant)
        return {"name": words[0]}
