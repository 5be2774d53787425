"""The table of control calls to a server, which a relayer by itself cannot answer."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from mockrelay.control.answers import METHOD_WRONG
from mockrelay.control.bodies import object_of
from mockrelay.control.fields import Fields
from mockrelay.core.errors import BAD, MISSING, CommandRefused
from mockrelay.relay.commands import COMMANDS, Reset
from mockrelay.suggest import cut, in_quotes
from mockrelay.wire.schemas import Place, document, properties_of

_IN_BRACES = re.compile(r"\{\w+\}")


class ServerCall(NamedTuple):
    """A control call to a server: its method, its path after `/__mockrelay/`, its fields, and what it does."""

    method: str
    path: str
    """With `{name}` for a parameter."""
    fields: tuple[str, ...]
    summary: str
    command: str = ""
    """The name of a command whose fields it has too."""

    @property
    def all_fields(self) -> tuple[str, ...]:
        """Its fields, and those of its command."""
        if not self.command:
            return self.fields
        file_id = COMMANDS[self.command].schema_id
        return (*self.fields, *properties_of(Place(document(file_id), file_id)))

    @property
    def verb(self) -> str:
        """The first word of the path."""
        return self.path.partition("/")[0]


MAKE_WORLD = ServerCall("POST", "worlds", ("name",), "Make a world, with a start of its own", command=Reset.name)
MAKE_NAMED_WORLD = ServerCall(
    "POST", "worlds/{name}", (), "Make a world whose name a proxy can see, with a start of its own", command=Reset.name
)
REMOVE_WORLDS = ServerCall("DELETE", "worlds", ("report",), "Forget all worlds")
LIST_WORLDS = ServerCall("GET", "worlds", (), "All worlds that there are under `/w/`")
REMOVE_WORLD = ServerCall("DELETE", "worlds/{name}", ("report",), "Forget a world; its next use makes it anew")
REPORT = ServerCall("POST", "report", (), "The report about all clients, those of removed worlds too, as a zip")
METRICS = ServerCall("GET", "metrics", (), "What the server has done, in the text format of Prometheus")
SHUTDOWN = ServerCall("POST", "shutdown", (), "Stop the server as a signal does: it writes its report and ends")

SERVER_CALLS = (LIST_WORLDS, MAKE_WORLD, MAKE_NAMED_WORLD, REMOVE_WORLDS, REMOVE_WORLD, REPORT, METRICS, SHUTDOWN)
VERBS = frozenset(call.verb for call in SERVER_CALLS)
EVENTS = "events"
"""The path of the events of a relayer, which a server sends."""
PATHS = frozenset({EVENTS, *(_IN_BRACES.sub("*", call.path) for call in SERVER_CALLS)})
"""The paths that only a server has, with `*` for a parameter."""


def find_server_call(method: str, path: str) -> tuple[ServerCall, tuple[str, ...]]:
    """The call to a path that begins with one of `VERBS`, and the values of the path's parameters. Raises
    CommandRefused.
    """
    found = {}
    for call in SERVER_CALLS:
        words = re.fullmatch(_IN_BRACES.sub("([^/]*)", call.path), path)
        if words is not None:
            found[call.method] = call, words.groups()
    if not found:
        verb = path.partition("/")[0]
        meant = " or ".join(dict.fromkeys(call.path for call in SERVER_CALLS if call.verb == verb))
        raise CommandRefused(MISSING, f"there is no control verb {in_quotes(path)}", "path", meant)
    if method not in found:
        raise CommandRefused(METHOD_WRONG, f"{cut(method)} is not for {cut(path)}", "method", ", ".join(found))
    return found[method]


def fields_of(call: ServerCall, query: tuple[tuple[str, str], ...], body: bytes) -> Fields:
    """The fields of a call. Raises CommandRefused."""
    if query:
        meant = "the fields in a JSON body" if call.fields else "nothing but the path"
        raise CommandRefused(BAD, "this call takes no query", query[0][0], meant)
    values: dict[str, Any] = object_of(body)
    return Fields(values, call.all_fields)
