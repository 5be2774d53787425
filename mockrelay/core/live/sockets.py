"""Opening a WebSocket: the answer names the session, by the id of the request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockrelay.core.call import Call, Refused
from mockrelay.core.live.keys import is_ws_key
from mockrelay.spec.codes import Code as C
from mockrelay.suggest import in_quotes

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def open_ws_v3(ctx: Context, call: Call) -> dict[str, str]:
    """A WebSocket of the third generation, which takes a key that `GET /v3/ws/key` gave."""
    key = call.args.get("wsApiKey")
    if not key:
        raise Refused(C.AUTH_KEY_EMPTY, "wsApiKey is missing or empty; meant: a key that GET /v3/ws/key gave")
    if not is_ws_key(ctx.world, key):
        raise Refused(C.AUTH_KEY_INVALID, f"wsApiKey: {in_quotes(key, 80)} is none that GET /v3/ws/key gave")
    return open_ws_v2(ctx, call)


def open_ws_v2(ctx: Context, call: Call) -> dict[str, str]:
    """A WebSocket of the second generation, which takes no key."""
    return {"session": ctx.trace.request or ""}
