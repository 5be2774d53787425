"""Relayers for tests, each of which leaves nothing behind: in this process, or as worlds of a server elsewhere.

One thread serves all that run in this process. Each has a relay of its own, so whoever still holds on to an earlier one
reaches that and nothing else.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mockrelay.client.control import over_http
from mockrelay.clock import ClockConfig
from mockrelay.core.units import moment_text
from mockrelay.relay import Relay, Verifier
from mockrelay.scenario import Scenario, ScenarioError, load, text_of
from mockrelay.testing import RelayerHandle
from mockrelay.testing.control import in_process

if TYPE_CHECKING:
    from mockrelay.core.context import Decide
    from mockrelay.core.world import World
    from mockrelay.pytest_plugin.settings import Settings
    from mockrelay.web.server import LoopThread, Serving

_WORLDS_KEPT = 64


class Made(NamedTuple):
    """A relayer and what lets go of it."""

    relayer: RelayerHandle
    close: Callable[[], None]


class KeptScenario(Scenario):
    """A scenario that keeps the worlds it has made. Relays never touch the one that they are given: they copy it."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(**{field.name: getattr(scenario, field.name) for field in fields(scenario)})
        object.__setattr__(self, "_worlds", {})

    def world(self, start_ms: int, choices: Mapping[str, str] | None = None, limits_on: bool | None = None) -> World:
        """A world as it is at the start; the same one for the same wishes."""
        worlds: dict[object, World] = getattr(self, "_worlds")  # noqa: B009 - a frozen class declares no more fields
        wanted = (start_ms, tuple(sorted((choices or {}).items())), limits_on)
        if wanted not in worlds:
            if len(worlds) >= _WORLDS_KEPT:
                worlds.clear()
            worlds[wanted] = Scenario.world(self, start_ms, choices, limits_on)
        return worlds[wanted]


class Here:
    """Makes relayers in this process. `start_ms` is where a clock starts whose scenario does not say."""

    def __init__(self, start_ms: int) -> None:
        self._start_ms = start_ms
        self._scenarios: dict[object, KeptScenario] = {}
        self._thread: LoopThread | None = None
        self._thread_of = 0
        self._closing: list[Future[None]] = []

    def make(self, settings: Settings, *, verifier: Verifier | None = None, decide: Decide | None = None) -> Made:
        """A relayer whose port is opened when its URL is first asked for.

        It does not wait for the ports of earlier ones to close: a new port is never one that is still open, and what
        comes late at an old one meets the old relay.
        """
        scenario = self._scenario(settings)
        relay = Relay(
            scenario,
            choices=settings.choices,
            limits_on=settings.limits == "spec",
            clock=ClockConfig(settings.rate, self._start_of(settings, scenario)),
            verifier=verifier,
            decide=decide,
        )
        opened: list[Serving] = []

        def url() -> str:
            # The web room is imported when the first port is opened: many tests never need one.
            from mockrelay.web.server import serve  # noqa: PLC0415

            opened.append(serve(relay, thread=self._loop_thread()))
            return opened[0].url

        relayer = RelayerHandle(in_process(relay), url=url, relay=relay, strict=settings.strict, allow=settings.allow)

        def close() -> None:
            relayer.end()
            # Not waited for: to be woken by the other thread would cost more than all the rest of a test's end.
            closing = [closing for serving in opened if (closing := serving.begin_stop())]
            self._closing = [*(other for other in self._closing if not other.done()), *closing]

        return Made(relayer, close)

    def close(self) -> None:
        """End the thread that serves, once every port is closed."""
        thread, self._thread = self._thread, None
        if thread is not None and self._thread_of == os.getpid():
            for closing in self._closing:
                closing.result()
            thread.close()

    def _loop_thread(self) -> LoopThread:
        from mockrelay.web.server import LoopThread  # noqa: PLC0415 - see `make`

        # A thread does not follow into a process that was forked off.
        if self._thread is None or self._thread_of != os.getpid():
            self._thread, self._thread_of, self._closing = LoopThread(), os.getpid(), []
        return self._thread

    def _start_of(self, settings: Settings, scenario: Scenario) -> int | None:
        if settings.start_ms is not None:
            return settings.start_ms
        return None if scenario.start_ms is not None or settings.rate == 1 else self._start_ms

    def _scenario(self, settings: Settings) -> KeptScenario:
        source = settings.scenario
        key: object = source
        if isinstance(source, Path):
            stat = source.stat()
            key = source, stat.st_mtime_ns, stat.st_size
        if key not in self._scenarios:
            self._scenarios[key] = KeptScenario(_loaded(settings))
        return self._scenarios[key]


class Elsewhere:
    """Makes relayers as worlds of the server at `url`."""

    def __init__(self, url: str, token: str | None, start_ms: int, worker: str) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._start_ms = start_ms
        self._worker = worker
        self._root = over_http(self._url, token)

    def make(self, settings: Settings, *, verifier: Verifier | None = None, decide: Decide | None = None) -> Made:
        """A relayer in a world that nobody else uses, removed when it is closed."""
        if verifier is not None or decide is not None:
            raise RuntimeError(f"verifier and decide run in the relayer's process, and this one is at {self._url}")
        name = f"{self._worker}-{secrets.token_hex(8)}"
        address = f"{self._url}/w/{name}"
        start = self._start(settings)
        relayer = RelayerHandle(
            over_http(address, self._token),
            url=lambda: address,
            start=start,
            strict=settings.strict,
            allow=settings.allow,
        )
        relayer.reset()

        def close() -> None:
            relayer.end()
            self._root("DELETE", f"worlds/{name}")

        return Made(relayer, close)

    def close(self) -> None:
        """Nothing is left to let go of."""

    def _start(self, settings: Settings) -> dict[str, Any]:
        """What a reset of the world sends. A file's scenario goes as a text, since the server may not see the file."""
        scenario = _loaded(settings)
        named = settings.scenario if isinstance(settings.scenario, str) else None
        moment_ms = settings.start_ms
        if moment_ms is None and scenario.start_ms is None and settings.rate != 1:
            moment_ms = self._start_ms
        start = {} if moment_ms is None else {"start": moment_text(moment_ms)}
        return {
            **({"scenarioText": text_of(scenario)} if named is None else {"scenario": named}),
            "choices": dict(settings.choices),
            "limits": settings.limits,
            "clock": {"rate": settings.rate, **start},
        }


def _loaded(settings: Settings) -> Scenario:
    try:
        return load(settings.scenario)
    except ScenarioError as error:
        raise ValueError(f"{settings.scenario_from}: {error}") from None


Maker = Here | Elsewhere


def maker(start_ms: int, worker: str, environ: Mapping[str, str]) -> Maker:
    """What makes the relayers of a session: this process, or the server that `MOCKRELAY_URL` names."""
    url = environ.get("MOCKRELAY_URL")
    if not url:
        return Here(start_ms)
    try:
        return Elsewhere(url, environ.get("MOCKRELAY_TOKEN"), start_ms, worker)
    except ValueError as error:
        raise ValueError(f"MOCKRELAY_URL: {error}") from None
