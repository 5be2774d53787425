"""Deployment of NFT contracts, and their code (spec §23, §28)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, Refused
from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.models import Request
from mockrelay.core.requests import checks
from mockrelay.core.requests.lifecycle import count_poll
from mockrelay.core.requests.nft_queries import contract_of
from mockrelay.core.signatures import format as signature_format
from mockrelay.spec.request_kinds import RequestKind
from mockrelay.spec.vocab import DeployStatus, RequestStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context

NOT_DEPLOYED = "0x"


def get_code(ctx: Context, call: Call) -> dict[str, Any]:
    """The code of an NFT contract, `0x` until it is deployed; a poll of its deployments (spec §23)."""
    address: str = call.args["address"].lower()
    for request in _deployments(ctx, address):
        if request.is_open:
            count_poll(ctx, request)
    return {"id": 1, "jsonrpc": "2.0", "result": ctx.world.layer1.code.get(address, NOT_DEPLOYED)}


def deploy_nft_contract(ctx: Context, call: Call) -> dict[str, Any]:
    """Deploy an NFT contract, paid with a layer-2 transfer to the broker (spec §28)."""
    args, world = call.args, ctx.world
    transfer = args["transfer"]
    code = ctx.shape_code(call.endpoint)
    checks.check_exchange(ctx, transfer["exchange"], code, field="transfer.exchange")
    payer = callers_account(ctx, call)
    if "payerAddr" in transfer:
        checks.check_owner(payer, "transfer.payerAddr", transfer["payerAddr"], code)
    address = _checked_contract(ctx, call)
    deployments = [request for request in _deployments(ctx, address) if request.status is not RequestStatus.FAILED]
    if deployments or address in world.layer1.code:
        if not deployments or ctx.decide("nft.repeat_deploy") == "refuse":
            raise Refused(code, f"tokenAddress: {args['tokenAddress']} is deployed or about to be")
        return _deploy_view(deployments[0], is_idempotent=True)
    broker = world.config.exchange.broker
    if transfer["payeeAddr"].lower() != broker.lower():
        raise Refused(code, f"transfer.payeeAddr: not the broker's address, {broker}")
    fee_token_id = transfer["token"]["tokenId"]
    if transfer["maxFee"]["tokenId"] != fee_token_id:
        raise Refused(code, f"transfer.maxFee.tokenId: not transfer.token.tokenId, {fee_token_id}")
    quote_wei = checks.fee_quote(ctx, RequestKind.NFT_DEPLOY, fee_token_id, code, field="transfer.token.tokenId")
    signature_format.check(ctx, payer, call)
    storage_id = transfer["storageId"]
    checks.check_storage_id(ctx, payer, fee_token_id, storage_id, code, field="transfer.storageId")
    checks.check_valid_until(ctx, transfer["validUntil"], code, field="transfer.validUntil")
    paid_wei = int(transfer["token"]["volume"])
    fee_wei = checks.fee_charged(ctx, quote_wei, paid_wei, code, field="transfer.token.volume")
    hashed_fields = (address, payer.account_id, fee_token_id, storage_id)
    hash_ = checks.request_hash(ctx, call, payer, RequestKind.NFT_DEPLOY, *hashed_fields, about=address)
    request = checks.accept_request(
        ctx,
        call,
        RequestKind.NFT_DEPLOY,
        payer,
        hash_=hash_,
        token_id=fee_token_id,
        amount_wei=0,
        fee_token_id=fee_token_id,
        fee_wei=fee_wei,
        to_account_id=HOUSE_ID,
        to_address=address,
        valid_until_s=transfer["validUntil"],
        storage_id=storage_id,
        funded=checks.is_funded(ctx, payer, ((fee_token_id, fee_wei),), code, field="transfer.token.volume"),
    )
    world.deployments.setdefault(address, []).append(request.hash)
    return _deploy_view(request, is_idempotent=False)


def _checked_contract(ctx: Context, call: Call) -> str:
    """The contract to deploy, in lower case; refused unless it is that of the given NFT, of an account's owner
    or of a collection.
    """
    args, world = call.args, ctx.world
    address: str = args["tokenAddress"].lower()
    nft_data = args.get("nftData")
    if nft_data is not None:
        nft = world.nfts.get(nft_data.lower())
        if nft is None:
            raise Refused(ctx.shape_code(call.endpoint), f"nftData: there is no NFT {nft_data}")
        contracts = [nft.token_address]
    else:
        contracts = [*(contract_of(ctx, account.owner) for account in world.accounts.values()), *world.collections]
    if address not in [contract.lower() for contract in contracts]:
        raise Refused(ctx.shape_code(call.endpoint), f"tokenAddress: {args['tokenAddress']} is not the NFT's contract")
    return address


def _deployments(ctx: Context, address: str) -> list[Request]:
    return [ctx.world.requests[hash_] for hash_ in ctx.world.deployments.get(address, ())]


def _deploy_view(request: Request, *, is_idempotent: bool) -> dict[str, Any]:
    return {"hash": request.hash, "status": DeployStatus.SEND_TX_SUCCESS, "isIdempotent": is_idempotent}
