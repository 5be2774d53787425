"""The compiled checks and the reference say the same of every value, for every schema under every option."""

from __future__ import annotations

from random import Random

import pytest

from mockrelay.wire.compile import checker
from mockrelay.wire.explain import explain, reference
from mockrelay.wire.schemas import Option, file_ids, follow
from tests.wire.generate import ODD, changed, fitting, option_sets

CASES = [(file_id, options) for file_id in file_ids() for options in option_sets(file_id)]
IDS = [" ".join([file_id, *("=".join(option) for option in options)]) for file_id, options in CASES]
FITTING, CHANGED = 6, 5
"""How many fitting values of a schema, and how many changes of each."""


@pytest.mark.parametrize(("schema_id", "options"), CASES, ids=IDS)
def test_compiled_check_reference_and_explanation_agree(schema_id: str, options: tuple[Option, ...]) -> None:
    """On values that fit, on values that differ from them in one place, and on odd ones."""
    check, judge = checker(schema_id, options), reference(schema_id, options)
    pick = Random(f"{schema_id} {options}").randrange
    right = [fitting(pick, follow(schema_id, "", options), options) for _ in range(FITTING)]
    assert [value for value in right if not check(value) or not judge.is_valid(value)] == []
    near = [changed(pick, value) for value in right for _ in range(CHANGED)]
    for value in (*near, *ODD):
        assert check(value) is judge.is_valid(value), value
        assert check(value) is (explain(schema_id, value, options) == ()), value
