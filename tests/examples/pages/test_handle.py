"""What a test does with the handle."""

from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from mockrelay.testing import RelayerHandle


def tokens(url: str, key: str) -> bytes:
    """The client under test: it tries once more where the relayer fails."""
    call = Request(f"{url}/api/v2/exchange/tokens", headers={"X-API-KEY": key})
    try:
        answer = urlopen(call)
    except HTTPError as error:
        error.close()
        answer = urlopen(call)
    with answer:
        return bytes(answer.read())


def test_it_tries_once_more(relayer: RelayerHandle) -> None:
    relayer.fault("get_tokens", status=503)
    assert b"LRC" in tokens(relayer.url, relayer.account("alice").api_key)
    relayer.assert_called("get_tokens", times=2)


def test_what_happens_after_a_snapshot_can_be_undone(relayer: RelayerHandle) -> None:
    alice = relayer.account("alice")
    before = alice.balances["LRC"].free
    funded = relayer.snapshot("funded")
    alice.deposit("LRC", 5)
    assert alice.balances["LRC"].free == before + 5
    funded.restore()
    assert alice.balances["LRC"].free == before


@pytest.mark.relayer(allow="unknown_path")
def test_a_path_that_the_api_does_not_have(relayer: RelayerHandle) -> None:
    with pytest.raises(HTTPError) as refused:
        urlopen(f"{relayer.url}/api/v2/exchange/token")
    assert "/api/v2/exchange/tokens" in relayer.why(refused.value).refusal.detail
    refused.value.close()
