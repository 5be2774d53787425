"""The verbs that keep a relayer as it is and bring it back: snapshots, dump and load."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mockrelay.control.fields import Fields
from mockrelay.control.steered import Loaded, Steered
from mockrelay.core.errors import BAD, CommandRefused
from mockrelay.wire.messages import Response

Words = tuple[str, ...]

Load = Callable[[Any, bytes], Loaded]
"""Gives a relay the state that a record leads to; ValueError, and nothing changed, where it cannot be read."""

LINES = ("Content-Type", "application/jsonl")


def show_snapshots(relay: Steered, fields: Fields, words: Words) -> Any:
    """All snapshots, oldest first."""
    return relay.snapshots()


def save_snapshot(relay: Steered, fields: Fields, words: Words) -> Any:
    """Keep everything as it is now."""
    name = fields.text("name")
    relay.save_snapshot(name)
    return {"name": name}


def restore_snapshot(relay: Steered, fields: Fields, words: Words) -> Any:
    """Everything as it was when the snapshot was taken."""
    relay.restore_snapshot(words[0])
    return {"name": words[0], "now_ms": relay.now_ms()}


def delete_snapshot(relay: Steered, fields: Fields, words: Words) -> Any:
    """Forget a snapshot."""
    relay.delete_snapshot(words[0])
    return {"name": words[0]}


def dump(relay: Steered, fields: Fields, words: Words) -> Response:
    """All that the relayer is, its snapshots too, as a record."""
    return Response(200, (LINES,), relay.dump())


def load(relay: Steered, given: tuple[bytes, Load | None], words: Words) -> Any:
    """Be all that a record leads to, its snapshots among it."""
    record, load_into = given
    if load_into is None:
        raise CommandRefused(BAD, "nothing here carries records out", "load", "`mockrelay.replay.load_into`")
    try:
        loaded = load_into(relay, record)
    except ValueError as error:
        meant = "a record, as `GET dump` or `serve --record` wrote it"
        if record.strip() and b"\n" not in record:
            meant += ", with its line feeds (`curl --data` takes them out, `curl --data-binary @FILE` does not)"
        raise CommandRefused(BAD, str(error), "body", meant) from None
    names = [snapshot["name"] for snapshot in relay.snapshots()]
    return {"calls": loaded.calls, "now_ms": relay.now_ms(), "scenario": relay.scenario_name, "snapshots": names}
