"""The script that makes the control document's examples: each call accepted, and refused where it can be. The example
of a command that is always accepted comes from its schema.

The calls of the server (`worlds`) have no examples, since the script runs without a server.
"""

from __future__ import annotations

from functools import cache

from mockrelay.client import bodies
from mockrelay.client.facts import SIGNATURE_PARTS
from mockrelay.control import ROUTES
from mockrelay.openapi.players import ControlPlayer
from mockrelay.openapi.playing import Control, ControlExample, ScriptCall, key_of
from mockrelay.relay.commands import COMMANDS
from mockrelay.wire.schemas import document

_CONTRACT = "0x" + "0c" * 20
_NO_HASH = "0x" + "00" * 32


@cache
def control_examples() -> tuple[ControlExample, ...]:
    """All examples, in the order of the script."""
    player = ControlPlayer()
    for part in (
        _start,
        _schema_examples,
        _settings,
        _faults,
        _orders,
        _markets,
        _accounts,
        _signatures,
        _requests,
        _journal,
        _sockets,
        _snapshots,
    ):
        part(player)
    return tuple(player.examples)


def _start(player: ControlPlayer) -> None:
    play = player.play
    play("GET", "health")
    play("POST", "reset", {"scenario": "default", "choices": {"http.error_status": "split"}, "limits": "off"})
    play("POST", "reset", {"scenarioText": "format: 2"}, status=400)


def _schema_examples(player: ControlPlayer) -> None:
    """The commands with an example in their schema."""
    for route in ROUTES:
        if isinstance(route.action, str):
            for fields in document(COMMANDS[route.action].schema_id).get("examples", ()):
                in_body = {name: value for name, value in fields.items() if name not in route.in_path}
                player.play(route.method, route.template.format(**fields), in_body)


def _settings(player: ControlPlayer) -> None:
    """Clock, choices, layer 1, fees and contracts."""
    play = player.play
    play("GET", "clock")
    play("POST", "clock", {"advance": "15s"})
    play("POST", "clock", {"set": "2020-01-01T00:00:00Z"}, status=400)
    play("GET", "choices")
    play("PUT", "choices", {"order.self_trade": "allow"})
    play("POST", "layer1", {"balances": {"nobody": {"LRC": "5"}}}, status=400)
    play("POST", "fees", {"requestType": "transfer", "token": "XYZ", "fee": "1"}, status=404)
    play("POST", "nft/" + _CONTRACT + "/deploy", {}, status=409)


def _faults(player: ControlPlayer) -> None:
    play = player.play
    fault = play("POST", "faults", {"name": "lost", "on": "submit_order", "drop": True, "nth": 2})
    play("POST", "faults", {"on": "get_ticker", "outcome": "failed"}, status=400)
    play("GET", "faults")
    play("GET", f"faults/{fault['id']}")
    play("GET", "faults/f999", status=404)
    play("DELETE", f"faults/{fault['id']}")
    play("DELETE", "faults/f999", status=404)
    play("DELETE", "faults")


def _sale(player: ControlPlayer) -> ScriptCall:
    """A sell order of alice that stays in the book."""
    facts = player.facts
    base, quote = facts.pair
    fields = bodies.order(facts, facts.alice, (base, 100 * base.unit_wei), (quote, quote.unit_wei // 20))
    return ScriptCall("submit_order", fields | SIGNATURE_PARTS, "alice")


def _orders(player: ControlPlayer) -> None:
    play = player.play
    first = player.prepare(_sale(player))["data"]["orderHash"]
    play("POST", f"orders/{first}/fill", {"size": str(40 * 10**18)})
    play("POST", f"orders/{first}/fill", {"size": str(10**21)}, status=409)
    play("POST", f"orders/{first}/cancel")
    play("GET", f"orders/{first}")
    play("GET", f"orders/{_NO_HASH}", status=404)
    play("POST", f"orders/{_NO_HASH}/cancel", status=404)
    player.prepare(Control("POST", "faults", {"on": "submit_order", "hold": "UNKNOWN"}))
    held = player.prepare(_sale(player))["data"]["orderHash"]
    play("POST", f"orders/{held}/release", {"as": "active"})
    play("POST", f"orders/{held}/release", {"as": "active"}, status=409)


def _markets(player: ControlPlayer) -> None:
    """Books, trades, candles, and what is to come."""
    play = player.play
    market = player.facts.market
    play("GET", "markets")
    play("GET", f"markets/{market}/book", {"level": 1, "limit": 5})
    play("GET", f"markets/{market}/book", {"level": 9}, status=400)
    play("GET", f"markets/{market}/trades", {"last": 2})
    play("GET", f"markets/{market}/candles", {"interval": "1hr", "last": 2})
    play("GET", "markets/NO-NAME/book", status=404)
    play("GET", "due", {"limit": 3})
    play("GET", "timeline")


def _accounts(player: ControlPlayer) -> None:
    play = player.play
    play("GET", "accounts")
    play("GET", "accounts/alice")
    play("GET", "accounts/nobody", status=404)
    play("POST", "accounts/10001/deposit", {"token": "XYZ", "amount": "1000"}, status=404)
    play("POST", "accounts/99999/freeze", {"frozen": True}, status=404)
    play("POST", "accounts/bob/keys", {"apiKey": key_of(player.relay, "alice")}, status=409)


def _signatures(player: ControlPlayer) -> None:
    """An order that can be signed, and one that lacks a signed field."""
    order = _sale(player).fields
    unsigned = {name: value for name, value in order.items() if not name.startswith("signature")}
    request = {"account": "alice", "endpoint": "submit_order", "body": unsigned}
    player.play("POST", "sign", request)
    without_label = {name: value for name, value in unsigned.items() if name != "label"}
    player.play("POST", "sign", {**request, "body": without_label}, status=400)
    player.play("POST", "sign", {**request, "account": "nobody"}, status=404)


def _requests(player: ControlPlayer) -> None:
    """Requests and blocks."""
    play = player.play
    moved = player.prepare(ScriptCall("submit_withdrawal", bodies.withdrawal(player.facts), "alice"))["hash"]
    play("GET", f"submissions/{moved}")
    play("GET", f"submissions/{_NO_HASH}", status=404)
    play("POST", f"submissions/{moved}/advance", {"to": "processed"})
    play("POST", f"submissions/{moved}/advance", {"to": "processed"}, status=409)
    play("POST", "blocks/seal", {"count": 1})
    play("POST", "blocks/finalize")
    play("POST", "blocks/finalize", {"upTo": 999}, status=409)
    play("GET", "state")


def _journal(player: ControlPlayer) -> None:
    """The journal, findings, coverage and problems."""
    play = player.play
    player.prepare(ScriptCall("get_orders", {"accountId": 10001}, "alice"))
    play("GET", "requests", {"last": 2, "endpoint": "get_orders"})
    play("GET", "requests/r1")
    play("GET", "requests/r999", status=404)
    play("GET", "why/r1")
    play("GET", "why/r999", status=404)
    play("POST", "verify", {"endpoint": "submit_order", "times": 2, "code": 0})
    play("POST", "verify", {"endpoint": "submit_order", "body": {"orderId": 7}}, status=409)
    play("GET", "findings")
    play("GET", "findings", {"format": "json"})
    play("GET", "coverage")
    play("GET", "problems")
    play("DELETE", "requests")


def _sockets(player: ControlPlayer) -> None:
    """WebSockets; a relayer of the profile `spec` has none."""
    play = player.play
    play("GET", "ws")
    play("POST", "ws/hold", {})
    play("POST", "ws/release", {})
    play("POST", "ws/drop", {"how": "reset"})
    play("POST", "ws/drop", {"session": "r999"}, status=404)


def _snapshots(player: ControlPlayer) -> None:
    """Snapshots and records."""
    play = player.play
    play("POST", "snapshots", {"name": "before"})
    play("GET", "snapshots")
    play("POST", "snapshots/before/restore")
    play("POST", "snapshots/after/restore", status=404)
    play("DELETE", "snapshots/before")
    play("DELETE", "snapshots/before", status=404)
    record = play("GET", "dump")
    play("POST", "load", record)
    play("POST", "load", "not a record", status=400)
