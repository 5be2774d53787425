"""Each rule about clients: the smallest client that breaks it, and the nearest one that does not."""

from __future__ import annotations

import re

import pytest

from mockrelay.spec.lint_rules import BY_ID, LEVELS, RULES, Rule, rule_of
from tests.report.bench import Bench
from tests.report.rule_pairs import PAIRS, Pair
from tests.support.client import done, send


def bench_of(pair: Pair) -> Bench:
    return Bench(pair.choices, limits=pair.limits, edit=pair.edit)


def test_every_rule_has_its_two_clients() -> None:
    assert list(PAIRS) == [rule.id for rule in RULES]


@pytest.mark.parametrize("rule", PAIRS)
def test_who_breaks_a_rule_is_found(rule: str) -> None:
    pair = PAIRS[rule]
    bench = bench_of(pair)
    pair.breaks(bench)
    found = bench.findings(rule)
    assert len(found) >= 1
    for finding in found:
        assert (finding["level"], finding["fix"]) == (BY_ID[rule].level, BY_ID[rule].fix)
        assert finding["detail"]
        if rule == "timeline":
            # What an entry could not do is about no call, whichever call it happened before.
            assert (finding["request"], finding["source"]) == (None, "timeline entry 1")
        else:
            assert re.fullmatch(r"r[0-9]+", finding["request"]), finding
            assert finding["source"] == "call"
            assert finding in done(bench.relay, "GET", f"why/{finding['request']}")["findings"]


@pytest.mark.parametrize("rule", PAIRS)
def test_who_keeps_it_is_not(rule: str) -> None:
    pair = PAIRS[rule]
    bench = bench_of(pair)
    pair.keeps(bench)
    assert bench.rules() == []


@pytest.mark.parametrize("rule", RULES, ids=[rule.id for rule in RULES])
def test_a_rule_says_what_it_is(rule: object) -> None:
    """Its id is words with hyphens, its level is known, title and fix are sentences."""
    found = next(each for each in RULES if each is rule)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", found.id)
    assert found.level in LEVELS
    for sentence in (found.title, found.fix):
        assert re.match(r"[A-Z`]|getCode ", sentence), sentence
        assert sentence.endswith(".")


def test_no_two_rules_share_an_id() -> None:
    assert len(BY_ID) == len(RULES)


def test_a_rule_of_an_older_version_is_told_by_its_name() -> None:
    assert rule_of("gone") == Rule("gone", "warning", "gone", "")


def test_the_rules_that_fail_a_test_by_themselves() -> None:
    assert {rule.id for rule in RULES if rule.fails} == {
        *("foreign-path", "milliseconds-for-seconds", "seconds-for-milliseconds"),
        *("post-retried-without-looking", "changed-retry-without-looking"),
    }


def test_a_call_that_a_strategy_has_drawn_brings_no_findings_and_no_problem() -> None:
    bench = bench_of(PAIRS["unknown-field"])
    for headers, findings in (({"x-mockrelay-drawn": "1"}, 0), ({}, 1)):
        send(bench.relay, "GET", "/api/v2/ticker", query=[("market", "LRC-ETH"), ("more", "1")], headers=headers)
        send(bench.relay, "GET", "/api/v2/tickers", headers=headers)
        assert len(bench.findings("unknown-field")) == findings
        assert len(done(bench.relay, "GET", "problems")) == findings
