"""The answer of `GET problems` that the guide shows is a real one."""

import json
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from mockrelay.testing import RelayerHandle


@pytest.mark.relayer(allow=["unknown_path", "unfired_fault", "finding"])
def test_the_answer_with_two_problems(relayer: RelayerHandle) -> None:
    relayer.fault("submit_order", code=102014)
    with pytest.raises(HTTPError) as refusal:
        urlopen(f"{relayer.url}/api/v2/tickers")
    refusal.value.close()
    shown = Path(__file__).with_name("problems.json").read_text(encoding="utf-8")
    assert relayer.control("GET", "problems") == json.loads(shown)
