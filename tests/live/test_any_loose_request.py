"""Whatever comes in a loose form is answered in the API's shape, and changes nothing."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mockrelay.spec.endpoint import LIVE
from mockrelay.spec.endpoints import ALL_ENDPOINTS
from mockrelay.wire.schemas import request_fields
from tests.support.client import digest, send
from tests.support.worlds import relay_from

READS = [row for row in ALL_ENDPOINTS if row.profile == LIVE or row.method == "GET"]
TYPES = [
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=cut",
    'multipart/form-data; boundary="',
    "multipart/form-data; charset=\xff; boundary=cut",
    "multipart/mixed; boundary=cut",
    "",
]
VALUES = (
    st.sampled_from(["", "None", "0", "-1", "1e3", "true", "LRC-ETH", "0x" + "0" * 40, "10001", "USD", "1min"])
    | st.text()
)
PART = st.builds(
    lambda name, value: f'--cut\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode(
        "utf-8", "replace"
    ),
    st.text(max_size=8),
    VALUES,
)
BODIES = (
    st.binary(max_size=64)
    | st.lists(PART, max_size=3).map(lambda parts: b"".join(parts) + b"--cut--\r\n")
    | st.lists(st.tuples(st.text(max_size=8), VALUES), max_size=3).map(
        lambda pairs: "&".join(f"{name}={value}" for name, value in pairs).encode("utf-8", "replace")
    )
    | st.dictionaries(st.text(max_size=8), VALUES | st.integers() | st.booleans(), max_size=3).map(
        lambda fields: repr(fields).replace("'", '"').encode("utf-8", "replace")
    )
)


@given(data=st.data())
def test_it_is_answered_and_changes_nothing(data: st.DataObject) -> None:
    relay = relay_from("live_v3")
    before = digest(relay)
    row = data.draw(st.sampled_from(READS))
    names = st.sampled_from([*request_fields(row.name), "a.b", "pf"])
    query: list[tuple[str, Any]] = data.draw(st.lists(st.tuples(names, VALUES), max_size=4))
    path = data.draw(st.sampled_from([row.path, f"/{row.path}", row.path.replace("/", "//")]))
    method = data.draw(st.sampled_from([row.method, row.method, "DELETE", "POST"]))
    headers = {"content-type": data.draw(st.sampled_from(TYPES))}
    answer = send(relay, method, path, query=query, body=data.draw(BODIES), key=None, headers=headers)
    assert answer.status in (200, 400, 405, 426)  # 426: what opens a WebSocket wants a handshake
    assert answer.json is not None
    assert digest(relay) == before
