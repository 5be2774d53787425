"""What real clients have signed is taken as it stands under `signature.scheme: protocol`, and refused where a bit differs."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest

from tests.conformance.signatures.published import Case, cases, sent, world
from tests.support.answer import Answer
from tests.support.client import digest, done, get, state
from tests.support.views import orders, pending

CASES = cases()
BY_NAME = {case.name: case for case in CASES}
ORDER = "v2order 0 python"
TRANSFER = "v2transfer 1 python"
WITHDRAWAL = "withdrawal 02"
PRESENCE = {"signature.scheme": "presence"}
LATE: Mapping[str, tuple[str, ...]] = {
    ORDER: ("orderId", "amountS", "amountB", "validSince", "validUntil", "maxFeeBips", "label"),
    TRANSFER: ("amount", "amountF", "label", "nonce"),
    WITHDRAWAL: ("token.volume", "maxFee.volume", "storageId", "validUntil", "minGas", "to", "extraData"),
    "nftMint": ("amount", "validUntil", "storageId", "maxFee.amount", "royaltyPercentage", "nftId"),
    "nftWithdrawal": ("token.amount", "validUntil", "storageId", "maxFee.amount", "toAddress"),
}
"""Signed fields that no rule before the signature's objects to, whatever they are."""
EARLY: Mapping[str, tuple[str, ...]] = {
    ORDER: ("exchangeId", "accountId", "tokenSId", "tokenBId"),
    TRANSFER: ("exchangeId", "sender", "receiver", "token", "tokenF"),
    WITHDRAWAL: ("exchange", "accountId", "owner", "maxFee.tokenId"),
    "nftMint": ("exchange", "minterId", "minterAddress", "tokenAddress", "maxFee.tokenId"),
    "nftWithdrawal": ("exchange", "fromAccountId", "fromAddress", "token.tokenId", "token.nftData"),
}
"""Signed fields of which something else may be said first."""
FIELDS = [(name, path, True) for name, paths in LATE.items() for path in paths] + [
    (name, path, False) for name, paths in EARLY.items() for path in paths
]


def _hash_of(answer: Answer) -> str:
    found = answer.json
    data = found.get("data", found)
    hash_: str = data if isinstance(data, str) else data.get("orderHash") or data["hash"]
    return hash_


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_published_request_is_taken_under_its_published_hash(case: Case) -> None:
    """By either client family's signature, with each suffix of the header."""
    relay = world(case)
    answer = sent(relay, case)
    assert (answer.status, answer.code) == (200, 0), answer.body
    assert _hash_of(answer) == case.hash
    assert not [found for found in done(relay, "GET", "findings") if found["rule"] in ("signature", "approved-hash")]


@pytest.mark.parametrize("case", [case for case in CASES if case.prepare is None], ids=lambda case: str(case.name))
def test_under_fast_hashes_it_is_taken_under_another(case: Case) -> None:
    """How signatures are verified and how hashes are made are two choices."""
    answer = sent(world(case, {"signature.scheme": "protocol"}), case)
    assert answer.code == 0
    assert _hash_of(answer) != case.hash


def _named(kind: str) -> list[Case]:
    return [case for case in CASES if case.name.startswith(kind)]


@pytest.mark.parametrize("case", _named("v2order"), ids=lambda case: str(case.name))
def test_submit_order_of_another_client_is_read_back_as_it_was_sent(case: Case) -> None:
    """15 for 500: the record has the body's amounts, times and client id; the next order id follows it."""
    relay, body = world(case, PRESENCE), case.body
    answer = sent(relay, case)
    assert answer.data == {"orderHash": answer.data["orderHash"], "status": "NEW_ACTIVED", "isIdempotent": False}
    (record,) = orders(relay)
    assert record["hash"] == answer.data["orderHash"]
    assert (record["side"], record["market"], record["status"]) == ("SELL", "VCT-ETH", "processing")
    assert (record["size"], record["volume"], record["price"]) == (body["amountS"], body["amountB"], "0.03")
    for field in ("clientOrderId", "validSince", "validUntil"):
        assert record[field] == body[field]
    following = get(relay, "/api/v2/orderId", accountId=body["accountId"], tokenSId=body["tokenSId"])
    assert following.data == str(body["orderId"] + 1)


@pytest.mark.parametrize("case", _named("v2transfer"), ids=lambda case: str(case.name))
def test_submit_transfer_of_another_client_sends_what_it_says(case: Case) -> None:
    """Whatever its fee token, by choice."""
    relay, body = world(case, PRESENCE), case.body
    assert sent(relay, case).code == 0
    (waiting,) = pending(relay)
    assert (waiting["token"]["tokenId"], waiting["token"]["amount"]) == (body["token"], body["amount"])
    assert (waiting["accountId"], waiting["toAccountId"]) == (body["sender"], body["receiver"])
    assert waiting["nonce"] == body["nonce"]
    assert [request["status"] for request in state(relay)["requests"]] == ["processed"]


def _flipped(value: Any, bit: int) -> Any:
    """The value with one bit of its number changed, in the same form."""
    if isinstance(value, int):
        return value ^ 1 << bit
    if value.isdigit():
        return str(int(value) ^ 1 << bit)
    digits = value.removeprefix("0x")
    return value[: len(value) - len(digits)] + f"{int(digits, 16) ^ 1 << bit:0{len(digits)}x}"


def _with(body: Mapping[str, Any], path: str, bit: int) -> dict[str, Any]:
    changed = copy.deepcopy(dict(body))
    *outer, name = path.split(".")
    place: Any = changed
    for key in outer:
        place = place[key]
    place[name] = _flipped(place[name], bit)
    return changed


@pytest.mark.parametrize(("name", "path", "late"), FIELDS, ids=[f"{name}-{path}" for name, path, _ in FIELDS])
def test_one_flipped_bit_in_any_signed_field_is_refused(name: str, path: str, late: bool) -> None:
    """As a wrong signature, unless a rule that comes first objects to the field; and nothing has changed."""
    case = BY_NAME[name]
    relay = world(case)
    before = digest(relay)
    answer = sent(relay, case._replace(body=_with(case.body, path, 0)))
    assert answer.code == 104005 if late else answer.code != 0, answer.body
    assert digest(relay) == before


@pytest.mark.parametrize(
    ("case", "bit"),
    [*((BY_NAME[name], bit) for name in LATE for bit in (0, 200, 253)), *((case, 1) for case in CASES)],
    ids=lambda value: value.name if isinstance(value, Case) else value,
)
def test_one_flipped_bit_in_any_part_of_a_signature_is_refused(case: Case, bit: int) -> None:
    """Of R and of s, in the body and in the header."""
    relay = world(case)
    before = digest(relay)
    for changed in _with_wrong_signatures(case, bit):
        answer = sent(relay, changed)
        assert answer.code == 104005, answer.body
    assert digest(relay) == before


def _with_wrong_signatures(case: Case, bit: int) -> list[Case]:
    body, header = case.body, case.header
    parts = [("signatureRx", bit), ("signatureRy", bit), ("signatureS", bit)] if "signatureS" in body else []
    if "eddsaSignature" in body:
        parts += [("eddsaSignature", place * 256 + bit) for place in range(3)]
    found = [case._replace(body=_with(body, name, at)) for name, at in parts]
    if header is not None:
        # From the low end: the suffix where there is one, v in a byte, s, r.
        v = 8 * (len(header) // 2 - 1 - 65)
        found += [case._replace(header=_flipped(header, at)) for at in (v, v + 8 + bit, v + 8 + 256 + bit)]
    return found


def test_another_accounts_signature_is_refused_and_why_says_so() -> None:
    """The client is told 104005 and one sentence whatever is wrong; the test's side is told which part and why."""
    case = BY_NAME[WITHDRAWAL]
    relay = world(case)
    # A bit of s: r still belongs to a point, and so to somebody's key.
    bad_header = case._replace(header=_flipped(case.header, 20))
    bad_body = case._replace(body=_with(case.body, "eddsaSignature", 400))
    answers = [sent(relay, bad_header), sent(relay, bad_body)]
    assert answers[0].body == answers[1].body
    assert answers[0].message == "Wrong signature information: a signature is not right for this request"
    told = [found["detail"] for found in done(relay, "GET", "findings") if found["rule"] == "signature"]
    assert told[0].startswith("submit_withdrawal: header X-API-SIG: it is the signature of 0x")
    assert told[0].endswith("not of the owner 0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A")
    # The second part of R, changed, leaves the curve.
    assert told[1] == "submit_withdrawal: eddsaSignature: the signature's point R is not on the curve"
    why = done(relay, "GET", "why/r2")
    assert why["refusal"]["code"] == 104005
    assert "signature" in [found["rule"] for found in why["findings"]]
