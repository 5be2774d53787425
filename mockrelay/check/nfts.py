"""NFTs from the mint to layer 1: submitted, read again, and the choices about them."""

from __future__ import annotations

from typing import Any

from mockrelay.check import rules
from mockrelay.check.answer import Answer
from mockrelay.check.calls import api_call, nft_move, right_call
from mockrelay.check.checks import check
from mockrelay.check.requests import PENDING, expect_new, expect_pending, expect_repeatable
from mockrelay.check.run import CheckCase, Run
from mockrelay.client.bodies import NFT_ID
from mockrelay.client.call import ApiCall
from mockrelay.client.facts import NFT_CODES

_MINT, _GIVE, _WITHDRAW, _DEPLOY, _DATA, _CODE = (
    "mint_nft",
    "transfer_nft",
    "withdraw_nft",
    "deploy_nft_contract",
    "get_nft_data",
    "get_code",
)
_CHECKS = (
    check("taken", _MINT, "A mint under the minter's own contract is taken"),
    check("hashes", _MINT, "The hash of the answer and that of raw_data are one"),
    check("ids", _MINT, "The ids of the NFT are those that the mint has in the block"),
    check("repeated", _MINT, "The same mint again gives its hash, or that its storage id is used", "Submit responses"),
    check("mint", PENDING, "A mint waits for the next block as it was submitted"),
    check("answered", _DATA, "A right call is answered with a minted NFT"),
    check("written", _DATA, "The record of an NFT is as it was minted"),
    check("taken", _GIVE, "An NFT transfer within the balance is taken"),
    check("hashes", _GIVE, "The hash of the answer and that of raw_data are one"),
    check("repeated", _GIVE, "The same transfer again gives its hash, or that its storage id is used"),
    check("too-many", _GIVE, "More NFTs than the balance are refused, or fail later"),
    check("early", _WITHDRAW, "An NFT of a contract that is not deployed is refused"),
    check("taken", _WITHDRAW, "An NFT of a deployed contract is taken to layer 1"),
    check("hashes", _WITHDRAW, "The hash of the answer and that of raw_data are one"),
    check("repeated", _WITHDRAW, "The same withdrawal again gives its hash, or that its storage id is used"),
    check("taken", _DEPLOY, "A deployment that is paid for is sent: SEND_TX_SUCCESS", "States and transitions"),
    check("repeated", _DEPLOY, "A deployment again is idempotent, or refused"),
    check("before", _CODE, "A contract that is not deployed has the code `0x`"),
    check("deployed", _CODE, "A deployed contract has a code, the same from then on"),
    check("content-type", _CODE, "A body that is not declared as JSON is read, or refused"),
    check("unknown-field", _CODE, "A field that the endpoint does not have is ignored, or refused"),
)
_REFUSED = dict.fromkeys(NFT_CODES, "refuse")
_DEPLOYED_WITHIN_MS = 120_000
_STEP_MS = 15_000
"""The time between two polls of get_code that the spec suggests (spec §28)."""


def _receipt(answer: Answer) -> dict[str, Any]:
    receipt: dict[str, Any] = answer.payload["raw_data"]
    return receipt


def _submit(run: Run, call: ApiCall) -> tuple[Answer, dict[str, Any]]:
    """Submit an NFT request that must be accepted; the answer and its receipt."""
    answer = run.expect_accepted("taken", call)
    receipt, hash_ = _receipt(answer), answer.payload["hash"]
    run.expect("hashes", answer, receipt["hash"] == hash_, f"{hash_} and {receipt['hash']}")
    expect_new(run, answer, receipt)
    return answer, receipt


def _mints(run: Run) -> None:
    who, call = run.facts.carol, right_call(run, _MINT)
    answer, nft = _submit(run, call)
    run.facts.nft = nft
    due = {"minterAccountId": who.account_id, "storageId": call.fields["storageId"], "nftToken.nftId": NFT_ID}
    due |= {"nftToken.amount": call.fields["amount"]}
    waiting = expect_pending(run, "mint", "NftMint", due)
    if waiting is not None:
        for name, value in (("tokenId", nft["nftTokenId"]), ("nftData", nft["nftData"])):
            found = waiting["nftToken"].get(name)
            run.expect("ids", answer, found == value, f"{name} {value}, what waits has {found}", rules.MEMORY)
    look = api_call(run, _DATA, right_call(run, _DATA).fields, who)
    early = run.expect_option("answered", look, "nft.visible", {0: "at_once", **dict.fromkeys(NFT_CODES, "on_block")})
    if early.code != 0:
        run.world.control("POST", "blocks/seal", {"count": 1})
    record = run.expect_accepted("answered", look)
    written = {"nftData": nft["nftData"], "minter": str(who.owner), "tokenAddress": run.facts.contract, "nftId": NFT_ID}
    for name, value in written.items():
        same = record.payload[name].lower() == value.lower()
        run.expect("written", record, same, f"{name} {record.payload[name]}, written {value}", rules.MEMORY)
    bips, kind = record.payload["creatorFeeBips"], record.payload["nftType"]
    run.expect("written", record, (bips, kind) == (7, "ERC1155"), f"{bips}, {kind}; written 7, ERC1155", rules.MEMORY)
    status = record.payload["status"]
    run.expect("written", record, status is True, "status false of an NFT that is minted", rules.MEMORY)
    run.world.advance(1000)
    expect_repeatable(run, "repeated", call, nft, NFT_CODES, _receipt)


def _moves(run: Run) -> None:
    alice, carol = run.facts.alice, run.facts.carol
    # Under some options a minted NFT can be moved from its block on.
    run.world.control("POST", "blocks/seal", {"count": 1})
    gift = nft_move(run, _GIVE, alice)
    expect_repeatable(run, "repeated", gift, _submit(run, gift)[1], NFT_CODES, _receipt)
    options = {0: "fail", **_REFUSED}
    run.expect_option("too-many", nft_move(run, _GIVE, alice, 1000), "request.insufficient_funds", options)
    run.expect_refused("early", nft_move(run, _WITHDRAW, carol), NFT_CODES)
    _deployment(run)
    out = nft_move(run, _WITHDRAW, carol)
    expect_repeatable(run, "repeated", out, _submit(run, out)[1], NFT_CODES, _receipt)


def _deployment(run: Run) -> None:
    code = api_call(run, _CODE, {"address": run.facts.contract})
    before = run.expect_accepted("answered", code)
    result = before.payload["result"]
    run.expect("before", before, result == "0x", f"{result[:20]} before its deployment")
    _deploy(run)
    after = run.expect_accepted("answered", code)
    for _ in range(_DEPLOYED_WITHIN_MS // _STEP_MS):
        if after.payload["result"] != "0x":
            break
        run.world.advance(_STEP_MS)
        after = run.expect_accepted("answered", code)
    result = after.payload["result"]
    run.expect("deployed", after, result != "0x", f"still 0x after {_DEPLOYED_WITHIN_MS // 1000} s")
    again = run.expect_accepted("answered", code)
    found = again.payload["result"]
    run.expect("deployed", again, found == result, f"{found[:20]}, before {result[:20]}")


def _deploy(run: Run) -> None:
    call = right_call(run, _DEPLOY)
    answer = run.expect_accepted("taken", call)
    receipt = answer.payload
    holds = (receipt["status"], receipt["isIdempotent"]) == ("SEND_TX_SUCCESS", False)
    run.expect("taken", answer, holds, f"{receipt['status']}, isIdempotent {receipt['isIdempotent']}")
    again = run.expect_option("repeated", call, "nft.repeat_deploy", {0: "idempotent", **_REFUSED})
    if again.code == 0 and again.is_sound:
        holds = again.payload["hash"] == receipt["hash"] and again.payload["isIdempotent"] is True
        run.expect("repeated", again, holds, f"found {again}, before {answer}", rules.MEMORY)


def _lenient(run: Run) -> None:
    """Bodies that the spec does not show, which a relayer may accept."""
    call = api_call(run, _CODE, {"address": run.facts.carol.owner})
    options = {0: "report", **_REFUSED}
    request = call.request._replace(headers={**call.request.headers, "content-type": "text/plain"})
    run.expect_option("content-type", call, "http.content_type", options, request)
    run.expect_option("unknown-field", call.but(checkedBy="mockrelay"), "http.unknown_fields", options)


def _repeated_parameters(run: Run) -> None:
    market = run.facts.market
    call = api_call(run, "get_ticker", {"market": market})
    twice = call.request._replace(target=f"{call.target}&market={market}")
    options = {0: "same_value_ok", 100_001: "refuse"}
    run.expect_option("twice", call, "http.repeated_query", options, twice)
    run.expect_refused("two-values", call, 100_001, request=twice._replace(target=f"{twice.target}x"))


_REPEATS = (
    check("twice", "get_ticker", "A parameter given twice with one value is taken, or refused"),
    check("two-values", "get_ticker", "A parameter given twice with two values is refused"),
)

MINTS = CheckCase(
    "mints", _mints, tuple(one for one in _CHECKS if one.endpoint in (_MINT, PENDING, _DATA)), writes=True
)
_OF_MOVES = tuple(one for one in _CHECKS if one not in MINTS.checks)
NFTS: tuple[CheckCase, ...] = (
    CheckCase("NFT transfers", _moves, _OF_MOVES, writes=True),
    CheckCase("lenient forms", _lenient, (), writes=True, endpoints=(_CODE,)),
    CheckCase("repeated parameters", _repeated_parameters, _REPEATS, writes=True),
)
"""The cases after the mint, in order: they need the minted NFT."""
