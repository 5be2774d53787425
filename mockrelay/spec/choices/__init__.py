"""The choices: one row for each question that the spec leaves open, with the answers that a relayer may have to it.

A row has a key, the options that a world can be set to, and the reason for the default, which is the first option.
Each option has a witness, a test of two worlds that differ in it alone and answer differently; an option without one is
not listed. An option marked as a deviation goes against the letter of the spec (seen or suspected in live relayers); it
is never a default.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mockrelay.spec.choices.answers import ANSWERS
from mockrelay.spec.choices.calls import CALLS
from mockrelay.spec.choices.choice import Choice
from mockrelay.spec.choices.live import LIVE_CHOICES
from mockrelay.spec.choices.orders import ORDERS
from mockrelay.spec.choices.requests import REQUESTS

CHOICES: tuple[Choice, ...] = (*CALLS, *ORDERS, *REQUESTS, *ANSWERS)
"""Those that the spec leaves open, which every profile has."""
ALL_CHOICES: tuple[Choice, ...] = (*CHOICES, *LIVE_CHOICES)
"""Those of all profiles."""

DUE_ORDER = "due.order"
"""The key of the one decision that is not a choice: which of the events that are due at the same moment happens next, as
its index in the order in which they were planned.
"""

BY_KEY: Mapping[str, Choice] = MappingProxyType({choice.key: choice for choice in ALL_CHOICES})
DEFAULTS: Mapping[str, str] = MappingProxyType({choice.key: choice.default for choice in CHOICES})
