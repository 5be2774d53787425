"""Transfers, withdrawals, account updates and their histories (E10, E28 to E30; F14, F24; S2, S3, S5, S8)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mockrelay.core.saving import restore_world, save_world
from mockrelay.relay import Relay
from tests.live.test_rows import PRESENCE, ask, transfer_v3
from tests.support.answer import Answer
from tests.support.bodies import E18, ECDSA_SIGNATURE, bodies_of
from tests.support.client import advance, digest, done, get, post, send
from tests.support.worlds import relay_from

TRANSFER, BOB = "/api/v3/transfer", 10002
NEW = "0x" + "9" * 39 + "A"
"""An address without an account."""


@pytest.fixture
def relay() -> Relay:
    return relay_from("live_v3", choices=PRESENCE)


def submit(relay: Relay, fields: dict[str, Any], signature: str | None = ECDSA_SIGNATURE) -> Answer:
    """A transfer of alice's, without its fields that are None."""
    given = {name: value for name, value in fields.items() if value is not None}
    return post(relay, TRANSFER, given, signature=signature)


def balance(relay: Relay, account_id: int, token_id: int = 1) -> int:
    """What an account has of a token, all together."""
    return sum(relay.world.ledger.balance(account_id, token_id))


def test_a_transfer_moves_its_amount_and_its_fee_and_no_nonce_e28_s3(relay: Relay) -> None:
    """1 LRC to bob, 0.05 LRC as the fee; the answer says processing though it is processed at once (S8)."""
    before = balance(relay, 10001), balance(relay, BOB)
    answer = submit(relay, transfer_v3(relay, 1, memo="rent"))
    assert {**answer.json, "hash": len(answer.json["hash"])} == {
        "hash": 66,
        "status": "processing",
        "isIdempotent": False,
    }
    assert ask(relay, "get_account_v3").json["nonce"] == 0
    assert balance(relay, 10001) == before[0] - E18 - E18 // 20
    assert balance(relay, BOB) == before[1] + E18
    assert ask(relay, "get_storage_id").json == {"orderId": 0, "offchainId": 3}


def test_a_transfer_again_is_the_same_one_and_its_id_serves_no_other_e28_s2(relay: Relay) -> None:
    first = submit(relay, transfer_v3(relay, 1)).json
    before = digest(relay)
    again = submit(relay, transfer_v3(relay, 1)).json
    assert (again["hash"], again["isIdempotent"]) == (first["hash"], True)
    other = transfer_v3(relay, 1, validUntil=relay.now_ms() // 1000 + 90 * 86_400)
    assert submit(relay, other).refusal_code == 102021
    assert digest(relay) == before


@pytest.mark.parametrize(
    ("fields", "header", "code"),
    [
        ({}, ECDSA_SIGNATURE, 0),
        ({"ecdsaSignature": ECDSA_SIGNATURE}, None, 0),
        ({"eddsaSignature": "0x" + "01" * 96}, None, 0),
        ({}, None, 104004),
        ({"ecdsaSignature": ""}, None, 104004),
    ],
    ids=["header", "body ecdsa", "body eddsa", "104004 none", "104004 empty"],
)
def test_a_signature_may_be_in_the_body_alone_e28(
    relay: Relay, fields: dict[str, Any], header: str | None, code: int
) -> None:
    assert submit(relay, transfer_v3(relay, 1, **fields), header).code == code


@pytest.mark.parametrize("coin_id", [0, 7])
def test_an_account_comes_into_being_for_an_address_and_is_activated_e10_e28(tmp_path: Path, coin_id: int) -> None:
    """It has no key: it is shown without one, has no API key, and its owner's update makes it like any other."""
    path = tmp_path / "own.yaml"
    path.write_text(f"format: 1\nname: own\nextends: live_v3\ntokens: [{{symbol: ETH, tokenId: {coin_id}}}]\n")
    relay = relay_from(path, choices=PRESENCE)
    assert ask(relay, "get_account_v3", [("owner", NEW)]).refusal_code == 101002
    sent = submit(relay, transfer_v3(relay, 1, payeeAddr=NEW, payPayeeUpdateAccount=True))
    assert sent.refusal_code == 100001  # activation costs what an update does
    fee = {"tokenId": 1, "volume": str(E18 // 10)}
    sent = submit(relay, transfer_v3(relay, 1, payeeAddr=NEW, payPayeeUpdateAccount=True, maxFee=fee))
    account = ask(relay, "get_account_v3", [("owner", NEW.upper().replace("X", "x"))]).json
    new_id = account["accountId"]
    assert account == {
        "accountId": 10004,
        "owner": NEW.lower(),
        "frozen": False,
        "publicKey": {"x": "", "y": ""},
        "tags": "",
        "nonce": 0,
        "keyNonce": 0,
        "keySeed": account["keySeed"],
    }
    assert get(relay, "/api/v2/account", owner=NEW).data["publicKeyX"] == ""
    assert balance(relay, new_id) == E18
    update = {
        **bodies_of(relay).update(0, "0x0a", "0x0b"),
        "owner": NEW,
        "accountId": new_id,
        "maxFee": fee,
    }
    activated = post(relay, "/api/v3/account", update, signature=ECDSA_SIGNATURE, key=None)
    assert activated.json["status"] == "processing"
    advance(relay, "15s")
    account = ask(relay, "get_account_v3", [("owner", NEW)]).json
    assert (account["publicKey"]["x"], account["nonce"]) == (f"0x{10:064x}", 1)
    assert balance(relay, new_id) == E18 - E18 // 10
    key = send(
        relay, "GET", "/api/v3/apiKey", query=[("accountId", str(new_id))], key=None, signature="0x" + "01" * 96
    ).json["apiKey"]
    rows = get(relay, "/api/v3/user/createInfo", key=key, accountId=new_id).json["transactions"]
    assert [(row["hash"], row["owner"], row["feeAmount"]) for row in rows] == [(sent.json["hash"], NEW.lower(), "0")]
    (updated,) = get(relay, "/api/v3/user/updateInfo", key=key, accountId=new_id).json["transactions"]
    assert (updated["hash"], updated["feeAmount"]) == (activated.json["hash"], str(E18 // 10))
    shown = get(relay, "/api/v2/user/deposits", key=key, accountId=new_id, allType="true").data["transactions"]
    assert [(row["depositType"], row["amount"]) for row in shown] == [("UPDATE_ACCOUNT", "0"), ("CREATE_ACCOUNT", "0")]


def test_both_parties_see_a_transfer_s5(relay: Relay) -> None:
    """By id, time, state and memo; the fee is the sender's. A block holds it after ten seconds."""
    at_ms = relay.now_ms()
    hash_ = submit(relay, transfer_v3(relay, 1, memo="rent")).json["hash"]
    mine = get(relay, "/api/v3/user/transfers", accountId=10001).json
    owners = {one["accountId"]: one["owner"] for one in relay.accounts()}
    assert mine == {
        "totalNum": 1,
        "transactions": [
            {
                "id": 1,
                "hash": hash_,
                "txType": "TRANSFER",
                "symbol": "LRC",
                "amount": str(E18),
                "senderAddress": owners[10001],
                "receiver": BOB,
                "receiverAddress": owners[BOB],
                "feeTokenSymbol": "LRC",
                "feeAmount": str(E18 // 20),
                "status": "processed",
                "progress": "100%",
                "timestamp": at_ms,
                "updatedAt": at_ms,
                "memo": "rent",
                "blockId": 0,
                "indexInBlock": 0,
            }
        ],
    }
    assert get(relay, "/api/v3/user/transfers", key="bob", accountId=BOB).json == mine
    advance(relay, "11s")
    (row,) = get(relay, "/api/v3/user/transfers", accountId=10001).json["transactions"]
    assert (row["blockId"], row["indexInBlock"]) == (1, 0)


def test_a_withdrawal_is_on_its_way_until_its_block_e29_e30(relay: Relay) -> None:
    """Its state changes when its block is sealed, ten seconds after the start."""
    at_ms = relay.now_ms()
    answer = post(relay, "/api/v3/user/withdrawals", bodies_of(relay).withdrawal(1), signature=ECDSA_SIGNATURE)
    assert answer.json["status"] == "processing"
    (row,) = get(relay, "/api/v3/user/withdrawals", accountId=10001).json["transactions"]
    assert (row["status"], row["progress"], row["blockId"], row["txHash"]) == ("processing", "0%", 0, "0x" + "0" * 64)
    (held,) = ask(relay, "get_balances_v3", [("accountId", "10001"), ("tokens", "1")]).json
    assert held["pending"] == {"withdraw": str(E18 + E18 // 10), "deposit": "0"}
    advance(relay, "11s")
    (row,) = get(relay, "/api/v3/user/withdrawals", accountId=10001).json["transactions"]
    assert (row["status"], row["progress"], row["blockId"]) == ("processed", "100%", 1)
    assert (row["timestamp"], row["updatedAt"]) == (at_ms, at_ms + 10_000)
    assert row["txHash"] == get(relay, "/api/v3/block/getBlock", id="1").json["txHash"]
    old = get(relay, "/api/v2/user/withdrawals", accountId=10001).data["transactions"]
    assert [(one["id"], one["realAmount"], one["status"]) for one in old] == [(1, str(E18), "processed")]


def test_a_deposit_leaves_a_row_f14_e30(relay: Relay) -> None:
    done(relay, "POST", "accounts/alice/deposit", {"token": "ETH", "amount": str(2 * E18)})
    (row,) = get(relay, "/api/v3/user/deposits", accountId=10001).json["transactions"]
    assert (row["id"], row["symbol"], row["amount"], row["status"]) == (1, "ETH", str(2 * E18), "processed")
    (old,) = get(relay, "/api/v2/user/deposits", accountId=10001, allType="true").data["transactions"]
    assert (old["depositType"], old["txHash"]) == ("DEPOSIT", row["hash"])
    (one,) = get(relay, "/api/v3/user/transactions", accountId=10001).json["transactions"]
    assert (one["txType"], one["hash"]) == ("DEPOSIT", row["hash"])


@pytest.mark.parametrize("path", ["/api/v3/user/transfers", "/api/v2/user/transfers"])
def test_histories_are_filtered_and_paged_newest_first_e30_f14(relay: Relay, path: str) -> None:
    """Transfers 1 and 3 are of LRC, 2 is of ETH; each a second after the one before."""
    start_ms = relay.now_ms()
    hashes = []
    for number, token_id in enumerate((1, 0, 1)):
        token = {"tokenId": token_id, "volume": str(10**15)}
        hashes.append(submit(relay, transfer_v3(relay, 2 * number + 1, token=token)).json["hash"])
        advance(relay, "1s")

    def ids(**query: Any) -> tuple[int, list[int]]:
        answer = get(relay, path, accountId=10001, **query).json
        page = answer.get("data", answer)
        return page["totalNum"], [row["id"] for row in page["transactions"]]

    assert ids() == (3, [3, 2, 1])
    assert ids(limit=1, offset=1) == (3, [2])
    assert ids(tokenSymbol="lrc") == (2, [3, 1])
    assert ids(start=start_ms + 1000, end=start_ms + 1999) == (1, [2])
    assert ids(status="processed,failed") == (3, [3, 2, 1])
    assert ids(status="processing") == (0, [])
    assert ids(hashes=f"{hashes[0]},{hashes[2]}") == (2, [3, 1])
    if "v2" in path:
        assert ids(fromHash=hashes[2]) == (2, [2, 1])


@pytest.mark.parametrize(("option", "rows"), [("none", 51), ("50", 50)])
def test_a_choice_bounds_the_pages_of_histories_too_e30(option: str, rows: int) -> None:
    relay = relay_from("live_v3", choices={**PRESENCE, "page.limit_max": option})
    for _ in range(51):
        done(relay, "POST", "accounts/alice/deposit", {"token": "LRC", "amount": "1"})
    page = get(relay, "/api/v3/user/deposits", accountId=10001, limit=60).json
    assert (page["totalNum"], len(page["transactions"])) == (51, rows)


def test_all_kinds_of_transactions_together_e30(relay: Relay) -> None:
    submit(relay, transfer_v3(relay, 1))
    post(relay, "/api/v3/user/withdrawals", bodies_of(relay).withdrawal(3), signature=ECDSA_SIGNATURE)

    def types(**query: Any) -> list[str]:
        page = get(relay, "/api/v3/user/transactions", accountId=10001, **query).json
        return [row["txType"] for row in page["transactions"]]

    assert types() == ["OFFCHAIN_WITHDRAWAL", "TRANSFER"]
    assert types(types="transfer") == ["TRANSFER"]


def test_a_transfer_of_the_second_generation_moves_the_nonce_and_may_pay_in_another_token_f24_s3(relay: Relay) -> None:
    body = bodies_of(relay).transfer(0, tokenF=0, amountF=str(10**13))
    assert post(relay, "/api/v2/transfer", body, signature=ECDSA_SIGNATURE).code == 0
    assert post(relay, "/api/v2/transfer", body | {"nonce": 0, "amount": "7"}, signature=ECDSA_SIGNATURE).code == 102021
    (row,) = get(relay, "/api/v2/user/transfers", accountId=10001).data["transactions"]
    assert (row["symbol"], row["feeAmount"]) == ("LRC", str(10**13))


@pytest.mark.parametrize("form", ["typed", "personal", "bare"])
@pytest.mark.parametrize("endpoint", ["submit_transfer_v3", "submit_withdrawal", "update_account"])
def test_a_request_is_signed_for_a_test_in_each_form_of_the_owner_e10_e28_e29(endpoint: str, form: str) -> None:
    """Both signatures count; with one digit of either changed it is refused, and nothing is used up."""
    relay = relay_from("live_v3")
    alice = relay.world.accounts[10001]
    body = {
        "submit_transfer_v3": transfer_v3(relay, 1),
        "submit_withdrawal": bodies_of(relay).withdrawal(1),
        "update_account": bodies_of(relay).update(0, alice.public_key_x, alice.public_key_y),
    }[endpoint]
    signed = done(relay, "POST", "sign", {"account": "alice", "endpoint": endpoint, "body": body, "form": form})
    header, before = signed["headers"]["X-API-SIG"], digest(relay)
    digit = "1" if header[10] == "0" else "0"
    wrong = header[:10] + digit + header[11:]
    assert post(relay, signed["path"], signed["body"], signature=wrong).refusal_code == 104005
    other = {**signed["body"], "validUntil": signed["body"]["validUntil"] + 1}
    assert post(relay, signed["path"], other, signature=header).refusal_code == 104005
    assert digest(relay) == before
    assert post(relay, signed["path"], signed["body"], signature=header).json["status"] == "processing"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"payerId": 99999}, 102022),
        ({}, 104005),
        ({"exchange": "0x" + "2" * 40}, 104005),
        ({"payeeAddr": "0x" + "0" * 40}, 104005),
        ({"token": {"tokenId": 99, "volume": "1"}}, 104005),
        ({"validUntil": 1}, 104005),
        ({"validUntil": "soon"}, 100001),
    ],
)
def test_whose_request_it_is_comes_before_all_rules_but_its_shape_3_2(fields: dict[str, Any], code: int) -> None:
    """Signed by another account's key. Its storage id is free for a right one."""
    relay = relay_from("live_v3")
    right = transfer_v3(relay, 1)
    ours, theirs = (
        done(relay, "POST", "sign", {"account": name, "endpoint": "submit_transfer_v3", "body": right})
        for name in ("alice", "bob")
    )
    before = digest(relay)
    header = theirs["headers"]["X-API-SIG"]
    assert post(relay, TRANSFER, {**theirs["body"], **fields}, signature=header).refusal_code == code
    assert digest(relay) == before
    assert post(relay, TRANSFER, ours["body"], signature=ours["headers"]["X-API-SIG"]).code == 0


def test_a_request_again_is_the_same_one_though_the_key_that_signed_it_is_gone_e10_e28() -> None:
    """An update and a transfer before it; a new transfer by the old key is refused, and its id stays free."""
    relay = relay_from("live_v3")
    bob = relay.world.accounts[BOB]
    sent = [
        done(relay, "POST", "sign", {"account": "alice", "endpoint": endpoint, "body": body})
        for endpoint, body in (
            ("submit_transfer_v3", transfer_v3(relay, 1)),
            ("update_account", bodies_of(relay).update(0, bob.public_key_x, bob.public_key_y)),
            ("submit_transfer_v3", transfer_v3(relay, 3)),
        )
    ]

    def submitted(index: int) -> Answer:
        signed = sent[index]
        return post(relay, signed["path"], signed["body"], signature=signed["headers"]["X-API-SIG"])

    first = [submitted(index).json for index in (0, 1)]
    advance(relay, "1h")
    assert relay.world.accounts[10001].public_key_x == bob.public_key_x
    before = digest(relay)
    for index in (0, 1):
        again = submitted(index).json
        assert (again["hash"], again["isIdempotent"]) == (first[index]["hash"], True)
    assert submitted(2).refusal_code == 104005
    other = {**sent[0]["body"], "validUntil": sent[0]["body"]["validUntil"] + 1}
    assert post(relay, TRANSFER, other, signature=sent[0]["headers"]["X-API-SIG"]).refusal_code == 104005
    assert digest(relay) == before
    assert ask(relay, "get_storage_id").json["offchainId"] == 3


@pytest.mark.parametrize("scenario", ["default", "live_v3"])
def test_a_nonce_set_back_by_hand_stays_there_when_the_next_block_is_sealed_10_3(scenario: str) -> None:
    """An update has used nonce 0; set back to 0, the account's next update has nonce 0 again, and the one after it 1."""
    relay = relay_from(scenario, choices=PRESENCE)
    alice = relay.world.accounts[10001]
    until_s = relay.now_ms() // 1000 + 90 * 86_400

    def updated(nonce: int) -> int:
        body = bodies_of(relay).update(nonce, alice.public_key_x, alice.public_key_y, validUntil=until_s + nonce)
        return post(relay, "/api/v3/account", body, signature=ECDSA_SIGNATURE, key=None).code

    def shown() -> int:
        return int(get(relay, "/api/v2/account", owner=alice.owner).data["accountNonce"])

    first = bodies_of(relay).update(0, alice.public_key_x, alice.public_key_y)
    assert post(relay, "/api/v3/account", first, signature=ECDSA_SIGNATURE, key=None).status == 200
    blocks = len(relay.world.blocks)
    done(relay, "POST", "accounts/10001/keys", {"accountNonce": 0})
    advance(relay, "1h")
    assert len(relay.world.blocks) > blocks
    assert shown() == 0
    assert (updated(1), updated(0)) == (102021, 0)
    advance(relay, "1h")
    assert (shown(), updated(2), updated(1)) == (1, 102021, 0)


def test_a_transfer_of_the_third_generation_can_fail_in_the_end_e28(relay: Relay) -> None:
    """All that it took is given back but its storage id."""
    before = balance(relay, 10001), balance(relay, BOB)
    done(relay, "POST", "faults", {"on": "submit_transfer_v3", "outcome": "failed"})
    assert submit(relay, transfer_v3(relay, 1)).json["status"] == "processing"
    advance(relay, "11s")
    (row,) = get(relay, "/api/v3/user/transfers", accountId=10001).json["transactions"]
    assert (row["status"], row["blockId"]) == ("failed", 0)
    assert (balance(relay, 10001), balance(relay, BOB)) == before
    assert ask(relay, "get_storage_id").json["offchainId"] == 3


def test_requests_accounts_and_the_log_survive_saving_s5(relay: Relay) -> None:
    submit(relay, transfer_v3(relay, 1, payeeAddr=NEW, memo="rent"))
    done(relay, "POST", "accounts/alice/deposit", {"token": "ETH", "amount": "7"})
    advance(relay, "11s")
    other = relay_from("live_v3", choices=PRESENCE)
    other.world = restore_world(json.loads(json.dumps(save_world(relay.world))), relay.world.config)
    for kind in ("transfers", "deposits", "transactions"):
        path = f"/api/v3/user/{kind}"
        assert get(other, path, accountId=10001).json == get(relay, path, accountId=10001).json
    assert ask(other, "get_account_v3", [("owner", NEW)]).json["accountId"] == 10004
    assert digest(other) == digest(relay)
