"""The test case of a state machine, without a deadline."""

from __future__ import annotations

from functools import cache, wraps
from typing import Any

from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test


class TestCaseOf:
    """The test case of a machine, whose settings have no deadline unless they have one that is not the default: an example
    is a whole run of many calls.
    """

    def __get__(self, machine: object, cls: type[RuleBasedStateMachine]) -> Any:
        return _test_case(cls)


@cache
def _test_case(machine: type[RuleBasedStateMachine]) -> Any:
    base: Any = machine._to_test_case()  # noqa: SLF001 - what `TestCase` itself returns

    def run(self: Any) -> None:
        given: settings = self.settings
        default: Any = settings.default
        has_own = given.deadline != default.deadline
        run_state_machine_as_test(machine, settings=given if has_own else settings(given, deadline=None))

    return type(base.__name__, (base,), {"runTest": wraps(base.runTest)(run), "__qualname__": base.__qualname__})
