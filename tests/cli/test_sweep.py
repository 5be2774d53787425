"""A sweep runs a client once with each option of the choices that it meets, and says which ones it survives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import pytest

from mockrelay.cli.sweep.one_run import ConsultedChoices, ObservedRelay, Verdict, has_signature, variations_of_the_start
from mockrelay.cli.sweep.variations import Only, single_variations
from mockrelay.clock import ClockConfig
from mockrelay.core.world import World
from mockrelay.relay import Relay
from mockrelay.scenario import Scenario, load, load_text
from mockrelay.spec.choices import CHOICES, DEFAULTS
from mockrelay.wire.http import RawRequest
from tests.cli.sweeps import STATUS, Here, reads_only_the_status, reads_the_code, swept, verdicts
from tests.support.bodies import ECDSA_SIGNATURE, W, bodies_of
from tests.support.client import ask, done, get, post
from tests.support.worlds import START_MS


def test_a_client_that_reads_only_the_status_does_not_survive_errors_with_status_200() -> None:
    only = (Only(STATUS),)
    found = swept(reads_only_the_status, choices={STATUS: "400"}, only=only)
    assert verdicts(found) == {"split": "failed", "200": "failed"}
    assert [run.detail for run in found.runs] == ["exit code 1: ended with 1"] * 2
    honest = swept(reads_the_code, choices={STATUS: "400"}, only=only)
    assert verdicts(honest) == {"split": "survived", "200": "survived"}


def test_without_a_wish_each_option_that_the_base_does_not_hold_is_tried_once() -> None:
    assert [variation[0] for variation in single_variations(DEFAULTS)] == [
        (choice.key, option) for choice in CHOICES for option in choice.options[1:]
    ]
    others = single_variations({**DEFAULTS, STATUS: "200"}, [Only(STATUS)])
    assert others == [((STATUS, "split"),), ((STATUS, "400"),)]
    against_the_letter = (("block.fill_s", "string"),)
    assert against_the_letter in single_variations(DEFAULTS)
    assert against_the_letter not in single_variations(DEFAULTS, deviations=False)
    assert [
        option for ((_, option),) in single_variations(DEFAULTS, [Only("rate"), Only("pending.shape", "object")])
    ] == [*("200", "empty", "html", "none", "address", "global", "sliding", "bucket", "5", "60s", "object")]


def test_what_the_client_does_not_meet_is_not_run_and_said_so() -> None:
    children = Here(reads_the_code)
    found = swept(reads_the_code, children=children)
    by_verdict = {verdict: [run for run in found.runs if run.verdict is verdict] for verdict in Verdict}
    assert len(found.runs) == len(single_variations(DEFAULTS))
    assert ((STATUS, "400"),) in [run.variation for run in by_verdict[Verdict.SURVIVED]]
    assert (("pending.shape", "object"),) in [run.variation for run in by_verdict[Verdict.NOT_MET]]
    ran = len(found.runs) - len(by_verdict[Verdict.NOT_MET])
    assert len(children.envs) == 1 + ran


def test_with_all_they_are_run_and_still_say_nothing() -> None:
    children = Here(reads_the_code)
    found = swept(reads_the_code, children=children, only=(Only("pending.shape"),), every=True)
    assert verdicts(found) == {"object": "not met"}
    assert len(children.envs) == 2


def test_what_falls_due_counts_as_met_though_no_call_asks() -> None:
    """The clock is moved through the control API; the block that is sealed then consults the choice."""

    def client(url: str) -> int:
        key = ask(f"{url}/__mockrelay/accounts/alice").json["apiKey"]
        legs = {"sender": 10001, "receiver": 10002, "token": 1, "amount": "1", "tokenF": 1, "amountF": "1" + "0" * 17}
        signed = {"label": 1, "signatureRx": "1", "signatureRy": "2", "signatureS": "3"}
        body = {"exchangeId": 2, **legs, "nonce": 0, **signed}
        headers = {"Content-Type": "application/json", "X-API-KEY": key, "X-API-SIG": ECDSA_SIGNATURE}
        assert ask(f"{url}/api/v2/transfer", body=body, headers=headers).code == 0
        ask(f"{url}/__mockrelay/clock", body={"advance": "1m"})
        return 0

    found = swept(client, clock="frozen", only=(Only("transfer.credit"),))
    assert verdicts(found) == {"on_block": "survived"}


def test_a_choice_that_the_client_sets_itself_is_told_apart_from_one_that_it_survives() -> None:
    def client(url: str) -> int:
        ask(f"{url}/__mockrelay/reset", body={"choices": {STATUS: "split"}})
        return reads_the_code(url)

    assert verdicts(swept(client, only=(Only(STATUS),))) == {"400": "overruled", "200": "overruled"}


def test_worlds_of_the_server_have_the_option_and_are_observed_too() -> None:
    def client(url: str) -> int:
        return reads_only_the_status(f"{url}/w/one")

    assert verdicts(swept(client, choices={STATUS: "400"}, only=(Only(STATUS, "200"),))) == {"200": "failed"}


def test_each_run_has_a_relayer_of_its_own_on_a_port_of_its_own() -> None:
    urls: list[str] = []

    def client(url: str) -> int:
        urls.append(url)
        assert ask(f"{url}/__mockrelay/requests").json["total"] == 0
        return reads_the_code(url)

    swept(client, only=(Only(STATUS),))
    assert len(set(urls)) == 3
    for url in urls:
        with pytest.raises(ConnectionRefusedError):
            ask(f"{url}/__mockrelay/health")


def test_the_command_gets_the_address_and_all_options_that_are_set() -> None:
    children = Here(reads_the_code)
    swept(
        reads_the_code, children=children, choices={"fee.charged": "max_fee"}, only=(Only(STATUS),), env_names=("API",)
    )
    assert [env.get("MOCKRELAY_SET") for env in children.envs] == [
        "fee.charged=max_fee",
        f"fee.charged=max_fee,{STATUS}=400",
        f"fee.charged=max_fee,{STATUS}=200",
    ]
    for env in children.envs:
        assert env["API"] == env["MOCKRELAY_URL"]
        assert env["HOME"] == "x"
        assert not {"MOCKRELAY_SWEEP_JOBS", "MOCKRELAY_TOKEN"} & set(env)


def test_a_command_with_relayers_of_its_own_gets_the_options_and_no_address() -> None:
    children = Here(lambda url: 1 if url else 0)
    found = swept(lambda _: 0, children=children, own_relayers=True, only=(Only(STATUS), Only("pending")))
    assert set(verdicts(found).values()) == {"survived"}, "nothing is observed, so nothing is known to be unmet"
    assert all("MOCKRELAY_URL" not in env for env in children.envs)
    assert children.envs[1]["MOCKRELAY_SET"] == f"{STATUS}=400"


def reads_with_a_signature(url: str) -> int:
    """A client that signs where nothing asks for it; it has no key, and so is refused."""
    ask(f"{url}/api/v2/orders", headers={"X-API-SIG": REAL * 2})
    return 0


def test_verified_signatures_say_nothing_about_a_command_that_signs_nothing() -> None:
    """Placeholders are no signatures."""
    found = swept(reads_the_code, only=(Only("signature.scheme"),))
    assert verdicts(found) == {"protocol": "not met", "off": "not met"}
    assert found.runs[0].detail == "the command signs nothing"


REAL = "0x" + "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("headers", "body", "signs"),
    [
        pytest.param({}, {"signatureRx": "1", "signatureS": "3"}, False, id="small numbers"),
        pytest.param({}, {"eddsaSignature": "0x" + "01" * 96}, False, id="repeated digits"),
        pytest.param({"x-api-sig": "0x" + "0" * 130}, {}, False, id="zeros in the header"),
        pytest.param({}, {"hash": REAL}, False, id="another field"),
        pytest.param({}, {"eddsaSignature": REAL * 3}, True, id="hex"),
        pytest.param({}, {"signatureRx": str(int(REAL, 16))}, True, id="decimal"),
        pytest.param({"x-api-sig": REAL * 2}, {}, True, id="header"),
    ],
)
def test_a_signature_is_told_from_a_placeholder(headers: dict[str, str], body: dict[str, str], signs: bool) -> None:
    raw = RawRequest("POST", "/", "/", (), headers, json.dumps(body).encode(), "http", "localhost", "127.0.0.1")
    assert has_signature(raw) == signs


def test_an_option_that_changes_the_world_at_its_start_is_met_by_every_caller() -> None:
    """An owner that the scenario leaves open follows from a real key where signatures are verified."""
    scenario = load_text("format: 1\nextends: default\naccounts: [{name: dave, accountId: 10009}]\n")
    singles = single_variations(DEFAULTS, [Only("signature.scheme"), Only("rate"), Only(STATUS)])
    assert variations_of_the_start(scenario, {}, singles) == {(("signature.scheme", "protocol"),)}
    found = swept(reads_with_a_signature, scenario=scenario, only=(Only("signature.scheme"),))
    assert verdicts(found) == {"protocol": "survived", "off": "not met"}


class Picky(Scenario):
    """Cannot start with one option."""

    def world(self, start_ms: int, choices: Mapping[str, str] | None = None, limits_on: bool | None = None) -> World:
        if (choices or {}).get(STATUS) == "200":
            raise ValueError("no order rests")
        return super().world(start_ms, choices, limits_on)


def test_an_option_with_which_the_scenario_cannot_start_is_not_run() -> None:
    default = load("default")
    picky = Picky(**{field.name: getattr(default, field.name) for field in fields(default)})
    found = swept(reads_the_code, scenario=picky, only=(Only(STATUS),))
    assert verdicts(found) == {"400": "survived", "200": "not run"}
    assert found.runs[1].detail == "the scenario cannot start with it: no order rests"


def test_an_option_that_is_not_met_changes_no_byte_of_any_answer() -> None:
    """So it may be left out."""

    def answers(choices: Mapping[str, str], consulted: ConsultedChoices) -> list[tuple[Any, ...]]:
        relay = ObservedRelay(consulted, load("default"), choices=choices, clock=ClockConfig(0, START_MS))
        lines: list[str] = []
        relay.record_to(lines.append)
        several_calls(relay)
        steps = [json.loads(line) for line in lines]
        return [(step["status"], step["headers"], step.get("body")) for step in steps if step["kind"] == "answer"]

    consulted = ConsultedChoices()
    base = answers({}, consulted)
    unmet = [each for each in single_variations(DEFAULTS) if each[0][0] not in consulted.keys]
    assert (len(consulted.keys) > 10, len(unmet) > 20) == (True, True)
    for variation in unmet:
        assert answers(dict(variation), ConsultedChoices()) == base, variation


def several_calls(relay: Relay) -> None:
    """Calls of several kinds, refused and not, and time that passes."""
    post(relay, "/api/v3/order", W.order())
    post(relay, "/api/v3/order", W.order(1), headers={"content-type": "text/plain"})
    get(relay, "/api/v2/orders", accountId=10001)
    get(relay, "/api/v2/nowhere")
    post(relay, "/api/v2/transfer", W.transfer(0), signature=ECDSA_SIGNATURE)
    post(relay, "/api/v3/user/withdrawals", bodies_of(relay).withdrawal(0), signature=ECDSA_SIGNATURE)
    done(relay, "POST", "clock", {"advance": "1m"})
    get(relay, "/api/v2/block/getBlock", id="1")
    get(relay, "/api/v2/ticker", market="LRC-ETH")
