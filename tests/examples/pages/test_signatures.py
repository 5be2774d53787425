"""Signed requests."""

import json
import urllib.request

import pytest

from mockrelay.testing import RelayerHandle, Signed


def send(url: str, signed: Signed, text: bytes) -> int:
    """The client under test would sign by itself; here the relayer's signer does."""
    call = urllib.request.Request(url + signed.path, text, signed.headers, method=signed.method)
    with urllib.request.urlopen(call) as answer:
        return int(json.load(answer)["resultInfo"]["code"])


@pytest.mark.relayer(choices={"signature.scheme": "protocol", "hash.scheme": "protocol"})
def test_a_signed_order_is_taken_and_a_changed_one_is_not(relayer: RelayerHandle) -> None:
    now_s = relayer.clock.now_ms // 1000
    sale = {"exchangeId": 2, "accountId": 10001, "orderId": 0, "tokenSId": 1, "tokenBId": 0, "buy": "false"}
    sale |= {"amountS": "100000000000000000000", "amountB": "50000000000000000", "maxFeeBips": 63, "label": 211}
    sale |= {"validSince": now_s, "validUntil": now_s + 60 * 86_400}
    signed = relayer.account("alice").sign("submit_order", sale)
    assert send(relayer.url, signed, signed.content.replace(b"211", b"212")) == 104005
    assert send(relayer.url, signed, signed.content) == 0
