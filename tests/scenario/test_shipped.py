"""What holds for every shipped scenario, whatever its situation is."""

from __future__ import annotations

from pathlib import Path

import pytest

from mockrelay._files import data_root
from mockrelay.core.world import World
from mockrelay.scenario import load, shipped
from tests.support.client import advance, digest, done, get
from tests.support.worlds import START_MS, relay_from

NAMES = shipped()


def _text(name: str) -> str:
    text: str = data_root().joinpath("scenarios", f"{name}.yaml").read_text(encoding="utf-8")
    return text


def _held(world: World) -> dict[int, int]:
    """All money by token: free, frozen and in flight of everybody, and the fees taken."""
    held = dict(world.ledger.fees_wei)
    for (_, token_id), balance in world.ledger.balances.items():
        held[token_id] = held.get(token_id, 0) + sum(balance)
    return {token_id: wei for token_id, wei in held.items() if wei}


def test_there_are_at_least_twelve_beside_the_default() -> None:
    assert "default" in NAMES
    assert len(NAMES) > 12


@pytest.mark.parametrize("name", NAMES)
def test_its_file_has_its_name_and_begins_with_a_sentence_that_says_what_it_is(name: str) -> None:
    assert load(name).name == name
    first, second = _text(name).splitlines()[:2]
    assert first.startswith("# ")
    assert first[2].isupper()
    assert len(first) <= 128
    # The default's first comment is a paragraph; the others say it in one line.
    if name != "default":
        assert first.endswith(".")
        assert second == "#" or not second.startswith("#")
        assert "\nextends: default\n" in _text(name)


@pytest.mark.parametrize("name", NAMES)
def test_an_hour_of_it(name: str) -> None:
    """Each start is the same, money comes and goes by deposit alone, the hour may pass at once, and a reset leads back."""
    relay, other = relay_from(name), relay_from(name)
    assert get(relay, "/api/v2/exchange/info").data["exchangeId"] == 2
    start = digest(relay)
    assert digest(other) == start
    advance(other, "1h")
    for _ in range(60):
        advance(relay, "1m")
        assert _held(relay.world) == {token: wei for token, wei in relay.world.ledger.deposited_wei.items() if wei}
    assert digest(relay) == digest(other)
    done(relay, "POST", "reset", {})
    assert (relay.now_ms(), digest(relay)) == (START_MS, start)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "default"])
def test_its_point_is_shown(name: str) -> None:
    """Some test beside this one is a client of it."""
    tests = (path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    assert any(f'Client("{name}"' in text for text in tests)
