"""Violations of form are judged where their code stands in the row, as if the rule were in the core."""

from __future__ import annotations

from collections.abc import Collection

from mockrelay.core.call import Call, Refused, Violation
from mockrelay.spec.codes import Code


class Turns:
    """The violations of a call that have a code of their own; `turn(code)` refuses where one of them waits for its turn."""

    __slots__ = ("_waiting",)

    def __init__(self, call: Call, skipped: Collection[str] = ()) -> None:
        self._waiting: tuple[Violation, ...] = call.violations
        if skipped and call.violations:
            self._waiting = tuple(violation for violation in call.violations if violation.field not in skipped)

    def __call__(self, code: Code) -> None:
        """It is this code's turn: Refused where a violation has it."""
        for violation in self._waiting:
            if violation.code is code:
                raise Refused(code, violation.detail)

    def violationed(self, field: str) -> bool:
        """Whether a field waits to be refused, so that no rule may read it yet."""
        return any(violation.field == field for violation in self._waiting)

    def over(self) -> None:
        """All turns have been given: a violation that is left has a code that its row does not judge, which is our fault."""
        assert not self._waiting, f"never judged: {self._waiting}"
