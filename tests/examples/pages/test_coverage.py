"""What one test has met."""

import urllib.request

from mockrelay.testing import RelayerHandle


def test_a_call_for_tokens_meets_one_endpoint(relayer: RelayerHandle) -> None:
    headers = {"X-API-KEY": relayer.account("alice").api_key}
    urllib.request.urlopen(urllib.request.Request(f"{relayer.url}/api/v2/exchange/tokens", headers=headers)).close()
    kinds = relayer.coverage().kinds
    assert kinds.endpoints.met == ["get_tokens"]
    too_poor = next(item for item in kinds.pairs.missing if item.name == "submit_order 102011")
    assert (too_poor.reach, too_poor.fault) == ("natural", {"on": "submit_order", "code": 102011})
