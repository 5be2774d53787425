"""NFTs: published data and content ids, in both directions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockrelay.signing.fields import Unreadable
from mockrelay.signing.nft import content_of_id, id_of_content, nft_data, to_data, to_id
from tests.signing.vectors import load, number

NFT = load("nft")


@pytest.mark.parametrize("vector", NFT["nftData"], ids=lambda vector: vector["nftId"][-4:])
def test_published_data(vector: dict[str, Any]) -> None:
    names = ("minterAddress", "tokenAddress", "nftId")
    minter, token, nft_id = (number(vector[name]) for name in names)
    data = nft_data(minter, vector["nftType"], token, nft_id, vector["royaltyPercentage"])
    assert data == number(vector["nftData"])
    assert divmod(nft_id, 2**128) == (number(vector["nftIdHi"]), number(vector["nftIdLo"]))


@pytest.mark.parametrize("vector", NFT["cids"], ids=lambda vector: vector["cid"][:6])
def test_published_content_ids(vector: dict[str, Any]) -> None:
    assert id_of_content(vector["cid"]) == vector["nftId"]
    assert content_of_id(number(vector["nftId"])) == vector["back"]


@given(st.integers(0, 2**256 - 1))
def test_every_id_has_a_content_id_that_leads_back(nft_id: int) -> None:
    content = content_of_id(nft_id)
    assert len(content) == 46
    assert content.startswith("Qm")
    assert id_of_content(content) == f"0x{nft_id:064x}"


GOOD = NFT["cids"][0]["cid"]


@pytest.mark.parametrize(
    "text", ["", "Qm", GOOD[:-1], GOOD + "1", "Zz" + GOOD[2:], "1" * 46, GOOD[:-1] + "0", "é" * 46]
)
def test_other_texts_are_no_content_ids(text: str) -> None:
    assert id_of_content(text) is None


def test_ids_keep_their_leading_zeros_and_any_letter_case() -> None:
    assert to_id("0x" + "0" * 61 + "aBc") == to_id("0xabc") == 0xABC
    assert content_of_id(0) == content_of_id(to_id("0x" + "0" * 64))


@pytest.mark.parametrize("value", [None, 5, "", "0x", "abc", "0x" + "f" * 65, "0xg", "0x1_0", "-0x1"])
def test_other_texts_are_no_ids(value: object) -> None:
    with pytest.raises(Unreadable, match="nftId"):
        to_id(value)


def test_data_is_below_the_field_and_ids_have_256_bits() -> None:
    with pytest.raises(Unreadable, match="nftData"):
        to_data("0x" + "f" * 64)
    for nft_id in (-1, 2**256):
        with pytest.raises(ValueError, match="256 bits"):
            nft_data(1, 0, 1, nft_id, 0)
        with pytest.raises(ValueError, match="256 bits"):
            content_of_id(nft_id)
