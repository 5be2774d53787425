"""Draws what no client should send: bodies that are not JSON, JSON that is not a request, requests with damaged fields."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.client.wrong_fields import request_place
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.testing.strategies.schema_values import values_of
from mockrelay.wire.schemas import request_fields

if TYPE_CHECKING:
    from mockrelay.relay import Relay
    from mockrelay.testing.relayer import RelayerHandle

_ODD: list[Any] = [
    *(None, True, False, 0, -1, 63, 2**31, 2**32, 2**53, 2**53 + 1, 2**256, -(2**63), 10**400, 1.5, -0.0, 1e308),
    *("", " ", "0", "00", "07", "-1", "+1", "1e3", "1.0", "0x", "0X0", "\0", "\ud800", "\u202e", "\uff11", "9" * 400),
    *("true", "null", "' OR 1=1 --", "<script>", "../..", "%00", "${jndi:x}"),
    *([], {}, [[]], [None], {"": ""}, {"tokenId": {}}, {"tokenId": "1", "volume": 1}),
]
_BODIES: list[bytes] = [
    *(b"", b" ", b"null", b"1", b'"x"', b"[]", b"{", b'{"', b"{}{}", b"{'a': 1}", b"{a: 1}", b'{"a": 1,}', b"nan"),
    *(b"\xff\xfe{}", b"\xef\xbb\xbf{}", b"\x00", b"\x80", b'{"a": NaN}', b'{"a": Infinity}', b'{"a": 1, "a": 2}'),
    *(b'{"a": 1e999}', b'{"a": -0}', b'{"a": "\\ud800"}', b'{"a": "\\u0000"}', b"[" * 5000, b'{"a":' * 3000 + b"1"),
    *(b'{"a": ' + b"9" * 5000 + b"}", b"x" * 2**16, b'{"a": "' + b"y" * 2**16 + b'"}', b"a=1&b=2", b"<a/>"),
]
_ANYTHING = st.recursive(
    st.sampled_from(_ODD) | st.text(max_size=8) | st.floats() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def hostile_body(draw: st.DrawFn, endpoint: str | None = None) -> bytes:
    """The bytes of a body that no client should send to an endpoint; to any unless one is named."""
    name = endpoint or draw(st.sampled_from([row.name for row in ENDPOINTS]))
    match draw(st.sampled_from(["view_world", "damaged", "damaged", "cut", "bytes"])):
        case "view_world":
            return draw(st.sampled_from(_BODIES))
        case "bytes":
            return draw(st.binary(max_size=64))
        case "cut":
            whole = json.dumps(draw(values_of(request_place(name)))).encode()
            return whole[: draw(st.integers(0, len(whole)))]
        case _:
            return json.dumps(draw(_damaged_fields(name))).encode()


@st.composite
def hostile_call(draw: st.DrawFn, relayer: Relay | RelayerHandle, endpoint: str | None = None) -> ApiCall:
    """A call with a hostile body or, for a GET, a hostile query, and with headers that may be odd too."""
    row = draw(st.sampled_from([one for one in ENDPOINTS if endpoint in (None, one.name)]))
    keys = [one["apiKey"] for one in relayer.accounts()] if callable(relayer.accounts) else _keys(relayer)
    odd = st.sampled_from([None, "", " ", "0x", "0x" + "f" * 192, "1,2,3", "\u00ff", "x" * 2000])
    key = draw(st.sampled_from(keys) | odd)
    if row.method == "GET":
        fields = draw(_damaged_fields(row.name))
        return ApiCall(row.name, {str(name): value for name, value in fields.items()}, key, draw(odd), is_drawn=True)
    return ApiCall(row.name, {}, key, draw(odd), draw(hostile_body(row.name)), is_drawn=True)


def _keys(relayer: Any) -> list[str]:
    return [account.api_key for account in relayer.accounts]


@st.composite
def _damaged_fields(draw: st.DrawFn, endpoint: str) -> dict[str, Any]:
    """Fields of a request, some with odd values, some unknown, some missing."""
    fields: dict[str, Any] = dict(draw(values_of(request_place(endpoint))))
    names = list(request_fields(endpoint)) or ["id"]
    for name in draw(st.lists(st.sampled_from([*names, "no such", "__proto__", ""]), max_size=3)):
        if draw(st.booleans()):
            fields[name] = draw(_ANYTHING)
        else:
            fields.pop(name, None)
    for name, value in list(fields.items()):
        if isinstance(value, dict) and value and draw(st.booleans()):
            fields[name] = {**value, draw(st.sampled_from(sorted(value))): draw(_ANYTHING)}
    return fields
