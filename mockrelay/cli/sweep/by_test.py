"""The choices that each test of a pytest suite meets, so that an option is run with the tests that it can matter to.

A sweep and the pytest plugin exchange files in a folder, which `VARIABLE` names in the environment of the command: in the
first run the plugin notes the worlds of each test; in later ones it runs only the tests that the sweep has listed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

VARIABLE = "_MOCKRELAY_SWEEP_TESTS"
MAIN_WORLD = ""
"""The name for a server's main relayer."""
_WORLDS, _TESTS = "worlds.jsonl", "tests.json"


class TestsMet(NamedTuple):
    """The keys of the choices that were consulted for each test, and outside of any test."""

    by_test: Mapping[str, frozenset[str]]
    outside: frozenset[str]

    def meeting(self, keys: Collection[str]) -> frozenset[str] | None:
        """The tests that met one of the choices; None: all tests may."""
        if not self.by_test or not self.outside.isdisjoint(keys):
            return None
        return frozenset(test for test, met in self.by_test.items() if not met.isdisjoint(keys))


def note_world(folder: str, test: str | None, world: str) -> None:
    """Note that a world is of a test; None: of several. Processes of pytest-xdist write into one file."""
    with Path(folder, _WORLDS).open("a", encoding="utf-8") as file:
        file.write(json.dumps([test, world]) + "\n")


def tests_to_run(folder: str) -> frozenset[str] | None:
    """The tests that a run is to run; None: all."""
    try:
        return frozenset(json.loads(Path(folder, _TESTS).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def list_tests(folder: Path, tests: Collection[str]) -> None:
    """List the tests that a run is to run."""
    folder.mkdir()
    folder.joinpath(_TESTS).write_text(json.dumps(sorted(tests)), encoding="utf-8")


def tests_met(folder: Path, keys_by_world: Mapping[str, Collection[str]]) -> TestsMet:
    """What each test has met, by the worlds that the plugin has noted and the choices that those have consulted."""
    by_test: dict[str, frozenset[str]] = {}
    worlds: set[str] = set()
    file = folder / _WORLDS
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        test, world = json.loads(line)
        if test is not None:
            worlds.add(world)
            by_test[test] = by_test.get(test, frozenset()).union(keys_by_world.get(world, ()))
    outside = (keys for world, keys in keys_by_world.items() if world not in worlds)
    return TestsMet(by_test, frozenset().union(*outside))
