"""BLAKE-512: the values that its authors published, and the edges of its padding."""

from __future__ import annotations

import pytest

from mockrelay.signing.blake512 import _constants, _start, blake512


def test_the_constants_are_the_places_of_pi_and_of_roots() -> None:
    """As cipher and hash standards print them: pi begins 3.243f6a88…, the root of 2 begins 1.6a09e667… (hex)."""
    assert [f"{word:016x}" for word in _constants()[:2]] == ["243f6a8885a308d3", "13198a2e03707344"]
    assert f"{_constants()[-1]:016x}" == "636920d871574e69"
    assert f"{_start()[0]:016x}" == "6a09e667f3bcc908"


@pytest.mark.parametrize(
    ("data", "begins"),
    [
        (b"", "a8cfbbd73726062df0c6864dda65defe58ef0cc52a5625090fa17601e1eecd1b"),
        (bytes(1), "97961587f6d970faba6d2478045de6d1fabd09b61ae50932054d52bc29d31be4"),
        (bytes(144), "313717d608e9cf758dcb1eb0f0c3cf9fc150b2d500fb33f51c52afc99d358a2f"),
    ],
    ids=["nothing", "one zero byte", "144 zero bytes"],
)
def test_published_hashes(data: bytes, begins: str) -> None:
    assert blake512(data).hex().startswith(begins)


def test_every_length_around_a_block_has_a_hash_of_its_own() -> None:
    hashes = {blake512(bytes(length)) for length in range(105, 260)}
    assert len(hashes) == 155
    assert {len(value) for value in hashes} == {64}
