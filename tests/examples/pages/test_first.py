"""The first test of a client."""

import json
import urllib.request

from mockrelay.testing import Account, RelayerHandle


def open_orders(url: str, account: Account) -> int:
    """The client under test: it asks how many orders are open."""
    call = urllib.request.Request(
        f"{url}/api/v2/orders?accountId={account.id}&status=processing", headers={"X-API-KEY": account.api_key}
    )
    with urllib.request.urlopen(call) as answer:
        return int(json.load(answer)["data"]["totalNum"])


def test_a_new_account_has_no_open_orders(relayer: RelayerHandle) -> None:
    assert open_orders(relayer.url, relayer.account("alice")) == 0
    relayer.assert_called("get_orders", times=1, query={"status": "processing"})
