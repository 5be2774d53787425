"""The table of control verbs, and the way from a request to one of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from mockrelay.control import deeds, requests
from mockrelay.control.fields import Fields
from mockrelay.control.steered import Steered
from mockrelay.core.verbs import BAD, MISSING, Misused
from mockrelay.wire.messages import Response

Deed = Callable[[Steered, Fields, tuple[str, ...]], Any]
"""What a verb does: (relay, body, the words of the path that stand for `*`) -> the JSON value of the answer."""

_JSON = ("Content-Type", "application/json; charset=utf-8")
_METHOD_WRONG = 405


class Verb(NamedTuple):
    """One control call: its method, its path after `/__mockrelay/` and the fields that its body may have."""

    method: str
    path: str
    fields: tuple[str, ...]
    deed: Deed

    def match(self, words: tuple[str, ...]) -> tuple[str, ...] | None:
        """The words that stand for the path's `*`; None where the path is another."""
        pattern = self.path.split("/")
        if len(pattern) != len(words) or any(own not in ("*", word) for own, word in zip(pattern, words, strict=True)):
            return None
        return tuple(word for own, word in zip(pattern, words, strict=True) if own == "*")


VERBS: tuple[Verb, ...] = (
    Verb("GET", "health", (), deeds.health),
    Verb("GET", "state", (), deeds.state),
    Verb("POST", "reset", ("scenario", "scenarioText", "choices", "clock", "limits"), deeds.reset),
    Verb("GET", "clock", (), deeds.show_clock),
    Verb("POST", "clock", ("advance", "set", "rate"), deeds.move_clock),
    Verb("GET", "choices", (), deeds.show_choices),
    Verb("PUT", "choices", deeds.CHOICE_KEYS, deeds.set_choices),
    Verb("GET", "faults", (), deeds.show_faults),
    Verb("POST", "faults", deeds.FAULT_FIELDS, deeds.add_fault),
    Verb("DELETE", "faults", (), deeds.clear_faults),
    Verb("GET", "faults/*", (), deeds.show_fault),
    Verb("DELETE", "faults/*", (), deeds.remove_fault),
    Verb("POST", "orders/*/cancel", (), deeds.cancel_order),
    Verb("POST", "orders/*/fill", ("size", "price"), deeds.fill_order),
    Verb("POST", "orders/*/release", ("as",), deeds.release_order),
    Verb("POST", "accounts/*/deposit", ("token", "amount"), deeds.deposit),
    Verb("POST", "accounts/*/freeze", ("frozen",), deeds.freeze_account),
    Verb("POST", "accounts/*/keys", requests.KEY_FIELDS, requests.set_keys),
    Verb("POST", "blocks/seal", ("count",), requests.seal_blocks),
    Verb("POST", "blocks/finalize", ("upTo",), requests.finalize_blocks),
    Verb("POST", "submissions/*/advance", ("to",), requests.advance_submission),
    Verb("POST", "fees", ("requestType", "token", "fee", "factor"), requests.set_fee),
    Verb("POST", "nft/*/deploy", ("outcome",), requests.deploy_contract),
    Verb("POST", "layer1", ("state", "gasPrice", "balances", "allowances", "approvedHashes"), deeds.set_layer1),
)


def handle_control(relay: Steered, method: str, path: str, query: tuple[tuple[str, str], ...], body: bytes) -> Response:
    """Carry out a control call; `path` is what follows `/__mockrelay/`. A misuse answers `{error, field, meant}`."""
    try:
        verb, words = _find(method, tuple(path.strip("/").split("/")))
        _refuse_query(query)
        return _answer(200, verb.deed(relay, Fields(body, verb.fields), words))
    except Misused as misuse:
        return _answer(misuse.status, {"error": misuse.error, "field": misuse.field, "meant": misuse.meant})


def _refuse_query(query: tuple[tuple[str, str], ...]) -> None:
    if query:
        raise Misused(BAD, "the control API takes no query", query[0][0], "the fields in a JSON body")


def _find(method: str, words: tuple[str, ...]) -> tuple[Verb, tuple[str, ...]]:
    found = [(verb, params) for verb in VERBS if (params := verb.match(words)) is not None]
    for verb, params in found:
        if verb.method == method:
            return verb, params
    if found:
        allowed = ", ".join(verb.method for verb, _ in found)
        raise Misused(_METHOD_WRONG, f"{method} is not for {'/'.join(words)}", "method", allowed)
    known = ", ".join(dict.fromkeys(verb.path for verb in VERBS))
    raise Misused(MISSING, f"there is no control verb {'/'.join(words)!r}", "path", f"one of {known}")


def _answer(status: int, value: Any) -> Response:
    return Response(status, (_JSON,), json.dumps(value, separators=(",", ":")).encode())
