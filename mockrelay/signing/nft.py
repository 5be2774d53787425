"""NFTs on layer 2: the hash that identifies one (nftData), and conversion between NFT ids and content ids (IPFS CIDv0)."""

from __future__ import annotations

import re

from mockrelay.signing.fields import Body, Unreadable, find, to_address, to_element, to_number
from mockrelay.signing.poseidon import poseidon

_DATA_WIDTH = 7
_DATA_ROUNDS = 52
_HALF_BITS = 128
_ID_BITS = 256
_ID = re.compile(r"0x[0-9a-fA-F]{1,64}")
# A content id of version 0 is the base-58 text of a multihash: SHA-256 (0x12), 32 bytes (0x20), the digest.
_DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_PREFIX = 0x1220
_CONTENT_ID_LENGTH = 46


def nft_data(minter: int, nft_type: int, token_address: int, nft_id: int, royalty: int) -> int:
    """The number that identifies an NFT on layer 2.

    `minter` and `token_address` are addresses as numbers (160 bits), `nft_type` is 0 (ERC-1155) or 1 (ERC-721),
    `nft_id` has 256 bits and is hashed in two halves, `royalty` is the number that the mint sends, whatever its unit.
    Raises ValueError for an id outside its range.
    """
    if not 0 <= nft_id < 1 << _ID_BITS:
        raise ValueError("an NFT's id is a number of 256 bits")
    high, low = divmod(nft_id, 1 << _HALF_BITS)
    return poseidon((minter, nft_type, token_address, low, high, royalty), _DATA_WIDTH, _DATA_ROUNDS)


def data_of_mint(body: Body) -> int:
    """The nftData of the NFT that a mint request creates. Raises `Unreadable`.

    The royalty is creatorFeeBips as sent; a royaltyPercentage, which some clients send, takes precedence.
    """
    royalty = find(body, "royaltyPercentage", "creatorFeeBips")
    return nft_data(
        to_address("minterAddress", find(body, "minterAddress")),
        to_number("nftType", find(body, "nftType")) if find(body, "nftType") is not None else 0,
        to_address("tokenAddress", find(body, "tokenAddress")),
        to_id(find(body, "nftId")),
        to_number("creatorFeeBips", royalty) if royalty is not None else 0,
    )


def to_data(value: object) -> int:
    """An NFT's data from its text, 0x and 64 hex digits. Raises `Unreadable`."""
    return to_element("nftData", value)


def to_id(value: object) -> int:
    """An NFT's id from its text, 0x and at most 64 hex digits of any case. Raises `Unreadable`."""
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise Unreadable("nftId", "not 0x and at most 64 hex digits")
    return int(value, 16)


def id_of_content(content_id: str) -> str | None:
    """The NFT id (0x and 64 hex digits) of a content id of version 0 (46 characters, Qm…), or None if it is not one."""
    if len(content_id) != _CONTENT_ID_LENGTH or any(digit not in _DIGITS for digit in content_id):
        return None
    number = 0
    for digit in content_id:
        number = number * len(_DIGITS) + _DIGITS.index(digit)
    prefix, nft_id = divmod(number, 1 << _ID_BITS)
    return f"0x{nft_id:064x}" if prefix == _PREFIX else None


def content_of_id(nft_id: int) -> str:
    """The content id of version 0 of an NFT id, 46 characters. Raises ValueError for an id outside 256 bits."""
    if not 0 <= nft_id < 1 << _ID_BITS:
        raise ValueError("an NFT's id is a number of 256 bits")
    number, text = _PREFIX << _ID_BITS | nft_id, ""
    while number:
        number, digit = divmod(number, len(_DIGITS))
        text = _DIGITS[digit] + text
    return text
