"""Signs requests as clients do: with an account's present keys, in the forms that the relayer verifies.

The same request always gets the same signatures. Imported on first use, since it needs the curve.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from mockrelay.control.signable import ECDSA, EDDSA, SIGNABLE, TEXT_FORMS, TYPED_FORMS, Unsigned, no_url
from mockrelay.core.accounts.keys import signing_keys, with_real_key, with_real_owner
from mockrelay.core.context import Context
from mockrelay.core.errors import BAD, CONFLICT, CommandRefused
from mockrelay.core.models import Account
from mockrelay.core.signatures.messages import SIGNED, message, signed_body
from mockrelay.signing import owner, wire_forms
from mockrelay.signing.eddsa import Family, sign
from mockrelay.signing.fields import Unreadable, find
from mockrelay.signing.request_signature import TEXT_MAX, sign_call
from mockrelay.spec.endpoint import Endpoint, KeyHeader, SignatureHeader
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.signed_bodies import NOTHING
from mockrelay.spec.signed_rows import SIGNED_BODIES

# Property tests sign the same requests many times while they shrink a failure.
_eddsa_sign = lru_cache(maxsize=512)(sign)
_sign_typed = lru_cache(maxsize=512)(owner.sign_typed)
_SIGNATURES = ("signatureRx", "signatureRy", "signatureS", "eddsaSignature", "ecdsaSignature")
_HEX = re.compile(r"(0x)?[0-9a-fA-F]{1,64}")


def sign_request(ctx: Context, account: Account, request: Unsigned) -> dict[str, Any]:
    """The request to send: `method`, `path`, `headers`, `body`, and `text`, the body's exact text. The fields of a GET are in
    its path.

    Raises CommandRefused, with the field, where a signed field is absent or cannot be read, or the key is not
    available.
    """
    row = _row_of(ctx, request)
    inner = _checked(row, request)
    unsigned = {name: value for name, value in inner.items() if name not in _SIGNATURES}
    part = SIGNED_BODIES[row.id].part
    body = {**request.body, part: unsigned} if part else unsigned
    signer = _Signer(ctx, account, row, request)
    try:
        readable = signed_body(ctx, account, row.id, body)
        signatures = {} if request.scheme == ECDSA else signer.of_layer2(readable)
        header = None if request.scheme == EDDSA else signer.of_layer1(readable)
    except Unreadable as unreadable:
        raise _refusal(row, request, unreadable) from None
    if part and header is not None:
        signatures["ecdsaSignature"] = header
    whole = {**body, part: {**unsigned, **signatures}} if part else {**body, **signatures}
    path, text, headers = row.path, _text(whole), {"Content-Type": "application/json"}
    query: tuple[tuple[str, str], ...] = ()
    if row.method != "POST":
        query = tuple((name, str(value)) for name, value in whole.items())
        path, whole, text, headers = f"{row.path}?{urlencode(query)}", {}, "", {}
    if row.signature is SignatureHeader.EDDSA:
        header = signer.of_call(row.method, row.path, query, text)
    if row.key is not KeyHeader.NOT_LISTED:
        headers["X-API-KEY"] = account.api_key
    if header is not None:
        headers["X-API-SIG"] = header
    return {"method": row.method, "path": path, "headers": headers, "body": whole, "text": text}


class _Signer:
    """Makes the signatures of one request with an account's keys."""

    def __init__(self, ctx: Context, account: Account, row: Endpoint, request: Unsigned) -> None:
        self.row = row.id
        self.request = request
        self.exchange = ctx.world.config.exchange
        self.name = account.name
        if ctx.world.choices["signature.scheme"] != "protocol":
            # Signatures are not verified then, and an account's public key and owner may be made up: it signs with the
            # keys that it would have where they are verified.
            config = ctx.world.config
            account = with_real_owner(config, with_real_key(config, account))
        self.keys = signing_keys(ctx.world, account)

    def of_layer2(self, body: Mapping[str, Any]) -> dict[str, str]:
        """The fields of a body that hold the signature of the layer-2 key."""
        form = SIGNED_BODIES[self.row].form
        if form is NOTHING:
            return {}
        key = self._layer2()
        signature = _eddsa_sign(key, message(self.row, body), Family(self.request.family))
        if form.in_parts:
            return wire_forms.eddsa_parts(signature)
        return {"eddsaSignature": wire_forms.eddsa_hex(signature)}

    def of_layer1(self, body: Mapping[str, Any]) -> str:
        """The signature of the owner's layer-1 key."""
        typed, form, key = SIGNED[self.row].typed, self.request.form, self._layer1()
        assert form is not None
        if typed is None:
            rsv = owner.sign_text(key, owner.transfer_v2_texts(body)[TEXT_FORMS.index(form)])
            return wire_forms.layer1_text(wire_forms.Layer1Signature(rsv, ""))
        hashed = typed.hash(body, self.exchange.chain_id, int(self.exchange.exchange_address, 16))
        return wire_forms.layer1_text(_sign_typed(key, hashed, TYPED_FORMS[form]))

    def of_call(self, method: str, path: str, query: Sequence[tuple[str, str]], text: str) -> str:
        """The signature of the layer-2 key over the whole call."""
        if self.request.url is None:
            raise no_url(self.request.endpoint)
        url = self.request.url + path
        if max(len(url) + len(urlencode(query)), len(text)) > TEXT_MAX:
            raise CommandRefused(BAD, "the call is too long to be signed", "body", f"at most {TEXT_MAX} characters")
        return wire_forms.eddsa_hex(
            sign_call(self._layer2(), method, url, query=query, body=text, family=Family(self.request.family)),
        )

    def _layer2(self) -> int:
        if self.keys.eddsa_private is None:
            raise self._no_key("layer-2 key that belongs to its public key", ECDSA, "eddsaKey or a keySeed")
        return self.keys.eddsa_private

    def _layer1(self) -> int:
        if self.keys.layer1_private is None:
            raise self._no_key("layer-1 key of its owner", EDDSA, "layer1Key")
        return self.keys.layer1_private

    def _no_key(self, key: str, other: str, setting: str) -> CommandRefused:
        meant = f"an account whose scenario gives {setting}, in a world that began with signature.scheme protocol"
        if other in SIGNABLE[self.request.endpoint].schemes:
            meant += f"; or scheme {other}"
        return CommandRefused(CONFLICT, f"{self.name} cannot sign: nobody here has the {key}", "account", meant)


def _row_of(ctx: Context, request: Unsigned) -> Endpoint:
    """The row of the form that the body has in the world's profile; of an endpoint that it does not serve, the first one."""
    return ctx.world.config.profile.row_of(request.endpoint, request.body) or BY_NAME[request.endpoint]


def _checked(row: Endpoint, request: Unsigned) -> Mapping[str, Any]:
    """The part of the body that is signed, after checks of the fields that are read before signing."""
    part = SIGNED_BODIES[row.id].part
    if part and not isinstance(request.body.get(part), Mapping):
        raise _refusal(row, request, Unreadable("", "not an object"))
    if (problem := _unreadable_field(request.endpoint, request.body)) is not None:
        raise _refusal(row, request, Unreadable(*problem))
    inner: Mapping[str, Any] = request.body[part] if part else request.body
    return inner


def _unreadable_field(endpoint: str, body: Mapping[str, Any]) -> tuple[str, str] | None:
    """The name of a field that is read before signing and cannot be, with the reason."""
    if endpoint in ("update_account", "update_account_v2"):
        for name in ("publicKey.x", "publicKey.y"):
            if not isinstance(part := find(body, name), str) or not _HEX.fullmatch(part):
                return name, "not a text of at most 64 hex digits"
    if endpoint in ("transfer_nft", "withdraw_nft"):
        if not isinstance(find(body, "token.nftData"), str):
            return "token.nftData", "not a text"
        if type(body.get("toAccountId", 0)) is not int:
            return "toAccountId", "not a whole number"
    return None


def _refusal(row: Endpoint, request: Unsigned, unreadable: Unreadable) -> CommandRefused:
    if unreadable.name[:1].isupper():
        # The name of a typed request: one of its fields has a value that its type cannot hold.
        reason = f"{unreadable.name} of the owner's signature: {unreadable.reason}"
        return CommandRefused(BAD, reason, "body", "the body as it will be sent")
    _, part, own_names = SIGNED_BODIES[row.id]
    name = ".".join(filter(None, (part, own_names.get(unreadable.name, unreadable.name))))
    if find(request.body, name) is not None:
        return CommandRefused(BAD, f"{name}: {unreadable.reason}", f"body.{name}", "the body as it will be sent")
    problem = f"{name} is missing, and the signature of {request.endpoint} covers it"
    return CommandRefused(BAD, problem, f"body.{name}", "the body as it will be sent: nothing is filled in")


def _text(body: Mapping[str, Any]) -> str:
    """JSON without spaces, in ASCII, so that its bytes do not depend on the encoding."""
    try:
        return json.dumps(body, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError):
        raise CommandRefused(
            BAD, "the body holds what JSON cannot say", "body", "numbers, texts, lists and objects"
        ) from None
