"""What a test can set up and undo: faults, choices, snapshots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self, TypedDict

from mockrelay.client.control import Control, hides
from mockrelay.testing.control import described, word
from mockrelay.testing.record import Record, recorded

__tracebackhide__ = hides


class FaultOptions(TypedDict, total=False):
    """The fields of a fault beside its endpoint; exactly one of them says what it does."""

    name: str
    when: Mapping[str, Any]
    nth: int
    times: int
    at: str
    code: int
    message: str
    rate_limit: bool
    status: int
    body: str
    drop: bool
    delay: str
    hold: str
    outcome: str
    layer1: str
    disconnect: str
    push: str
    refuse: int


class Fault:
    """An armed fault. As a context manager it is disarmed at the end, however often it has fired."""

    def __init__(self, control: Control, fault_id: str) -> None:
        self._control = control
        self.id = fault_id
        """Its id in the journal and in `why`."""

    @property
    def view(self) -> Record:
        """All of it, as the control API shows it."""
        view: Record = recorded(self._control("GET", f"faults/{word(self.id, 'fault')}"))
        return view

    @property
    def fired(self) -> int:
        """How often it has fired."""
        return int(self.view["fired"])

    def remove(self) -> None:
        """Disarm it; it then no longer has to fire."""
        self._control("DELETE", f"faults/{word(self.id, 'fault')}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The test may have disarmed it, or restored a snapshot from before it was armed.
        for view in self._control("GET", "faults"):
            if view["id"] == self.id and view["fired"] < view["times"]:
                self.remove()

    def __repr__(self) -> str:
        return f"<fault {self.id}{described(self._description)}>"

    def _description(self) -> str:
        view = self.view
        return f"on {view['on']}, fired {view['fired']} of {view['times']} times"


class ChangedChoices:
    """Changed choices; as a context manager they hold until its end."""

    def __init__(self, control: Control, choices: Mapping[str, str]) -> None:
        self._control = control
        options = control("GET", "choices")
        control("PUT", "choices", dict(choices))
        self._before = {key: options[key] for key in choices}

    def undo(self) -> None:
        """Restore the options from before."""
        self._control("PUT", "choices", self._before)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.undo()


class Snapshot:
    """A named copy of the relayer's state to return to."""

    def __init__(self, control: Control, name: str, on_restore: Callable[[], object]) -> None:
        """`on_restore` is called before the state is given up."""
        self._control = control
        self._on_restore = on_restore
        self.name = word(name, "snapshot")
        """Its name."""

    def restore(self) -> Snapshot:
        """Return to it, any number of times. Raises ControlError for an unknown name."""
        self._on_restore()
        self._control("POST", f"snapshots/{self.name}/restore", {})
        return self

    def take(self) -> Snapshot:
        """Replace it by the present state."""
        self._control("POST", "snapshots", {"name": self.name})
        return self

    def delete(self) -> None:
        """Delete it."""
        self._control("DELETE", f"snapshots/{self.name}")

    def __repr__(self) -> str:
        return f"<snapshot {self.name}>"
