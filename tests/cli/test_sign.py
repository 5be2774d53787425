"""`mockrelay sign`: what it prints is taken by a relayer that verifies, which knows nothing of the command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from mockrelay.openapi.playing import fresh_relay
from mockrelay.relay import Relay
from mockrelay.signing import keys
from mockrelay.spec.endpoint import LIVE
from mockrelay.testing import RelayerHandle, Signed
from mockrelay.web import serve
from tests.support.answer import Answer
from tests.support.command import run_command
from tests.support.processes import PATIENCE_S
from tests.support.worlds import relay_from
from tests.testing.sending import posted
from tests.testing.unsigned import Bodies

PROTOCOL = {"signature.scheme": "protocol"}
LAYER1 = int("1c" * 32, 16)
ADDRESS = "0x" + "5e" * 20


def sign(*args: str, body: Any = None, env: dict[str, str] | None = None) -> Result:
    """The command, with a body coming in as JSON, or as it is where it is a text."""
    return run_command("sign", *args, env=env, text=body if isinstance(body, str) else json.dumps(body))


@pytest.fixture
def relayer() -> Iterator[RelayerHandle]:
    with serve(relay_from(choices=PROTOCOL)) as server:
        yield RelayerHandle.at(server.url)


def printed(result: Result) -> Signed:
    """The request that was printed."""
    assert result.exit_code == 0, result.output
    value = json.loads(result.output)
    assert json.loads(value["text"]) == value["body"]
    return Signed(value["method"], "", value["headers"], value["body"], value["text"], lambda: str(value["url"]))


def sent(relayer: RelayerHandle, endpoint: str, body: Any, *args: str) -> Any:
    """What a relayer answers to what is printed, which it must take."""
    answer: Answer = posted(printed(sign(endpoint, "--url", relayer.url, *args, body=body)))
    assert (answer.status, answer.code) == (200, 0), answer.body
    return answer.json


@pytest.mark.parametrize("world", ["", "/w/mine"])
def test_every_kind_is_taken_as_it_is_printed(relayer: RelayerHandle, world: str) -> None:
    """Through the socket and in a world of the server, whose path a deployment's signature covers."""
    relayer = RelayerHandle.at(relayer.url + world)
    bodies = Bodies(relayer)
    alice, bob, carol = (relayer.account(name) for name in ("alice", "bob", "carol"))
    sent(relayer, "submit_order", bodies.order(alice, 0))
    sent(relayer, "submit_order", bodies.order(alice, 1), "--family", "javascript")
    sent(relayer, "submit_transfer", bodies.transfer(alice, bob, 0))
    sent(relayer, "submit_transfer", bodies.transfer(alice, bob, 1), "--form", "no_memo")
    sent(relayer, "submit_withdrawal", bodies.withdrawal(alice, 3))
    sent(relayer, "submit_withdrawal", bodies.withdrawal(alice, 4), "--scheme", "ecdsa", "--form", "personal")
    sent(relayer, "update_account", bodies.update(alice, keys.derive(LAYER1, "a seed").public, 2))
    contract = bodies.contract_of(carol)
    minted = sent(relayer, "mint_nft", bodies.mint(carol, contract, 1))["raw_data"]
    sent(relayer, "transfer_nft", bodies.move(carol, bob, minted, 2), "--account", "carol")
    sent(relayer, "deploy_nft_contract", bodies.deployment(carol, contract, minted["nftData"], 3))
    relayer.clock.advance("15s")
    sent(relayer, "withdraw_nft", bodies.move(bob, bob, minted, 4))


def test_requests_of_the_profile_live_are_signed_in_their_own_form() -> None:
    """Of an endpoint that both profiles have only where the option asks for it: its body has another form there."""
    live = Relay.from_scenario("default", choices=PROTOCOL, clock="frozen", profile=LIVE)
    alice, bob = live.accounts()[:2]
    exchange, lrc = live.world.config.exchange.exchange_address, {"tokenId": 1, "volume": "1000000000000000000"}
    common = {"exchange": exchange, "validUntil": 4_102_444_800}
    ends = {"payerId": alice["accountId"], "payerAddr": alice["owner"], "payeeId": 0, "payeeAddr": bob["owner"]}
    transfer = {**common, **ends, "token": lrc, "maxFee": lrc, "storageId": 0}
    tokens = {"sellToken": lrc, "buyToken": {"tokenId": 0, "volume": "1000000000000000"}}
    order = {
        **common,
        **tokens,
        "accountId": alice["accountId"],
        "storageId": 2,
        "maxFeeBips": 63,
        "fillAmountBOrS": False,
    }
    with serve(live) as server:
        relayer = RelayerHandle.at(server.url)
        assert sent(relayer, "submit_transfer_v3", transfer)["status"] == "processing"
        assert sent(relayer, "submit_order", order, "--profile", "live")["status"] == "processing"
    assert "exchangeId is missing" in sign("submit_order", body=order).output
    under_spec = sign("submit_transfer_v3", "--profile", "spec", body=transfer)
    assert "'submit_transfer_v3' is not served under the profile spec" in under_spec.output


def test_a_deployment_for_another_address_is_refused(relayer: RelayerHandle) -> None:
    bodies, carol = Bodies(relayer), relayer.account("carol")
    contract = bodies.contract_of(carol)
    minted = sent(relayer, "mint_nft", bodies.mint(carol, contract, 1))["raw_data"]
    deployment = bodies.deployment(carol, contract, minted["nftData"], 3)
    signed = printed(sign("deploy_nft_contract", body=deployment))
    assert signed.url == "http://127.0.0.1:4627/api/v3/nft/deployTokenAddress"
    here = Signed(signed.method, signed.path, signed.headers, signed.body, signed.text, lambda: _deploy_url(relayer))
    assert posted(here).code == 104005
    signed = printed(sign("deploy_nft_contract", body=deployment, env={"MOCKRELAY_URL": relayer.url + "/"}))
    assert signed.url == _deploy_url(relayer)
    assert posted(signed).code == 0


def _deploy_url(relayer: RelayerHandle) -> str:
    return relayer.url + "/api/v3/nft/deployTokenAddress"


@pytest.mark.skipif(os.name != "posix" or shutil.which("curl") is None, reason="needs sh and curl")
def test_the_command_for_curl_runs_as_it_is(relayer: RelayerHandle) -> None:
    """With quotes in the body."""
    body = Bodies(relayer).order(relayer.account("alice"), 0)
    result = sign(
        "submit_order", "--url", relayer.url, "--format", "curl", body={**body, "clientOrderId": 'it\'s "mine" $1 @é'}
    )
    assert result.exit_code == 0
    assert result.output.startswith("curl --request POST --header 'Content-Type: application/json'")
    run = subprocess.run(
        ["sh", "-c", result.output],
        capture_output=True,
        check=True,
        timeout=PATIENCE_S,
        env={"PATH": os.environ["PATH"]},
    )
    assert json.loads(run.stdout)["resultInfo"]["code"] == 0


def test_the_body_comes_from_a_file_too_and_the_same_comes_out(relayer: RelayerHandle, tmp_path: Path) -> None:
    body = Bodies(relayer).order(relayer.account("alice"), 0)
    file = tmp_path / "order.json"
    file.write_text(json.dumps(body, indent=2), encoding="utf-8")
    assert sign("submit_order", "--body", str(file)).output == sign("submit_order", body=body).output


def test_the_keys_are_those_of_the_scenario(relayer: RelayerHandle, tmp_path: Path) -> None:
    """A file's, whose account has a layer-2 key of its own."""
    scenario = tmp_path / "own.yaml"
    scenario.write_text(
        "format: 1\nextends: default\naccounts:\n"
        f"  - {{name: dave, accountId: 10009, eddsaKey: '0x07', layer1Key: '0x{LAYER1:064x}', balances: {{LRC: '{10**21}'}}}}\n",
        encoding="utf-8",
    )
    relayer.reset(scenario_text=scenario.read_text("utf-8"), choices=PROTOCOL)
    body = Bodies(relayer).withdrawal(relayer.account("dave"), 0)
    sent(relayer, "submit_withdrawal", body, "--scenario", str(scenario))


def test_an_account_may_sign_what_is_another_ones(relayer: RelayerHandle) -> None:
    """For tests of how a client is refused."""
    body = Bodies(relayer).order(relayer.account("alice"), 0)
    signed = printed(sign("submit_order", "--url", relayer.url, "--account", "bob", body=body))
    assert signed.headers["X-API-KEY"] == relayer.account("bob").api_key
    signed.headers["X-API-KEY"] = relayer.account("alice").api_key
    assert posted(signed).code == 104005


ORDER = {"accountId": 10001, "exchangeId": 2}


@pytest.mark.parametrize(
    ("args", "body", "words"),
    [
        (("submit_ordr",), ORDER, "'submit_ordr' is not an endpoint; meant: 'submit_order'"),
        (("submit_ordr",), "{}", "'submit_ordr' is not an endpoint; meant: 'submit_order'"),
        (("submit_order",), ORDER, "orderId is missing, and the signature of submit_order covers it"),
        (("submit_order",), {}, "the body does not say whose request it is: give --account"),
        (("submit_order",), {"accountId": 7}, "there is no account '7'"),
        (("submit_order", "--account", "alise"), {}, "there is no account 'alise'"),
        (("submit_order",), "{", "--body <stdin> holds no JSON"),
        (
            ("submit_order",),
            "",
            "--body <stdin> holds no JSON, since it is empty; meant: the body to sign, on standard input or in --body",
        ),
        (("submit_ordr",), "", "'submit_ordr' is not an endpoint; meant: 'submit_order'"),
        (("submit_order",), [], "--body <stdin> holds no JSON object"),
        (("submit_order", "--body", "nowhere.json"), "", "nowhere.json"),
        (("submit_order", "--scenario", "defualt"), ORDER, "--scenario defualt"),
        (("submit_order", "--url", "localhost"), ORDER, "'localhost' is not http://HOST:PORT"),
        (("submit_order", "--scheme", "all"), ORDER, "'all' is not one of"),
        (("submit_order", "--form", "typed"), ORDER, "the owner signs nothing here"),
        ((), "", "Missing argument 'ENDPOINT'"),
    ],
)
def test_what_is_wrong_is_told_and_the_exit_code_is_2(args: tuple[str, ...], body: Any, words: str) -> None:
    result = sign(*args, body=body)
    assert result.exit_code == 2
    assert words in result.output
    assert "Traceback" not in result.output
    assert not result.output.startswith("{")


@pytest.mark.parametrize(
    ("endpoint", "names"),
    [
        ("submit_transfer_v3", {"payerId": "accountId", "payerAddr": "owner"}),
        ("withdraw_nft", {"accountId": "accountId", "owner": "owner"}),
        ("create_collection", {"owner": "owner"}),
    ],
)
def test_the_account_is_the_one_that_the_body_names(endpoint: str, names: dict[str, str]) -> None:
    """By its id or its owner, under the name that the endpoint's body has for it: alice's, as if she were named."""
    alice = fresh_relay(LIVE).accounts()[0]
    amount = {"tokenId": 1, "volume": "1", "amount": "1", "nftData": "0x" + "5e" * 32}
    numbers = {"exchange": ADDRESS, "storageId": 1, "validUntil": 4_102_444_800, "token": amount, "maxFee": amount}
    others = {"payeeId": 0, "payeeAddr": ADDRESS, "to": ADDRESS, "minGas": 0, "extraData": ""}
    body = {**numbers, **others, **{name: alice[fact] for name, fact in names.items()}}
    found = printed(sign(endpoint, "--scenario", "live_v3", body=body))
    named = printed(sign(endpoint, "--scenario", "live_v3", "--account", "alice", body=body))
    assert (found.headers, found.body) == (named.headers, named.body)
