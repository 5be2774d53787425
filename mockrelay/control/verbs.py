"""The table of control verbs, and the way from a request to one of them."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from mockrelay.control import deeds, kept, requests, sign, told
from mockrelay.control.fields import Fields, object_of
from mockrelay.control.kept import Load
from mockrelay.control.steered import Steered
from mockrelay.core.errors import BAD, MISSING, CommandRefused
from mockrelay.core.fault_json import FAULT_FIELDS
from mockrelay.wire.messages import Response

Deed = Callable[[Steered, Any, tuple[str, ...]], Any]
"""What a verb does: (relay, its fields or the body with a loader, the words of the path that stand for `*`) -> the JSON value
of the answer, or a whole Response."""

_JSON = ("Content-Type", "application/json; charset=utf-8")
_METHOD_WRONG = 405
_PATH_MAX = 200
_WHOLE = re.compile("0|[1-9][0-9]{0,17}")


class Verb(NamedTuple):
    """One control call: its method, its path after `/__mockrelay/` and the fields that it may have, in the body or, for a
    GET, in the query.
    """

    method: str
    path: str
    fields: tuple[str, ...] | None
    """None: its body is no JSON object, and is given to the deed as it is, with the caller's way to load a record."""
    deed: Deed

    def match(self, words: tuple[str, ...]) -> tuple[str, ...] | None:
        """The words that stand for the path's `*`; None where the path is another one of as many words."""
        pairs = list(zip(self.path.split("/"), words, strict=True))
        if any(own not in ("*", word) for own, word in pairs):
            return None
        return tuple(word for own, word in pairs if own == "*")


VERBS: tuple[Verb, ...] = (
    Verb("GET", "health", (), deeds.health),
    Verb("GET", "state", (), deeds.state),
    Verb("POST", "reset", ("scenario", "scenarioText", "choices", "clock", "limits"), deeds.reset),
    Verb("GET", "clock", (), deeds.show_clock),
    Verb("POST", "clock", ("advance", "set", "rate"), deeds.move_clock),
    Verb("GET", "choices", (), deeds.show_choices),
    Verb("PUT", "choices", deeds.CHOICE_KEYS, deeds.set_choices),
    Verb("GET", "faults", (), deeds.show_faults),
    Verb("POST", "faults", FAULT_FIELDS, deeds.add_fault),
    Verb("DELETE", "faults", (), deeds.clear_faults),
    Verb("GET", "faults/*", (), deeds.show_fault),
    Verb("DELETE", "faults/*", (), deeds.remove_fault),
    Verb("GET", "orders/*", (), deeds.show_order),
    Verb("POST", "orders/*/cancel", (), deeds.cancel_order),
    Verb("POST", "orders/*/fill", ("size", "price"), deeds.fill_order),
    Verb("POST", "orders/*/release", ("as",), deeds.release_order),
    Verb("GET", "accounts", (), deeds.show_accounts),
    Verb("GET", "accounts/*", (), deeds.show_account),
    Verb("POST", "accounts/*/deposit", ("token", "amount"), deeds.deposit),
    Verb("POST", "accounts/*/freeze", ("frozen",), deeds.freeze_account),
    Verb("POST", "accounts/*/keys", requests.KEY_FIELDS, requests.set_keys),
    Verb("POST", "blocks/seal", ("count",), requests.seal_blocks),
    Verb("POST", "blocks/finalize", ("upTo",), requests.finalize_blocks),
    Verb("GET", "submissions/*", (), requests.show_submission),
    Verb("POST", "submissions/*/advance", ("to",), requests.advance_submission),
    Verb("POST", "fees", ("requestType", "token", "fee", "factor"), requests.set_fee),
    Verb("POST", "nft/*/deploy", ("outcome",), requests.deploy_contract),
    Verb("POST", "layer1", ("state", "gasPrice", "balances", "allowances", "approvedHashes"), deeds.set_layer1),
    Verb("GET", "requests", ("last", "endpoint"), told.show_requests),
    Verb("DELETE", "requests", (), told.forget_requests),
    Verb("GET", "why/*", (), told.why),
    Verb("POST", "verify", told.VERIFY_FIELDS, told.verify),
    Verb("POST", "sign", sign.SIGN_FIELDS, sign.sign),
    Verb("GET", "findings", ("format",), told.show_findings),
    Verb("GET", "coverage", ("format",), told.show_coverage),
    Verb("GET", "problems", (), told.show_problems),
    Verb("GET", "snapshots", (), kept.show_snapshots),
    Verb("POST", "snapshots", ("name",), kept.save_snapshot),
    Verb("POST", "snapshots/*/restore", (), kept.restore_snapshot),
    Verb("DELETE", "snapshots/*", (), kept.delete_snapshot),
    Verb("GET", "dump", (), kept.dump),
    Verb("POST", "load", None, kept.load),
)


_BY_WORDS: dict[tuple[str, int], list[Verb]] = {}
"""Verbs by the first word of their path and the number of its words."""
for _verb in VERBS:
    _words = _verb.path.split("/")
    _BY_WORDS.setdefault((_words[0], len(_words)), []).append(_verb)


def handle_control(
    relay: Steered,
    method: str,
    path: str,
    query: tuple[tuple[str, str], ...],
    body: bytes,
    load: Load | None = None,
) -> Response:
    """Carry out a control call; `path` is what follows `/__mockrelay/`. A misuse answers `{error, field, meant}`.

    `load` gives a relay the state that a record leads to: carrying records out is for those who stand above.
    """
    try:
        verb, words = _find(method, tuple(path.strip("/").split("/")))
        given = _given(verb, query, body)
        value = verb.deed(relay, (given, load) if verb.fields is None else given, words)
    except CommandRefused as refused:
        return refusal_answer(refused)
    return value if isinstance(value, Response) else _answer(200, value)


def refusal_answer(refused: CommandRefused) -> Response:
    """The answer to a command that was refused."""
    told = {"error": refused.error, "field": refused.field, "meant": refused.meant}
    response = _answer(refused.status, {**told, **refused.more})
    if refused.status != _METHOD_WRONG:
        return response
    return response._replace(headers=(*response.headers, ("Allow", refused.meant or "")))


def _given(verb: Verb, query: tuple[tuple[str, str], ...], body: bytes) -> Fields | bytes:
    if verb.method == "GET":
        assert verb.fields is not None
        values = {name: int(value) if _WHOLE.fullmatch(value) else value for name, value in query}
        return Fields(values or object_of(body), verb.fields)
    if query:
        raise CommandRefused(BAD, "this call takes no query", query[0][0], "the fields in a JSON body")
    return body if verb.fields is None else Fields(object_of(body), verb.fields)


def _find(method: str, words: tuple[str, ...]) -> tuple[Verb, tuple[str, ...]]:
    likely = _BY_WORDS.get((words[0], len(words)), ())
    found = [(verb, params) for verb in likely if (params := verb.match(words)) is not None]
    for verb, params in found:
        if verb.method == method:
            return verb, params
    if found:
        allowed = ", ".join(verb.method for verb, _ in found)
        raise CommandRefused(_METHOD_WRONG, f"{method} is not for {'/'.join(words)}", "method", allowed)
    known = ", ".join(_nearest_first(words))
    raise CommandRefused(MISSING, f"there is no control verb {'/'.join(words)!r}", "path", f"one of {known}")


def _nearest_first(words: tuple[str, ...]) -> list[str]:
    """All paths, those first that are most like the words: in the first of them, in their number, and as a whole."""
    first, asked = words[0][:_PATH_MAX], "/".join(words)[:_PATH_MAX]

    def unlike(path: str) -> tuple[float, int, float]:
        own = path.split("/")
        return -_likeness(own[0], first), abs(len(own) - len(words)), -_likeness(path, asked)

    return sorted(dict.fromkeys(verb.path for verb in VERBS), key=unlike)


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def _answer(status: int, value: Any) -> Response:
    return Response(status, (_JSON,), json.dumps(value, separators=(",", ":")).encode())
