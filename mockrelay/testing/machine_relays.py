"""The relays of a state machine: in this process, and on a port where the machine says so."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, Protocol

from mockrelay.client.control import ControlError
from mockrelay.relay import Relay
from mockrelay.scenario import Scenario, load_with_limits
from mockrelay.testing.relayer import RelayerHandle

_CONFLICT = 409
_SERVE = "serve = staticmethod(mockrelay.web.serve)"


class Served(Protocol):
    """A relay on a port."""

    @property
    def url(self) -> str:
        """Its address."""


def check_serve(machine: str, serve: object) -> None:
    """Raise TypeError for a `serve` that is not callable."""
    if serve is not None and not callable(serve):
        raise TypeError(f"{machine}.serve is {serve!r}; meant: {_SERVE}")


def open_port(machine: str, serve: Any, relay: Relay, resources: ExitStack) -> str:
    """The address of a relay, served until `resources` are closed; empty where there is no `serve`."""
    if serve is None:
        return ""
    serving = serve(relay)
    if not isinstance(serving, AbstractContextManager):
        raise TypeError(f"{machine}.serve returned {serving!r}, which is not a context manager; meant: {_SERVE}")
    served: Served = resources.enter_context(serving)
    return served.url


_LOADED: dict[str, Scenario] = {}
"""Scenarios by what they were loaded from."""


def scenario_of(source: str | Path | Mapping[str, Any]) -> Scenario:
    """A scenario, loaded once for all examples."""
    key = repr(source)
    if key not in _LOADED:
        _LOADED[key] = load_with_limits(source, None, Path())
    return _LOADED[key]


def try_control(relayer: RelayerHandle, method: str, path: str, body: Mapping[str, Any]) -> Any:
    """Make a control call; its answer, None where the state forbids it (409)."""
    try:
        return relayer.control(method, path, body)
    except ControlError as refused:
        if refused.status == _CONFLICT:
            return None
        raise
