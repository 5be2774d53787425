"""Withdrawals and new keys: written, read again, and what the spec leaves open about them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from mockrelay.check import rules
from mockrelay.check.answers import Answer, Ask
from mockrelay.check.bodies import bob_of, call, next_nonce, order, update, withdrawal
from mockrelay.check.facts import Token
from mockrelay.check.rows import Act, row
from mockrelay.check.run import Run
from mockrelay.check.transfers import balances, pending

WITHDRAWAL, UPDATE, PENDING = "submit_withdrawal", "update_account", "get_pending_requests"
_WITHDRAWALS = (
    row("taken", WITHDRAWAL, "A withdrawal that is right is taken", "Submit responses"),
    row("withdrawal", PENDING, "A withdrawal waits for the next block as it was submitted"),
    row(
        "repeated",
        WITHDRAWAL,
        "The same withdrawal again tells its hash, and that nothing new was taken",
        "Submit responses",
    ),
    row("used-id", WITHDRAWAL, "Another withdrawal with the same storage id is refused with 102021", "Errors"),
    row("id-scope", WITHDRAWAL, "The storage id serves again for another token, or not"),
    row("id-space", "submit_order", "The id of a request serves an order too, or not"),
    row("too-much", WITHDRAWAL, "More than there is is refused, or fails later"),
    row("asked-for", "get_exchange_info", "Less than the fee that is told is refused"),
    row("other-fee-token", WITHDRAWAL, "A fee in another token is taken, or refused with 102025", "Errors"),
)
_UPDATES = (
    row("taken", UPDATE, "A new key is taken", "Submit responses"),
    row("repeated", UPDATE, "The same update again tells its hash, and that nothing new was taken", "Submit responses"),
    row("update", PENDING, "An update waits for the next block as it was submitted"),
    row("new-key", "get_account", "The new key is active at once, or with its block", "States and transitions"),
)
_STATES = ("received", "processing")


def asked_again(
    run: Run,
    row_id: str,
    ask: Ask,
    first: dict[str, Any],
    used: Collection[int],
    told_in: Callable[[Answer], dict[str, Any]],
) -> None:
    """A submission is made again. While it is open its hash is told; afterwards too, or its id is used."""
    answer = run.told(row_id, ask, "request.repeat", {0: "", **dict.fromkeys(used, "while_open")})
    if answer.code != 0:
        if len(used) > 1:
            run.read("nft.error_code", {str(answer.code)}, answer)
        return
    if answer.is_sound:
        told = told_in(answer)
        same = told["hash"] == first["hash"]
        run.must(row_id, answer, same, f"hash {told['hash']}, before {first['hash']}", rules.MEMORY)
        run.must(row_id, answer, told["isIdempotent"] is True, f"isIdempotent {told['isIdempotent']}", rules.MEMORY)
        if told["status"] not in _STATES:
            run.read("request.repeat", {"always_idempotent"}, answer)


def plain(answer: Answer) -> dict[str, Any]:
    """The receipt of an answer that is nothing else."""
    told: dict[str, Any] = answer.payload
    return told


def first_time(run: Run, answer: Answer, told: dict[str, Any]) -> None:
    """A submission that was made for the first time."""
    holds = told["isIdempotent"] is False and told["status"] in _STATES
    run.must("taken", answer, holds, f"{told['status']}, isIdempotent {told['isIdempotent']}")


def _withdrawals(run: Run) -> None:
    token = run.facts.some_token()
    volume = {"tokenId": token.token_id, "volume": str(balances(run, token)[0] + 1)}
    run.told("too-much", withdrawal(run, token=volume), "request.insufficient_funds", {100_001: "refuse", 0: "fail"})
    ask = withdrawal(run)
    taken = run.right("taken", ask)
    first_time(run, taken, taken.payload)
    due = {
        "accountId": run.facts.account_id(),
        "storageId": ask.fields["storageId"],
        "toAccountAddress": ask.fields["to"],
    }
    pending(run, "withdrawal", "Withdraw", due | {"token.amount": ask.fields["token"]["volume"]})
    asked_again(run, "repeated", ask, taken.payload, (102_021,), plain)
    used = ask.fields["storageId"]
    other = withdrawal(run, storageId=used, validUntil=ask.fields["validUntil"] + 1)
    run.wrong("used-id", other, 102_021)
    _ids(run, token, used)
    _fees(run)
    fees = run.facts.exchange.get("withdrawalFees", {})
    payer = next((one for one in run.facts.tokens if one.symbol in fees and one != token), None)
    if payer is not None:
        max_fee = {"tokenId": payer.token_id, "volume": str(fees[payer.symbol])}
        ask = withdrawal(run, maxFee=max_fee)
        run.told("other-fee-token", ask, "withdrawal.fee_token", {102_025: "same", 0: "any"})


def _fees(run: Run) -> None:
    """What a fee is told to be is what is asked for, and no more."""
    quotes: dict[str, int] = run.facts.exchange.get("withdrawalFees", {})
    info = run.right("told", call(run, "get_exchange_info"))
    for token in run.facts.tokens:
        wei = quotes.get(token.symbol, 0)
        if wei:
            unit = {"tokenId": token.token_id, "volume": "1"}
            short = withdrawal(run, token=unit, maxFee={"tokenId": token.token_id, "volume": str(wei - 1)})
            answer = run.ask(short, (100_001,))
            what = f"{wei} of {token.symbol} for a withdrawal, {wei - 1} are taken too"
            run.must("asked-for", info, answer.code != 0, what, rules.MEMORY)


def _ids(run: Run, token: Token, used: int) -> None:
    """For what a storage id is used up."""
    fees = run.facts.exchange.get("withdrawalFees", {})
    other = next((one for one in run.facts.tokens if one.symbol in fees and one != token), None)
    if other is not None:
        fee = {"tokenId": other.token_id, "volume": str(fees[other.symbol])}
        ask = withdrawal(run, storageId=used, token={"tokenId": other.token_id, "volume": "1"}, maxFee=fee)
        run.told("id-scope", ask, "storage_id.scope", {0: "per_token", 102_021: "per_account"})
    base, quote = run.facts.pair()
    if base == token:
        sale = _order_with_id(run, base, quote, used)
        run.told("id-space", sale, "storage_id.space", {0: "apart", 102_004: "shared"})


def _order_with_id(run: Run, base: Token, quote: Token, order_id: int) -> Ask:
    legs = (base, 10**base.decimals), (quote, 10**quote.decimals)
    return order(run, run.facts.alice, *legs, orderId=order_id)


def _updates(run: Run) -> None:
    """Bob's key is changed: nothing is signed with it afterwards."""
    bob = bob_of(run)
    nonce = next_nonce(run, bob)
    ask = update(run, bob, nonce)
    taken = run.right("taken", ask)
    first_time(run, taken, taken.payload)
    pending(run, "update", "AccountUpdate", {"accountId": bob.account_id, "nonce": nonce})
    asked_again(run, "repeated", ask, taken.payload, (102_021,), plain)
    account = run.right("told", call(run, "get_account", {"owner": bob.owner}))
    is_new = _number(account.payload["publicKeyX"]) == int(ask.fields["publicKey"]["x"], 16)
    run.read("account.key_active", {"at_once" if is_new else "on_block"}, account)
    run.steered.do("POST", "blocks/seal", {"count": 1})
    later = run.right("told", call(run, "get_account", {"owner": bob.owner}))
    for part in ("x", "y"):
        told, due = later.payload[f"publicKey{part.upper()}"], ask.fields["publicKey"][part]
        run.must("new-key", later, _number(told) == int(due, 16), f"{part} {told}, written {due}", rules.MEMORY)
    for name, value in (("keyNonce", nonce), ("accountNonce", nonce + 1)):
        run.must(
            "new-key", later, later.payload[name] == value, f"{name} {later.payload[name]}, not {value}", rules.MEMORY
        )


def _number(text: str) -> int:
    """A coordinate as an account tells it: hex after 0x, else decimal digits."""
    return int(text, 16) if text.startswith("0x") else int(text or 0)


WITHDRAWALS: tuple[Act, ...] = (Act("withdrawals", _withdrawals, _WITHDRAWALS, writes=True),)
UPDATES: tuple[Act, ...] = (Act("new keys", _updates, _UPDATES, writes=True),)
