"""Right calls in the name of an account, with its API key and signatures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.check.run import Run
from mockrelay.client import bodies
from mockrelay.client.call import ApiCall
from mockrelay.client.facts import SIGNATURE_PARTS, SIGNATURES, Missing, Party, TokenFacts
from mockrelay.spec.endpoint import KeyHeader
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.signed_rows import SIGNED_BODIES


def right_call(run: Run, endpoint: str) -> ApiCall:
    """A right call to an endpoint. Raises Missing."""
    who = run.facts.carol if endpoint.endswith(("_nft", "_nft_contract")) else run.facts.alice
    return api_call(run, endpoint, bodies.right_fields(run.facts, endpoint), who)


def api_call(run: Run, endpoint: str, fields: Mapping[str, Any] | None = None, who: Party | None = None) -> ApiCall:
    """A call to an endpoint in the name of an account (alice), with the signatures that it takes. Raises Missing."""
    caller = run.facts.alice if who is None else who
    row = BY_NAME[endpoint]
    # A key that the endpoint does not ask for does no harm, and a relayer may ask for it where the spec is silent.
    key = None if row.key is KeyHeader.NOT_LISTED else caller.api_key
    if row.key is KeyHeader.REQUIRED and key is None:
        raise Missing("the API key")
    call = ApiCall(endpoint, fields or {}, key)
    return signed(run, call, caller) if endpoint in SIGNED_BODIES else call


def signed(run: Run, call: ApiCall, who: Party) -> ApiCall:
    """A submission with its signatures: right ones where the relayer is known to verify them, else of the right form."""
    if run.verifies and who.account_id is not None:
        result = run.world.sign(who.account_id, call.endpoint, call.fields)
        if result is not None:
            return call._replace(fields=result["body"], signature=result["headers"].get("X-API-SIG"))
    kind = BY_NAME[call.endpoint].signature
    in_parts = SIGNED_BODIES[call.endpoint].form.in_parts
    fields = {**call.fields, **SIGNATURE_PARTS} if in_parts else call.fields
    return call._replace(fields=fields, signature=SIGNATURES[kind] if kind else None)


def order(
    run: Run, who: Party, sold: tuple[TokenFacts, int], bought: tuple[TokenFacts, int], **changes: Any
) -> ApiCall:
    """An order that sells one amount for another."""
    return api_call(run, "submit_order", bodies.order(run.facts, who, sold, bought, **changes), who)


def transfer(run: Run, nonce: int, **changes: Any) -> ApiCall:
    """A transfer from alice to bob."""
    return api_call(run, "submit_transfer", bodies.transfer(run.facts, nonce=nonce, **changes))


def withdrawal(run: Run, **changes: Any) -> ApiCall:
    """A withdrawal of alice's to her own address."""
    return api_call(run, "submit_withdrawal", bodies.withdrawal(run.facts, **changes))


def nft_move(run: Run, endpoint: str, to: Party, amount: int = 1) -> ApiCall:
    """A transfer of carol's NFT to an account, or a withdrawal of it to layer 1."""
    return api_call(run, endpoint, bodies.nft_move(run.facts, to, amount), run.facts.carol)
