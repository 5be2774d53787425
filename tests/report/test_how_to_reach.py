"""How what is missing can be reached: as the causes of the conformance tests have it, and as it is told."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

from mockrelay.relay import Relay
from mockrelay.report.coverage import Coverage
from mockrelay.report.coverage_items import ItemKind, items
from mockrelay.report.coverage_text import coverage_summary, coverage_text, format_coverage
from mockrelay.report.coverage_views import coverage_from_view, coverage_view
from mockrelay.report.thresholds import parse_threshold, shortfalls
from tests.conformance.causes import OF_THE_NODE, SCRIPTED_ONLY
from tests.conformance.causes_of_requests import ALL_CAUSES
from tests.conformance.transcript import PAIRS
from tests.support.calls import call, order, ready, valid_request
from tests.support.client import advance, done
from tests.support.worlds import START_S, relay_from, world, world_like

PAIR_ITEMS = {item.key: item for item in items()[ItemKind.PAIRS].values()}


def moved(relay: Relay) -> list[str]:
    met: list[str] = done(relay, "GET", "coverage")["kinds"]["transitions"]["met"]
    return met


def test_what_is_natural_has_a_natural_cause() -> None:
    """As the conformance tests know causes: without a reading for most, under one for two, none for three."""
    plain = {(cause.name, cause.code) for cause in ALL_CAUSES if not cause.choices}
    under_choice = {(cause.name, cause.code) for cause in ALL_CAUSES} - plain
    reaches = {
        reach: {pair for pair, item in PAIR_ITEMS.items() if item.recipe.means == reach}
        for reach in ("natural", "choice", "scripted")
    }
    assert reaches["natural"] == plain & set(PAIRS)
    assert reaches["choice"] == under_choice & set(PAIRS)
    assert reaches["scripted"] == SCRIPTED_ONLY
    own = [pair for pair in reaches["natural"] | reaches["choice"] if pair[1] not in OF_THE_NODE | {100000}]
    assert len(own) == 54


@pytest.mark.parametrize("pair", [pair for pair, item in PAIR_ITEMS.items() if item.recipe.choices])
def test_a_pair_under_a_reading_names_one_that_a_cause_has(pair: tuple[str, int]) -> None:
    causes = [dict(cause.choices) for cause in ALL_CAUSES if (cause.name, cause.code) == pair]
    assert dict(PAIR_ITEMS[pair].recipe.choices or {}) in causes


@pytest.mark.parametrize("pair", PAIR_ITEMS, ids=lambda pair: f"{pair[0]}-{pair[1]}")
def test_the_fault_that_is_told_for_a_pair_brings_it(pair: tuple[str, int]) -> None:
    """All 86, each in a fault that can be armed as it stands."""
    relay = ready(world(), pair[0])
    done(relay, "POST", "faults", json.loads(json.dumps(dict(PAIR_ITEMS[pair].recipe.fault or {}))))
    call(relay, valid_request(pair[0]))
    assert f"{pair[0]} {pair[1]}" in done(relay, "GET", "coverage")["kinds"]["pairs"]["met"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("submit_transfer", "transfer"),
        ("submit_withdrawal", "withdrawal"),
        ("update_account", "account_update"),
        ("mint_nft", "nft_mint"),
        ("transfer_nft", "nft_transfer"),
        ("withdraw_nft", "nft_withdrawal"),
        ("deploy_nft_contract", "nft_deploy"),
    ],
)
def test_the_fault_that_is_told_for_a_failure_brings_it(name: str, kind: str) -> None:
    relay = ready(world(), name)
    item = items()[ItemKind.TRANSITIONS][f"{kind}: processing -> failed"]
    assert item.recipe.means == "scripted"
    done(relay, "POST", "faults", dict(item.recipe.fault or {}))
    assert call(relay, valid_request(name)).status == 200
    advance(relay, "60s")
    assert item.name in moved(relay)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("submit_transfer", "transfer"), ("submit_withdrawal", "withdrawal"), ("update_account", "account_update")],
)
def test_the_lifecycle_that_is_told_for_a_failure_brings_it(tmp_path: Path, name: str, kind: str) -> None:
    item = items()[ItemKind.TRANSITIONS][f"{kind}: received -> failed"]
    relay = ready(world_like(tmp_path, item.recipe.how.partition(" in a scenario with ")[2]), name)
    assert call(relay, valid_request(name)).status == 200
    advance(relay, "1s")
    assert moved(relay) == [item.name]


def test_held_orders_end_as_their_ways_say() -> None:
    """Released as failed the one is cancelled; the other expires, held."""
    for name in ("order: waiting -> cancelled", "order: waiting -> expired"):
        relay = relay_from()
        done(relay, "POST", "faults", dict(items()[ItemKind.TRANSITIONS][name].recipe.fault or {}))
        held = call(relay, order(validUntil=START_S + 3600)).data["orderHash"]
        if name.endswith("cancelled"):
            done(relay, "POST", f"orders/{held}/release", {"as": "failed"})
        advance(relay, "2h")
        assert name in moved(relay)


def test_orders_move_as_their_ways_say(relay: Relay) -> None:
    """Ahead of its time, cancelled before and after it, taken in part, taken whole, dropped, and expired."""
    later = call(relay, order(1, validSince=START_S + 600)).data["orderHash"]
    call(relay, order(2, validSince=START_S + 600))
    done(relay, "POST", f"orders/{later}/cancel", {})
    call(relay, order(3, orderType="TAKER_ONLY"))
    filled = call(relay, order(4)).data["orderHash"]
    size = done(relay, "GET", f"orders/{filled}")["size"]
    done(relay, "POST", f"orders/{filled}/fill", {"size": str(int(size) // 2)})
    done(relay, "POST", f"orders/{filled}/fill", {"size": str(int(size) - int(size) // 2)})
    open_one = call(relay, order(5)).data["orderHash"]
    done(relay, "POST", f"orders/{open_one}/cancel", {})
    advance(relay, "90d")
    assert {name for name in moved(relay) if name.startswith("order")} == {
        f"order: {move}"
        for move in (
            *("waiting -> processing", "waiting -> cancelling", "cancelling -> cancelled", "processing -> cancelled"),
            *("processing -> processing", "processing -> processed", "processing -> cancelling"),
            "processing -> expired",
        )
    }


def test_every_option_but_the_defaults_names_itself_as_the_way() -> None:
    of = Counter(item.recipe.means.value for item in items()[ItemKind.OPTIONS].values())
    assert of["natural"] == len({item.group for item in items()[ItemKind.OPTIONS].values()})
    for item in items()[ItemKind.OPTIONS].values():
        key, option = item.key
        assert item.recipe.choices in (None, {key: option})


def test_the_short_text_leaves_out_what_follows_from_something_else(relay: Relay) -> None:
    """Codes of endpoints that were never called, and moves of what never was, are told in a word."""
    call(relay, order())
    text = coverage_summary(relay.report.coverage)
    assert "\n  submit_order: 104001, 104002, 102001," in text
    assert "\n  get_depth:" not in text
    assert "\n  transfer: none of 4\n" in text
    assert "never called: get_tokens," in text
    assert all(len(line) <= 120 for line in text.splitlines())


def test_the_whole_text_tells_each_missing_thing_once_with_its_way() -> None:
    coverage = Coverage()
    lines = coverage_text(coverage).partition("what a client reaches")[2].splitlines()
    result = [line for line in lines if line.startswith("  ")]
    # 29 successes and 66 fields go without saying where the endpoint was never called.
    assert len(result) == sum(map(len, items().values())) - 29 - 66
    assert all(": " in line for line in result)
    way = 'an order that sells more than the account has; or the fault {"on": "submit_order", "code": 102011}'
    assert f"  submit_order 102011 Insufficient user balance: {way}" in result


def test_all_of_it_met_has_nothing_to_tell() -> None:
    view = coverage_view(Coverage())
    for kind in ItemKind:
        view["kinds"][kind]["met"] = list(items()[kind])
    coverage = coverage_from_view(view)
    lines = coverage_text(coverage).splitlines()
    assert len(lines) == 8
    assert all(line.endswith("100.0 %") for line in lines)
    assert shortfalls(coverage, [parse_threshold("100")]) == []


def test_the_junit_form_skips_what_is_missing(relay: Relay) -> None:
    call(relay, valid_request("get_depth"))
    root = ET.fromstring(format_coverage(relay.report.coverage, "junit"))
    cases = {(case.get("classname"), case.get("name")): case for case in root.iter("testcase")}
    assert cases["mockrelay.coverage.endpoints.get_depth", "get_depth"].find("skipped") is None
    skipped = cases["mockrelay.coverage.pairs.get_depth", "get_depth 108001"].find("skipped")
    assert skipped is not None
    assert "a level that the market does not have" in skipped.get("message", "")
    assert root.get("failures") == "0"


@pytest.mark.parametrize("text", ["", "x", "-1", "101", "pairs=", "nan", "=5"])
def test_a_threshold_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="meant"):
        parse_threshold(text)


def test_a_threshold_is_compared_exactly() -> None:
    """43 of 86 are 50 per cent, and no more."""
    view = coverage_view(Coverage())
    view["kinds"]["pairs"]["met"] = [f"{name} {code}" for name, code in PAIRS[:43]]
    coverage = coverage_from_view(view)
    assert shortfalls(coverage, [parse_threshold("pairs=50")]) == []
    ((threshold, sentence),) = shortfalls(coverage, [parse_threshold("pairs=50"), parse_threshold("pairs=50.1")])
    assert str(threshold) == "pairs=50.1"
    assert sentence == "50.0 % of the pairs were met (43 of 86), and 50.1 % must be"
