"""The parts of a request that signature checks need: the built-in checks, and a user's own verifier."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mockrelay.core.call import Call, SentRequest, Violation
from mockrelay.core.errors import CallbackFailed
from mockrelay.core.models import Account
from mockrelay.wire.http import RawRequest
from mockrelay.wire.json_body import parse_body, raw_fields


class SignedRequest(NamedTuple):
    """The argument of a user's verifier: a request with a signature."""

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
"""Whether the account signed the request: None where it did, else a sentence on what is wrong."""


def verify_with(verifier: Verifier, raw: RawRequest) -> Callable[[Account, Call], str | None]:
    """A user's verifier in the form that core calls, with the request as it was sent. It raises CallbackFailed where the
    verifier raises or returns neither a text nor None.
    """

    def verify(account: Account, call: Call) -> str | None:
        request = SignedRequest(
            call.endpoint.name,
            call.args,
            raw.body,
            raw.headers,
            raw.method,
            raw.scheme,
            raw.host,
            raw.raw_target,
        )
        try:
            wrong: object = verifier(account, request)
        except Exception as error:
            raise CallbackFailed("verifier", f"{type(error).__name__}: {error}") from error
        if wrong is not None and not isinstance(wrong, str):
            meant = "None for a right signature, a sentence for a wrong one"
            raise CallbackFailed("verifier", f"it returned {wrong!r}; meant: {meant}")
        return wrong

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
