"""Transfers: written, read again, and what the spec leaves open about them and about signatures."""

from __future__ import annotations

from typing import Any

from mockrelay.check import rules
from mockrelay.check.bodies import HEADERS, PARTS, bob_of, call, next_nonce, transfer
from mockrelay.check.facts import Token
from mockrelay.check.rows import Act, row
from mockrelay.check.run import Run
from mockrelay.spec.endpoints import SignatureHeader

TRANSFER, WITHDRAWAL, UPDATE, PENDING = "submit_transfer", "submit_withdrawal", "update_account", "get_pending_requests"
_SIGNATURES = (
    row(
        "scheme",
        TRANSFER,
        "A signature of a wrong form is refused with 104005, unless none is looked at",
        "Authentication 5",
    ),
    row("right-form", TRANSFER, "A signature of the right form passes, or must be right", "Authentication 6"),
    row("no-header", TRANSFER, "Without X-API-SIG the call is refused, unless it is not looked at", "Authentication 2"),
)
_TRANSFERS = (
    row("taken", TRANSFER, "A transfer that is right is taken"),
    row("transfer", PENDING, "A transfer waits for the next block as it was submitted"),
    row("nonce", "get_account", "The nonce of an account moves by one with a transfer"),
    row("used-nonce", TRANSFER, "The same transfer again is refused with 102021", "Errors"),
    row("numbers", TRANSFER, "Digits in quotes for an integer are refused, or read"),
    row("other-fee-token", TRANSFER, "A fee in another token is refused with 102025, or taken", "Errors"),
    row("paid", TRANSFER, "The sender pays what was sent and the fee, the receiver has what was sent"),
)
_SECOND_MS = 1000
_BLOCK_WITHIN_S = 60


def pending(run: Run, row_id: str, hash_type: str, due: dict[str, Any]) -> dict[str, Any] | None:
    """Look for a request among those that wait, where all of them are told; how it is told there."""
    answer = run.right("told", call(run, PENDING))
    if not isinstance(answer.payload, list):
        return None
    kind = [one for one in answer.payload if one["txType"].lower() == hash_type.lower()]
    found = [one for one in kind if all(_inside(one, path) == value for path, value in due.items())]
    what = f"{hash_type} {due} is not among {len(kind)} that wait; found {answer}"
    run.must(row_id, answer, len(found) == 1, what, rules.MEMORY)
    return found[0] if found else None


def _inside(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _signatures(run: Run) -> None:
    """How signatures are looked at, by transfers whose nonce is wrong."""
    ask = transfer(run, run.facts.nonce + 1000)
    short = ask._replace(signature="0x12")
    looked_at = {104_005: "", 102_021: "off"}
    answer = run.told("scheme", short, "signature.scheme", looked_at)
    if answer.code != 104_005:
        return
    run.read("signature.scheme", {"presence", "protocol"}, answer)
    fields = {**ask.fields, **PARTS}
    formal = ask._replace(fields=fields, signature=HEADERS[SignatureHeader.ECDSA])
    run.told("right-form", formal, "signature.scheme", {102_021: "presence", 104_005: "protocol"})
    missing = {104_004: "104004", 100_001: "100001", 102_021: "ignore"}
    run.told("no-header", ask._replace(signature=None), "auth.missing_signature_header", missing)


def _transfers(run: Run) -> None:
    token, alice = run.facts.some_token(), run.facts.alice
    nonce = next_nonce(run, alice)
    # Refused for its nonce where it is read at all.
    quoted = transfer(run, nonce + 1000)
    quoted = quoted._replace(fields={**quoted.fields, "sender": str(quoted.fields["sender"])})
    run.told("numbers", quoted, "http.numbers", {100_000: "strict", 102_021: "lenient", 104_005: "lenient"})
    ask = transfer(run, nonce)
    amount, offered = (int(ask.fields[name]) for name in ("amount", "amountF"))
    run.right("taken", ask)
    due = {"accountId": alice.account_id, "toAccountId": bob_of(run).account_id, "nonce": nonce}
    pending(run, "transfer", "Transfer", due | {"token.amount": str(amount), "token.tokenId": token.token_id})
    _moved_nonce(run, nonce)
    run.wrong("used-nonce", ask, 102_021)
    _wait_for_block(run)
    before = balances(run, token)
    answer = run.right("taken", transfer(run, nonce + 1))
    run.steered.advance(_SECOND_MS)
    after = balances(run, token)
    gave, got = before[0] - after[0], after[1] - before[1]
    holds = gave >= amount + offered and got in (0, amount)
    run.must("paid", answer, holds, f"{gave} paid, {got} received, of {amount} and {offered}", rules.MEMORY)
    if got in (0, amount):
        run.read("transfer.credit", {"on_block" if got == 0 else "processed"}, answer)
    _charged(run, token, nonce + 2, offered)
    _other_fee_token(run, nonce + 3, token)
    # Under every reading the account's nonce is then the next one.
    run.steered.do("POST", "blocks/seal", {"count": 1})


def _wait_for_block(run: Run) -> None:
    """Let time go by until a block has been sealed, so that the next one is some seconds away."""
    for _ in range(_BLOCK_WITHIN_S):
        run.steered.advance(_SECOND_MS)
        if not run.steered.do("GET", "state")["pending"]:
            return


def _charged(run: Run, token: Token, nonce: int, quote: int) -> None:
    """Twice the fee is offered: one of them is charged, or both."""
    before = balances(run, token)[0]
    answer = run.right("taken", transfer(run, nonce, amount="1", amountF=str(2 * quote)))
    fee = before - balances(run, token)[0] - 1
    run.must(
        "paid", answer, fee in (quote, 2 * quote), f"a fee of {fee}, offered {2 * quote}, due {quote}", rules.MEMORY
    )
    if fee in (quote, 2 * quote) and quote:
        run.read("fee.charged", {"quote" if fee == quote else "max_fee"}, answer)


def _other_fee_token(run: Run, nonce: int, token: Token) -> None:
    fees = run.facts.exchange.get("transferFees", {})
    other = next((one for one in run.facts.tokens if one.symbol in fees and one != token), None)
    if other is not None:
        ask = transfer(run, nonce, amount="1", tokenF=other.token_id, amountF=str(fees[other.symbol]))
        run.told("other-fee-token", ask, "transfer.fee_token", {102_025: "same", 0: "any"})


def _moved_nonce(run: Run, nonce: int) -> None:
    answer = run.right("told", call(run, "get_account", {"owner": run.facts.owner()}))
    told = answer.payload["accountNonce"]
    run.must("nonce", answer, told in (nonce, nonce + 1), f"{told}, where {nonce} was used", rules.MEMORY)
    if told in (nonce, nonce + 1):
        run.read("account.nonce_moves", {"on_block" if told == nonce else "at_once"}, answer)


def balances(run: Run, token: Token) -> tuple[int, int]:
    """What alice and bob can spend."""
    accounts = (run.facts.alice, bob_of(run))
    told = [run.steered.do("GET", f"accounts/{one.account_id}")["balances"] for one in accounts]
    free = [int(balances.get(token.symbol, {"free": "0"})["free"]) for balances in told]
    return free[0], free[1]


TRANSFERS: tuple[Act, ...] = (
    Act("signatures", _signatures, _SIGNATURES, writes=True),
    Act("transfers", _transfers, _TRANSFERS, writes=True),
)
