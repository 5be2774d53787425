"""Which calls a step of the machine may make: by the profile of its world there are several for the same purpose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.core.hashing import hash_of_text
from mockrelay.testing.strategies.draw import CALLS
from mockrelay.testing.strategies.world_view import WorldView

REFUSABLE = ("submit_order", "submit_transfer", "submit_withdrawal", "update_account", "mint_nft")
"""Endpoints whose calls can be made, rightly or wrongly, in every world."""
_SAME_PURPOSE: Mapping[str, tuple[str, ...]] = {
    "submit_order": ("submit_order_v2",),
    "submit_transfer": ("submit_transfer_v3",),
}
"""By endpoint those of other profiles that do the same."""
_CANCELS = ("cancel_order_v3", "cancel_orders_v3_by_hash", "cancel_orders_v2", "cancel_orders_v2_by_hash")
_NEED_SOMETHING = frozenset(
    {
        *("get_nft_data", "get_code", "get_order_id", "get_nft_holders", "get_order_v3", "get_order_v2", "resolve_ens"),
        *("get_ws_key_v3", "get_ws_key_v2", "cancel_orders_v3_by_client_id", "cancel_orders_v2_by_client_id"),
    }
)
"""Calls about something that may not be there, and reads that change the state: a key of WebSockets is given out once."""
_HAVE_RULES = frozenset(
    {
        *(*REFUSABLE, "transfer_nft", "withdraw_nft", "deploy_nft_contract"),
        *(name for names in _SAME_PURPOSE.values() for name in names),
        *_CANCELS,
    }
)
"""Endpoints whose calls the machine has rules for."""
_LOOKS = [name for name in CALLS if name.startswith("get_") and name not in _NEED_SOMETHING]


def endpoints_of(view: WorldView, endpoint: str) -> list[str]:
    """The endpoints that the world serves for the purpose of one."""
    return [endpoint, *(name for name in _SAME_PURPOSE.get(endpoint, ()) if _is_served(view, name))]


def looks(view: WorldView) -> list[str]:
    """The endpoints that only read, and that every world can answer."""
    return [
        *_LOOKS,
        *(
            row.name
            for row in view.config.profile.routes.values()
            if row.method == "GET" and not row.upgrades and row.name not in {*CALLS, *_NEED_SOMETHING}
        ),
    ]


def others(view: WorldView) -> list[str]:
    """The endpoints that may change something, that every world can accept, and that no rule of the machine is for."""
    return [
        row.name
        for row in view.config.profile.routes.values()
        if row.method != "GET" and row.name not in _HAVE_RULES | _NEED_SOMETHING
    ]


def cancels(view: WorldView) -> list[str]:
    """The endpoints that cancel orders."""
    return [name for name in _CANCELS if _is_served(view, name)]


def order_hash_of(payload: Any) -> str:
    """The hash of an order in the answer to it, in hex."""
    if isinstance(payload, str):
        return hash_of_text(payload)
    found: str = payload["orderHash"] if "orderHash" in payload else payload["hash"]
    return found


def request_hash_of(payload: Any) -> str:
    """The hash of a transfer in the answer to it."""
    found: str = payload if isinstance(payload, str) else payload["hash"]
    return found


def _is_served(view: WorldView, endpoint: str) -> bool:
    return view.config.profile.row_of(endpoint) is not None
