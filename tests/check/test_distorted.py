"""A relayer that distorts one endpoint's answers in one thing is found out, whichever the endpoint is."""

from __future__ import annotations

import pytest

from mockrelay.check import rules
from mockrelay.check.checking import CASES
from tests.check.distortions import KINDS, Distorted, Kind
from tests.check.in_process import found_in
from tests.conformance.transcript import ROWS

NAMES = [row.name for row in ROWS]
BY_KIND = {kind.name: kind for kind in KINDS}
_LOOSE = {
    "off by one": {
        "get_code": "the id of a JSON-RPC answer is the relayer's own",
        "get_nft_fee": "the meaning of `discount` is not shown",
    },
    "list reversed": {
        "get_exchange_info": "fees are in no order",
        "get_pending_requests": "transactions are in no order that is shown",
        "get_nft_fee": "fees are in no order",
    },
    "other code": {"mint_nft": "either of two codes is documented, and no call before it shows which"},
}
"""What the spec leaves open, so that nothing can be found, and why."""
_LEAST = {
    "type changed": 29,
    "field dropped": 29,
    "envelope lost": 29,
    "digits to number": 14,
    "off by one": 16,
    "list reversed": 5,
    "other code": 27,
}
"""How many endpoints have something of the kind and are found; counted by hand from the spec's shapes."""


def outcome_of(kind: Kind, endpoint: str) -> tuple[bool, bool]:
    """Whether anything was distorted, and whether it was found."""
    distorted = Distorted(endpoint, kind)
    # Forms of requests are refusals, which the other kinds leave as they are.
    cases = tuple(case for case in CASES if kind.of_refusals or not case.name.startswith("fields"))
    outcome = found_in(handle=distorted, only=endpoint, cases=cases)
    return distorted.times > 0, endpoint in outcome.endpoints()


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_every_endpoint_with_something_of_the_kind_is_found(kind: Kind) -> None:
    result = {endpoint: outcome_of(kind, endpoint) for endpoint in NAMES}
    missed = {endpoint for endpoint, (is_distorted, is_found) in result.items() if is_distorted and not is_found}
    assert missed == set(_LOOSE.get(kind.name, {}))
    assert sum(is_found for _, is_found in result.values()) == _LEAST[kind.name]


def test_in_a_whole_run_a_finding_names_endpoint_call_found_and_meant() -> None:
    distorted = Distorted("get_account", BY_KIND["type changed"])
    outcome = found_in(handle=distorted)
    assert {found.finding.rule for found in outcome.findings} == {rules.SHAPE}
    assert outcome.endpoints() == {"get_account"}
    finding = outcome.report_findings[0]
    assert finding.request is not None
    assert finding.asked.startswith("GET /api/v2/account?owner=0x")
    assert "get_account" in finding.detail
    assert "data.accountId" in finding.detail
    assert '"10001" is a string, not an integer' in finding.detail


def test_in_a_whole_run_the_other_error_code_of_one_endpoint_is_a_changed_reading() -> None:
    """Either code is documented; one relayer has one of them."""
    distorted = Distorted("compute_token_address", BY_KIND["other code"])
    outcome = found_in(handle=distorted, cases=tuple(case for case in CASES if not case.name.startswith("fields")))
    assert rules.CHANGED in {finding.rule for finding in outcome.report_findings}
    assert any(
        "compute_token_address" in finding.detail or "computeTokenAddress" in finding.detail
        for finding in outcome.report_findings
    )
