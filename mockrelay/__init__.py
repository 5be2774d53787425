"""A stateful test double of a layer-2 exchange relayer.

`Relay` is a relayer without a socket, `serve` and `create_app` put one on a socket, and `RawRequest` is what it is sent.
Each is imported when it is first used: `import mockrelay` alone costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from mockrelay._version import __version__

if TYPE_CHECKING:
    from mockrelay.relay import Relay as Relay
    from mockrelay.web import create_app as create_app
    from mockrelay.web import serve as serve
    from mockrelay.wire.http import RawRequest as RawRequest

_MODULES = {
    "RawRequest": "mockrelay.wire.http",
    "Relay": "mockrelay.relay",
    "create_app": "mockrelay.web",
    "serve": "mockrelay.web",
}

__all__ = ["RawRequest", "Relay", "__version__", "create_app", "serve"]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
