"""`extends`: maps merge, four lists merge item by item, everything else replaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from mockrelay.core.config import Stage
from mockrelay.scenario import Scenario, ScenarioError, load, load_text
from mockrelay.spec.request_kinds import AfterUnit, Duration, FeeKind, RequestKind
from mockrelay.spec.vocab import RequestStatus
from tests.scenario.texts import HEAD

BASE = HEAD + (
    "name: base\n"
    "choices: {pending.shape: object, http.error_status: '400'}\n"
    "limits: {submit_order: 10, get_depth: none}\n"
    "faults: [{name: lag, on: submit_order, code: 102014, when: {accountId: 10001}}, {on: get_depth, code: 7}]\n"
    "lifecycles: {cancel: {cancelling: {after: hand}}}\n"
)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "base.yaml"
    path.write_text(BASE, encoding="utf-8")
    return path


def child(base: Path, text: str, name: str = "child.yaml") -> Scenario:
    path = base.parent / name
    path.write_text(f"format: 1\nextends: {base.name}\n{text}", encoding="utf-8")
    return load(path)


def test_a_child_that_says_nothing_is_its_base_under_its_own_name(base: Path) -> None:
    found = child(base, "")
    assert found.name == "child"
    assert load(base).name == "base"
    assert found.accounts == load("default").accounts
    assert found.choices == {"pending.shape": "object", "http.error_status": "400"}
    assert found.config.cancel == Duration(AfterUnit.HAND, 0)


def test_maps_merge(base: Path) -> None:
    found = child(base, "choices: {pending.shape: list}\nlimits: {submit_order: none, get_ticker: 1}\n")
    assert found.choices == {"pending.shape": "list", "http.error_status": "400"}
    assert found.config.limits == {"submit_order": None, "get_depth": None, "get_ticker": 1}
    assert found.limits_on


def test_a_word_replaces_a_map_and_a_map_a_word(base: Path) -> None:
    off = child(base, "limits: off\n")
    assert (off.limits_on, off.config.limits) == (False, {})
    on = child(base.parent / "child.yaml", "limits: {get_ticker: 2}\n", "grandchild.yaml")
    assert (on.limits_on, on.config.limits) == (True, {"get_ticker": 2})


def test_accounts_merge_by_name_and_new_ones_follow() -> None:
    found = load_text(
        HEAD + "accounts:\n  - {name: bob, frozen: true, balances: {LRC: '7'}}\n  - {name: dave, accountId: 4}\n"
    )
    default = load("default")
    assert [account.name for account in found.accounts] == ["alice", "bob", "carol", "dave"]
    assert found.accounts[1] == default.accounts[1]._replace(frozen=True)
    world = found.world(0)
    assert world.ledger.balance(10002, 1).free_wei == 7
    assert world.ledger.balance(10002, 0) == default.world(0).ledger.balance(10002, 0)
    assert world.ledger.deposited_wei[1] == default.world(0).ledger.deposited_wei[1] - 20_000_000 * 10**18 + 7


def test_tokens_merge_by_symbol_and_markets_by_market() -> None:
    found = load_text(
        HEAD
        + "tokens:\n  - {symbol: USDT, enabled: false}\n"
        + "  - {symbol: XYZ, tokenId: 9, decimals: 2, minOrderAmount: '1', maxOrderAmount: '9'}\n"
        + "markets:\n  - {market: LRC-ETH, levels: [0]}\n  - {market: XYZ-USDT, pricePrecision: 2, levels: [0, 1]}\n"
    ).config
    tokens = {token.symbol: token for token in found.tokens.values()}
    assert (tokens["USDT"].enabled, tokens["USDT"].token_id, tokens["DAI"].enabled) == (False, 3, True)
    assert (tokens["XYZ"].precision, tokens["XYZ"].type, tokens["XYZ"].dust_order_wei) == (2, "ERC20", 0)
    assert (found.markets["LRC-ETH"].levels, found.markets["LRC-ETH"].price_precision) == ((0,), 8)
    assert found.market_of_pair[3, 9] == (found.markets["XYZ-USDT"], False)


def test_faults_merge_by_name_and_the_nameless_add_up(base: Path) -> None:
    found = child(base, "faults: [{name: lag, code: 102011, when: {orderId: 0}}, {on: get_ticker, code: 8}]\n").faults
    assert [(fault.match.on, fault.effect.code) for fault in found] == [
        ("submit_order", 102011),
        ("get_depth", 7),
        ("get_ticker", 8),
    ]
    assert found[0].match.when == {"accountId": 10001, "orderId": 0}
    assert {fault.effect.kind for fault in found} == {"code"}


def test_other_lists_replace() -> None:
    fees = load_text(HEAD + "exchange: {transferFees: [{token: DAI, fee: '5'}]}\n").config.fees
    assert fees[FeeKind.TRANSFER] == {5: 5}
    assert list(fees[FeeKind.WITHDRAWAL]) == [0, 1, 3, 5]


def test_fees_merge_by_token_and_none_takes_one_away() -> None:
    found = load_text(HEAD + "fees: {NFT_MINT: {LRC: '7', DAI: none}}\n").config.fees
    default = load("default").config.fees
    assert found[FeeKind.NFT_MINT] == {0: default[FeeKind.NFT_MINT][0], 1: 7, 3: default[FeeKind.NFT_MINT][3]}
    assert {**found, FeeKind.NFT_MINT: {}} == {**default, FeeKind.NFT_MINT: {}}


def test_what_a_state_waits_for_is_one_thing_and_replaces() -> None:
    """`after` of default.yaml is {blocks: 1} here, which would not mix with {polls: 3}."""
    found = load_text(HEAD + "lifecycles: {withdrawal: {processing: {after: {polls: 3}, then: failed}}}\n").config
    stages = found.lifecycles[RequestKind.WITHDRAWAL]
    assert stages[RequestStatus.PROCESSING] == Stage(Duration(AfterUnit.POLLS, 3), fails=True)
    assert stages[RequestStatus.RECEIVED] == Stage(Duration(AfterUnit.TIME, 0))


def test_a_failure_can_be_laid_over_a_state() -> None:
    found = load_text(HEAD + "lifecycles: {nft_withdrawal: {processing: {then: failed}}}\n").config
    assert found.lifecycles[RequestKind.NFT_WITHDRAWAL] == {
        RequestStatus.PROCESSING: Stage(Duration(AfterUnit.BLOCKS, 1), fails=True)
    }


@pytest.mark.parametrize(
    ("seal", "rules"),
    [
        ("{every: 5s}", (5000, 100)),
        ("{size: 1}", (10_000, 1)),
        ("{every: none}", (None, 100)),
        ("{size: none}", (10_000, None)),
        ("hand", (None, None)),
    ],
)
def test_the_rules_of_sealing_merge(seal: str, rules: tuple[int | None, int | None]) -> None:
    found = load_text(HEAD + f"blocks: {{seal: {seal}}}\n").config.blocks
    assert (found.seal_every_ms, found.seal_size) == rules
    assert (found.confirm, found.finalize) == (Duration(AfterUnit.TIME, 30_000), Duration(AfterUnit.TIME, 120_000))


def test_a_mistake_is_reported_in_the_file_that_made_it(base: Path) -> None:
    base.write_text(BASE + "seed: [1]\n", encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        child(base, "clock: {start: '2026-01-01T00:00:00Z'}\n")
    assert (caught.value.file, caught.value.line, caught.value.column) == (str(base), 8, 7)


def test_a_circle_is_refused(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "c"), ("c", "b")):
        (tmp_path / f"{name}.yaml").write_text(f"format: 1\nextends: {other}.yaml\n", encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load(tmp_path / "a.yaml")
    files = " > ".join(str(tmp_path / f"{name}.yaml") for name in "abcb")
    assert str(caught.value) == (
        f"{tmp_path / 'c.yaml'}:2:10: found a circle: {files}; meant a scenario that does not lead back here"
    )


def test_no_path_leaves_the_folder_of_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("format: 1\n", encoding="utf-8")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    scenario = tmp_path / "inner" / "w.yaml"
    for path in ("../secret.yaml", str(tmp_path / "secret.yaml"), "link.yaml"):
        scenario.write_text(f"format: 1\nextends: '{path}'\n", encoding="utf-8")
        with pytest.raises(ScenarioError) as caught:
            load(scenario)
        assert str(caught.value) == (
            f"{scenario}:2:10: found the path '{path}', which leaves the scenario's folder; meant a file in it or below it"
        )


def test_a_text_extends_shipped_scenarios_only() -> None:
    with pytest.raises(ScenarioError) as caught:
        load_text("format: 1\nextends: base.yaml\n")
    assert (caught.value.place, caught.value.found) == ("<text>:2:10", "the path 'base.yaml'")


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError) as caught:
        load("defualt")
    assert (
        str(caught.value) == "defualt: found the scenario 'defualt', which is not shipped; meant 'default', or a path"
    )
    assert (caught.value.line, caught.value.column) == (0, 0)
    missing = tmp_path / "w.yaml"
    with pytest.raises(ScenarioError) as caught:
        load(str(missing))
    assert str(caught.value) == f"{missing}: found no such file; meant a scenario file"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("basis.yaml", "found no such file; meant a scenario file"),
        ('"a\\0b.yaml"', r"found the path 'a\x00b.yaml', which no file can have; meant a scenario file"),
    ],
)
def test_a_base_that_is_not_there_is_refused_where_it_is_named(tmp_path: Path, path: str, message: str) -> None:
    scenario = tmp_path / "w.yaml"
    scenario.write_text(f"format: 1\nextends: {path}\n", encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load(scenario)
    assert str(caught.value) == f"{scenario}:2:10: {message}"


WRONG_RATE = "format: 1\nextends: default\nrates: {maker: -1}\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("format: 1\nname: é".encode() + b"\xff\n", "2:8: found bytes that are not UTF-8; meant a file in UTF-8"),
        (HEAD.encode("utf-16-le"), "1:2: found a character that YAML does not allow; meant printable text"),
        (WRONG_RATE.encode("utf-8-sig"), "3:16: found the number -1; meant a whole number from 0 to 10000"),
        (WRONG_RATE.replace("\n", "\r\n").encode(), "3:16: found the number -1; meant a whole number from 0 to 10000"),
    ],
    ids=["not UTF-8", "UTF-16", "byte order mark", "CRLF"],
)
def test_a_file_is_utf_8_with_any_line_ends_and_places_count_its_characters(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "w.yaml"
    path.write_bytes(content)
    with pytest.raises(ScenarioError) as caught:
        load(path)
    assert str(caught.value) == f"{path}:{message}"


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "w.yaml"
    path.write_bytes(b"\xef\xbb\xbfformat: 1\r\nextends: default\r\n")
    assert load(path).name == "w"
