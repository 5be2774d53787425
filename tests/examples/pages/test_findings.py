"""What a client did wrong."""

import json
import urllib.request

from mockrelay.testing import RelayerHandle


def test_what_the_relayer_thought_of_the_client(relayer: RelayerHandle) -> None:
    body = json.dumps({"address": "0x" + "0c" * 20}).encode()
    urllib.request.urlopen(urllib.request.Request(f"{relayer.url}/api/v3/delegator/getCode", body)).close()
    (finding,) = relayer.findings
    assert (finding.rule, finding.level, finding.request) == ("wrong-content-type", "warning", "r1")
    assert finding.fix.startswith("Send `Content-Type: application/json` with every body")
