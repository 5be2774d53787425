"""Every option of every choice has a witness: in its world, and in no other, a client is answered differently."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.published import published
from tests.conformance.witnesses import WITNESSES
from tests.support.worlds import relay_from

CHOICES: list[dict[str, Any]] = published("choices")


def _bytes(key: str, option: str | None) -> bytes:
    witness = WITNESSES[key]
    choices = {} if option is None else {key: option}
    return witness.calls(relay_from(witness.scenario, choices=choices, limits=witness.limits))


def test_every_choice_has_a_witness_and_every_witness_a_choice() -> None:
    """The published table and the table of witnesses have the same keys."""
    assert {choice["key"] for choice in CHOICES} == set(WITNESSES)


@pytest.mark.parametrize("choice", CHOICES, ids=[choice["key"] for choice in CHOICES])
def test_choice_is_a_choice(choice: dict[str, Any]) -> None:
    """At least two options, no option twice, and the default is no deviation from the spec."""
    options = choice["options"]
    assert len(options) == len(set(options)) >= 2
    assert options[0] not in choice.get("deviations", [])
    assert set(choice.get("deviations", [])) <= set(options)
    assert choice["spec_says"]
    assert choice["why"]


@pytest.mark.parametrize("key", sorted(WITNESSES))
def test_witness_is_the_same_twice_and_under_the_default_by_name(key: str) -> None:
    """Same world, same calls, same bytes; and setting the first option is setting nothing."""
    default = next(choice["options"][0] for choice in CHOICES if choice["key"] == key)
    assert _bytes(key, None) == _bytes(key, None) == _bytes(key, default)


@pytest.mark.parametrize("key", [choice["key"] for choice in CHOICES])
def test_options_differ_from_the_default_and_from_each_other(key: str) -> None:
    """Worlds that differ in this choice alone answer different bytes under each option."""
    options = next(choice["options"] for choice in CHOICES if choice["key"] == key)
    answered = [_bytes(key, option) for option in options]
    assert len(set(answered)) == len(options), dict(zip(options, answered, strict=True))


def test_unknown_choice_or_option_is_refused() -> None:
    """A key or a word that the table does not have is an error, never ignored."""
    for choices in ({"no.such": "x"}, {"rate.status": "418"}):
        with pytest.raises(Exception, match=r"no\.such|418"):
            relay_from(choices=choices)
