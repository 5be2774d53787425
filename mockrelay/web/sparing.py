"""aiohttp's request parser without the rest of aiohttp, for a process that is nothing but a server.

The package first imports its whole client, which reads the certificates of the machine: half of what a server's start
would cost, and not a line of it is ever run there. So the parser is imported from a package that is not carried out
yet. Should anyone ask the package for anything else, it is carried out then and has all of aiohttp as always.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType

_PACKAGE = "aiohttp"
_NEEDED = ("hdrs", "http_parser", "http_writer", "streams")
"""What the parser is, and first what its modules ask the package itself for."""


def spare_the_client() -> None:
    """Import aiohttp's parser alone. Does nothing where aiohttp is imported already.

    To be called at the start of a process of our own, before anything else of it can import aiohttp.
    """
    spec = None if _PACKAGE in sys.modules else find_spec(_PACKAGE)
    if spec is None or spec.loader is None:
        return
    package = module_from_spec(spec)
    sys.modules[_PACKAGE] = package
    try:
        for name in _NEEDED:
            import_module(f"{_PACKAGE}.{name}")
    except Exception:  # noqa: BLE001 - an aiohttp whose parser needs more than we know: then all of it, as usual
        for name in [name for name in sys.modules if name.partition(".")[0] == _PACKAGE]:
            del sys.modules[name]
    else:
        # What a module is asked for and does not have is asked of a function of this name (PEP 562).
        package.__getattr__ = lambda name: _carried_out(package, name)  # type: ignore[method-assign]


def _carried_out(package: ModuleType, name: str) -> object:
    """Carry the package out, and give what it was asked for."""
    spec = package.__spec__
    assert spec is not None
    assert spec.loader is not None
    del package.__getattr__
    spec.loader.exec_module(package)
    return getattr(package, name)
