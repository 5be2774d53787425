"""`mockrelay check`: what a run against a relayer has found, told on the terminal and in files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, TextIO

from mockrelay.check import RULES, Account, Http, Outcome, Unreachable, Wish, check, root_of
from mockrelay.cli.options import CliError
from mockrelay.cli.progress import Progress
from mockrelay.core.wording import nearest
from mockrelay.report.telling import Remark, json_of, junit, sarif, text_of
from mockrelay.spec.endpoints import BY_NAME, ENDPOINTS

_KEPT = 3
"""How many remarks of one kind about one endpoint the text shows."""
_SHOWN_MAX = 120
"""How much of a stranger's first answer is shown, with its call."""


def account_of(file: Path | None, given: Mapping[str, Any]) -> Account:
    """The account of a JSON file with `accountId`, `owner` and `apiKey`, each of which may be given beside it. Raises
    CliError.
    """
    told: Any = {}
    if file is not None:
        try:
            told = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise CliError(f"--account {file}: {error}") from None
        names = {"accountId": int, "owner": str, "apiKey": str}
        if not isinstance(told, dict) or not all(type(value) is names.get(name) for name, value in told.items()):
            raise CliError(f'--account {file}: a JSON object with "accountId", "owner" and "apiKey" is due')
    own = {"account_id": told.get("accountId"), "owner": told.get("owner"), "api_key": told.get("apiKey")}
    return Account(**{name: value if given.get(name) is None else given[name] for name, value in own.items()})


def checked(url: str, timeout_ms: int, wish: Wish, stream: TextIO) -> Outcome:
    """Check the relayer at an address, with progress on a stream. Raises CliError where there is none."""
    if wish.only is not None and wish.only not in BY_NAME:
        meant = f"{nearest(wish.only, BY_NAME)}; `mockrelay spec endpoints` lists all"
        raise CliError(f"--only {wish.only}: there is no such endpoint; meant: {meant}")
    key = wish.account.api_key
    if key is not None and not (key.isascii() and key.isprintable()):
        raise CliError("--api-key: a header cannot hold it")
    progress = Progress(stream)

    def tell(act: str, done: int, total: int, calls: int) -> None:
        if progress.due():
            progress.show(f"{done} of {total} parts, {calls} calls: {act}")

    try:
        # A mockrelay makes a world of its own for this; a world that was named has no further ones.
        base = root_of(url)
        with closing(Http(base, timeout_ms)) as http:
            return check(http, base, wish, tell)
    except Unreachable as error:
        raise CliError(str(error)) from None
    finally:
        progress.clear()


def stranger(url: str, outcome: Outcome) -> str:
    """The sentence that no relayer was found at an address; empty where one was."""
    if not outcome.stranger:
        return ""
    before, api, _ = root_of(url).partition("/api")
    meant = f"is it {before}, without {api}" if api else "is the address right"
    return f"{url}: none of {outcome.calls} calls was answered as a relayer would; {meant}? {_cut(outcome.stranger)}"


def _cut(told: str) -> str:
    line = " ".join(told.split())
    return line if len(line) <= _SHOWN_MAX else line[:_SHOWN_MAX] + "..."


def text(url: str, outcome: Outcome) -> str:
    """The report for people."""
    kind = "a mockrelay, checked in a world of its own" if outcome.is_ours else "no mockrelay"
    lines = [
        stranger(url, outcome) or f"{url}: {kind}",
        "",
        _remarks(outcome),
        "Readings seen, where the spec is silent:",
        *_readings(outcome),
        "",
    ]
    return "\n".join([*lines, *_left_out(outcome), _sum(outcome)])


def write(outcome: Outcome, files: Mapping[str, Path], folder: Path | None, url: str) -> None:
    """Write the report in the forms asked for: by name, and all of them into a folder. Raises CliError."""
    wanted = [(path, name) for name, path in files.items()]
    if folder is not None:
        wanted += [(folder / file, name) for name, file in _FILES.items()]
    try:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        for path, name in wanted:
            path.write_text(_FORMS[name](url, outcome), encoding="utf-8", newline="\n")
    except OSError as error:
        raise CliError(f"the report cannot be written: {error}") from None


def _json(url: str, outcome: Outcome) -> str:
    value = json.loads(json_of(outcome.remarks))
    value |= {"url": url, "mockrelay": outcome.is_ours, "calls": outcome.calls, "checks": outcome.checks}
    value["readings"] = {one.key: list(one.options) for one in outcome.readings if one.asked}
    value["skipped"] = [{"endpoint": c.group, "check": c.name, "why": c.skipped} for c in outcome.cases if c.skipped]
    return json.dumps(value, indent=2) + "\n"


_FILES = {"text": "check.txt", "json": "check.json", "junit": "check.junit.xml", "sarif": "check.sarif"}
_FORMS: Mapping[str, Callable[[str, Outcome], str]] = {
    "text": text,
    "json": _json,
    "junit": lambda url, outcome: junit(f"mockrelay check {url}", outcome.cases),
    "sarif": lambda url, outcome: sarif(RULES, outcome.remarks, "check"),
}


def _remarks(outcome: Outcome) -> str:
    kept: list[Remark] = []
    shown: Counter[tuple[str, str]] = Counter()
    for found in outcome.found:
        what = found.remark.rule.id, found.row.endpoint
        shown[what] += 1
        if shown[what] <= _KEPT:
            kept.append(found.remark)
    return text_of(kept, Counter(remark.rule.id for remark in outcome.remarks))


def _readings(outcome: Outcome) -> list[str]:
    seen = [reading for reading in outcome.readings if reading.asked]
    width = max((len(reading.key) for reading in seen), default=0)
    lines = [f"  {reading.key:<{width}}  {' or '.join(reading.options)}" for reading in seen]
    # The calls to one endpoint can show few of them: those that they do not show are no news.
    hidden = [reading.key for reading in outcome.readings if not reading.asked and outcome.only is None]
    return [*lines, *([f"  not seen: {', '.join(hidden)}"] if hidden else [])] or ["  none"]


def _left_out(outcome: Outcome) -> list[str]:
    """What was not checked, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for case in outcome.cases:
        if case.skipped is not None:
            by_reason.setdefault(case.skipped, []).append(case.group)
    return [
        f"not checked, {len(groups)} checks of {', '.join(dict.fromkeys(groups))}: {why}"
        for why, groups in by_reason.items()
    ]


def _sum(outcome: Outcome) -> str:
    reached = {case.group for case in outcome.cases if case.skipped is None}
    return f"{outcome.checks} checks in {outcome.calls} calls, {len(reached)} of {len(ENDPOINTS)} endpoints\n"
