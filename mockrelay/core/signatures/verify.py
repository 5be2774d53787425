"""Verification of signatures under `signature.scheme: protocol`.

All signatures of a request must be correct: the parts of a gen-2 body, `eddsaSignature` and an EdDSA X-API-SIG by the
account's current layer-2 key; `ecdsaSignature` and an ECDSA X-API-SIG by its owner's layer-1 key. A hash that layer 1 has
approved for the owner (`hashApproved`) replaces the owner's signature, which is then not verified. A request without any
signature is refused with 104004. If a field cannot be encoded in the signed message, all its signatures are wrong (104005),
whatever later rule the field breaks.

The answer says only that a signature is wrong. Which one and why is in `why` and the findings, with the likely cause if one
is found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from mockrelay.core.call import Call, Refused, SentRequest
from mockrelay.core.models import Account
from mockrelay.core.signatures.messages import SIGNED, message, message_hash, public_key_of, signed_body
from mockrelay.signing import eddsa, messages, owner, wire_forms
from mockrelay.signing.curve import Point
from mockrelay.signing.diagnosis.causes import Explanation, SignedPart
from mockrelay.signing.fields import Unreadable
from mockrelay.signing.request_signature import why_header_wrong
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoint import SignatureHeader
from mockrelay.spec.lint_rules import APPROVED_HASH, SIGNATURE
from mockrelay.spec.signed_bodies import NOTHING, OwnerSigns
from mockrelay.spec.signed_rows import SIGNED_BODIES
from mockrelay.spec.vocab import SIGNATURE_PARTS

if TYPE_CHECKING:
    from mockrelay.core.context import Context

WRONG = "a signature is not right for this request"
"""The text of the refusal, whichever signature is wrong."""
_HEADER = "header X-API-SIG"
_NOT_EDDSA = "not 0x and 192 hex digits, nor three decimal numbers with commas"
_NOT_ECDSA = "not 0x and 130 hex digits, with or without 02 or 03 after them"


class CarriedSignature(NamedTuple):
    """A signature in a request, or an approved hash."""

    part: str
    """Its place: a header or fields of the body."""
    text: str
    """As sent; three parts are joined by commas."""
    over: SignedPart | None
    """What it signs; None for an approved hash."""
    why_wrong: Callable[[], str | None]
    """Verifies it: what is wrong, or None if it is correct."""


def check(ctx: Context, account: Account, call: Call) -> None:
    """Refused if the request has no signature or a wrong one."""
    request = _Request(ctx, account, call)
    signatures = list(request.signatures())
    if not signatures:
        raise Refused(C.AUTH_SIGNATURE_MISSING, "the request carries no signature that its kind can be signed with")
    for signature in signatures:
        if (reason := signature.why_wrong()) is not None:
            request.note(signature, reason)
            raise Refused(C.AUTH_SIGNATURE_WRONG, WRONG)


def explain_form(ctx: Context, account: Account, call: Call) -> None:
    """Record a finding for the first malformed signature, with its likely cause."""
    request = _Request(ctx, account, call)
    for signature in request.signatures():
        reason = signature.why_wrong() if signature.over is not None else None
        if reason in (_NOT_EDDSA, _NOT_ECDSA):
            request.note(signature, reason)
            return


class _Request:
    """A request and the verification of its signatures."""

    def __init__(self, ctx: Context, account: Account, call: Call) -> None:
        self.ctx = ctx
        self.account = account
        self.call = call
        self.row = call.endpoint.id
        self.sent = SentRequest(call.endpoint.method, "", "", "", call.args) if ctx.sent is None else ctx.sent()
        self.body = signed_body(ctx, account, self.row, self.sent.fields or call.args)
        self.form, part, _ = SIGNED_BODIES[self.row]
        self.prefix = f"{part}." if part else ""

    def signatures(self) -> Iterator[CarriedSignature]:
        """The signatures of the request, not verified yet."""
        if self.form.in_parts:
            parts = ",".join(str(self.body.get(part, "")) for part in SIGNATURE_PARTS)
            yield CarriedSignature(", ".join(SIGNATURE_PARTS), parts, SignedPart.MESSAGE, self._why_parts_wrong)
            yield from self._header(skip_owner=False)
            return
        if self.form is NOTHING:
            yield from self._header(skip_owner=False)
            return
        approved = self._text("hashApproved")
        yield from self._header(skip_owner=bool(approved))
        if eddsa_text := self._text("eddsaSignature"):
            why = partial(self._why_eddsa_wrong, eddsa_text)
            yield CarriedSignature(f"{self.prefix}eddsaSignature", eddsa_text, SignedPart.MESSAGE, why)
        ecdsa_text = self._text("ecdsaSignature")
        if ecdsa_text and not approved and self.form.owner_signs is not None:
            why = partial(self._why_ecdsa_wrong, ecdsa_text)
            yield CarriedSignature(f"{self.prefix}ecdsaSignature", ecdsa_text, SignedPart.OWNER, why)
        if approved:
            yield CarriedSignature(
                f"{self.prefix}hashApproved", approved, None, partial(self._why_not_approved, approved)
            )

    def _header(self, *, skip_owner: bool) -> Iterator[CarriedSignature]:
        """The signature in the header; `skip_owner` omits one of the owner, which an approved hash replaces."""
        text = (self.call.signature or "").strip()
        wants, is_eddsa = self.call.endpoint.signature, wire_forms.read_eddsa(text) is not None
        if not text or self.form.of_order:
            return
        if wants is SignatureHeader.EDDSA or (wants is None and is_eddsa):
            yield CarriedSignature(_HEADER, text, SignedPart.CALL, partial(self._why_call_wrong, text))
        elif (wants is not None or self.form.owner_signs is not None) and not skip_owner:
            yield CarriedSignature(_HEADER, text, SignedPart.OWNER, partial(self._why_ecdsa_wrong, text))

    def note(self, signature: CarriedSignature, reason: str) -> None:
        """Record a finding for a wrong signature, with its likely cause."""
        cause = self.ctx.trace.cause = self._find_cause(signature)
        cause_text = "" if cause is None else f"; {cause.cause}: {cause.sentence}"
        self.ctx.add_finding(SIGNATURE, f"{self.call.endpoint.name}: {signature.part}: {reason}{cause_text}")

    def _find_cause(self, signature: CarriedSignature) -> Explanation | None:
        """What was probably signed instead, or None."""
        if signature.over is None:
            return None
        from mockrelay.core.signatures import diagnose  # noqa: PLC0415  # right signatures need none of it

        return diagnose.find_cause(
            self.ctx, self.account, self.row, self.sent, self.body, signature.text, signature.over
        )

    def _why_parts_wrong(self) -> str | None:
        signature = wire_forms.read_parts(*(str(self.body.get(part, "")) for part in SIGNATURE_PARTS))
        return self._why_wrong(signature)

    def _why_eddsa_wrong(self, text: str) -> str | None:
        return self._why_wrong(wire_forms.read_eddsa(text))

    def _why_wrong(self, signature: eddsa.Signature | None) -> str | None:
        if signature is None:
            return _NOT_EDDSA
        key = public_key_of(self.account)
        if key is None:
            return "the account has no public key"
        try:
            number = message(self.row, self.body)
        except Unreadable as unreadable:
            return f"nothing can be signed: {unreadable}"
        reason = eddsa.why_wrong(key, number, signature)
        if reason is None or any(eddsa.why_wrong(former, number, signature) is None for former in self._former_keys()):
            return None
        return reason

    def _former_keys(self) -> Iterator[Point]:
        """The account's former public keys, where the request repeats one that was taken: it was signed by the key of then."""
        world, account_id = self.ctx.world, self.account.account_id
        hash_ = message_hash(self.ctx, self.account, self.row, self.call.args)
        if hash_ in world.requests or hash_ in world.orders.by_hash:
            changes = (each.key_change for each in world.requests.values() if each.account_id == account_id)
            formers = (public_key_of(change.old) for change in changes if change is not None)
            yield from (former for former in formers if former is not None)

    def _why_call_wrong(self, text: str) -> str | None:
        key, sent = public_key_of(self.account), self.sent
        if key is None:
            return "the account has no public key"
        reason = None
        for url, query in self._signed_calls():
            reason = why_header_wrong(key, text, sent.method, url, query, sent.body)
            if reason is None:
                return None
        return reason

    def _signed_calls(self) -> Iterator[tuple[str, str]]:
        """Address and query of the call, and where requests are read loosely the others that clients sign instead."""
        sent, config = self.sent, self.ctx.world.config
        yield sent.url, sent.query
        if not config.profile.reads_loosely:
            return
        scheme, _, rest = sent.url.partition("://")
        host, _, path = rest.partition("/")
        path = "/" + re.sub("//+", "/", path).lstrip("/")
        other = "https" if scheme == "http" else "http"
        # Each pair once, where the query repeats them; the pairs of a form, where there is no query.
        once = "&".join(dict.fromkeys(sent.query.split("&"))) or sent.body
        for base in (f"{scheme}://{host}", f"{other}://{host}", *config.signed_hosts):
            for query in dict.fromkeys((once, sent.query)):
                if (base + path, query) != (sent.url, sent.query):
                    yield base + path, query

    def _why_ecdsa_wrong(self, text: str) -> str | None:
        signature = wire_forms.read_layer1(text)
        if signature is None:
            return _NOT_ECDSA
        try:
            digests = self._digests()
        except Unreadable as unreadable:
            return f"nothing can be signed: {unreadable}"
        signers = owner.signers(signature, digests)
        if self.account.owner.lower() in signers:
            return None
        who = " or ".join(dict.fromkeys(signers)) or "nobody"
        return f"it is the signature of {who}, not of the owner {self.account.owner}"

    def _digests(self) -> tuple[bytes, ...]:
        if self.form.owner_signs is OwnerSigns.TEXT:
            return owner.transfer_v2_digests(self.body)
        return owner.digests_of(self._typed())

    def _typed(self) -> bytes:
        typed, exchange = SIGNED[self.row].typed, self.ctx.world.config.exchange
        assert typed is not None
        return typed.hash(self.body, exchange.chain_id, int(exchange.exchange_address, 16))

    def _why_not_approved(self, text: str) -> str | None:
        hash_ = text.lower()
        if (self.account.owner.lower(), hash_) not in self.ctx.world.layer1.approved_hashes:
            return "layer 1 has not approved this hash for the owner"
        if not self._is_own(hash_):
            self.ctx.add_finding(
                APPROVED_HASH, f"{self.call.endpoint.name}: hashApproved: approved, but it is no hash of this request"
            )
        return None

    def _is_own(self, hash_: str) -> bool:
        try:
            if hash_ == messages.hash_text(message(self.row, self.body)):
                return True
            return self.form.owner_signs is OwnerSigns.TYPED and hash_ == f"0x{self._typed().hex()}"
        except Unreadable:
            return False

    def _text(self, name: str) -> str:
        text = self.body.get(name)
        return text if isinstance(text, str) else ""
