"""The sections about its relayers in the report of a failed test."""

from __future__ import annotations

from mockrelay.spec.routine_choices import matters
from mockrelay.testing import Record, RelayerHandle, Requests
from mockrelay.testing.problems import finding_text, newest_findings
from mockrelay.testing.requests import brief

CALLS_SHOWN = 10
FINDINGS_SHOWN = 10
SECTIONS_MAX = 5
"""The number of relayers that have a section."""


def sections(relayers: list[tuple[RelayerHandle, str]]) -> list[tuple[str, str]]:
    """Titles and texts of a section for each of the first few relayers that were called; where none was, for the first.

    `relayers`: each with the command that makes its run again, or the option that this needs.
    """
    texts: list[tuple[int, str]] = []
    first: str | None = None
    for number, (relayer, again) in enumerate(relayers, 1):
        try:
            requests = relayer.requests
            if requests.total:
                texts.append((number, "\n".join(_lines(relayer, requests, again))))
            elif first is None:
                first = "\n".join(_lines(relayer, requests, again))
        except Exception as error:  # noqa: BLE001 - an error here would hide the failure of the test
            texts.append((number, f"the relayer cannot be asked: {type(error).__name__}: {error}"))
    if not texts and first is not None:
        texts = [(1, first)]
    several = len(texts) > 1
    return [(f"mockrelay, relayer {number}" if several else "mockrelay", text) for number, text in texts[:SECTIONS_MAX]]


def _lines(relayer: RelayerHandle, requests: Requests, again: str) -> list[str]:
    shown = requests[-CALLS_SHOWN:]
    lines = [f"clock: {relayer.clock.now.isoformat().replace('+00:00', 'Z')}, rate {relayer.clock.rate:g}"]
    seed = relayer.state().seed
    lines.append(f"scenario: {relayer.scenario}, seed {seed}; this run again: {again}")
    lines.append(f"calls: {requests.total}" + (f", the last {len(shown)}:" if shown else ""))
    lines += [f"  {brief(entry)}" for entry in shown]
    refused = [entry for entry in requests if entry["status"] is None or entry["code"] or entry["status"] >= 400]
    if refused:
        lines.append(f"why {refused[-1]['id']} was answered so:")
        lines += [f"  {sentence}" for sentence in relayer.why(refused[-1]["id"])["story"]]
    findings = newest_findings(relayer.past_findings, relayer.findings)
    if findings:
        lines.append(
            f"findings: {len(findings)}" + (f", the last {FINDINGS_SHOWN}:" if len(findings) > FINDINGS_SHOWN else ":")
        )
        lines += [f"  {finding_text(finding)}" for finding in findings[-FINDINGS_SHOWN:]]
    consulted = _consulted(list(requests))
    if consulted:
        lines.append("choices that were met and matter:")
        lines += [f"  {key}={' then '.join(options)}" for key, options in sorted(consulted.items())]
    return lines


def _consulted(entries: list[Record]) -> dict[str, list[str]]:
    consulted: dict[str, list[str]] = {}
    for entry in entries:
        for key, option in entry["choices"].items():
            options = consulted.setdefault(key, [])
            if matters(key, option) and option not in options:
                options.append(option)
    return {key: options for key, options in consulted.items() if options}
