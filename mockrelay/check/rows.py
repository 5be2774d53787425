"""What a check is, as data: an id, the endpoint, what must hold, and where the spec says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from mockrelay.spec.endpoints import BY_NAME, ENDPOINTS

if TYPE_CHECKING:
    from mockrelay.check.run import Run

FORM, KEYS, FIELDS = "form", "keys", "fields"
"""Ids of what is checked of every endpoint: its answers' form, its API key, the form of its requests."""


class Row(NamedTuple):
    """One check."""

    id: str
    """Words with hyphens; with the endpoint it names the check."""
    endpoint: str
    holds: str
    """What must hold, as a sentence without its full stop."""
    section: str
    """Where the spec says so: `10` for the endpoint of that number, else the part's name."""

    @property
    def told(self) -> str:
        """The check as a finding names it."""
        where = f"§{self.section}" if self.section.isdigit() else self.section
        return f"{self.holds} ({where})"


class Act(NamedTuple):
    """A part of the run: calls that belong together, and the checks that they serve."""

    name: str
    play: Callable[[Run], None]
    rows: tuple[Row, ...]
    writes: bool
    """Whether it submits anything, or needs a relayer that can be steered."""
    foreign: bool = False
    """Whether an act that writes may be played to a relayer that cannot be steered: it sends wrong submissions alone."""
    endpoints: tuple[str, ...] = ()
    """The endpoints that it calls; empty: those of its rows."""

    def is_about(self, endpoint: str) -> bool:
        """Whether it calls an endpoint."""
        return endpoint in (self.endpoints or {row.endpoint for row in self.rows})


def row(id_: str, endpoint: str, holds: str, section: str | None = None) -> Row:
    """A check of an endpoint; the section is the endpoint's own unless another part says so."""
    return Row(id_, endpoint, holds, str(BY_NAME[endpoint].section) if section is None else section)


def general(id_: str, holds: str, section: str) -> tuple[Row, ...]:
    """The same check of every endpoint."""
    return tuple(Row(id_, endpoint.name, holds, section) for endpoint in ENDPOINTS)


FORM_ROWS = general(FORM, "Answers are JSON, wrapped as they should be, and fit their schema", "Conventions 3")
