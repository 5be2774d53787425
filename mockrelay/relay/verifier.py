"""What checks of signatures see of a request: our own, and one that the user brings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mockrelay.core.call import Call, SentRequest, Violation
from mockrelay.core.models import Account
from mockrelay.wire.http import RawRequest
from mockrelay.wire.json_body import parse_body, raw_fields


class SignedRequest(NamedTuple):
    """What a verifier sees of a request that claims to be signed."""

    endpoint: str
    fields: Mapping[str, Any]
    """The decoded fields."""
    raw_body: bytes
    headers: Mapping[str, str]
    method: str
    scheme: str
    host: str
    raw_target: str

    @property
    def raw_fields(self) -> Mapping[str, str]:
        """The JSON text of each field, as it was sent."""
        return raw_fields(self.raw_body)


Verifier = Callable[[Account, SignedRequest], str | None]
"""Whether the account signed the request: None where it did, else a sentence that says what is wrong."""


def verify_with(verifier: Verifier, raw: RawRequest) -> Callable[[Account, Call], str | None]:
    """The core's question, put to a user's verifier with the request as it was sent."""

    def verify(account: Account, call: Call) -> str | None:
        return verifier(
            account,
            SignedRequest(
                call.endpoint.name,
                call.args,
                raw.body,
                raw.headers,
                raw.method,
                raw.scheme,
                raw.host,
                raw.raw_target,
            ),
        )

    return verify


def sent_of(raw: RawRequest) -> SentRequest:
    """The request as it was sent, in the parts that are signed."""
    path, _, query = raw.raw_target.partition("?")
    fields = parse_body(raw.body) if raw.body else {}
    return SentRequest(
        raw.method,
        f"{raw.scheme}://{raw.host}{path}",
        query,
        raw.body.decode("utf-8", "surrogateescape"),
        {} if isinstance(fields, Violation) else fields,
    )
