"""The compiled checks and the reference say the same of every value, for every schema under every option."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mockrelay.wire.compile import checker
from mockrelay.wire.explain import explain, reference
from mockrelay.wire.schemas import Option, file_ids, follow
from tests.wire.generate import ODD, almost_fitting, fitting, json_values, option_sets

CASES = [(file_id, options) for file_id in file_ids() for options in option_sets(file_id)]
IDS = [" ".join([file_id, *("=".join(option) for option in options)]) for file_id, options in CASES]
every_schema = pytest.mark.parametrize(("schema_id", "options"), CASES, ids=IDS)


@every_schema
def test_both_checks_take_what_fits_the_schema(schema_id: str, options: tuple[Option, ...]) -> None:
    check, judge = checker(schema_id, options), reference(schema_id, options)

    @settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(fitting(follow(schema_id, "", options), options))
    def holds(value: Any) -> None:
        assert check(value)
        assert judge.is_valid(value)

    holds()


@every_schema
def test_both_checks_agree_on_what_almost_fits_and_on_any_json(schema_id: str, options: tuple[Option, ...]) -> None:
    check, judge = checker(schema_id, options), reference(schema_id, options)
    values = st.one_of(almost_fitting(follow(schema_id, "", options), options), json_values, st.sampled_from(ODD))

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(values)
    def agree(value: Any) -> None:
        assert check(value) is judge.is_valid(value)
        assert check(value) is (explain(schema_id, value, options) == ())

    agree()


@every_schema
def test_both_checks_agree_on_every_odd_value(schema_id: str, options: tuple[Option, ...]) -> None:
    check, judge = checker(schema_id, options), reference(schema_id, options)
    assert [value for value in ODD if check(value) is not judge.is_valid(value)] == []
