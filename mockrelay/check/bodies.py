"""Calls that a relayer accepts, one for every endpoint, made of what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mockrelay.check.answers import Ask
from mockrelay.check.facts import Missing, Person, Token
from mockrelay.check.steering import Steering
from mockrelay.signing.curve import BASE
from mockrelay.spec.endpoints import BY_NAME, KeyHeader, SignatureHeader

if TYPE_CHECKING:
    from mockrelay.check.run import Run

DAY_S = 86_400
VALID_S = 60 * DAY_S
NFT_ID = "0x" + "00c0ffee" * 8
PARTS = {"signatureRx": "1", "signatureRy": "2", "signatureS": "3"}
HEADERS = {SignatureHeader.ECDSA: "0x" + "1b" * 65, SignatureHeader.EDDSA: "0x" + "1b" * 96}
"""Signatures that are right in form, for relayers that look at nothing else."""
_SECOND_MS = 1000


def call(run: Run, endpoint: str, fields: Mapping[str, Any] | None = None, who: Person | None = None) -> Ask:
    """A call to an endpoint in the name of somebody (alice), with the signature that it takes."""
    caller = run.facts.alice if who is None else who
    row = BY_NAME[endpoint]
    # A key that the endpoint does not ask for does no harm, and may be what a relayer asks for where the spec is silent.
    key = None if row.key is KeyHeader.NOT_LISTED else caller.api_key
    if row.key is KeyHeader.REQUIRED and key is None:
        raise Missing("not known: --api-key is needed")
    ask = Ask(endpoint, fields or {}, key)
    signed_in_body = endpoint in ("submit_order", "submit_transfer", "mint_nft", "transfer_nft", "withdraw_nft")
    if row.signature is None and not signed_in_body:
        return ask
    return signed(run.world if run.facts.verifies else None, ask, caller)


def signed(steering: Steering | None, ask: Ask, who: Person) -> Ask:
    """A submission with its signatures: right ones where there is a world that makes them, else of the right form."""
    if steering is not None and who.account_id is not None:
        made = steering.sign(who.account_id, ask.endpoint, ask.fields)
        if made is not None:
            return ask._replace(fields=made["body"], signature=made["headers"].get("X-API-SIG"))
    kind = ask.row.signature
    header = HEADERS[kind] if kind else None
    fields = {**ask.fields, **PARTS} if ask.endpoint in ("submit_order", "submit_transfer") else ask.fields
    return ask._replace(fields=fields, signature=header)


def now_s(run: Run) -> int:
    """The relayer's time in seconds."""
    return run.now_ms() // _SECOND_MS


def next_nonce(run: Run, who: Person) -> int:
    """The nonce of somebody's next request, as far as it is known."""
    if run.world is None:
        return run.facts.nonce
    return int(run.world.do("GET", f"accounts/{who.account_id}")["accountNonce"])


def order(run: Run, who: Person, sold: tuple[Token, int], bought: tuple[Token, int], **changes: Any) -> Ask:
    """An order that sells one amount for another."""
    fields = {
        "exchangeId": run.facts.about("exchangeId"),
        "orderId": run.facts.next_id(),
        "accountId": who.account_id,
        "tokenSId": sold[0].token_id,
        "tokenBId": bought[0].token_id,
        "amountS": str(sold[1]),
        "amountB": str(bought[1]),
        "allOrNone": "false",
        "buy": "false",
        "validSince": now_s(run),
        "validUntil": now_s(run) + VALID_S,
        "maxFeeBips": 63,
        "label": 211,
    }
    return call(run, "submit_order", fields | changes, who)


def transfer(run: Run, nonce: int, **changes: Any) -> Ask:
    """A transfer from alice to bob, which leaves half of what she has."""
    token, to = run.facts.some_token(), run.facts.bob or run.facts.alice
    fields = {
        "exchangeId": run.facts.about("exchangeId"),
        "sender": run.facts.account_id(),
        "receiver": to.account_id,
        "token": token.token_id,
        "tokenF": token.token_id,
        "amount": str(10**token.decimals),
        "amountF": str(fee_wei(run, "transfer", token)),
        "nonce": nonce,
        "label": 211,
        "memo": "check",
    }
    return call(run, "submit_transfer", fields | changes)


def withdrawal(run: Run, **changes: Any) -> Ask:
    """A withdrawal of alice's to her own address."""
    token = run.facts.some_token()
    fields = {
        **gen3(run),
        "accountId": run.facts.account_id(),
        "owner": run.facts.owner(),
        "token": {"tokenId": token.token_id, "volume": str(10**token.decimals)},
        "maxFee": {"tokenId": token.token_id, "volume": str(fee_wei(run, "withdrawal", token))},
        "minGas": 0,
        "to": run.facts.owner(),
    }
    return call(run, "submit_withdrawal", fields | changes)


def update(run: Run, who: Person, nonce: int, **changes: Any) -> Ask:
    """A new key for somebody."""
    token = run.facts.some_token()
    fields = {
        "exchange": run.facts.about("exchangeAddress"),
        "owner": who.owner,
        "accountId": who.account_id,
        "publicKey": {"x": f"0x{BASE.x:064x}", "y": f"0x{BASE.y:064x}"},
        "maxFee": {"tokenId": token.token_id, "volume": str(10**token.decimals)},
        "validUntil": now_s(run) + VALID_S,
        "nonce": nonce,
    }
    return call(run, "update_account", fields | changes, who)


def bob_of(run: Run) -> Person:
    """The other side of trades and transfers. Raises Missing."""
    return _known(run.facts.bob)


def minter(run: Run) -> Person:
    """Who mints. Raises Missing."""
    return _known(run.facts.carol)


def _known(person: Person | None) -> Person:
    if person is None:
        raise Missing("it needs a relayer that can be steered")
    return person


def contract(run: Run) -> str:
    """The address of the minter's contract, once it was told. Raises Missing."""
    found = run.facts.exchange.get("contract")
    if not isinstance(found, str):
        raise Missing("not known: an answer of compute_token_address is needed")
    return found


def nft_token(run: Run, amount: str = "1") -> dict[str, Any]:
    """The NFT that was minted, once it was. Raises Missing."""
    told = run.facts.exchange.get("nft")
    if not isinstance(told, dict):
        raise Missing("not known: an answer of mint_nft is needed")
    return {"tokenId": told["nftTokenId"], "nftData": told["nftData"], "amount": amount}


def mint(run: Run, **changes: Any) -> Ask:
    """Five of an NFT for the minter."""
    who = minter(run)
    where = {"nftFactory": run.facts.about("nftFactory"), "nftOwner": who.owner, "nftBaseUri": ""}
    fields = {
        **gen3(run),
        "minterId": who.account_id,
        "minterAddress": who.owner,
        "toAccountId": who.account_id,
        "toAddress": who.owner,
        "nftType": 0,
        "tokenAddress": contract(run),
        "nftId": NFT_ID,
        "amount": "5",
        "creatorFeeBips": 7,
        "maxFee": nft_fee(run),
        "forceToMint": False,
        "counterFactualNftInfo": where,
    }
    return call(run, "mint_nft", fields | changes, who)


def move(run: Run, endpoint: str, to: Person, **changes: Any) -> Ask:
    """One of the NFT for somebody, or to layer 1."""
    who = minter(run)
    fields = {
        **gen3(run),
        "fromAccountId": who.account_id,
        "fromAddress": who.owner,
        "toAccountId": to.account_id,
        "toAddress": to.owner,
        "token": nft_token(run),
        "maxFee": nft_fee(run),
    }
    return call(run, endpoint, fields | changes, who)


def deployment(run: Run, **changes: Any) -> Ask:
    """The minter's contract is to be deployed; changes are inside the transfer that pays."""
    who, token = minter(run), run.facts.some_token()
    pays = {
        **gen3(run),
        "payeeAddr": run.facts.about("broker"),
        "payerId": who.account_id,
        "payerAddr": who.owner,
        "payeeId": 0,
        "memo": "",
        "maxFee": {"tokenId": token.token_id, "volume": "0"},
        "token": {"tokenId": token.token_id, "volume": str(10**token.decimals)},
        "ecdsaHash": "",
        "eddsaHash": "",
        "ecdsaSignature": "",
        "eddsaSignature": HEADERS[SignatureHeader.EDDSA],
    }
    fields = {
        "nftData": nft_token(run)["nftData"],
        "tokenAddress": contract(run),
        "transfer": pays | changes,
    }
    return call(run, "deploy_nft_contract", fields, who)


def gen3(run: Run) -> dict[str, Any]:
    """What signed requests of the third generation have in common."""
    return {
        "exchange": run.facts.about("exchangeAddress"),
        "storageId": run.facts.next_id(),
        "validUntil": now_s(run) + VALID_S,
    }


def fee_wei(run: Run, kind: str, token: Token) -> int:
    """What a transfer or a withdrawal costs in a token: as was told, or a whole one, which is above all fees."""
    quotes: Mapping[str, int] = run.facts.exchange.get(f"{kind}Fees", {})
    return quotes.get(token.symbol, 10**token.decimals)


def nft_fee(run: Run) -> dict[str, Any]:
    """What an NFT request offers: a whole token, which is above all fees."""
    token = run.facts.some_token()
    return {"tokenId": token.token_id, "amount": str(10**token.decimals)}
