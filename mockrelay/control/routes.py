"""The table of control calls, and their dispatch: each is a command to the relayer or a view of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from mockrelay.control import history, inspect, market_views, reports, sign
from mockrelay.control.answers import METHOD_WRONG, answer, as_refused, refusal
from mockrelay.control.bodies import body_schema, object_of
from mockrelay.control.fields import Fields, check_names
from mockrelay.control.files import ReadFile, any_file
from mockrelay.control.inspect import Load
from mockrelay.control.reports import ALL, WORLDS
from mockrelay.control.server_calls import PATHS
from mockrelay.core.commands.base import account_ref
from mockrelay.core.errors import BAD, MISSING, CommandRefused, InvalidInput
from mockrelay.relay import Relay
from mockrelay.relay.commands import COMMANDS, Reset
from mockrelay.report import Report
from mockrelay.scenario import is_path
from mockrelay.suggest import cut, in_quotes
from mockrelay.wire.commands import parse
from mockrelay.wire.http import Response
from mockrelay.wire.schemas import Place, Schema, document, properties_of
from mockrelay.wire.violations import check

View = Callable[[Relay, Fields, tuple[str, ...]], Any]
"""A view: (relay, fields, values of the path's parameters) -> the JSON value of the answer, or a whole Response."""
ReportView = Callable[[Report, Fields], Any]
"""A view of a report: the JSON value of the answer, or a whole Response."""
AllWorlds = Callable[[], Report]

_PATH_MAX = 200
_NAME_MAX = 60
_WHOLE = re.compile("0|[1-9][0-9]{0,17}")
_CHOICES = "choices"
_HASH = ("hash",)
_IN_BRACES = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Route:
    """A control call: its method, its path after `/__mockrelay/`, and its action."""

    method: str
    template: str
    """The path, with `{name}` for a parameter: for a command, the name of one of its fields."""
    action: str | View | None
    """The name of a command, or a view; None: load the record in the body."""
    view_fields: tuple[str, ...] = ()
    """The fields that a view may have, in the body or, for a GET, in the query."""
    of_report: ReportView | None = None
    """What a view shows of the reports of all relayers of a server, if `worlds` asks for them."""
    answer: str = ""
    """The path in `schemas/` of the object in its answer; empty: it has a file in `schemas/control/responses`."""

    @cached_property
    def path(self) -> str:
        """The path, with `*` for each parameter."""
        return _IN_BRACES.sub("*", self.template)

    @cached_property
    def in_path(self) -> tuple[str, ...]:
        """The names of the path's parameters, in order."""
        return tuple(_IN_BRACES.findall(self.template))

    @cached_property
    def fields(self) -> tuple[str, ...] | None:
        """The fields that it may have beside the path's parameters; None: its body is not a JSON object."""
        if isinstance(self.action, str):
            return tuple(properties_of(Place(self.body_schema, COMMANDS[self.action].schema_id)))
        return None if self.action is None else self.view_fields

    @cached_property
    def body_schema(self) -> Schema:
        """The schema of a command's body: the command's own, without the path's parameters."""
        assert isinstance(self.action, str)
        return body_schema(document(COMMANDS[self.action].schema_id), self.in_path)


ROUTES: tuple[Route, ...] = (
    Route("GET", "health", inspect.show_health),
    Route("GET", "state", inspect.show_state),
    Route("POST", "reset", "reset", answer="control/objects/Health"),
    Route("GET", "clock", inspect.show_clock, answer="control/objects/Clock"),
    Route("POST", "clock", "clock", answer="control/objects/Clock"),
    Route("GET", "choices", inspect.show_choices, answer="control/objects/Choices"),
    Route("PUT", "choices", "choices", answer="control/objects/Choices"),
    Route("GET", "faults", inspect.show_faults),
    Route("POST", "faults", "fault"),
    Route("DELETE", "faults", "clear_faults"),
    Route("GET", "faults/{id}", inspect.show_fault, answer="control/objects/Fault"),
    Route("DELETE", "faults/{id}", "remove_fault"),
    Route("GET", "orders/{hash}", inspect.show_order, answer="control/objects/OrderState"),
    Route("POST", "orders/{hash}/cancel", "cancel", answer="control/objects/OrderState"),
    Route("POST", "orders/{hash}/fill", "fill", answer="control/objects/OrderState"),
    Route("POST", "orders/{hash}/release", "release", answer="control/objects/OrderState"),
    Route("GET", "accounts", inspect.show_accounts),
    Route("GET", "accounts/{account}", inspect.show_account, answer="control/objects/AccountState"),
    Route("POST", "accounts/{account}/deposit", "deposit", answer="control/objects/FreeBalance"),
    Route("POST", "accounts/{account}/balance", "balance", answer="control/objects/FreeBalance"),
    Route("POST", "accounts/{account}/freeze", "freeze"),
    Route("POST", "accounts/{account}/keys", "keys"),
    Route("GET", "markets", market_views.show_markets),
    Route("GET", "markets/{name}/book", market_views.show_book, ("level", "limit")),
    Route("GET", "markets/{name}/trades", market_views.show_trades, ("last",)),
    Route("GET", "markets/{name}/candles", market_views.show_candles, ("interval", "last")),
    Route("POST", "blocks/seal", "seal"),
    Route("POST", "blocks/finalize", "finalize"),
    Route("GET", "submissions/{hash}", inspect.show_submission, answer="control/objects/RequestState"),
    Route("POST", "submissions/{hash}/advance", "advance", answer="objects/SubmitResponse"),
    Route("POST", "fees", "fees"),
    Route("POST", "nft/{address}/deploy", "deploy"),
    Route("POST", "layer1", "layer1"),
    Route("GET", "due", market_views.show_due, ("limit",)),
    Route("GET", "timeline", market_views.show_timeline),
    Route("GET", "requests", history.show_requests, ("last", "endpoint")),
    Route("GET", "requests/{id}", history.show_request, answer="control/objects/Entry"),
    Route("DELETE", "requests", "forget_requests"),
    Route("GET", "why/{id}", history.why),
    Route("POST", "verify", history.verify, history.VERIFY_FIELDS),
    Route("POST", "sign", sign.sign, sign.SIGN_FIELDS),
    Route("GET", "findings", history.show_findings, ("format", WORLDS), reports.findings_report),
    Route("GET", "coverage", history.show_coverage, ("format", WORLDS), reports.coverage_report),
    Route("GET", "problems", history.show_problems, (WORLDS,), reports.problems_report),
    Route("GET", "snapshots", inspect.show_snapshots),
    Route("POST", "snapshots", "save_snapshot"),
    Route("POST", "snapshots/{name}/restore", "restore_snapshot"),
    Route("DELETE", "snapshots/{name}", "delete_snapshot"),
    Route("GET", "ws", inspect.show_sockets, ("messages",)),
    Route("POST", "ws/drop", "drop_ws"),
    Route("POST", "ws/hold", "hold_ws"),
    Route("POST", "ws/release", "release_ws"),
    Route("GET", "dump", inspect.dump),
    Route("POST", "load", None),
)


_BY_PATH: dict[str, dict[str, Route]] = {}
"""Routes by their path with `*`, then by their method."""
for _route in ROUTES:
    _BY_PATH.setdefault(_route.path, {})[_route.method] = _route


def handle_control(
    relay: Relay,
    method: str,
    path: str,
    query: tuple[tuple[str, str], ...],
    body: bytes,
    load: Load | None = None,
    read_file: ReadFile = any_file,
    all_worlds: AllWorlds | None = None,
) -> Response:
    """Carry out a control call; `path` is what follows `/__mockrelay/`. A wrong call is answered `{error, field,
    meant}`.

    `load` restores a relay from a record. It is an argument since replaying belongs to a layer above this one.
    `read_file` reads the files that `reset` names. `all_worlds` gives the report about all relayers of a server; None:
    this relay is the only one.
    """
    try:
        route, words = _find(method, path.strip("/"))
        values = _fields_of(route, query, body)
        if route.of_report is not None and WORLDS in values:
            fields = Fields(values, route.view_fields)
            fields.one_of(WORLDS, (ALL,))
            value = route.of_report((all_worlds or relay.whole_report)(), fields)
        else:
            value = _value_of(relay, route, words, values, body, load, read_file)
    except InvalidInput as wrong:
        return refusal(as_refused(wrong))
    except CommandRefused as refused:
        return refusal(refused)
    return value if isinstance(value, Response) else answer(200, value)


def _value_of(
    relay: Relay,
    route: Route,
    words: tuple[str, ...],
    values: dict[str, Any],
    body: bytes,
    load: Load | None,
    read_file: ReadFile,
) -> Any:
    """The JSON value of the answer, or a Response."""
    if route.action is None:
        return inspect.load_record(relay, body, load)
    if not isinstance(route.action, str):
        return route.action(relay, Fields(values, route.view_fields), words)
    check_names(values, route.fields or ())
    # A null field counts as left out, but a choice cannot be null.
    fields = {name: value for name, value in values.items() if value is not None or route.action == _CHOICES}
    in_path: dict[str, Any] = dict(zip(route.in_path, words, strict=True))
    if "account" in in_path:
        in_path["account"] = account_ref(in_path["account"])
    try:
        command = parse(COMMANDS, route.action, {**fields, **in_path})
    except InvalidInput as wrong:
        if not wrong.path or wrong.path[0] not in in_path:
            raise
        # An error in the body comes before one in the path.
        check(Place(route.body_schema, COMMANDS[route.action].schema_id), fields)
        if wrong.path == _HASH:
            raise as_refused(wrong, MISSING) from None  # no order or request can have such a hash
        raise
    if isinstance(command, Reset):
        command = with_file(command, read_file)
    return relay.execute(command)


def with_file(reset: Reset, read_file: ReadFile) -> Reset:
    """A reset with the scenario of the file that it names, if it names one. Raises CommandRefused."""
    if reset.scenario is None or not is_path(reset.scenario):
        return reset
    return replace(reset, scenario=None, loaded=read_file(reset.scenario))


def _fields_of(route: Route, query: tuple[tuple[str, str], ...], body: bytes) -> dict[str, Any]:
    """The fields of the body or, for a GET, of the query."""
    if route.method == "GET":
        values: dict[str, Any] = {}
        for name, value in query:
            if name in values:
                raise CommandRefused(
                    BAD, f"{in_quotes(name, _NAME_MAX)} is given more than once", name, f"{name[:_NAME_MAX]} once"
                )
            values[name] = int(value) if _WHOLE.fullmatch(value) else value
        return values or object_of(body)
    if query:
        raise CommandRefused(BAD, "this call takes no query", query[0][0], "the fields in a JSON body")
    return {} if route.action is None else object_of(body)


def _find(method: str, path: str) -> tuple[Route, tuple[str, ...]]:
    """The route and the values of its path's parameters: only the second word of a path can be one."""
    words = path.split("/")
    in_path = tuple(words[1:2])
    found = _BY_PATH.get("/".join((words[0], "*", *words[2:]))) if in_path else None
    if found is None:
        found, in_path = _BY_PATH.get(path), ()
    if found is None:
        paths = {route.path for route in ROUTES}
        if words[0] not in PATHS:  # by itself a relayer has none of them
            paths |= PATHS
        meant = f"{_nearest(paths, words)}; there are {', '.join(sorted(paths))}"
        raise CommandRefused(MISSING, f"there is no control verb {in_quotes(path)}", "path", meant)
    if method not in found:
        raise CommandRefused(METHOD_WRONG, f"{cut(method)} is not for {cut(path)}", "method", ", ".join(found))
    return found[method], in_path


def _nearest(paths: Iterable[str], words: list[str]) -> str:
    """The most similar path: by its first word, by its number of words, then as a whole."""
    first, asked = words[0][:_PATH_MAX], "/".join(words)[:_PATH_MAX]

    def distance(path: str) -> tuple[float, int, float]:
        own = path.split("/")
        return -_similarity(own[0], first), abs(len(own) - len(words)), -_similarity(path, asked)

    return min(sorted(paths), key=distance)


def _similarity(one: str, other: str) -> float:
    import difflib  # noqa: PLC0415  # only mistakes need it

    return difflib.SequenceMatcher(None, one, other).ratio()
