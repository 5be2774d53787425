"""The relay on a socket: aiohttp and asyncio are used in this room only."""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["Serving", "create_app", "serve"]

if TYPE_CHECKING:
    from mockrelay.web.app import create_app
    from mockrelay.web.server import Serving, serve
else:

    def __getattr__(name: str) -> object:
        """Import a name when it is first used: who needs a module of this room need not import aiohttp."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from mockrelay.web import app, server  # noqa: PLC0415 - see above

        return getattr(app if name == "create_app" else server, name)
