"""A check as data: an id, the endpoint, what must hold, and the part of the spec that says so."""

from __future__ import annotations

from typing import NamedTuple

from mockrelay.spec.endpoints import BY_NAME, ENDPOINTS

FORM, KEYS, FIELDS = "form", "keys", "fields"
"""Ids of the checks of every endpoint: its answers' form, its API key, the form of its requests."""


class Check(NamedTuple):
    """One check."""

    id: str
    """Words with hyphens, unique within the endpoint."""
    endpoint: str
    holds: str
    """What must hold, as a sentence without its full stop."""
    section: str
    """The part of the spec: `10` for the endpoint of that number, else the part's name."""

    def __str__(self) -> str:
        """The check as a finding names it."""
        return f"{self.holds} ({f'§{self.section}' if self.section.isdigit() else self.section})"


def check(id_: str, endpoint: str, holds: str, section: str | None = None) -> Check:
    """A check of an endpoint; the section is the endpoint's own unless another part of the spec says so."""
    return Check(id_, endpoint, holds, str(BY_NAME[endpoint].section) if section is None else section)


def of_all_endpoints(id_: str, holds: str, section: str) -> tuple[Check, ...]:
    """The same check of every endpoint."""
    return tuple(Check(id_, endpoint.name, holds, section) for endpoint in ENDPOINTS)


FORM_CHECKS = of_all_endpoints(
    FORM, "Answers are JSON, wrapped as they should be, and fit their schema", "Conventions 3"
)
