"""A signed request: what an account's client would send, for a test to send or to hold against what its client sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from mockrelay.client.control import Control, hides
from mockrelay.spec.endpoint import SignatureHeader
from mockrelay.spec.endpoints import BY_NAME

__tracebackhide__ = hides

Scheme = Literal["both", "eddsa", "ecdsa"]
Form = Literal["typed", "personal", "bare", "memo", "no_memo", "memo_two_blanks", "no_memo_two_blanks"]


class HowSigned(TypedDict, total=False):
    """How a request is signed, where its endpoint accepts several ways; a field that is left out is the usual way."""

    scheme: Scheme
    """The layer-2 key (`eddsa`), the owner's layer-1 key (`ecdsa`) or both."""
    family: Literal["python", "javascript"]
    """The client family whose way of signing on layer 2 is followed; both are valid."""
    form: Form
    """The owner's signature: of typed data (`typed`), of its hash as a personal message (`personal`), or as typed and
    without the byte that says so (`bare`). For a gen-2 transfer: of the text over a JSON with `memo` or with `no_memo`,
    or of the older text that has two blanks after its colon (`memo_two_blanks`, `no_memo_two_blanks`)."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A request to send as it is: `requests.post(signed.url, data=signed.content, headers=signed.headers)`."""

    method: str
    path: str
    """The path after the base address."""
    headers: dict[str, str]
    """`Content-Type`, and `X-API-KEY` and `X-API-SIG` where the endpoint takes them."""
    body: dict[str, Any]
    """The body with its signatures."""
    text: str
    """The same as JSON text, in ASCII. Where the header signs the whole call it is right for this text alone."""
    _base: Callable[[], str] = field(repr=False, compare=False)

    @property
    def content(self) -> bytes:
        """The text in bytes."""
        return self.text.encode("ascii")

    @property
    def url(self) -> str:
        """Where to send it: the relayer's own address, or the one that it was signed for, and the path."""
        return self._base() + self.path


def sign(
    control: Control,
    account_id: int,
    endpoint: str,
    body: Mapping[str, Any],
    base: Callable[[], str],
    how: Mapping[str, Any],
) -> Signed:
    """The signed request. `base` returns the address of the relayer and is called only where that is signed."""
    row = BY_NAME.get(endpoint)
    fields: dict[str, Any] = {"account": account_id, "endpoint": endpoint, "body": dict(body), **how}
    if row is not None and row.signature is SignatureHeader.EDDSA and (address := base()):
        fields["url"] = address
    signed = control("POST", "sign", fields)
    return Signed(signed["method"], signed["path"], signed["headers"], signed["body"], signed["text"], base)
