"""The choices that the profile live brings: each option has a witness, and no other profile has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mockrelay.cli import main
from mockrelay.cli.sweep.variations import single_variations
from mockrelay.relay import Relay
from mockrelay.replay import load_into
from mockrelay.scenario import ScenarioError, load_text
from tests.live.test_nft import MINT, MOVE
from tests.live.test_nft import submit as submit_nft
from tests.live.test_orders import ORDER_V2, bid_v3
from tests.live.test_orders import submit as submit_order
from tests.live.test_requests import NEW
from tests.live.test_requests import submit as submit_transfer
from tests.live.test_rows import PRESENCE, mint_live, nft_move, order_v3, transfer_v3
from tests.support.bodies import ECDSA_SIGNATURE, bodies_of
from tests.support.client import control, digest, done, get, post
from tests.support.worlds import relay_from

STATUS, PAYEE, ANSWER = "live.submit_status", "live.unknown_payee", "live.v2_order_answer"
DECIMAL = "a hash of digits"


def live(**choices: str) -> Relay:
    return relay_from(
        "live_v3", choices={**PRESENCE, **{key.replace("__", "."): each for key, each in choices.items()}}
    )


def _submitted(relay: Relay) -> Any:
    """A withdrawal in its first state, and an order that trades at once with one that rests."""
    withdrawal = post(relay, "/api/v3/user/withdrawals", bodies_of(relay).withdrawal(1), signature=ECDSA_SIGNATURE)
    assert submit_order(relay, order_v3(relay, 0)).status == 200
    return withdrawal.json["status"], submit_order(relay, bid_v3(relay), "bob").json["status"]


def _paid(relay: Relay) -> Any:
    """A transfer, a mint and the transfer of an NFT to an address without an account."""
    before = len(relay.world.accounts)
    codes = [submit_transfer(relay, transfer_v3(relay, 1, payeeAddr=NEW)).code]
    minted = submit_nft(relay, MINT, mint_live(relay, 3)).json
    token = {"tokenId": minted["nftTokenId"], "nftData": minted["nftData"], "amount": "1"}
    codes.append(submit_nft(relay, MINT, mint_live(relay, 5, toAccountId=0, toAddress=NEW)).code)
    codes.append(submit_nft(relay, MOVE, nft_move(relay, token, 7, toAddress=NEW)).code)
    return codes, len(relay.world.accounts) - before


def _answered(relay: Relay) -> Any:
    answer = post(relay, ORDER_V2, bodies_of(relay).order(0))
    found = answer.data if isinstance(answer.data, dict) else {"": answer.data}
    return {name: DECIMAL if str(value).isdigit() else value for name, value in found.items()}


WITNESSES: Mapping[tuple[str, str], tuple[Callable[[Relay], Any], Any]] = {
    (STATUS, "processing"): (_submitted, ("processing", "processing")),
    (STATUS, "state"): (_submitted, ("received", "processed")),
    (PAYEE, "create"): (_paid, ([0, 0, 0], 1)),
    (PAYEE, "refuse"): (_paid, ([102023, 102023, 102023], 0)),
    (ANSWER, "hash"): (_answered, {"": DECIMAL}),
    (ANSWER, "object"): (_answered, {"orderHash": DECIMAL, "status": "NEW_ACTIVED", "isIdempotent": False}),
}
"""By choice and option: the calls, and what they are answered."""


@pytest.mark.parametrize(("key", "option"), WITNESSES, ids=["=".join(each) for each in WITNESSES])
def test_an_option_shows_in_what_is_answered(key: str, option: str) -> None:
    calls, expected = WITNESSES[key, option]
    relay = live(**{key: option})
    assert calls(relay) == expected
    assert option == dict(done(relay, "GET", "choices"))[key]


def test_each_option_of_the_profile_has_a_witness() -> None:
    """`live` in the choices of a relayer in the profile, and no others than the page names."""
    choices = done(live(), "GET", "choices")
    assert {key for key in choices if key.startswith("live.")} == {key for key, _ in WITNESSES}
    base = dict(choices)
    varied = {pair for (pair,) in single_variations(base) if pair[0].startswith("live.")}
    assert varied == {(key, option) for key, option in WITNESSES if base[key] != option}


@pytest.mark.parametrize("option", ["strict", "lenient"])
@pytest.mark.parametrize(
    ("field", "value"), [("storageId", "0"), ("sellToken", {"tokenId": 1, "volume": 10**20})], ids=["text", "a number"]
)
def test_numbers_may_be_held_to_their_types_in_json_but_not_in_forms(field: str, value: Any, option: str) -> None:
    """By the choice of the specification, which stands as lenient in this profile."""
    relay = live(http__numbers=option)
    answer = post(relay, "/api/v3/order", order_v3(relay, 0, **{field: value}))
    if option == "strict":
        assert (answer.refusal_code, field in answer.message) == (102120, True)
    else:
        assert answer.code == 0
    form = b"data=0xf8aa&unknown=1"
    assert (
        post(relay, "/api/v2/sendEthTx", form, headers={"content-type": "application/x-www-form-urlencoded"}).code == 0
    )
    assert get(relay, "/api/v3/storageId", accountId="10001", sellTokenId="1").status == 200


def test_a_refused_payee_is_named_and_nothing_changes() -> None:
    relay = live(**{PAYEE: "refuse"})
    before = digest(relay)
    answer = submit_transfer(relay, transfer_v3(relay, 1, payeeAddr=NEW))
    assert (answer.refusal_code, "payeeAddr" in answer.message) == (102023, True)
    assert digest(relay) == before
    assert submit_transfer(relay, transfer_v3(relay, 1)).code == 0


def test_a_held_order_is_repeated_as_an_object() -> None:
    relay = live(**{ANSWER: "object"})
    done(relay, "POST", "faults", {"on": "submit_order_v2", "hold": "UNKNOWN"})
    body = bodies_of(relay).order(0)
    first, again = (post(relay, ORDER_V2, body).data for _ in range(2))
    assert (first["status"], first["isIdempotent"]) == ("UNKNOWN", False)
    assert again == {**first, "isIdempotent": True}


# Where the profile is another


FOUND = "a choice of the profile live in a relayer of the profile spec"
MEANT = "`profile: live`, or a choice of spec"


def test_no_choice_of_the_profile_is_part_of_the_specification() -> None:
    """Neither its choices, nor its coverage, nor what a sweep of a client under it tries."""
    relay = relay_from()
    choices = done(relay, "GET", "choices")
    assert not [key for key in choices if key.startswith("live.")]
    assert not [pair for (pair,) in single_variations(choices) if pair[0].startswith("live.")]
    asked = live()
    _submitted(asked)
    _answered(asked)
    kinds = done(asked, "GET", "coverage")["kinds"]
    assert not [name for name in (*kinds["options"]["met"], *kinds["options"]["missing"]) if "live." in str(name)]


def test_a_scenario_of_the_spec_sets_none_of_them() -> None:
    with pytest.raises(ScenarioError) as refused:
        load_text(f"format: 1\nextends: default\nchoices:\n  {STATUS}: state\n")
    assert (refused.value.found, refused.value.meant) == (FOUND, MEANT)
    assert (refused.value.line, refused.value.column) == (4, 3)
    load_text(f"format: 1\nextends: default\nprofile: live\nchoices:\n  {STATUS}: state\n")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "choices", {STATUS: "state"}),
        ("POST", "reset", {"choices": {STATUS: "state"}}),
    ],
)
def test_the_control_api_of_another_profile_refuses_them(method: str, path: str, body: dict[str, Any]) -> None:
    relay = relay_from()
    before = digest(relay)
    answer = control(relay, method, path, body)
    assert (answer.status, answer.json["meant"]) == (400, MEANT)
    assert STATUS in answer.json["field"]
    assert answer.json["error"].endswith(f"found {FOUND}")
    assert digest(relay) == before
    assert control(live(), method, path, body).status == 200


def test_a_reset_into_another_profile_needs_choices_that_it_has() -> None:
    relay = live(**{STATUS: "state"})
    assert control(relay, "POST", "reset", {"profile": "spec"}).json["meant"] == MEANT
    assert control(relay, "POST", "reset", {"profile": "spec", "choices": {}}).status == 200
    assert "live" not in str(done(relay, "GET", "choices"))


def test_a_relay_in_this_process_refuses_them() -> None:
    with pytest.raises(ValueError, match=STATUS):
        relay_from(choices={STATUS: "state"})


def test_a_served_relayer_of_another_profile_refuses_them_in_a_line(tmp_path: Path) -> None:
    command = ["serve", "-p", "0", "--set", f"{STATUS}=state", "--output-dir", str(tmp_path)]
    result = CliRunner().invoke(main, command)
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert FOUND in result.output


def test_what_is_saved_has_the_choices_of_its_profile() -> None:
    """A dump of one loads into another relayer, whatever the profile of that one was."""
    source = live(**{STATUS: "state"})
    target = relay_from()
    load_into(target, source.dump())
    assert done(target, "GET", "choices")[STATUS] == "state"
    assert get(target, "/api/v3/timestamp").status == 200
