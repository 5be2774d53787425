"""Where the relayers of tests run: in this process, or as worlds of a server.

In this process each has a relay and a port of its own, and one thread serves all of them: a late call to the relayer of an
earlier test cannot reach that of a later one.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mockrelay.client.control import ControlError, over_http
from mockrelay.clock import ClockConfig
from mockrelay.core.units import moment_text
from mockrelay.relay import Relay, Verifier
from mockrelay.scenario import Scenario, ScenarioError, load_with_limits, text_of
from mockrelay.testing import RelayerHandle
from mockrelay.testing.control import in_process

if TYPE_CHECKING:
    from mockrelay.core.context import Decide
    from mockrelay.core.world import World
    from mockrelay.pytest_plugin.clock_start import ClockStart
    from mockrelay.pytest_plugin.settings import Settings
    from mockrelay.web.server import LoopThread, Serving

_WORLDS_MAX = 64


class ManagedRelayer(NamedTuple):
    """A relayer and the function that ends it."""

    relayer: RelayerHandle
    close: Callable[[], None]
    finding_counts: Callable[[], Mapping[str, int]]
    """The number of its findings so far by rule id."""
    world: str = ""
    """The name of its world, where it is one of a server elsewhere."""


class CachedScenario(Scenario):
    """A scenario that caches its worlds. A relay copies the world that it starts with, so relays may share one."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(**{field.name: getattr(scenario, field.name) for field in fields(scenario)})
        object.__setattr__(self, "_worlds", {})

    def world(self, start_ms: int, choices: Mapping[str, str] | None = None, limits_on: bool | None = None) -> World:
        """The world at the start; the same object for the same arguments."""
        worlds: dict[object, World] = getattr(self, "_worlds")  # noqa: B009 - a frozen class declares no more fields
        key = (start_ms, tuple(sorted((choices or {}).items())), limits_on)
        if key not in worlds:
            if len(worlds) >= _WORLDS_MAX:
                worlds.clear()
            worlds[key] = Scenario.world(self, start_ms, choices, limits_on)
        return worlds[key]


class InProcessBackend:
    """Makes relayers in this process. `start`: the start of frozen clocks whose scenario gives none."""

    def __init__(self, start: ClockStart) -> None:
        self._start = start
        self._scenarios: dict[object, CachedScenario] = {}
        self._thread: LoopThread | None = None
        self._thread_of = 0
        self._closing: list[Future[None]] = []

    def make(
        self,
        settings: Settings,
        *,
        verifier: Verifier | None = None,
        decide: Decide | None = None,
        make_relay: Callable[..., Relay] | None = None,
    ) -> ManagedRelayer:
        """A relayer whose port is opened when its URL is first read. `make_relay` is called in the place of `Relay`."""
        scenario = self._scenario(settings)
        relay = (make_relay or Relay)(
            scenario,
            choices=settings.choices,
            limits_on=_limits(settings, scenario) == "spec",
            clock=ClockConfig(settings.rate, _start_ms(settings, scenario, self._start)),
            verifier=verifier,
            decide=decide,
        )
        opened: list[Serving] = []

        def url() -> str:
            # The web room is imported when the first port is opened: many tests never need one.
            from mockrelay.web.server import serve  # noqa: PLC0415

            opened.append(serve(relay, thread=self._loop_thread()))
            return opened[0].url

        relayer = RelayerHandle(
            in_process(relay),
            url=url,
            relay=relay,
            start=lambda other: _reset_fields(settings, scenario, other, self._start),
            strict=settings.strict,
            allow=settings.allow,
        )

        def close() -> None:
            relayer.end()
            # Not waited for, since a change of threads costs more than the rest of a test's end. The next relayer cannot
            # get a port that is still open, and late calls to this one reach the old relay.
            closing = [closing for serving in opened if (closing := serving.begin_stop())]
            self._closing = [*(other for other in self._closing if not other.done()), *closing]

        return ManagedRelayer(relayer, close, lambda: relay.report.finding_counts)

    def close(self) -> None:
        """End the thread that serves, after every port is closed."""
        thread, self._thread = self._thread, None
        if thread is not None and self._thread_of == os.getpid():
            for closing in self._closing:
                closing.result()
            thread.close()

    def _loop_thread(self) -> LoopThread:
        from mockrelay.web.server import LoopThread  # noqa: PLC0415 - see `make`

        # A forked process does not have the thread.
        if self._thread is None or self._thread_of != os.getpid():
            self._thread, self._thread_of, self._closing = LoopThread(), os.getpid(), []
        return self._thread

    def _scenario(self, settings: Settings) -> CachedScenario:
        source = settings.scenario
        key: tuple[object, ...] = repr(source), repr(settings.limits_by_endpoint), settings.folder, settings.profile
        if isinstance(source, Path):
            stat = source.stat()
            key = *key, stat.st_mtime_ns, stat.st_size
        if key not in self._scenarios:
            self._scenarios[key] = CachedScenario(_loaded(settings))
        return self._scenarios[key]


class RemoteBackend:
    """Makes relayers as worlds of the server at `url`."""

    def __init__(self, url: str, token: str | None, start: ClockStart, worker: str) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._start = start
        self._worker = worker
        self._root = over_http(self._url, token)

    def make(
        self,
        settings: Settings,
        *,
        verifier: Verifier | None = None,
        decide: Decide | None = None,
        make_relay: Callable[..., Relay] | None = None,
    ) -> ManagedRelayer:
        """A relayer in a new world of the server, which is removed at its end."""
        if verifier is not None or decide is not None or make_relay is not None:
            raise RuntimeError(f"verifier and decide run in the relayer's process, and this one is at {self._url}")
        name = f"{self._worker}-{secrets.token_hex(8)}"
        address = f"{self._url}/w/{name}"
        scenario = _loaded(settings)
        relayer = RelayerHandle(
            over_http(address, self._token),
            url=lambda: address,
            start=lambda other: self._reset_fields(settings, scenario, other),
            strict=settings.strict,
            allow=settings.allow,
        )
        self._root("POST", f"worlds/{name}")
        relayer.reset()

        def close() -> None:
            relayer.end()
            self._root("DELETE", f"worlds/{name}")

        def finding_counts() -> Mapping[str, int]:
            try:
                counts: Mapping[str, int] = relayer.control("GET", "findings", query={"format": "json"})["counts"]
            except (ControlError, RuntimeError):  # the server is gone, which its tests have met
                return {}
            return counts

        return ManagedRelayer(relayer, close, finding_counts, name)

    def close(self) -> None:
        """Do nothing: each world was removed with its relayer."""

    def _reset_fields(self, settings: Settings, scenario: Scenario, other: Scenario | None) -> dict[str, Any]:
        """The body of the world's resets. A scenario that is not packaged is sent as text, since the server may not have it."""
        named = settings.scenario if isinstance(settings.scenario, str) and not settings.limits_by_endpoint else None
        return {
            **({"scenarioText": text_of(scenario)} if named is None else {"scenario": named}),
            "choices": dict(settings.choices),
            **_reset_fields(settings, scenario, other, self._start),
        }


def _limits(settings: Settings, scenario: Scenario) -> str:
    """`spec` or `off`: unless they are set, limits are on where the scenario has some of its own."""
    return settings.limits or ("spec" if scenario.sets_limits else "off")


def _start_ms(settings: Settings, scenario: Scenario, start: ClockStart) -> int | None:
    """When the clock of a relayer starts; None: as its scenario says, or in real time."""
    if settings.start_ms is not None:
        return settings.start_ms
    return None if scenario.start_ms is not None or settings.rate == 1 else start.ms


def _reset_fields(
    settings: Settings, scenario: Scenario, other: Scenario | None, clock_start: ClockStart
) -> dict[str, Any]:
    """Limits and clock of a reset to a relayer's own scenario or to another one, which may say when it starts."""
    if other is not None and other.start_ms is not None:
        settings = settings._replace(start_ms=None)
    scenario = other or scenario
    start_ms = _start_ms(settings, scenario, clock_start)
    start = {} if start_ms is None else {"start": moment_text(start_ms)}
    profile = {} if settings.profile is None else {"profile": settings.profile}
    return {"limits": _limits(settings, scenario), "clock": {"rate": settings.rate, **start}, **profile}


def _loaded(settings: Settings) -> Scenario:
    try:
        return load_with_limits(settings.scenario, settings.limits_by_endpoint, settings.folder, settings.profile)
    except ScenarioError as error:
        raise ValueError(f"{settings.scenario_from}: {error}") from None


Backend = InProcessBackend | RemoteBackend


def backend_of(start: ClockStart, worker: str, environ: Mapping[str, str]) -> Backend:
    """The backend of a session: this process, or the server at `MOCKRELAY_URL`. Raises ValueError."""
    url = environ.get("MOCKRELAY_URL")
    if not url:
        return InProcessBackend(start)
    try:
        return RemoteBackend(url, environ.get("MOCKRELAY_TOKEN"), start, worker)
    except ValueError as error:
        raise ValueError(f"MOCKRELAY_URL: {error}") from None
