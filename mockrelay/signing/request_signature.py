"""The EdDSA form of the header X-API-SIG: a signature over method, address and parameters of a call.

The signed text is METHOD & address & parameters, the last two percent-encoded. Published clients encode and sort in
different ways, so a verifier tries each. The address is the one that the client called: scheme, host and path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from operator import itemgetter
from urllib.parse import parse_qsl, quote

from mockrelay.signing.curve import Point
from mockrelay.signing.eddsa import Family, Signature, sign, why_invalid_key, why_wrong
from mockrelay.signing.parameters import SNARK_FIELD as P
from mockrelay.signing.wire_forms import read_eddsa

TEXT_MAX = 16384
"""Characters of a query or body that may be signed; a longer one is not read, which bounds the time of a check."""

Pairs = Sequence[tuple[str, str]]

# The characters that percent-encoding leaves as they are, beside letters, digits and -_.~ (the browser's function leaves
# !'() too, but the JavaScript SDK encodes these afterwards).
_PYTHON = ""
_SDK = "*"
# Blanks outside of the strings of a JSON text. An unterminated string matches too: otherwise each of its quotation marks
# would be tried as a start, in quadratic time.
_BLANKS = re.compile(r'("(?:[^"\\]|\\.)*+"?)|[ \t\r\n]+', re.DOTALL)


def signed_texts(method: str, url: str, query: str, body: str) -> tuple[str, ...]:
    """Every text that a client may have signed for this call, the likeliest first, none twice.

    `url` is scheme, host and path as received, without the query; `query` is the raw text after the question mark. GET
    and DELETE sign the query, all other methods the body, as sent or without blanks.
    """
    method = method.upper()
    texts = _of_query(query) if method in ("GET", "DELETE") else _of_body(body)
    return tuple(dict.fromkeys(f"{method}&{_quoted(url, safe)}&{_quoted(text, safe)}" for text, safe in texts))


def message_of(text: str) -> int:
    """The number that is signed for a text: its SHA-256, modulo P."""
    return int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest(), "big") % P


def why_header_wrong(key: Point, header: str, method: str, url: str, query: str, body: str) -> str | None:
    """None where the header is the key's signature of one of `signed_texts`, otherwise why not; never raises."""
    signature = read_eddsa(header)
    if signature is None:
        return "not 0x and 192 hex digits, nor three decimal numbers with commas"
    if len(url) + len(query) > TEXT_MAX or len(body) > TEXT_MAX:
        return f"more than {TEXT_MAX} characters of address, query or body, which no client signs"
    if (problem := why_invalid_key(key)) is not None:
        return f"the public key {problem}"
    reason = None
    for text in signed_texts(method, url, query, body):
        reason = why_wrong(key, message_of(text), signature)
        if reason is None:
            return None
    return reason


def sign_call(
    private_key: int, method: str, url: str, *, query: Pairs = (), body: str = "", family: Family = Family.PYTHON
) -> Signature:
    """The signature in the most common way: over the query's pairs in the order given, or the body's text as given.

    Raises ValueError for a private key outside its range.
    """
    method = method.upper()
    signed = join_pairs(query) if method in ("GET", "DELETE") else body
    return sign(private_key, message_of(f"{method}&{_quoted(url, _PYTHON)}&{_quoted(signed, _PYTHON)}"), family)


def _of_body(body: str) -> Iterator[tuple[str, str]]:
    for text in (body, _BLANKS.sub(lambda found: found[1] or "", body)):
        for safe in (_PYTHON, _SDK):
            yield text, safe


def _of_query(query: str) -> Iterator[tuple[str, str]]:
    sent = parse_qsl(query, keep_blank_values=True)
    by_key = sorted(sent, key=itemgetter(0))
    for pairs in (sent, by_key):
        yield join_pairs(pairs), _PYTHON
        # Some clients encode the values first, and then the whole again.
        yield join_pairs((key, _quoted(value, _PYTHON)) for key, value in pairs), _PYTHON
    # The JavaScript SDK sorts, and encodes only commas twice.
    yield join_pairs(by_key), _SDK
    yield join_pairs((key, value.replace(",", "%2C")) for key, value in by_key), _SDK


def join_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """`key=value` of all pairs, joined by &."""
    return "&".join(f"{key}={value}" for key, value in pairs)


def _quoted(text: str, safe: str) -> str:
    return quote(text, safe=safe, errors="surrogatepass")
