"""One right call to each row of each profile: it is accepted without a finding, and its forms say the same."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mockrelay.client.bodies import right_fields
from mockrelay.client.facts import SIGNATURE_PARTS
from mockrelay.control.signable import SIGNABLE
from mockrelay.openapi.call_forms import FORMS, as_curl, as_js, as_json, as_python, documented_headers, pretty
from mockrelay.openapi.playing import START, ScriptCall, facts_of, fresh_relay, prepare
from mockrelay.openapi.right_calls import RightCall, right_call, rows_of
from mockrelay.spec.endpoint import LIVE, SPEC
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.spec.profiles import PROFILES
from mockrelay.testing import RelayerHandle

NAMES = [row.name for row in ENDPOINTS]
OF_LIVE = sorted({row.id for row in rows_of(PROFILES[LIVE]).values()})
"""The rows of the profile live, those of the specification that it has too among them."""
CASES = [*((SPEC, name) for name in NAMES), *((LIVE, row_id) for row_id in OF_LIVE)]


def test_the_nonce_of_a_right_call_is_the_next_one() -> None:
    """So that several requests with a nonce can be made to one relay."""
    relay = fresh_relay()
    facts = facts_of(relay)
    for nonce in (0, 1):
        assert right_fields(facts, "update_account")["nonce"] == nonce
        transfer = right_fields(facts, "submit_transfer")
        assert transfer["nonce"] == nonce
        prepare(relay, ScriptCall("submit_transfer", transfer | SIGNATURE_PARTS, "alice"))
    assert facts.nonce_of(facts.bob) == 0


@cache
def example_of(row_id: str, profile: str = SPEC) -> RightCall:
    """Played once for all tests, and not before one needs it."""
    return right_call(row_id, profile=profile)


def run(row_id: str, profile: str, relayer: RelayerHandle, printed: pytest.CaptureFixture[str]) -> Any:
    """What the program of a call prints: its answer from the relayer."""
    relayer.clock.advance("1s")
    exec(compile(as_python(right_call(row_id, relayer.url, profile=profile)), row_id, "exec"), {})
    status, _, body = printed.readouterr().out.partition(" ")
    assert int(status) == 200
    return json.loads(body)


def run_with_steps(
    row_id: str, relayer: RelayerHandle, printed: pytest.CaptureFixture[str], profile: str = SPEC
) -> Any:
    """The same, after what has to happen before it. The scripts of the examples take two seconds before their first step."""
    relayer.clock.advance("2s")
    for step in example_of(row_id, profile).before:
        if step in rows_of(PROFILES[profile]):
            run(step, profile, relayer, printed)
        elif step.endswith(" s pass"):
            relayer.clock.advance(step.removesuffix(" pass").replace(" ", ""))
        elif step == "POST __mockrelay/accounts/alice/deposit":
            relayer.accounts[0].deposit("LRC", "5000000000000000000")
        else:
            assert step == "POST __mockrelay/orders/*/fill"
            relayer.orders[0].fill("40000000000000000000")
    return run(row_id, profile, relayer, printed)


@pytest.mark.relayer(clock=START)
@pytest.mark.parametrize("endpoint", NAMES)
def test_the_program_gets_the_answer_that_is_shown(
    endpoint: str, relayer: RelayerHandle, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_with_steps(endpoint, relayer, capsys) == example_of(endpoint).answer
    assert relayer.clock.now_ms == example_of(endpoint).now_ms
    assert relayer.findings == []


@pytest.mark.relayer(scenario="live_v3", clock=START)
@pytest.mark.parametrize("row_id", OF_LIVE)
def test_the_program_of_a_row_of_the_profile_live_gets_the_answer_that_is_shown(
    row_id: str, relayer: RelayerHandle, capsys: pytest.CaptureFixture[str]
) -> None:
    """Signatures are verified there. A form is the one that its example names."""
    example = example_of(row_id, LIVE)
    assert run_with_steps(row_id, relayer, capsys, LIVE) == example.answer
    assert relayer.clock.now_ms == example.now_ms
    assert relayer.findings == []
    assert relayer.requests[-1].endpoint == example.row.name
    assert relayer.requests[-1].get("form", "") == example.row.form


@pytest.mark.relayer(clock=START, choices={"signature.scheme": "protocol"})
@pytest.mark.parametrize("endpoint", [name for name in NAMES if name in SIGNABLE])
def test_signatures_are_right_where_they_are_verified(
    endpoint: str, relayer: RelayerHandle, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_with_steps(endpoint, relayer, capsys) == example_of(endpoint).answer


@pytest.mark.parametrize(("profile", "row_id"), CASES)
def test_a_call_is_the_same_every_time(profile: str, row_id: str) -> None:
    again = right_call(row_id, profile=profile)
    assert {form: write(again) for form, write in FORMS.items()} == {
        form: write(example_of(row_id, profile)) for form, write in FORMS.items()
    }


@pytest.mark.parametrize(("profile", "row_id"), CASES)
def test_curl_sends_the_call(profile: str, row_id: str) -> None:
    example = example_of(row_id, profile)
    (line,) = (line for line in as_curl(example).splitlines() if not line.startswith("#"))
    curl, *words, url = shlex.split(line)
    options = list(zip(words[::2], words[1::2], strict=True))
    assert (curl, url) == ("curl", f"http://127.0.0.1:4627{example.call.target}")
    assert ("--request", example.call.method) in options
    assert [value for name, value in options if name == "--header"] == [
        f"{name}: {value}" for name, value in documented_headers(example).items()
    ]
    assert [value.encode() for name, value in options if name == "--data-raw"] == (
        [example.call.payload] if example.call.payload else []
    )


@pytest.mark.parametrize(("profile", "row_id"), CASES)
def test_json_holds_request_and_answer(profile: str, row_id: str) -> None:
    example = example_of(row_id, profile)
    value = json.loads(as_json(example))
    assert value["endpoint"] == row_id
    assert value.get("scenario") == (None if profile == SPEC else "live_v3")
    assert value["request"]["url"] == example.url
    assert value["request"]["body"] == (dict(example.call.fields) if example.call.method == "POST" else None)
    assert value["answer"] == {"status": 200, "body": example.answer}


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_javascript_is_javascript(tmp_path: Path) -> None:
    """All calls in one module, each in a block of its own."""
    module = tmp_path / "calls.mjs"
    examples = [example_of(row_id, profile) for profile, row_id in CASES]
    module.write_text("\n".join(f"{{\n{as_js(example)}\n}}" for example in examples), encoding="utf-8")
    done = subprocess.run(["node", "--check", str(module)], check=False, capture_output=True, text=True)
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("python", "text"),
    [
        (False, '{\n  "a": ["%s"],\n  "b": true\n}' % ("x" * 100)),
        (True, '{\n    "a": ["%s"],\n    "b": True,\n}' % ("x" * 100)),
    ],
)
def test_what_fits_in_a_line_stands_in_one(python: bool, text: str) -> None:
    assert pretty({"a": ["x" * 100], "b": True}, python=python) == text
    assert pretty({"a": [1]}, python=python) == '{"a": [1]}'
