"""The relay on a socket: aiohttp stands here and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["Serving", "create_app", "serve"]

if TYPE_CHECKING:
    from mockrelay.web.app import create_app
    from mockrelay.web.serving import Serving, serve
else:

    def __getattr__(name: str) -> object:
        """What is asked for is imported then: a server needs no application, and an application no server."""
        if name == "create_app":
            from mockrelay.web.app import create_app  # noqa: PLC0415 - see above

            return create_app
        if name in __all__:
            from mockrelay.web import serving  # noqa: PLC0415 - see above

            return getattr(serving, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
