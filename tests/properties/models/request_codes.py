"""What may be wrong with a request, and the code with which it must be refused (spec, Errors; design, order of judgement)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tests.properties.machines.request_builder import Facts
from tests.properties.models.relayer import Model
from tests.properties.models.request_records import Ask
from tests.properties.models.request_setup import DAI

CODES: Mapping[str, Mapping[str, int]] = {
    "transfer": {
        "exchange": 102001,
        "foreign": 102022,
        "receiver": 102023,
        "fee token": 102024,
        "two tokens": 102025,
        "nonce": 102021,
        "zero": 100000,
        "fee": 100000,
        "balance": 100000,
    },
    "withdrawal": {
        "exchange": 102001,
        "foreign": 102022,
        "receiver": 102023,
        "fee token": 102024,
        "two tokens": 102025,
        "storage id": 102021,
        "expired": 100001,
        "disabled": 100001,
        "zero": 100001,
        "fee": 100001,
        "balance": 100001,
    },
    "account_update": {
        "exchange": 102001,
        "foreign": 102022,
        "fee token": 102024,
        "nonce": 102021,
        "expired": 100001,
        "fee": 100001,
        "balance": 100001,
    },
}
"""The code of each flaw, in the order of judgement; NFT requests have one code for all."""


def flaws_of(model: Model, facts: Facts, ask: Ask) -> set[str]:
    """All that is wrong with it."""
    found = {ask.twist} - {"", "storage id"}
    if ask.kind in ("transfer", "withdrawal") and ask.token != ask.fee_token:
        found |= {"two tokens"} if model.option(f"{ask.kind}.fee_token") == "same" else set()
    if ask.storage is not None:
        key = model.storage_key(ask.account, model.storage_token(ask), ask.storage)
        found |= {"storage id"} if key in model.storage_ids else set()
    found |= {"disabled"} if ask.kind == "withdrawal" and ask.token == DAI else set()
    found |= {"fee"} if ask.offered < model.fees[ask.kind].get(ask.fee_token, 0) else set()
    if ask.kind == "nft_withdrawal" and ask.nft is not None:
        found |= {"not deployed"} if facts.contracts[ask.nft[0]] not in model.deployed else set()
    needed: Counter[int] = Counter()
    for token, amount in ask.legs:
        needed[token] += amount
    ask.funded = all(wei <= model.money.free[ask.account, token] for token, wei in needed.items())
    if not ask.funded and model.option("request.insufficient_funds") == "refuse":
        found.add("balance")
    return found


def refusal_of(model: Model, facts: Facts, ask: Ask) -> int | None:
    """The code of the first flaw that counts, if there is one."""
    flaws = flaws_of(model, facts, ask)
    if ask.kind not in CODES:
        flaws -= {"nonce"} | ({"zero", "receiver"} if ask.kind == "nft_deploy" else set())
        flaws -= {"contract"} if ask.kind != "nft_mint" else set()
        flaws -= {"payee"} if ask.kind != "nft_deploy" else set()
        flaws -= {"receiver"} if ask.kind == "nft_withdrawal" else set()
        return int(model.option("nft.error_code")) if flaws else None
    return next((code for flaw, code in CODES[ask.kind].items() if flaw in flaws), None)
