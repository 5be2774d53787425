"""What signatures cost: nothing that is not used is imported, and nothing that is sent takes long."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mockrelay.signing import owner, secp256k1
from mockrelay.signing.curve import Point
from mockrelay.signing.eddsa import Signature, verify
from mockrelay.signing.request_signature import TEXT_MAX, signed_texts, why_header_wrong
from mockrelay.signing.secp256k1_plain import PlainBackend
from mockrelay.signing.wire_forms import Layer1Signature, eddsa_hex, read_eddsa, read_layer1, read_parts
from tests.signing.small_points import OUTSIDE, SMALL
from tests.signing.vectors import KEY, LAYER1_KEY, OWNER, load
from tests.signing.work import SIGNED, forget_keys, verification, work
from tests.support.processes import imported_by

LIMIT = 20
"""Verifications, each of which takes about a millisecond."""
HEADER = eddsa_hex(SIGNED)
LONG = "9" * 10_000


def test_the_room_itself_imports_nothing() -> None:
    assert {name for name in imported_by("import mockrelay.signing") if name.startswith("mockrelay")} == {
        "mockrelay",
        "mockrelay._version",
        "mockrelay.signing",
    }


def test_layer_2_signatures_need_no_layer_1_and_no_library() -> None:
    modules = imported_by("from mockrelay.signing import messages, request_signature\nmessages.hash_of((1, 2))")
    assert not [name for name in modules if name.startswith(("coincurve", "Crypto", "mockrelay.signing.secp256k1"))]


def test_layer_1_arithmetic_is_imported_when_it_is_first_used() -> None:
    backends = {"mockrelay.signing.secp256k1_native", "mockrelay.signing.secp256k1_plain"}
    assert not backends & imported_by("from mockrelay.signing import owner, keys")
    assert backends & imported_by("from mockrelay.signing.secp256k1 import address_of\naddress_of(1)")


def test_constants_are_computed_when_they_are_first_used() -> None:
    code = (
        "from mockrelay.signing import blake512, curve, messages, poseidon, request_signature\n"
        "tables = (blake512._constants, blake512._start, curve._table, poseidon.tables_for)\n"
        "assert [table.cache_info().currsize for table in tables] == [0, 0, 0, 0]"
    )
    assert "mockrelay.signing.poseidon" in imported_by(code)


def work_anew(call: Callable[[], object]) -> float:
    """The work of a call whose keys are new."""
    forget_keys()
    return work(call)


HOSTILE: dict[str, Callable[[], object]] = {
    "numbers of 10,000 digits": lambda: verify(Point(10**9999, 1), 10**9999, Signature(10**9999, 1, 10**9999)),
    "a message of 10,000 digits": lambda: verify(KEY, 10**9999, SIGNED),
    "texts of 10,000 digits": lambda: (
        read_eddsa(LONG),
        read_eddsa("0x" + LONG),
        read_eddsa(",".join([LONG] * 3)),
        read_parts(LONG, LONG, LONG),
        read_layer1("0x" + LONG),
    ),
    "a query that every client signs otherwise": lambda: why_header_wrong(
        KEY, HEADER, "GET", "http://h/!*'(),", "b=!*'(),/&a=!*'(),/", ""
    ),
    "a body that every client signs otherwise": lambda: why_header_wrong(
        KEY, HEADER, "POST", "http://h/!*'()", "", '{ "a": "!*\'()" }'
    ),
    "the longest body, all quotation marks escaped": lambda: signed_texts(
        "POST", "", "", '"' + '\\"' * (TEXT_MAX // 2 - 1)
    ),
    "a longer body": lambda: why_header_wrong(KEY, HEADER, "POST", "http://h/", "", '"' * 2**20),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_that_is_sent_is_more_work_than_twenty_verifications(name: str) -> None:
    assert work_anew(HOSTILE[name]) < LIMIT * verification()


@pytest.mark.parametrize("point", SMALL + OUTSIDE)
def test_no_key_is_more_work_than_twenty_verifications(point: Point) -> None:
    assert work_anew(lambda: verify(point, 1, SIGNED)) < LIMIT * verification()


def test_a_layer_1_header_in_plain_integers_is_no_more_work_than_twenty_verifications(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A wrong one of a gen-2 transfer, which is tried for each of four texts."""
    plain = PlainBackend()
    monkeypatch.setattr(secp256k1, "backend", lambda: plain)
    body = next(vector["request"] for vector in load("requests_v2")["vectors"] if vector["kind"] == "v2transfer")
    wrong = Layer1Signature(owner.sign_text(LAYER1_KEY, "another text"), "")
    assert not owner.is_signed_by(OWNER, wrong, owner.transfer_v2_digests(body))
    assert work_anew(lambda: owner.is_signed_by(OWNER, wrong, owner.transfer_v2_digests(body))) < LIMIT * verification()
