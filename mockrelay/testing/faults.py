"""What a test arranges for a while: faults, readings, and moments to come back to."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self, TypedDict

from mockrelay.client.control import Control, hides
from mockrelay.testing.control import seen, word
from mockrelay.testing.record import Record, recorded

__tracebackhide__ = hides


class FaultFields(TypedDict, total=False):
    """What a fault may have, beside the endpoint that it is on; it does exactly one thing."""

    name: str
    when: Mapping[str, Any]
    nth: int
    times: int
    at: str
    code: int
    message: str
    status: int
    body: str
    drop: bool
    delay: str
    hold: str
    outcome: str
    layer1: str


class Fault:
    """A fault that is armed; as a context, one that is disarmed at its end unless it has fired."""

    def __init__(self, control: Control, fault_id: str) -> None:
        self._control = control
        self.id = fault_id
        """What the journal and `why` call it."""

    @property
    def view(self) -> Record:
        """Everything about it."""
        view: Record = recorded(self._control("GET", f"faults/{word(self.id, 'fault')}"))
        return view

    @property
    def fired(self) -> int:
        """How often it has fired."""
        return int(self.view["fired"])

    def remove(self) -> None:
        """Disarm it; from then on it need not have fired."""
        self._control("DELETE", f"faults/{word(self.id, 'fault')}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The test may have disarmed it itself, or have gone back to a moment before it was armed.
        for view in self._control("GET", "faults"):
            if view["id"] == self.id and not view["fired"]:
                self.remove()

    def __repr__(self) -> str:
        return f"<fault {self.id}{seen(self._told)}>"

    def _told(self) -> str:
        view = self.view
        return f"on {view['on']}, fired {view['fired']} of {view['times']} times"


class Choosing:
    """Readings that hold from now on; as a context only until its end."""

    def __init__(self, control: Control, choices: Mapping[str, str]) -> None:
        self._control = control
        held = control("GET", "choices")
        control("PUT", "choices", dict(choices))
        self._earlier = {key: held[key] for key in choices}

    def undo(self) -> None:
        """Put back what held before."""
        self._control("PUT", "choices", self._earlier)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.undo()


class Snapshot:
    """A moment of the relayer to come back to, by its name."""

    def __init__(self, control: Control, name: str) -> None:
        self._control = control
        self.name = word(name, "snapshot")
        """What it is called."""

    def restore(self) -> Snapshot:
        """Everything as it was then, any number of times. Raises ControlError for a name that nothing has."""
        self._control("POST", f"snapshots/{self.name}/restore", {})
        return self

    def take(self) -> Snapshot:
        """Let it be the present moment, in place of what it was."""
        self._control("POST", "snapshots", {"name": self.name})
        return self

    def delete(self) -> None:
        """Forget it."""
        self._control("DELETE", f"snapshots/{self.name}")

    def __repr__(self) -> str:
        return f"<snapshot {self.name}>"
