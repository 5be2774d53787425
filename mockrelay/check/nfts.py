"""NFTs from the mint to layer 1: written, read again, and what the spec leaves open about them."""

from __future__ import annotations

from typing import Any

from mockrelay.check import rules
from mockrelay.check.answers import Answer
from mockrelay.check.bodies import NFT_ID, call, contract, deployment, mint, minter, move, nft_token
from mockrelay.check.facts import Missing
from mockrelay.check.rows import Act, row
from mockrelay.check.run import Run
from mockrelay.check.slips import NFT_CODES
from mockrelay.check.transfers import PENDING, pending
from mockrelay.check.withdrawals import asked_again, first_time

_MINT, _GIVE, _WITHDRAW, _DEPLOY, _DATA, _CODE = (
    "mint_nft",
    "transfer_nft",
    "withdraw_nft",
    "deploy_nft_contract",
    "get_nft_data",
    "get_code",
)
_ROWS = (
    row("taken", _MINT, "A mint under the minter's own contract is taken"),
    row("hashes", _MINT, "The hash of the answer and that of raw_data are one"),
    row("ids", _MINT, "The ids of the NFT are those that the mint has in the block"),
    row("repeated", _MINT, "The same mint again tells its hash, or that its storage id is used", "Submit responses"),
    row("mint", PENDING, "A mint waits for the next block as it was submitted"),
    row("told", _DATA, "A minted NFT is told"),
    row("written", _DATA, "The record of an NFT is as it was minted"),
    row("taken", _GIVE, "An NFT transfer of what is there is taken"),
    row("hashes", _GIVE, "The hash of the answer and that of raw_data are one"),
    row("repeated", _GIVE, "The same transfer again tells its hash, or that its storage id is used"),
    row("too-many", _GIVE, "More NFTs than there are are refused, or fail later"),
    row("early", _WITHDRAW, "An NFT of a contract that is not deployed is refused"),
    row("taken", _WITHDRAW, "An NFT of a deployed contract is taken to layer 1"),
    row("hashes", _WITHDRAW, "The hash of the answer and that of raw_data are one"),
    row("repeated", _WITHDRAW, "The same withdrawal again tells its hash, or that its storage id is used"),
    row("taken", _DEPLOY, "A deployment that is paid for is sent: SEND_TX_SUCCESS", "States and transitions"),
    row("repeated", _DEPLOY, "A deployment again is idempotent, or refused"),
    row("before", _CODE, "A contract that is not deployed has the code `0x`"),
    row("deployed", _CODE, "A deployed contract has a code, the same from then on"),
    row("content-type", _CODE, "A body that is not declared as JSON is read, or refused"),
    row("unknown-field", _CODE, "A field that the endpoint does not have is passed over, or refused"),
)
_DEPLOYED_WITHIN_MS = 120_000
_STEP_MS = 15_000
"""How often the spec suggests to ask for the code."""


def _raw(run: Run, answer: Answer) -> dict[str, Any]:
    told: dict[str, Any] = answer.payload["raw_data"]
    whole = answer.payload["hash"]
    run.must("hashes", answer, told["hash"] == whole, f"{whole} and {told['hash']}")
    return told


def _receipt(answer: Answer) -> dict[str, Any]:
    told: dict[str, Any] = answer.payload["raw_data"]
    return told


def _minted(run: Run) -> None:
    who, address = minter(run), contract(run)
    ask = mint(run)
    taken = run.right("taken", ask)
    told = _raw(run, taken)
    first_time(run, taken, told)
    run.facts.exchange["nft"] = told
    due = {"minterAccountId": who.account_id, "storageId": ask.fields["storageId"]}
    waiting = pending(run, "mint", "NftMint", due | {"nftToken.nftId": NFT_ID, "nftToken.amount": "5"})
    if waiting is not None:
        for name, value in (("tokenId", told["nftTokenId"]), ("nftData", told["nftData"])):
            there = waiting["nftToken"].get(name)
            run.must("ids", taken, there == value, f"{name} {value}, what waits has {there}", rules.MEMORY)
    fields = {"minter": str(who.account_id), "tokenAddress": address, "nftId": NFT_ID}
    look = call(run, _DATA, fields, who)
    early = run.told("told", look, "nft.visible", {0: "at_once", **dict.fromkeys(NFT_CODES, "on_block")})
    if early.code != 0:
        run.steered.do("POST", "blocks/seal", {"count": 1})
    record = run.right("told", look)
    owner = str(who.owner)
    written = {"nftData": told["nftData"], "minter": owner, "tokenAddress": address, "nftId": NFT_ID}
    for name, value in written.items():
        same = record.payload[name].lower() == value.lower()
        run.must("written", record, same, f"{name} {record.payload[name]}, written {value}", rules.MEMORY)
    bips, kind = record.payload["creatorFeeBips"], record.payload["nftType"]
    run.must("written", record, (bips, kind) == (7, "ERC1155"), f"{bips}, {kind}; written 7, ERC1155", rules.MEMORY)
    run.must("written", record, record.payload["status"] is True, "status false of an NFT that is minted", rules.MEMORY)
    run.steered.advance(1000)
    asked_again(run, "repeated", ask, told, NFT_CODES, _receipt)


def _moved(run: Run) -> None:
    alice = run.facts.alice
    # Under some readings what was minted is there with its block.
    run.steered.do("POST", "blocks/seal", {"count": 1})
    gift = move(run, _GIVE, alice)
    taken = run.right("taken", gift)
    told = _raw(run, taken)
    first_time(run, taken, told)
    asked_again(run, "repeated", gift, told, NFT_CODES, _receipt)
    many = move(run, _GIVE, alice, token=nft_token(run, "1000"))
    run.told("too-many", many, "request.insufficient_funds", {0: "fail", **dict.fromkeys(NFT_CODES, "refuse")})
    out = move(run, _WITHDRAW, minter(run))
    run.wrong("early", out, NFT_CODES)
    code = call(run, _CODE, {"address": contract(run)})
    before = run.right("told", code)
    run.must(
        "before", before, before.payload["result"] == "0x", f"{before.payload['result'][:20]} before its deployment"
    )
    _deployed(run)
    after = run.right("told", code)
    for _ in range(_DEPLOYED_WITHIN_MS // _STEP_MS):
        if after.payload["result"] != "0x":
            break
        run.steered.advance(_STEP_MS)
        after = run.right("told", code)
    result = after.payload["result"]
    run.must("deployed", after, result != "0x", f"still 0x after {_DEPLOYED_WITHIN_MS // 1000} s")
    again = run.right("told", code)
    run.must(
        "deployed", again, again.payload["result"] == result, f"{again.payload['result'][:20]}, before {result[:20]}"
    )
    withdrawn = run.right("taken", move(run, _WITHDRAW, minter(run)))
    told = _raw(run, withdrawn)
    first_time(run, withdrawn, told)
    asked_again(run, "repeated", withdrawn.ask, told, NFT_CODES, _receipt)


def _deployed(run: Run) -> None:
    ask = deployment(run)
    taken = run.right("taken", ask)
    told = taken.payload
    holds = (told["status"], told["isIdempotent"]) == ("SEND_TX_SUCCESS", False)
    run.must("taken", taken, holds, f"{told['status']}, isIdempotent {told['isIdempotent']}")
    options = {0: "idempotent", **dict.fromkeys(NFT_CODES, "refuse")}
    again = run.told("repeated", ask, "nft.repeat_deploy", options)
    if again.code == 0 and again.is_sound:
        holds = again.payload["hash"] == told["hash"] and again.payload["isIdempotent"] is True
        run.must("repeated", again, holds, f"found {again}, before {taken}", rules.MEMORY)


def _lenient(run: Run) -> None:
    """What a body may be beside what the spec shows."""
    ask = call(run, _CODE, {"address": minter(run).owner})
    options = {0: "report", **dict.fromkeys(NFT_CODES, "refuse")}
    run.told("content-type", ask._replace(content_type="text/plain"), "http.content_type", options)
    run.told("unknown-field", ask.but(checkedBy="mockrelay"), "http.unknown_fields", options)


def _repeats(run: Run) -> None:
    """A parameter that is given twice."""
    if not run.facts.markets:
        raise Missing("not known: a market is needed")
    market = run.facts.market()
    twice = call(run, "get_ticker", {"market": market})._replace(query=(("market", market),))
    run.told("twice", twice, "http.repeated_query", {0: "same_value_ok", 100_001: "refuse"})
    other = twice._replace(query=(("market", f"{market}x"),))
    run.wrong("two-values", other, 100_001)


_REPEATS = (
    row("twice", "get_ticker", "A parameter given twice with one value is taken, or refused"),
    row("two-values", "get_ticker", "A parameter given twice with two values is refused"),
)

MINTS = Act("mints", _minted, tuple(r for r in _ROWS if r.endpoint in (_MINT, PENDING, _DATA)), writes=True)
NFTS: tuple[Act, ...] = (
    Act(
        "NFT transfers",
        _moved,
        tuple(r for r in _ROWS if r.endpoint in (_GIVE, _WITHDRAW, _DEPLOY, _CODE)),
        writes=True,
    ),
    Act("forms that are let pass", _lenient, (), writes=True, endpoints=(_CODE,)),
    Act("repeated parameters", _repeats, _REPEATS, writes=True),
)
"""They need what the mints have made."""
