"""NFT contracts have the addresses that are published, before and after they are deployed."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.core.requests.counterfactual import runtime_code, token_address
from tests.signing.vectors import load

ADDRESSES = load("nft")["addresses"]


@pytest.mark.parametrize("vector", ADDRESSES, ids=lambda vector: f"{vector['chainId']}-{vector['nftOwner'][-6:]}")
def test_a_published_address(vector: dict[str, Any]) -> None:
    """In whatever letter case its factory, implementation and owner are written, and in the case that owners' wallets
    show.
    """
    assert vector["nftBaseUri"] == ""
    parts = [vector["nftFactory"], vector["implementation"], vector["nftOwner"]]
    found = token_address(*(part.lower() for part in parts))
    assert found.lower() == vector["tokenAddress"].lower()
    assert found == vector["tokenAddress"] or vector["tokenAddress"].islower()


def test_the_code_is_that_of_a_minimal_proxy() -> None:
    """It names the implementation between the bytes that every such proxy has."""
    implementation = "0x" + "5a" * 20
    assert runtime_code(implementation) == "0x363d3d373d3d3d363d73" + "5a" * 20 + "5af43d82803e903d91602b57fd5bf3"
