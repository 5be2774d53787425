"""`mockrelay check`: a relayer checked against the spec, and the report about it."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mockrelay.cli.options import EXISTING_FILE, EXIT_FINDINGS, FILE, CliError, completed_by, http_url, option
from mockrelay.cli.output import (
    Progress,
    check_parent,
    coloured_levels,
    make_folder,
    output_dir_option,
    output_options,
    put,
    write,
)

if TYPE_CHECKING:
    from mockrelay.check import Account, Options, Outcome
    from mockrelay.report.report_finding import ReportFinding

FILES = {"text": "check.txt", "json": "check.json", "junit": "check.junit.xml", "sarif": "check.sarif"}
"""The formats of the report, each with its file in the folder of `--output-dir`."""
_OLD_FILES = tuple(FILES)[1:]
_SHOWN_MAX = 3
"""The number of findings of one rule and one endpoint that the text has."""
_ANSWER_MAX = 120
"""The number of characters of an answer that the text has."""


def _old_file_options(function: Any) -> Any:
    """`--json`, `--junit` and `--sarif FILE`: old spellings of `--format FORMAT --output FILE` that print the text too."""
    for name in _OLD_FILES:
        function = option(f"--{name}", f"{name}_file", type=FILE, hidden=True, command="check")(function)
    return function


@click.command()
@click.argument("url", callback=http_url)
@option("--token", help="The token of a mockrelay's control API.")
@option(
    "--everything",
    is_flag=True,
    command="check",
    help="Also send submissions, all of them wrong, to a relayer that is not a mockrelay.",
)
@option(
    "--account-file",
    type=EXISTING_FILE,
    command="check",
    old={"--account": None, "MOCKRELAY_CHECK_ACCOUNT": None},
    help='A file with the account to ask for: JSON with "accountId", "owner" and "apiKey".',
)
@option("--api-key", command="check", help="The account's API key.")
@option("--account-id", type=click.IntRange(min=0), command="check", help="The account's id.")
@option("--owner", command="check", help="The address of the account's owner.")
@option("--market", command="check", help="The market to look at.  [default: the first that is found]")
@option(
    "--only",
    command="check",
    metavar="ENDPOINT",
    shell_complete=completed_by("endpoints"),
    help="Check this endpoint only.",
)
@option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0.1, max=600),
    default=10.0,
    show_default=True,
    command="check",
    metavar="SECONDS",
    help="The longest time that an answer may take.",
)
@output_options("check", *FILES)
@output_dir_option(
    "check",
    "Also write the report to this folder, in every format.",
    old={"--report": None, "MOCKRELAY_CHECK_REPORT": None},
)
@_old_file_options
def check(
    url: str, output_format: str, output: Path | None, output_dir: Path | None, timeout_s: float, **given: Any
) -> None:
    """Check the relayer at URL against the spec.

    A mockrelay is checked with calls to all endpoints, in a world of its own that is removed afterwards. Any other relayer
    gets reading calls only, within the rate limits of the spec. Exit code 0: no findings; 1: some; 2: no relayer answers,
    or the command is wrong.
    """
    from mockrelay.check import Options

    check_parent("--output", output)
    make_folder("--output-dir", output_dir)
    options = Options(
        _account(given["account_file"], given), given["token"], given["everything"], given["only"], given["market"]
    )
    outcome = _check(url, int(timeout_s * 1000), options)
    problem = _not_a_relayer(url, outcome)
    files = [("--output", output_format, output)]
    files += [(f"--{name}", name, given[f"{name}_file"]) for name in _OLD_FILES]
    if output_dir is not None:
        files += [("--output-dir", name, output_dir / file) for name, file in FILES.items()]
    if not problem and output is None:
        put(_report(output_format, url, outcome), None)
    for name, form, path in files:
        if path is not None:
            write(name, path, _report(form, url, outcome))
    if problem:
        raise CliError(problem)
    if outcome.findings:
        sys.exit(EXIT_FINDINGS)


def _account(file: Path | None, given: Mapping[str, Any]) -> Account:
    """The account of a JSON file with `accountId`, `owner` and `apiKey`; options replace its fields. Raises CliError."""
    from mockrelay.check import Account

    fields: Any = {}
    if file is not None:
        try:
            fields = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise CliError(f"--account {file}: {error}") from None
        types = {"accountId": int, "owner": str, "apiKey": str}
        if not isinstance(fields, dict) or not all(type(value) is types.get(name) for name, value in fields.items()):
            meant = 'a JSON object with "accountId", a number, and "owner" and "apiKey", texts'
            raise CliError(f"--account {file}: meant: {meant}")
    from_file = {"account_id": fields.get("accountId"), "owner": fields.get("owner"), "api_key": fields.get("apiKey")}
    return Account(**{name: value if given.get(name) is None else given[name] for name, value in from_file.items()})


def _check(url: str, timeout_ms: int, options: Options) -> Outcome:
    """Check the relayer at an address, with progress on standard error. Raises CliError where nothing answers."""
    from mockrelay.check import CannotCheck, check_relayer, root_of
    from mockrelay.client.http import HttpClient, InvalidAddress
    from mockrelay.spec.endpoints import ENDPOINTS
    from mockrelay.suggest import nearest

    names = tuple(row.name for row in ENDPOINTS)
    if options.only is not None and options.only not in names:
        meant = f"{nearest(options.only, names)}; `mockrelay spec endpoints` lists all"
        raise CliError(f"--only {options.only}: there is no such endpoint; meant: {meant}")
    key = options.account.api_key
    if key is not None and not (key.isascii() and key.isprintable()):
        raise CliError("--api-key: a header cannot hold it; meant: printable ASCII")
    progress = Progress(sys.stderr)

    def show(part: str, done: int, total: int, calls: int) -> None:
        if progress.due():
            progress.show(f"check: {done} of {total} parts, {calls} calls: {part}")

    try:
        # The check makes a world of its own, which only the root of a server can make.
        base = root_of(url)
        with closing(HttpClient(base, timeout_ms)) as http:
            return check_relayer(http, base, options, show)
    except (CannotCheck, InvalidAddress) as error:
        raise CliError(str(error)) from None
    finally:
        progress.clear()


def _not_a_relayer(url: str, outcome: Outcome) -> str:
    """The sentence that no relayer answers at an address; empty where one does."""
    from mockrelay.check import root_of

    if not outcome.not_a_relayer:
        return ""
    before, api, _ = root_of(url).partition("/api")
    meant = f"is it {before}, without {api}" if api else "is the address right"
    answer = " ".join(outcome.not_a_relayer.split())
    short = answer if len(answer) <= _ANSWER_MAX else answer[:_ANSWER_MAX] + "..."
    return f"{url}: none of {outcome.calls} calls was answered as a relayer would; {meant}? {short}"


def _report(output_format: str, url: str, outcome: Outcome) -> str:
    """The report in a format of `FILES`."""
    from mockrelay.check import RULES
    from mockrelay.report.formats.junit import junit
    from mockrelay.report.formats.sarif import sarif

    match output_format:
        case "json":
            return _json(url, outcome)
        case "junit":
            return junit(f"mockrelay check {url}", outcome.cases)
        case "sarif":
            return sarif(RULES, outcome.report_findings, "check")
        case _:
            return _text(url, outcome)


def _text(url: str, outcome: Outcome) -> str:
    kind = "a mockrelay, checked in a world of its own" if outcome.is_mockrelay else "not a mockrelay"
    lines = [
        _not_a_relayer(url, outcome) or f"{url}: {kind}",
        "",
        coloured_levels(_findings_text(outcome)),
        "Options observed, of the choices that the spec leaves open:",
        *_options(outcome),
        "",
    ]
    reached = {case.group for case in outcome.cases if case.skipped is None}
    total = f"{outcome.checks} checks in {outcome.calls} calls, {len(reached)} of {_endpoint_count()} endpoints\n"
    return "\n".join([*lines, *_skipped(outcome), total])


def _json(url: str, outcome: Outcome) -> str:
    from mockrelay.report.formats.text import findings_json

    value = json.loads(findings_json(outcome.report_findings))
    value |= {"url": url, "mockrelay": outcome.is_mockrelay, "calls": outcome.calls, "checks": outcome.checks}
    value["readings"] = {each.key: list(each.options) for each in outcome.choices if each.evidence}
    value["skipped"] = [{"endpoint": c.group, "check": c.name, "why": c.skipped} for c in outcome.cases if c.skipped]
    return json.dumps(value, indent=2) + "\n"


def _findings_text(outcome: Outcome) -> str:
    """All findings, but of one rule and one endpoint only the first few."""
    from mockrelay.report.formats.text import findings_text

    shown: list[ReportFinding] = []
    counts: Counter[tuple[str, str]] = Counter()
    for finding in outcome.findings:
        key = finding.finding.rule.id, finding.check.endpoint
        counts[key] += 1
        if counts[key] <= _SHOWN_MAX:
            shown.append(finding.finding)
    return findings_text(shown, Counter(finding.rule.id for finding in outcome.report_findings))


def _options(outcome: Outcome) -> Iterable[str]:
    """A line for each choice whose option was observed."""
    observed = [each for each in outcome.choices if each.evidence]
    width = max((len(each.key) for each in observed), default=0)
    lines = [f"  {each.key:<{width}}  {' or '.join(each.options)}" for each in observed]
    # The calls to a single endpoint can show few choices; then the others need no line.
    hidden = [each.key for each in outcome.choices if not each.evidence and outcome.only is None]
    return [*lines, *([f"  not observed: {', '.join(hidden)}"] if hidden else [])] or ["  none"]


def _skipped(outcome: Outcome) -> list[str]:
    """A line for each reason why checks were skipped."""
    by_reason: dict[str, list[str]] = {}
    for case in outcome.cases:
        if case.skipped is not None:
            by_reason.setdefault(case.skipped, []).append(case.group)
    return [
        f"not checked, {len(groups)} checks of {', '.join(dict.fromkeys(groups))}: {reason}"
        for reason, groups in by_reason.items()
    ]


def _endpoint_count() -> int:
    from mockrelay.spec.endpoints import ENDPOINTS

    return len(ENDPOINTS)
