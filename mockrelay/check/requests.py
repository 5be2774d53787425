"""Transfers, withdrawals and account updates: submitted, read again, and the choices about them and about signatures."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from mockrelay.check import rules
from mockrelay.check.answer import Answer
from mockrelay.check.calls import api_call, order, transfer, withdrawal
from mockrelay.check.checks import check
from mockrelay.check.run import CheckCase, Run
from mockrelay.client import bodies
from mockrelay.client.bodies import volume
from mockrelay.client.call import ApiCall
from mockrelay.client.facts import SIGNATURE_PARTS, SIGNATURES, TokenFacts
from mockrelay.client.wrong_calls import NO_SIGNATURE
from mockrelay.spec.endpoint import SignatureHeader

TRANSFER, WITHDRAWAL, UPDATE, PENDING = "submit_transfer", "submit_withdrawal", "update_account", "get_pending_requests"
_SIGNATURES = (
    check(
        "scheme",
        TRANSFER,
        "A signature of a wrong form is refused with 104005, unless none is looked at",
        "Authentication 5",
    ),
    check("right-form", TRANSFER, "A signature of the right form passes, or must be right", "Authentication 6"),
    check(
        "no-header", TRANSFER, "Without X-API-SIG the call is refused, unless it is not looked at", "Authentication 2"
    ),
)
_TRANSFERS = (
    check("taken", TRANSFER, "A transfer that is right is taken"),
    check("transfer", PENDING, "A transfer waits for the next block as it was submitted"),
    check("nonce", "get_account", "The nonce of an account moves by one with a transfer"),
    check("used-nonce", TRANSFER, "The same transfer again is refused with 102021", "Errors"),
    check("numbers", TRANSFER, "Digits in quotes for an integer are refused, or read"),
    check("other-fee-token", TRANSFER, "A fee in another token is refused with 102025, or taken", "Errors"),
    check("paid", TRANSFER, "The sender pays what was sent and the fee, the receiver has what was sent"),
)
_WITHDRAWALS = (
    check("taken", WITHDRAWAL, "A withdrawal that is right is taken", "Submit responses"),
    check("withdrawal", PENDING, "A withdrawal waits for the next block as it was submitted"),
    check(
        "repeated",
        WITHDRAWAL,
        "The same withdrawal again gives its hash, and that nothing new was taken",
        "Submit responses",
    ),
    check("used-id", WITHDRAWAL, "Another withdrawal with the same storage id is refused with 102021", "Errors"),
    check("id-scope", WITHDRAWAL, "The storage id serves again for another token, or not"),
    check("id-space", "submit_order", "The id of a request serves an order too, or not"),
    check("too-much", WITHDRAWAL, "More than the balance is refused, or fails later"),
    check("asked-for", "get_exchange_info", "Less than the stated fee is refused"),
    check("other-fee-token", WITHDRAWAL, "A fee in another token is taken, or refused with 102025", "Errors"),
)
_UPDATES = (
    check("taken", UPDATE, "A new key is taken", "Submit responses"),
    check(
        "repeated", UPDATE, "The same update again gives its hash, and that nothing new was taken", "Submit responses"
    ),
    check("update", PENDING, "An update waits for the next block as it was submitted"),
    check("new-key", "get_account", "The new key is active at once, or with its block", "States and transitions"),
)
_STATES = ("received", "processing")
_SECOND_MS = 1000
_BLOCK_WITHIN_S = 60


def expect_pending(run: Run, check_id: str, hash_type: str, due: dict[str, Any]) -> dict[str, Any] | None:
    """Look for a request among the pending ones, where the answer lists them all; its record."""
    answer = run.expect_accepted("answered", api_call(run, PENDING))
    if not isinstance(answer.payload, list):
        return None
    kind = [one for one in answer.payload if one["txType"].lower() == hash_type.lower()]
    found = [one for one in kind if all(_inside(one, path) == value for path, value in due.items())]
    what = f"{hash_type} {due} is not among {len(kind)} that wait; found {answer}"
    run.expect(check_id, answer, len(found) == 1, what, rules.MEMORY)
    return found[0] if found else None


def _inside(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _signatures(run: Run) -> None:
    """Whether signatures are verified, by transfers whose nonce is wrong."""
    call = transfer(run, run.nonce + 1000)
    short = call._replace(signature=NO_SIGNATURE)
    options = {104_005: "", 102_021: "off"}
    answer = run.expect_option("scheme", short, "signature.scheme", options)
    if answer.code != 104_005:
        return
    run.observe("signature.scheme", {"presence", "protocol"}, answer)
    fields = {**call.fields, **SIGNATURE_PARTS}
    formal = call._replace(fields=fields, signature=SIGNATURES[SignatureHeader.ECDSA])
    run.expect_option("right-form", formal, "signature.scheme", {102_021: "presence", 104_005: "protocol"})
    missing = {104_004: "104004", 100_001: "100001", 102_021: "ignore"}
    run.expect_option("no-header", call._replace(signature=None), "auth.missing_signature_header", missing)


def _transfers(run: Run) -> None:
    token, alice = run.facts.erc20, run.facts.alice
    nonce = run.facts.nonce_of(alice)
    # Where digits in quotes are read, it is refused for its nonce.
    quoted = transfer(run, nonce + 1000)
    quoted = quoted._replace(fields={**quoted.fields, "sender": str(quoted.fields["sender"])})
    run.expect_option("numbers", quoted, "http.numbers", {100_000: "strict", 102_021: "lenient", 104_005: "lenient"})
    call = transfer(run, nonce)
    amount, offered = (int(call.fields[name]) for name in ("amount", "amountF"))
    run.expect_accepted("taken", call)
    due = {"accountId": alice.account_id, "toAccountId": run.facts.bob.account_id, "nonce": nonce}
    expect_pending(run, "transfer", "Transfer", due | {"token.amount": str(amount), "token.tokenId": token.token_id})
    _moved_nonce(run, nonce)
    run.expect_refused("used-nonce", call, 102_021)
    _wait_for_block(run)
    before = _balances(run, token)
    answer = run.expect_accepted("taken", transfer(run, nonce + 1))
    run.world.advance(_SECOND_MS)
    after = _balances(run, token)
    gave, got = before[0] - after[0], after[1] - before[1]
    holds = gave >= amount + offered and got in (0, amount)
    run.expect("paid", answer, holds, f"{gave} paid, {got} received, of {amount} and {offered}", rules.MEMORY)
    if got in (0, amount):
        run.observe("transfer.credit", {"on_block" if got == 0 else "processed"}, answer)
    _charged(run, token, nonce + 2, offered)
    _other_fee_token(run, nonce + 3, token)
    # Under every option the account's nonce is then the next one.
    run.world.control("POST", "blocks/seal", {"count": 1})


def _wait_for_block(run: Run) -> None:
    """Let time go by until a block has been sealed, so that the next one is some seconds away."""
    for _ in range(_BLOCK_WITHIN_S):
        run.world.advance(_SECOND_MS)
        if not run.world.control("GET", "state")["pending"]:
            return


def _charged(run: Run, token: TokenFacts, nonce: int, quote: int) -> None:
    """Twice the fee is offered: one of them is charged, or both."""
    before = _balances(run, token)[0]
    answer = run.expect_accepted("taken", transfer(run, nonce, amount="1", amountF=str(2 * quote)))
    fee = before - _balances(run, token)[0] - 1
    run.expect(
        "paid", answer, fee in (quote, 2 * quote), f"a fee of {fee}, offered {2 * quote}, due {quote}", rules.MEMORY
    )
    if fee in (quote, 2 * quote) and quote:
        run.observe("fee.charged", {"quote" if fee == quote else "max_fee"}, answer)


def _other_fee_token(run: Run, nonce: int, token: TokenFacts) -> None:
    for other, fee_wei in _other_fees(run, "transferFees", token):
        call = transfer(run, nonce, amount="1", tokenF=other.token_id, amountF=str(fee_wei))
        run.expect_option("other-fee-token", call, "transfer.fee_token", {102_025: "same", 0: "any"})


def _other_fees(run: Run, name: str, token: TokenFacts) -> list[tuple[TokenFacts, int]]:
    """The first other token that a fee can be paid in, with the fee; none where there is none."""
    fees_wei = run.facts.fees_wei.get(name, {})
    others = [one for one in run.facts.tokens if one.symbol in fees_wei and one != token]
    return [(one, fees_wei[one.symbol]) for one in others[:1]]


def _moved_nonce(run: Run, nonce: int) -> None:
    answer = run.expect_accepted("answered", api_call(run, "get_account", {"owner": run.facts.owner}))
    found = answer.payload["accountNonce"]
    run.expect("nonce", answer, found in (nonce, nonce + 1), f"{found}, where {nonce} was used", rules.MEMORY)
    if found in (nonce, nonce + 1):
        run.observe("account.nonce_moves", {"on_block" if found == nonce else "at_once"}, answer)


def _balances(run: Run, token: TokenFacts) -> tuple[int, int]:
    """What alice and bob can spend."""
    alice, bob = (run.world.control("GET", f"accounts/{one.account_id}") for one in (run.facts.alice, run.facts.bob))
    free = [int(account["balances"].get(token.symbol, {"free": "0"})["free"]) for account in (alice, bob)]
    return free[0], free[1]


def expect_repeatable(
    run: Run,
    check_id: str,
    call: ApiCall,
    first: dict[str, Any],
    used: Collection[int],
    find_receipt: Callable[[Answer], dict[str, Any]],
) -> None:
    """Repeat a submission. While it is open the answer has its hash; afterwards too, or the id counts as used, which is
    refused with one of the codes `used`.
    """
    answer = run.expect_option(check_id, call, "request.repeat", {0: "", **dict.fromkeys(used, "while_open")})
    if answer.code != 0:
        if len(used) > 1:
            run.observe("nft.error_code", {str(answer.code)}, answer)
        return
    if answer.is_sound:
        receipt = find_receipt(answer)
        same = receipt["hash"] == first["hash"]
        run.expect(check_id, answer, same, f"hash {receipt['hash']}, before {first['hash']}", rules.MEMORY)
        run.expect(
            check_id, answer, receipt["isIdempotent"] is True, f"isIdempotent {receipt['isIdempotent']}", rules.MEMORY
        )
        if receipt["status"] not in _STATES:
            run.observe("request.repeat", {"always_idempotent"}, answer)


def receipt_of(answer: Answer) -> dict[str, Any]:
    """The receipt of a submission: the payload of its answer."""
    receipt: dict[str, Any] = answer.payload
    return receipt


def expect_new(run: Run, answer: Answer, receipt: dict[str, Any]) -> None:
    """Check the receipt of a submission that was made for the first time."""
    holds = receipt["isIdempotent"] is False and receipt["status"] in _STATES
    run.expect("taken", answer, holds, f"{receipt['status']}, isIdempotent {receipt['isIdempotent']}")


def _withdrawals(run: Run) -> None:
    token = run.facts.erc20
    beyond = withdrawal(run, token=volume(token, _balances(run, token)[0] + 1))
    run.expect_option("too-much", beyond, "request.insufficient_funds", {100_001: "refuse", 0: "fail"})
    call = withdrawal(run)
    taken = run.expect_accepted("taken", call)
    expect_new(run, taken, taken.payload)
    due = {
        "accountId": run.facts.account_id,
        "storageId": call.fields["storageId"],
        "toAccountAddress": call.fields["to"],
    }
    expect_pending(run, "withdrawal", "Withdraw", due | {"token.amount": call.fields["token"]["volume"]})
    expect_repeatable(run, "repeated", call, taken.payload, (102_021,), receipt_of)
    used = call.fields["storageId"]
    other = withdrawal(run, storageId=used, validUntil=call.fields["validUntil"] + 1)
    run.expect_refused("used-id", other, 102_021)
    _ids(run, token, used)
    _fees(run)
    for other_token, fee_wei in _other_fees(run, "withdrawalFees", token):
        call = withdrawal(run, maxFee=volume(other_token, fee_wei))
        run.expect_option("other-fee-token", call, "withdrawal.fee_token", {102_025: "same", 0: "any"})


def _fees(run: Run) -> None:
    """Less than a fee that the exchange states is refused."""
    info = run.expect_accepted("answered", api_call(run, "get_exchange_info"))
    for token in run.facts.tokens:
        wei = run.facts.fees_wei.get("withdrawalFees", {}).get(token.symbol, 0)
        if wei:
            answer = run.call(withdrawal(run, token=volume(token, 1), maxFee=volume(token, wei - 1)), (100_001,))
            found = f"{wei} of {token.symbol} for a withdrawal, {wei - 1} are accepted too"
            run.expect("asked-for", info, answer.code != 0, found, rules.MEMORY)


def _ids(run: Run, token: TokenFacts, used: int) -> None:
    """Whether a used storage id counts for other tokens, and for orders."""
    for other, fee_wei in _other_fees(run, "withdrawalFees", token):
        call = withdrawal(run, storageId=used, token=volume(other, 1), maxFee=volume(other, fee_wei))
        run.expect_option("id-scope", call, "storage_id.scope", {0: "per_token", 102_021: "per_account"})
    base, quote = run.facts.pair
    if base == token:
        sale = order(run, run.facts.alice, (base, base.unit_wei), (quote, quote.unit_wei), orderId=used)
        run.expect_option("id-space", sale, "storage_id.space", {0: "apart", 102_004: "shared"})


def _updates(run: Run) -> None:
    """Bob's key is changed: nothing is signed with it afterwards."""
    bob = run.facts.bob
    nonce = run.facts.nonce_of(bob)
    call = api_call(run, UPDATE, bodies.account_update(run.facts, bob), bob)
    taken = run.expect_accepted("taken", call)
    expect_new(run, taken, taken.payload)
    expect_pending(run, "update", "AccountUpdate", {"accountId": bob.account_id, "nonce": nonce})
    expect_repeatable(run, "repeated", call, taken.payload, (102_021,), receipt_of)
    account = run.expect_accepted("answered", api_call(run, "get_account", {"owner": bob.owner}))
    is_new = _number(account.payload["publicKeyX"]) == int(call.fields["publicKey"]["x"], 16)
    run.observe("account.key_active", {"at_once" if is_new else "on_block"}, account)
    run.world.control("POST", "blocks/seal", {"count": 1})
    later = run.expect_accepted("answered", api_call(run, "get_account", {"owner": bob.owner}))
    for part in ("x", "y"):
        found, due = later.payload[f"publicKey{part.upper()}"], call.fields["publicKey"][part]
        run.expect("new-key", later, _number(found) == int(due, 16), f"{part} {found}, written {due}", rules.MEMORY)
    for name, value in (("keyNonce", nonce), ("accountNonce", nonce + 1)):
        run.expect(
            "new-key", later, later.payload[name] == value, f"{name} {later.payload[name]}, not {value}", rules.MEMORY
        )


def _number(text: str) -> int:
    """A coordinate as accounts show it: hex after 0x, else decimal digits."""
    return int(text, 16) if text.startswith("0x") else int(text or 0)


TRANSFERS: tuple[CheckCase, ...] = (
    CheckCase("signatures", _signatures, _SIGNATURES, writes=True),
    CheckCase("transfers", _transfers, _TRANSFERS, writes=True),
)
WITHDRAWALS = CheckCase("withdrawals", _withdrawals, _WITHDRAWALS, writes=True)
ACCOUNT_UPDATES = CheckCase("new keys", _updates, _UPDATES, writes=True)
