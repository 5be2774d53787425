"""What the tests of one process share: the settings of the run, what makes relayers, and the relayers of the session."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import pytest

from mockrelay.pytest_plugin.coverage import NAME, CoveragePlugin
from mockrelay.pytest_plugin.settings import Base, Settings, laid_over

if TYPE_CHECKING:
    from mockrelay.core.context import Decide
    from mockrelay.pytest_plugin.making import Made, Maker
    from mockrelay.relay import Verifier
    from mockrelay.testing import RelayerHandle

START_MS = pytest.StashKey[int]()
"""Where the frozen clocks of the run start."""
_SESSION = pytest.StashKey["Session"]()


class Wishes(TypedDict, total=False):
    """What `make_relayer` and the marker take."""

    scenario: str | Path
    choices: Mapping[str, str]
    clock: str | float
    limits: str
    strict: bool
    allow: str | Sequence[str]


class MakeRelayer:
    """Makes relayers, any number, each with a port of its own; they end with the fixture."""

    def __init__(self, session: Session, base: Settings, folders: Sequence[Path], made: list[Made]) -> None:
        self._session = session
        self._base = base
        self._folders = folders
        self._made = made
        self._own: list[Made] = []

    def __call__(
        self, *, verifier: Verifier | None = None, decide: Decide | None = None, **wishes: Unpack[Wishes]
    ) -> RelayerHandle:
        """A relayer whose settings are the test's, with what is given in their place.

        `verifier` and `decide` are as for `Relay.from_scenario`. Raises ValueError for a setting that cannot be.
        """
        settings = laid_over(self._base, wishes, self._folders, "make_relayer")
        made = self._session.make(settings, verifier=verifier, decide=decide)
        self._made.append(made)
        self._own.append(made)
        return made.relayer

    def unfired(self) -> list[str]:
        """A sentence for each fault that is armed now and has met nothing."""
        from mockrelay.testing import problems  # noqa: PLC0415 - those who get here have it

        others = {"unknown_path", "inner_failure"}
        return [
            sentence
            for made in self._own
            for sentence in problems.unexpected_problems(made.relayer.control, allow=made.relayer.allowed | others)
        ]

    def close(self) -> None:
        """Let go of all that it has made."""
        while self._own:
            made = self._own.pop()
            self._made.remove(made)
            made.close()


class Session:
    """What the tests of one process share. Made when the first of them needs a relayer."""

    def __init__(self, config: pytest.Config) -> None:
        from mockrelay.pytest_plugin.making import maker  # noqa: PLC0415 - a run without relayers does not pay for it

        worker = getattr(config, "workerinput", {}).get("workerid", "main")
        self.base = Base(config)
        self.maker: Maker = maker(config.stash[START_MS], worker, os.environ)
        self.shared: list[Made] = []
        """Those that outlive a test."""
        self._known: set[tuple[int, str]] = set()
        self._coverage: CoveragePlugin | None = config.pluginmanager.get_plugin(NAME)

    @classmethod
    def of(cls, config: pytest.Config) -> Session:
        """The session of a run, which closes with the run."""
        session = cls.known(config)
        if session is None:
            config.stash[_SESSION] = session = cls(config)
            config.add_cleanup(session.maker.close)
        return session

    @staticmethod
    def known(config: pytest.Config) -> Session | None:
        """The session of a run, if any of its tests has needed one yet."""
        return config.stash.get(_SESSION, None)

    def make(self, settings: Settings, *, verifier: Verifier | None = None, decide: Decide | None = None) -> Made:
        """A relayer; where the run asks for that, what it has met is taken when it is let go."""
        made = self.maker.make(settings, verifier=verifier, decide=decide)
        return made if self._coverage is None else self._coverage.joined(made)

    def remember(self) -> None:
        """Note before a test what the relayers of the session have met already."""
        self._known = set(self._met_by_shared())

    def unheard(self, own: list[Made]) -> list[str]:
        """A sentence for everything that a test must hear of: from relayers of its own, and from those of the session
        what is new.
        """
        sentences = [text for key, text in self._met_by_shared().items() if key not in self._known]
        for made in own:
            sentences += made.relayer.unexpected()
        return sentences

    def _met_by_shared(self) -> dict[tuple[int, str], str]:
        if not self.shared:
            return {}
        from mockrelay.testing import problems  # noqa: PLC0415 - those who get here have it

        return {
            (id(made.relayer), sentence): sentence
            for made in self.shared
            for sentence in problems.unexpected_problems(
                made.relayer.control, strict=made.relayer.strict, allow=made.relayer.allowed | {"unfired_fault"}
            )
        }
