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
def test_it_is_called_as_its_file(name: str) -> None:
    assert load(name).name == name


@pytest.mark.parametrize("name", NAMES)
def test_its_first_line_is_a_sentence_that_says_what_it_is(name: str) -> None:
    first, second = _text(name).splitlines()[:2]
    assert first.startswith("# ")
    assert first[2].isupper()
    # The default's first comment is a paragraph; the others say it in one line.
    if name != "default":
        assert first.endswith(".")
        assert second == "#" or not second.startswith("#")
    assert len(first) <= 128


@pytest.mark.parametrize("name", [name for name in NAMES if name != "default"])
def test_it_extends_the_default(name: str) -> None:
    assert "\nextends: default\n" in _text(name)


@pytest.mark.parametrize("name", NAMES)
def test_it_answers_what_the_exchange_is(name: str) -> None:
    answer = get(relay_from(name), "/api/v2/exchange/info")
    assert answer.status == 200
    assert answer.data["exchangeId"] == 2


@pytest.mark.parametrize("name", NAMES)
def test_no_money_comes_or_goes_in_an_hour_but_by_deposit(name: str) -> None:
    relay = relay_from(name)
    for _ in range(60):
        advance(relay, "1m")
        assert _held(relay.world) == {token: wei for token, wei in relay.world.ledger.deposited_wei.items() if wei}


@pytest.mark.parametrize("name", NAMES)
def test_the_same_start_gives_the_same_world_also_an_hour_later(name: str) -> None:
    one, other = relay_from(name), relay_from(name)
    assert digest(one) == digest(other)
    advance(one, "1h")
    for _ in range(60):
        advance(other, "1m")
    assert digest(one) == digest(other)


@pytest.mark.parametrize("name", NAMES)
def test_a_reset_brings_its_start_back(name: str) -> None:
    relay = relay_from(name)
    before = digest(relay)
    advance(relay, "1h")
    done(relay, "POST", "reset", {})
    assert relay.now_ms() == START_MS
    assert digest(relay) == before


@pytest.mark.parametrize("name", [name for name in NAMES if name != "default"])
def test_its_point_is_shown(name: str) -> None:
    """Some test beside this one is a client of it."""
    tests = (path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    assert any(f'Client("{name}"' in text for text in tests)
