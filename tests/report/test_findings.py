"""The findings of a whole run: counted exactly, kept within bounds, told in every form, merged over relayers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from mockrelay.core.world import Finding
from mockrelay.relay import Relay
from mockrelay.replay import load_into, resume
from mockrelay.report import Report
from mockrelay.report.coverage_views import coverage_view
from mockrelay.report.findings import STORED_PER_RULE_MAX, Findings
from mockrelay.report.forms import format_report
from mockrelay.report.problems import Problems
from mockrelay.spec.lint_rules import PROBLEM_RULES, RULES, rule_of
from mockrelay.testing import RelayerHandle
from tests.report.bench import Bench
from tests.report.test_formats import log_of
from tests.support.answer import Answer
from tests.support.calls import call, order, valid_request
from tests.support.client import control, done, get
from tests.support.worlds import START_S, W, relay_from, world

SHORT = order(1, validUntil=START_S + 60)


@pytest.fixture
def relay() -> Relay:
    return world()


def found(*rules: str) -> Findings:
    findings = Findings()
    findings.add(Finding(rule, f"{rule} {index}", None, "event") for index, rule in enumerate(rules))
    return findings


def output(relay: Relay, form: str) -> Answer:
    answer = control(relay, "GET", "findings", format=form)
    assert answer.status == 200
    return answer


def test_a_reset_empties_the_list_and_not_the_report(relay: Relay) -> None:
    call(relay, SHORT)
    done(relay, "POST", "reset", {})
    assert done(relay, "GET", "findings") == []
    call(relay, order(1, clientOrderID="x"))
    assert [finding["rule"] for finding in done(relay, "GET", "findings")] == ["unknown-field"]
    assert relay.report.findings.counts == {"validity-under-a-month": 1, "unknown-field": 1}


def test_all_are_counted_and_the_first_of_each_rule_kept(relay: Relay) -> None:
    for _ in range(STORED_PER_RULE_MAX + 20):
        get(relay, "/nowhere")
    call(relay, SHORT)
    stored = list(relay.report.findings)
    assert relay.report.findings.counts == {"foreign-path": STORED_PER_RULE_MAX + 20, "validity-under-a-month": 1}
    assert [finding.request for finding in stored[:2]] == ["r1", "r2"]
    assert len(stored) == STORED_PER_RULE_MAX + 1
    assert "and 20 more that were not kept\n" in output(relay, "text").body.decode()
    assert json.loads(output(relay, "json").body)["total"] == STORED_PER_RULE_MAX + 21


def test_a_remark_is_short_however_long_a_call_is(relay: Relay) -> None:
    get(relay, "/" + "a" * 100_000)
    (finding,) = relay.report.findings
    assert len(finding.asked) < 400
    assert len(finding.detail) < 1100


def test_rules_of_older_worlds_do_not_fill_the_memory() -> None:
    findings = found(*(f"rule-{'x' * number}" for number in range(500)))
    assert len(findings.counts) == 100
    assert len(list(findings)) == 100


def test_secrets_are_in_no_form(relay: Relay) -> None:
    """Neither those of a target nor those of a body."""
    secret = "5ec2e7" * 5
    get(relay, "/api/v2/exchange/infos", apiKey=secret)
    call(relay, order(1, signatureRx=secret, keySeed=secret))
    for form in ("text", "json", "junit", "sarif"):
        assert secret not in output(relay, form).body.decode(), form
    assert "(masked)" in output(relay, "text").body.decode()


def test_the_text(relay: Relay) -> None:
    call(relay, SHORT)
    assert output(relay, "text").headers["content-type"] == "text/plain; charset=utf-8"
    assert output(relay, "text").body.decode() == (
        "warning: validity-under-a-month: An order ends less than a month from now.\n"
        f"  r1 POST /api/v3/order: validUntil {START_S + 60} is 60 s ahead\n"
        "  fix: Set `validUntil` to a month ahead or more (spec §15, Limits).\n"
        "1 finding\n"
    )


def test_the_json(relay: Relay) -> None:
    call(relay, SHORT)
    value = json.loads(output(relay, "json").body)
    assert (value["total"], value["counts"]) == (1, {"validity-under-a-month": 1})
    assert value["findings"][0]["asked"] == "POST /api/v3/order"
    assert value["findings"][0]["request"] == "r1"


def test_the_junit_has_a_case_for_each_rule_and_call(relay: Relay) -> None:
    call(relay, SHORT)
    findings = relay.report.findings
    findings.add([Finding("timeline", "entry 1", None, "timeline entry 1")])
    suite = ET.fromstring(format_report(findings, Problems(), "junit"))[0]
    names = {"validity-under-a-month": "validity-under-a-month: POST /api/v3/order"}
    assert [case.get("name") for case in suite] == [
        names.get(rule.id, rule.id) for rule in (*RULES, *PROBLEM_RULES.values())
    ]
    assert (suite.get("failures"), suite.get("skipped")) == ("1", "1")
    (failed,) = [case for case in suite if case.find("failure") is not None]
    assert failed.get("name") == "validity-under-a-month: POST /api/v3/order"
    assert "60 s ahead" in str(failed[0].text)
    assert str(failed[0].get("message")).startswith("warning: validity-under-a-month: ")
    assert str(failed[0].get("message")) not in str(failed[0].text)


def test_the_junit_tells_calls_and_worlds_apart_and_not_their_values() -> None:
    relay, findings = world(), Findings()
    for path, count in (("/nowhere?start=1", STORED_PER_RULE_MAX - 1), ("/elsewhere?a", 2), ("/nowhere?start=2", 1)):
        for _ in range(count):
            get(relay, path)
    findings.merge(relay.report.findings, "ci")
    failed = [
        case
        for case in ET.fromstring(format_report(findings, Problems(), "junit")).iter("testcase")
        if case.find("failure") is not None
    ]
    assert [case.get("name") for case in failed] == [
        "foreign-path: GET /nowhere (world ci)",
        "foreign-path: GET /elsewhere (world ci)",
    ]
    assert ["and 2 more that were not kept" in str(case[0].text) for case in failed] == [True, False]


def test_the_sarif_fits_its_published_schema(relay: Relay) -> None:
    assert log_of(output(relay, "sarif").body.decode())["runs"][0]["results"] == []
    call(relay, SHORT)
    get(relay, "/\ud800 \x07/%")
    run = log_of(output(relay, "sarif").body.decode())["runs"][0]
    assert [result["ruleId"] for result in run["results"]] == ["validity-under-a-month", "foreign-path"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [
        rule.id for rule in (*RULES, *PROBLEM_RULES.values())
    ]
    assert output(relay, "sarif").headers["content-type"] == "application/sarif+json; charset=utf-8"


def test_an_unknown_form_is_refused() -> None:
    answer = control(world(), "GET", "findings", format="xml")
    assert answer.status == 400
    assert answer.json["meant"] == "one of text, json, junit, sarif, markdown, github"
    with pytest.raises(ValueError, match="text, json, junit, sarif"):
        format_report(Findings(), Problems(), "xml")


def test_merged_findings_keep_their_world_and_their_counts() -> None:
    whole = found("shape", "shape")
    whole.merge(found("shape", "signature"), "one")
    outer = Findings()
    outer.merge(whole, "two")
    assert outer.counts == {"shape": 3, "signature": 1}
    assert [(finding.rule.id, finding.world) for finding in outer] == [
        ("shape", "two"),
        ("shape", "two"),
        ("shape", "one"),
        ("signature", "one"),
    ]


def test_merging_keeps_the_bounds() -> None:
    many = found(*["shape"] * 500)
    whole = found("signature")
    for name in ("one", "two"):
        whole.merge(many, name)
    assert whole.counts == {"signature": 1, "shape": 1000}
    assert len(list(whole)) == 1 + STORED_PER_RULE_MAX


def test_a_report_is_merged_whole(relay: Relay) -> None:
    call(relay, SHORT)
    whole = Report()
    whole.merge(relay.report, "w")
    assert whole.findings.total == 1
    assert coverage_view(whole.coverage) == coverage_view(relay.report.coverage)


def test_what_a_control_call_brought_about_is_in_the_report() -> None:
    """A timeline's entry may fall due while no client calls."""
    relay = relay_from(W)
    with relay.locked_context() as ctx:
        ctx.add_finding(rule_of("timeline"), "entry 1")
    (finding,) = relay.report.findings
    assert (finding.rule.id, finding.request, finding.asked) == ("timeline", None, "")
    assert finding.source.startswith("command")


def as_it_is(relay: Relay) -> Relay:
    return relay


def with_no_journal(relay: Relay) -> Relay:
    done(relay, "DELETE", "requests")
    return relay


def from_a_snapshot(relay: Relay) -> Relay:
    done(relay, "POST", "snapshots", {"name": "found"})
    done(relay, "POST", "reset", {})
    done(relay, "POST", "snapshots/found/restore", {})
    return relay


def from_a_dump(relay: Relay) -> Relay:
    """In another process, which knows none of the calls."""
    other = Relay.from_scenario()
    load_into(other, relay.dump())
    return other


def resumed(relay: Relay) -> Relay:
    other, _ = resume(relay.dump())
    return other


WAYS = (as_it_is, with_no_journal, from_a_snapshot, from_a_dump, resumed)


@pytest.mark.parametrize("way", WAYS, ids=[way.__name__ for way in WAYS])
def test_a_finding_keeps_the_call_or_the_event_that_it_is_of(way: Callable[[Relay], Relay]) -> None:
    """A call; an entry of the timeline that falls due before a call; one that falls due as the clock is moved on."""
    cancel = "do: {cancel: {clientOrderId: a1}}"
    bench = Bench(edit=("rates:", f"timeline: [{{at: 1s, {cancel}}}, {{at: 1m, {cancel}}}]\nrates:"))
    get(bench.relay, "/api/v2/exchange/tokens")
    call(bench.relay, SHORT)
    bench.wait(1000)
    call(bench.relay, order(2, validUntil=START_S + 61))
    done(bench.relay, "POST", "clock", {"advance": "1m"})
    relay = way(bench.relay)
    expected = [
        ("validity-under-a-month", "r2", "call"),
        ("timeline", None, "timeline entry 1"),
        ("validity-under-a-month", "r3", "call"),
        ("timeline", None, "timeline entry 2"),
    ]
    handle = RelayerHandle.of(relay)
    for findings in (done(relay, "GET", "findings"), done(relay, "GET", "state")["findings"], handle.findings):
        assert [(each["rule"], each["request"], each["source"]) for each in findings] == expected
    handle.strict = True
    with pytest.raises(
        AssertionError, match=r"(?s)^validity-under-a-month \[r2\]: .*timeline \[timeline entry 1\]: cancel at 1s: "
    ):
        handle.check()


def test_a_saved_finding_names_a_request_or_none(relay: Relay) -> None:
    call(relay, SHORT)
    record = relay.dump().replace(b'"request":"r1"', b'"request":"1"')
    assert record != relay.dump()
    with pytest.raises(ValueError, match=r"findings\[0\].request.*'1'.*such as r17, or null"):
        load_into(world(), record)


def test_a_loaded_record_adds_nothing_to_the_report(relay: Relay) -> None:
    """Its calls were another client's, or are counted already."""
    call(relay, SHORT)
    lines: list[str] = []
    relay.record_to(lines.append)
    call(relay, order(2, validUntil=START_S + 60))
    done_before: dict[str, Any] = dict(relay.report.findings.counts)
    load_into(relay, "".join(lines).encode())
    assert relay.report.findings.counts == done_before


def test_a_resumed_relay_counts_from_there_on(relay: Relay) -> None:
    lines: list[str] = []
    relay.record_to(lines.append)
    call(relay, SHORT)
    again, _ = resume("".join(lines).encode())
    assert again.report.findings.total == 0
    assert len(done(again, "GET", "findings")) == 1
    call(again, valid_request("get_orders").but(start=START_S))
    assert again.report.findings.counts == {"seconds-for-milliseconds": 1}
