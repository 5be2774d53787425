"""All errors of a scenario at once, each as loading tells it where it is the only one."""

from __future__ import annotations

from pathlib import Path

import pytest

from mockrelay.scenario import ScenarioError, load, shipped
from mockrelay.scenario.every_error import scenario_errors
from mockrelay.scenario.loader import source_of, source_of_text

BROKEN = sorted(Path(__file__).parent.joinpath("broken").glob("*.yaml"))
HEAD = "format: 1\nextends: default\n"


def errors_of(text: str) -> list[tuple[int, int, str]]:
    """Line, column and what was found, of each error of a text below `HEAD`, counted from there."""
    return [(each.line - 2, each.column, each.found) for each in scenario_errors(source_of_text(HEAD + text, "x"))]


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_the_error_that_loading_ends_at_is_one_of_them(path: Path) -> None:
    with pytest.raises(ScenarioError) as raised:
        load(path)
    assert str(raised.value) in [str(each) for each in scenario_errors(source_of(path))]


@pytest.mark.parametrize("name", shipped())
def test_a_right_one_has_none(name: str) -> None:
    assert scenario_errors(source_of(name)) == []


def test_what_breaks_the_schema_is_found_in_all_sections_and_in_the_order_of_the_file() -> None:
    text = """\
choices: {http.error_status: 300, order.dusty: keep}
limits: {get_deepth: 2, get_depth: -1}
accounts:
  - {nme: dave, accountId: 7, balances: {LRC: "-1"}}
  - 5
  - {name: erin, accountId: x}
timeline:
  - {at: yesterday, do: {seal: {count: 0}}}
"""
    assert errors_of(text) == [
        (1, 30, "the number 300"),
        (1, 35, "the unknown key 'order.dusty'"),
        (2, 10, "the unknown name 'get_deepth'"),
        (2, 36, "the number -1"),
        (4, 5, "no 'name'"),
        (4, 6, "the unknown key 'nme'"),
        (4, 47, "'-1'"),
        (5, 5, "the number 5"),
        (6, 29, "'x'"),
        (8, 10, "'yesterday'"),
        (8, 40, "the number 0"),
    ]


def test_what_does_not_fit_together_is_found_beside_what_breaks_the_schema() -> None:
    text = """\
seed: []
accounts:
  - {name: erin, accountId: 10009, balances: {FOO: "1"}}
orders:
  - {account: frank, market: LRC-ETH, side: SELL, size: "1", price: "1"}
  - {account: house, market: LRC-XYZ, side: SELL, size: "1", price: "1"}
faults:
  - {on: submit_order, code: 102014, when: {tokenSId: 77}}
"""
    lines = [line for line, _, _ in errors_of(text)]
    assert lines == [1, 3, 5, 6, 8]


def test_no_error_says_only_that_something_wrong_does_not_exist() -> None:
    """The account and the market are wrong, and there; what refers to them is right."""
    text = """\
accounts:
  - {name: erin, accountId: -1}
orders:
  - {account: erin, market: LRC-ETH, side: SELL, size: "1", price: "1"}
"""
    assert [line for line, _, _ in errors_of(text)] == [2]


def test_a_text_that_cannot_be_read_has_one() -> None:
    assert [found for _, _, found in errors_of("a: [\n")] == [errors_of("a: [\n")[0][2]]
    assert len(errors_of("name: 5\nlimits: 7\n")) == 1
