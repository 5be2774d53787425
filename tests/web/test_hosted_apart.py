"""What happens in one world stays there: real relayers side by side on one port."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from mockrelay.clock import ClockConfig
from mockrelay.core.models import Account
from mockrelay.relay import Relay, SignedRequest
from mockrelay.web import serve
from mockrelay.web.dispatch import Dispatcher
from mockrelay.web.server import Serving, bind
from tests.support.answer import Answer
from tests.support.bodies import W
from tests.support.client import post, state
from tests.support.connection import Connection, connected
from tests.support.worlds import START_MS, world

DAY_MS = 86_400_000
TOKENS = "/api/v2/exchange/tokens"
ROOTS = ("", "/w/a", "/w/b")


@pytest.fixture
def relay() -> Relay:
    return Relay.from_scenario(clock=ClockConfig(0, START_MS), choices={"http.error_status": "400"})


def control(wire: Connection, root: str, method: str, verb: str, **fields: Any) -> Any:
    answer = wire.ask(method, f"{root}/__mockrelay/{verb}", body=json.dumps(fields).encode() if fields else b"")
    assert answer.status == 200, answer.body
    return answer.json


def api(wire: Connection, root: str, path: str = TOKENS) -> Answer:
    return wire.ask("GET", root + path, f"X-API-KEY: {key(wire, root)}")


def key(wire: Connection, root: str) -> str:
    return str(control(wire, root, "GET", "accounts")[0]["apiKey"])


def test_every_world_starts_as_the_relayer_at_the_root_did(wire: Connection) -> None:
    control(wire, "", "PUT", "choices", **{"http.error_status": "200"})
    control(wire, "", "POST", "clock", advance="1d")
    control(wire, "", "POST", "accounts/10001/deposit", token="LRC", amount="1")
    first = control(wire, "/w/a", "GET", "state")
    assert first["now_ms"] == START_MS
    assert control(wire, "/w/a", "GET", "choices")["http.error_status"] == "400"
    control(wire, "", "POST", "reset")
    assert control(wire, "", "GET", "state") == first == control(wire, "/w/b", "GET", "state")


def test_money_choices_faults_and_time_are_each_world_s_own(wire: Connection) -> None:
    before = [control(wire, root, "GET", "state") for root in ROOTS]
    control(wire, "/w/a", "POST", "accounts/10001/deposit", token="LRC", amount="1")
    control(wire, "/w/a", "PUT", "choices", **{"http.error_status": "200"})
    control(wire, "/w/a", "POST", "faults", on="get_tokens", status=503)
    control(wire, "/w/a", "POST", "clock", advance="1d")
    control(wire, "/w/a", "POST", "snapshots", name="mine")
    after = [control(wire, root, "GET", "state") for root in ROOTS]
    assert (after[0], after[2]) == (before[0], before[2])
    assert after[1]["now_ms"] == START_MS + DAY_MS
    assert [api(wire, root).status for root in ROOTS] == [200, 503, 200]
    assert [len(control(wire, root, "GET", "snapshots")) for root in ROOTS] == [0, 1, 0]


def test_each_world_has_limits_of_its_own(wire: Connection) -> None:
    """Three a second in each, whatever was spent in the others."""
    keys = {root: key(wire, root) for root in ROOTS}
    for root in ROOTS:
        statuses = [wire.ask("GET", root + TOKENS, f"X-API-KEY: {keys[root]}").status for _ in range(4)]
        assert statuses == [200, 200, 200, 429]


def test_the_journal_of_a_world_has_its_own_calls_as_they_were_sent(wire: Connection) -> None:
    for root in ("/w/a", "/w/b", "/w/a"):
        api(wire, root)
    wire.ask("GET", "/w/b/api/v9/nowhere")
    journals = [control(wire, root, "GET", "requests") for root in ROOTS]
    assert [journal["total"] for journal in journals] == [0, 2, 2]
    assert [call["target"] for call in journals[1]["requests"]] == ["/w/a" + TOKENS] * 2
    assert [call["endpoint"] for call in journals[2]["requests"]] == ["get_tokens", None]
    assert [len(control(wire, root, "GET", "problems")) for root in ROOTS] == [0, 0, 1]


def test_a_removed_world_leaves_nothing_to_the_next_of_its_name(wire: Connection) -> None:
    first = control(wire, "/w/a", "GET", "state")
    control(wire, "/w/a", "POST", "accounts/10001/deposit", token="LRC", amount="1")
    api(wire, "/w/a")
    assert control(wire, "", "GET", "worlds") == [
        {"name": "a", "scenario": "default", "now_ms": START_MS, "requests": 1}
    ]
    control(wire, "", "DELETE", "worlds/a")
    assert control(wire, "/w/a", "GET", "state") == first
    assert control(wire, "/w/a", "GET", "requests")["total"] == 0


def test_a_signature_covers_the_target_with_the_world_in_it() -> None:
    seen: list[tuple[str, str]] = []

    def verifier(account: Account, request: SignedRequest) -> str | None:
        seen.append((request.endpoint, request.raw_target))
        return None

    with serve(Relay.from_scenario(verifier=verifier)) as server, connected(server.url) as wire:
        alice = control(wire, "/w/a", "GET", "accounts/alice")
        body = {
            "exchange": control(wire, "/w/a", "GET", "state")["exchange"]["exchangeAddress"],
            "owner": alice["owner"],
            "accountId": alice["accountId"],
            "publicKey": {"x": f"0x{1:064x}", "y": f"0x{2:064x}"},
            "maxFee": {"tokenId": 1, "volume": "100000000000000000"},
            "validUntil": control(wire, "/w/a", "GET", "clock")["now_ms"] // 1000 + DAY_MS // 1000,
            "nonce": alice["accountNonce"],
        }
        wire.ask("POST", "/w/a/api/v3/account?x=1", f"X-API-SIG: 0x{'1' * 130}", body=json.dumps(body).encode())
    assert seen == [("update_account", "/w/a/api/v3/account?x=1")]


def test_a_call_on_which_the_users_verifier_fails_has_one_id_on_the_wire_and_in_the_journal() -> None:
    """A line of the log too, as any other call."""
    lines: list[tuple[str, int]] = []

    def verifier(account: Account, request: SignedRequest) -> str | None:
        raise ZeroDivisionError

    dispatcher = Dispatcher(
        Relay.from_scenario(verifier=verifier, clock=ClockConfig(0, START_MS)),
        log=lambda answered: lines.append((answered.raw.path, answered.response.status)),
    )
    with Serving(dispatcher, bind("127.0.0.1", 0, None), None) as server, connected(server.url) as wire:
        body = json.dumps(W.order(1)).encode()
        answer = wire.ask("POST", "/api/v3/order", f"X-API-KEY: {key(wire, '')}", body=body)
        (entry,) = control(wire, "", "GET", "requests")["requests"]
        (problem,) = control(wire, "", "GET", "problems")
    assert (answer.status, answer.headers["x-mockrelay-request-id"]) == (500, "r1")
    assert (entry["id"], problem["request"]) == ("r1", "r1")
    assert ("/api/v3/order", 500) in lines


def test_worlds_that_are_used_at_the_same_moment_do_not_meet() -> None:
    """Eight clients, each in a world of its own, with the same order ids: all have the same answers."""

    def client(url: str) -> list[Any]:
        with connected(url) as wire:
            codes = [post(wire, "/api/v3/order", W.order(number), key="key-a").json for number in range(20)]
            return [*codes, state(wire)["digest_all"]]

    with serve(world()) as server, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(client, [f"{server.url}/w/job-{number}" for number in range(8)]))
    assert answers == [answers[0]] * 8
