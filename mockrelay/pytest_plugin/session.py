"""What the tests of one process share: the settings of the run, the backend, and the relayers of the session."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import pytest

from mockrelay.pytest_plugin import findings
from mockrelay.pytest_plugin.clock_start import START
from mockrelay.pytest_plugin.coverage import NAME, CoveragePlugin
from mockrelay.pytest_plugin.settings import Base, Settings, merged

if TYPE_CHECKING:
    from mockrelay.core.context import Decide
    from mockrelay.pytest_plugin.backends import Backend, ManagedRelayer
    from mockrelay.pytest_plugin.records import FailureRecords
    from mockrelay.relay import Relay, Verifier
    from mockrelay.testing import RelayerHandle

_SESSION = pytest.StashKey["Session"]()
SWEEP = "_MOCKRELAY_SWEEP_TESTS"
"""As `mockrelay.cli.sweep.by_test.VARIABLE`, which a run without a sweep does not import."""


class RelayerOptions(TypedDict, total=False):
    """The settings that `make_relayer` and the marker take."""

    scenario: str | Path | Mapping[str, Any]
    choices: Mapping[str, str]
    clock: str | float
    limits: str | Mapping[str, int | str | None]
    strict: bool
    allow: str | Sequence[str]


class MakeRelayer:
    """Makes relayers, each with a port of its own. They end with the fixture."""

    def __init__(
        self,
        session: Session,
        base: Settings,
        folders: Sequence[Path],
        relayers: list[ManagedRelayer],
        test: str | None = None,
    ) -> None:
        """`relayers`: the list that holds all open ones of the test or the session; `test`: the id of the test."""
        self._test = test
        self._session = session
        self._base = base
        self._folders = folders
        self._relayers = relayers
        self._own: list[ManagedRelayer] = []

    def __call__(
        self, *, verifier: Verifier | None = None, decide: Decide | None = None, **options: Unpack[RelayerOptions]
    ) -> RelayerHandle:
        """A relayer with the settings of the test, except where `options` has others.

        `verifier` and `decide` are as for `Relay.from_scenario`. Raises ValueError for a wrong setting.
        """
        settings = merged(self._base, options, self._folders, "make_relayer")
        managed = self._session.make(settings, verifier=verifier, decide=decide)
        self._session.note_world(managed, self._test)
        self._relayers.append(managed)
        self._own.append(managed)
        return managed.relayer

    def unfired(self) -> list[str]:
        """A sentence for each armed fault that has not fired."""
        from mockrelay.testing import problems  # noqa: PLC0415 - those who get here have it

        others = frozenset(problems.PROBLEMS) - {"unfired_fault"}
        return [
            sentence
            for each in self._own
            for sentence in problems.unexpected_problems(each.relayer.control, each.relayer.allowed | others)
        ]

    def close(self) -> list[RelayerHandle]:
        """End its relayers; their handles."""
        ended = [managed.relayer for managed in self._own]
        while self._own:
            managed = self._own.pop()
            self._relayers.remove(managed)
            managed.close()
        return ended


def reopened(ended: Iterable[RelayerHandle]) -> list[RelayerHandle]:
    """New handles of relayers that have ended, of those in this process: they can still be asked."""
    from mockrelay.testing import RelayerHandle  # noqa: PLC0415 - those who get here have it
    from mockrelay.testing.calling import relay_of  # noqa: PLC0415

    return [RelayerHandle.of(relay) for each in ended if (relay := relay_of(each)) is not None]


class Session:
    """What the tests of one process share, from the first use of a relayer on."""

    def __init__(self, config: pytest.Config) -> None:
        # A run without relayers does not pay for them.
        from mockrelay.pytest_plugin.backends import backend_of  # noqa: PLC0415
        from mockrelay.pytest_plugin.records import records_of  # noqa: PLC0415

        worker = getattr(config, "workerinput", {}).get("workerid", "main")
        self.base = Base(config)
        self.backend: Backend = backend_of(config.stash[START], worker, os.environ)
        self.shared: list[ManagedRelayer] = []
        """The relayers that outlive a test."""
        self.sweep = os.environ.get(SWEEP)
        """The folder of a sweep that wants to know the worlds of each test."""
        self._noted: set[tuple[int, str]] = set()
        self._coverage: CoveragePlugin | None = config.pluginmanager.get_plugin(NAME)
        self.records: FailureRecords | None = records_of(config)
        self.findings: findings.FindingsPlugin = config.pluginmanager.get_plugin(findings.NAME)  # type: ignore[assignment]

    @classmethod
    def of(cls, config: pytest.Config) -> Session:
        """The session of a run, started on first use; it ends with the run."""
        session = cls.existing(config)
        if session is None:
            config.stash[_SESSION] = session = cls(config)
            config.add_cleanup(session.backend.close)
        return session

    @staticmethod
    def existing(config: pytest.Config) -> Session | None:
        """The session of a run; None: no test has used a relayer yet."""
        return config.stash.get(_SESSION, None)

    def make(
        self,
        settings: Settings,
        *,
        verifier: Verifier | None = None,
        decide: Decide | None = None,
        make_relay: Callable[..., Relay] | None = None,
    ) -> ManagedRelayer:
        """A relayer whose findings are counted, and its coverage, if the run reports that."""
        managed = self.backend.make(settings, verifier=verifier, decide=decide, make_relay=make_relay)
        if self.records is not None:
            self.records.begin(managed.relayer)
        managed = self.findings.with_findings(managed)
        return managed if self._coverage is None else self._coverage.with_coverage(managed)

    def note_world(self, managed: ManagedRelayer, test: str | None) -> None:
        """Tell a sweep which test a relayer is of; None: of several. Only a world of its server can be told."""
        if self.sweep is not None and managed.world:
            from mockrelay.cli.sweep.by_test import note_world  # noqa: PLC0415 - only a sweep needs it

            note_world(self.sweep, test, managed.world)

    def note_problems(self) -> None:
        """Note the problems that the relayers of the session have before a test."""
        self._noted = set(self._shared_problems())

    def unexpected(self, own: list[ManagedRelayer]) -> list[str]:
        """A sentence for each problem of a test's own relayers, and for each new one of the session's relayers."""
        sentences = [text for key, text in self._shared_problems().items() if key not in self._noted]
        for each in own:
            sentences += each.relayer.unexpected()
        return sentences

    def _shared_problems(self) -> dict[tuple[int, str], str]:
        if not self.shared:
            return {}
        return {
            (id(each.relayer), sentence): sentence
            for each in self.shared
            for sentence in each.relayer.unexpected(but=("unfired_fault",))
        }
