"""Every documented reading of the spec's silences passes, and the check says which one it has met."""

from __future__ import annotations

import pytest

from mockrelay.check import rules
from mockrelay.check.checking import CASES
from mockrelay.check.run import CheckCase
from mockrelay.spec.choices import CHOICES
from tests.check.in_process import found_in

SINGLE = [
    (choice.key, option) for choice in CHOICES for option in choice.options[1:] if option not in choice.deviations
]
DEVIATIONS = [(choice.key, option) for choice in CHOICES for option in choice.deviations]
NO_FIELDS = tuple(case for case in CASES if not case.name.startswith("fields"))
"""The forms of requests are judged alike under every option: the last two tests have them."""
QUICK = tuple(case for case in NO_FIELDS if not case.name.startswith("strays"))
"""What answers paths that do not exist depends on no choice beyond those of HTTP."""
NOT_APART = {"rate.scope": {"address", "global"}}
"""From one address these look alike."""
HIDDEN = {("signature.scheme", "off"): {"auth.missing_signature_header"}}
"""Choices that a reading leaves without an effect."""


def _cases(key: str) -> tuple[CheckCase, ...]:
    return NO_FIELDS if key.startswith("http.") else QUICK


@pytest.mark.parametrize(("key", "option"), SINGLE, ids=[f"{key}={option}" for key, option in SINGLE])
def test_a_documented_reading_passes_and_is_told(key: str, option: str) -> None:
    outcome = found_in({key: option}, cases=_cases(key))
    assert outcome.report_findings == ()
    due = {choice.key: {choice.default} for choice in CHOICES} | {key: {option}}
    for reading in outcome.choices:
        result = set(reading.options)
        if reading.key in HIDDEN.get((key, option), ()):
            assert due[reading.key] <= result
        elif reading.key == key and option in NOT_APART.get(key, ()):
            assert result == NOT_APART[key]
        else:
            assert result == due[reading.key], reading


@pytest.mark.parametrize(("key", "option"), DEVIATIONS)
def test_a_reading_against_the_letter_is_the_one_finding(key: str, option: str) -> None:
    outcome = found_in({key: option}, cases=_cases(key))
    assert [(finding.rule, f"{key} is `{option}`" in finding.detail) for finding in outcome.report_findings] == [
        (rules.DEVIATION, True)
    ]


@pytest.mark.slow
def test_all_second_options_together_pass_but_for_the_deviations_among_them() -> None:
    """The whole check, forms of requests included."""
    outcome = found_in(scenario="second_options")
    assert {finding.rule for finding in outcome.report_findings} == {rules.DEVIATION}
    result = " ".join(finding.detail for finding in outcome.report_findings)
    assert "auth.key_on_unlisted is `ignore`" in result
    assert "block.fill_s is `string`" in result
    assert "gas_price.unit is `wei`" in result
    assert "order_id.json is `number`" in result
    assert len(outcome.report_findings) == 4


@pytest.mark.slow
def test_all_last_options_together_pass_but_for_the_deviations_among_them() -> None:
    choices = {choice.key: choice.options[-1] for choice in CHOICES if choice.options[-1] not in choice.deviations}
    assert found_in(choices).report_findings == ()
