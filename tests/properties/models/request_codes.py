"""What may be wrong with a request, and the code with which it must be refused (spec, Errors; design, order of judgement)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tests.properties.models.relayer import RelayerModel
from tests.properties.models.request_records import Addresses, Request
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
"""The code of each defect, in the order of judgement; NFT requests have one code for all."""


def defects_of(model: RelayerModel, addresses: Addresses, request: Request) -> set[str]:
    """All that is wrong with it."""
    found = {request.defect} - {"", "storage id"}
    if request.kind in ("transfer", "withdrawal") and request.token != request.fee_token:
        found |= {"two tokens"} if model.option(f"{request.kind}.fee_token") == "same" else set()
    if request.storage is not None:
        key = model.storage_key(request.account, model.storage_token(request), request.storage)
        found |= {"storage id"} if key in model.storage_ids else set()
    found |= {"disabled"} if request.kind == "withdrawal" and request.token == DAI else set()
    found |= (
        {"fee"} if request.offered < model.fees[request.fee_kind or request.kind].get(request.fee_token, 0) else set()
    )
    if request.kind == "nft_withdrawal" and request.nft is not None:
        found |= {"not deployed"} if addresses.contracts[request.nft[0]] not in model.deployed else set()
    needed: Counter[int] = Counter()
    for token, amount in request.legs:
        needed[token] += amount
    request.funded = all(wei <= model.money.free[request.account, token] for token, wei in needed.items())
    if not request.funded and model.option("request.insufficient_funds") == "refuse":
        found.add("balance")
    return found


def refusal_of(model: RelayerModel, addresses: Addresses, request: Request) -> int | None:
    """The code of the first defect that counts, if there is one."""
    defects = defects_of(model, addresses, request)
    if request.kind not in CODES:
        defects -= {"nonce"} | ({"zero", "receiver"} if request.kind == "nft_deploy" else set())
        defects -= {"contract"} if request.kind != "nft_mint" else set()
        defects -= {"payee"} if request.kind != "nft_deploy" else set()
        defects -= {"receiver"} if request.kind == "nft_withdrawal" else set()
        return int(model.option("nft.error_code")) if defects else None
    return next((code for defect, code in CODES[request.kind].items() if defect in defects), None)
