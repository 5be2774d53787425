"""Signatures as text: every form read and written, and every other text refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockrelay.signing import wire_forms
from mockrelay.signing.eddsa import Signature
from mockrelay.signing.wire_forms import Layer1Signature, read_eddsa, read_layer1, read_parts

PARTS = st.integers(0, 2**256 - 1)
ODD = (
    *("", "0x", "0x" + "0" * 191, "0x" + "0" * 193, "0" * 192, "0X" + "0" * 192, "0x" + "g" * 192, " 0x" + "0" * 192),
    *("1,2", "1,2,3,4", "1,2,3\n", "1, 2,3", "-1,2,3", "1,2,0x3", "1,,3", "\N{SUPERSCRIPT TWO},1,1"),
    *(",".join(["9" * 10_000] * 3), "9" * 10_000, "0x" + "f" * 10_001, "\ud800", "\x00"),
)


@given(PARTS, PARTS, PARTS)
def test_what_is_written_is_read(rx: int, ry: int, s: int) -> None:
    signature = Signature(rx, ry, s)
    assert read_eddsa(wire_forms.eddsa_hex(signature)) == signature
    assert read_eddsa(wire_forms.eddsa_hex(signature).upper().replace("X", "x")) == signature
    assert read_eddsa(wire_forms.eddsa_commas(signature)) == signature
    parts = wire_forms.eddsa_parts(signature)
    assert read_parts(parts["signatureRx"], parts["signatureRy"], parts["signatureS"]) == signature


def test_the_forms_by_hand() -> None:
    assert wire_forms.eddsa_hex(Signature(1, 2, 255)) == f"0x{1:064d}{2:064d}{'ff':0>64}"
    assert wire_forms.eddsa_commas(Signature(1, 2, 255)) == "1,2,255"


@pytest.mark.parametrize("text", ODD, ids=lambda text: f"{len(text)} {ascii(text)[:14]}")
def test_other_texts_are_no_signatures(text: str) -> None:
    assert read_eddsa(text) is None
    assert read_layer1(text) is None


@pytest.mark.parametrize(
    "part", ["", "0x1", "-1", "1.0", "1e5", " 1", "1\n", "9" * 79, "9" * 10_000, "\N{FULLWIDTH DIGIT ONE}"]
)
def test_parts_are_decimal_digits(part: str) -> None:
    assert read_parts("1", part, "3") is None
    assert read_parts(part, "2", "3") is None
    assert read_parts("1", "2", part) is None


@pytest.mark.parametrize("suffix", ["", "02", "03"])
def test_layer_1_signatures_with_every_suffix(suffix: str) -> None:
    signature = Layer1Signature(bytes(range(65)), suffix)
    text = wire_forms.layer1_text(signature)
    assert len(text) == 132 + len(suffix)
    assert read_layer1(text) == signature


@pytest.mark.parametrize("suffix", ["0", "2", "00", "01", "04", "0202", "zz"])
def test_other_suffixes_are_refused(suffix: str) -> None:
    assert read_layer1("0x" + "ab" * 65 + suffix) is None
