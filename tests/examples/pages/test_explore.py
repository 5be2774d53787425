"""A test that looks for the fault that breaks it."""

import urllib.error
import urllib.request

from mockrelay.testing import RelayerHandle, explore


@explore(faults=1, trouble=["status"])
def test_the_client_lives_through_one_failing_answer(relayer: RelayerHandle) -> None:
    """The client under test tries twice."""
    headers = {"X-API-KEY": relayer.account("alice").api_key}
    for _ in range(2):
        try:
            urllib.request.urlopen(
                urllib.request.Request(f"{relayer.url}/api/v2/exchange/tokens", headers=headers)
            ).close()
            break
        except urllib.error.HTTPError as error:
            error.close()
    else:
        raise AssertionError("two answers failed")
