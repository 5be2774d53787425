"""`explore`: it finds what is wrong with a client, tells it in a sentence and writes it as a scenario that repeats it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest import SkipTest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.database import InMemoryExampleDatabase

from mockrelay.client.call import ApiCall
from mockrelay.relay import Relay
from mockrelay.testing import RelayerHandle
from mockrelay.testing.calling import send
from mockrelay.testing.exploring import PlanLimits, explore, explored
from mockrelay.testing.strategies import valid_call
from tests.examples.explored import doings
from tests.examples.explored.client import Bug
from tests.examples.explored.sending import directly
from tests.support.processes import imported_by
from tests.testing.unsigned import Bodies

Doing = Callable[[RelayerHandle, Bug | None], None]
HURRIED = Path(doings.__file__).with_name("deploys_at_once.yaml")

FOUND: list[tuple[Bug, Doing, Path | None, str]] = [
    (Bug.UNKNOWN_IS_FAILED, doings.places_an_order, None, "the first `submit_order` is held as UNKNOWN"),
    (Bug.SIGNS_ANEW, doings.places_an_order, None, "the first `submit_order` is carried out and its answer lost"),
    (
        Bug.RETRIES_WITHOUT_LOOKING,
        doings.places_an_order,
        None,
        "the first `submit_order` is carried out and its answer lost",
    ),
    (Bug.STATUS_ONLY, doings.places_an_order, None, "the first `submit_order` is"),
    (Bug.CODE_ONLY, doings.withdraws, None, "`http.bare_error_body` is code_message"),
    (Bug.IGNORES_429, doings.places_an_order, None, "the first `submit_order` is refused for its rate"),
    (Bug.SECONDS_FOR_MS, doings.places_an_order, None, "every decision at its default"),
    (Bug.NO_LEADING_ZERO, doings.mints, None, "every decision at its default"),
    (Bug.LOSES_DIGITS, doings.sees_what_was_sold, None, "every decision at its default"),
    (Bug.MINTS_ANEW, doings.mints, None, "the first `mint_nft` is carried out and its answer lost"),
    (Bug.ONE_LETTER_CASE, doings.sees_what_was_sold, None, "`tx_type.case` is lower"),
    (Bug.FIRST_0X, doings.sees_the_contract, HURRIED, "each `nft_deploy` is processed after 30s"),
]


def found(
    test: Callable[[RelayerHandle], None], folder: Path, scenario: Path | Mapping[str, Any] | None = None, **wishes: Any
) -> tuple[str, Path]:
    """The sentence and the file of what is found."""
    with pytest.raises(AssertionError) as failure:
        explore(scenario=scenario, folder=folder, **wishes)(test)()
    sentence, written = failure.value.__notes__
    return sentence, Path(written.removeprefix("written to ").partition(";")[0])


@pytest.mark.parametrize(("bug", "doing", "scenario", "told"), FOUND, ids=[bug.name for bug, *_ in FOUND])
def test_a_planted_bug_is_found_told_and_written(
    bug: Bug, doing: Doing, scenario: Path | None, told: str, tmp_path: Path
) -> None:
    """Within the default budget, with the fewest deviations; the file repeats it without Hypothesis."""
    if scenario is not None:
        own = tmp_path / scenario.name
        own.write_bytes(scenario.read_bytes())
        scenario = own

    def test_client(relayer: RelayerHandle) -> None:
        # What it asserts is what counts: its client sends again what it may send again, without looking.
        relayer.allow("finding")
        doing(relayer, bug)

    sentence, file = found(test_client, tmp_path, scenario)
    assert sentence.startswith("test_client fails w"), sentence
    assert told in sentence
    assert sentence.count(" and ") - sentence.count("out and ") <= 1, "there are deviations that it does not need"
    extends = "extends: default" if scenario is None else f"extends: {scenario.name}"
    assert extends in file.read_text(encoding="utf-8")
    with pytest.raises(AssertionError):
        doing(RelayerHandle.of(Relay.from_scenario(file, clock="frozen", limits="off")), bug)
    doing(RelayerHandle.of(Relay.from_scenario(file, clock="frozen", limits="off")), None)


def test_a_test_that_never_fails_passes(tmp_path: Path) -> None:
    """It is run under many relayers, and nothing is written."""
    runs: list[int] = []

    def test_client(relayer: RelayerHandle) -> None:
        runs.append(relayer.clock.now_ms)
        assert send(relayer, ApiCall("get_tokens", {}, relayer.account("alice").api_key)).status != 404

    explore(folder=tmp_path)(test_client)()
    assert list(tmp_path.iterdir()) == []
    assert len(set(runs)) == 1, "every run starts at the same moment"


def test_each_single_deviation_is_tried_once_before_others_are_drawn(tmp_path: Path) -> None:
    """The plain run meets one choice with two other options, and two calls that may have a body of three kinds: eight runs
    after it, the same in every search, whatever is drawn then.
    """

    def runs(probe: bool) -> list[tuple[str, list[str]]]:
        seen = []

        def test_client(relayer: RelayerHandle) -> None:
            relayer.allow("unfired_fault")
            key = relayer.account("alice").api_key
            for market in ("LRC-ETH", "LRC-XXX"):
                send(relayer, ApiCall("get_depth", {"market": market, "level": 0, "limit": 1}, key))
            bodies = [entry.summary.partition("body of the answer ")[2].rstrip(")") for entry in relayer.requests]
            seen.append((relayer.state().choices["http.error_status"], bodies))

        wishes = settings(max_examples=1)
        explore(vary=["http.error_status"], trouble=["body"], probe=probe, folder=tmp_path, settings=wishes)(
            test_client
        )()
        return seen

    first = runs(probe=True)
    assert first[0] == ("split", ["", ""])
    assert first[1:3] == [("400", ["", ""]), ("200", ["", ""])]
    spoilt = [
        ("split", [*([""] * at), body, *([""] * (1 - at))]) for at in (0, 1) for body in ("html", "truncated", "empty")
    ]
    assert sorted(first[3:9]) == sorted(spoilt)
    assert runs(probe=True)[:9] == first[:9]
    assert len(runs(probe=False)) <= 3


def test_what_is_drawn_for_one_test_is_not_kept_for_another(tmp_path: Path) -> None:
    """Hypothesis would run the failures of any explored test first in all of them; the scenario is what repeats one."""
    kept = InMemoryExampleDatabase()

    def test_client(relayer: RelayerHandle) -> None:
        _sell(relayer, 1)

    wishes = settings(max_examples=50, database=kept)
    sentence, _ = found(test_client, tmp_path, trouble=["status"], vary=[], probe=False, settings=wishes)
    assert "is refused with status" in sentence
    assert kept.data == {}


def test_the_order_of_events_is_drawn(tmp_path: Path) -> None:
    """Two orders that end at one moment: which one ends first is open, and a client that counts on one is told so."""

    def test_client(relayer: RelayerHandle) -> None:
        for order_id in (1, 2):
            _sell(relayer, order_id)
        client = doings.client_of(relayer, "alice", None, directly)
        relayer.relay.clock.advance(70 * 86_400_000)
        client._order_id(1)
        ended = relayer.why(relayer.requests[-1].id).due
        assert [event.subject for event in ended] == [order.hash for order in relayer.orders]

    sentence, file = found(test_client, tmp_path, faults=0)
    assert sentence == ("test_client fails when the first time that events are due together, the second comes first")
    with pytest.raises(AssertionError):
        test_client(RelayerHandle.of(Relay.from_scenario(file, clock="frozen", limits="off")))


def _sell(relayer: RelayerHandle, order_id: int) -> None:
    client = doings.client_of(relayer, "alice", None, directly)
    order = {"exchangeId": 2, "accountId": 10001, "tokenSId": 1, "tokenBId": 0, "buy": "false", "label": 1}
    order |= {"amountS": str(10**20), "amountB": str(10**18), "maxFeeBips": 63, "clientOrderId": str(order_id)}
    assert client.place(order | {"signatureRx": "1", "signatureRy": "2", "signatureS": "3"}) == "done"


def test_the_budget_of_faults_is_kept(tmp_path: Path) -> None:
    """No fault where the author sets none; readings are left alone where the author says so."""
    met: list[tuple[int, str]] = []

    def test_client(relayer: RelayerHandle) -> None:
        met.append((len(relayer.faults), relayer.state().choices["order_id.get"]))
        _sell(relayer, 1)

    explore(folder=tmp_path, faults=0, keep=["order_id.get"], settings=settings(max_examples=20))(test_client)()
    assert set(met) == {(0, "peek")}, "in no run, those too that only show what is met"


def test_trouble_with_the_rate_obeys_and_draws_the_choices_about_it(tmp_path: Path) -> None:
    """A client that knows a limit by status 429 alone is told the option under which it fails."""
    seen: set[tuple[int, str]] = set()

    def test_client(relayer: RelayerHandle) -> None:
        answer = send(relayer, ApiCall("get_tokens", {}, relayer.account("alice").api_key))
        seen.add((answer.status, relayer.state().choices["rate.status"]))
        assert answer.status == 429 or answer.is_accepted

    sentence, _ = found(test_client, tmp_path, trouble=["rate"], settings=settings(max_examples=1))
    assert sentence == "test_client fails when the first `get_tokens` is refused for its rate and `rate.status` is 200"
    assert seen == {(200, "429"), (429, "429"), (200, "200")}


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("trouble", ["los"], "trouble: 'los' is unknown"),
        ("vary", ["x"], "vary: 'x' is unknown"),
        ("keep", ["y"], "keep: 'y' is unknown"),
        ("trouble", "rate", "trouble: found 'rate'; meant: a list of words, such as "),
        ("vary", "order_id.get", "vary: found 'order_id.get'; meant: a list of words, such as "),
        ("vary", 0, "vary: found 0; meant: a list of words, such as "),
        ("faults", -1, "faults: found -1; meant: a whole number, 0 or more"),
        ("faults", "1", "faults: found '1'; meant: a whole number, 0 or more"),
        ("limits", "sepc", "explore: limits: found 'sepc'; meant: spec, off, or a dict such as "),
        ("limits", {"get_dept": 1}, "explore: limits: get_dept: found "),
        ("choices", 5, "explore: choices: found 5; meant: a dict such as "),
        ("choices", {"http.eror_status": "400"}, "http.error_status"),
        ("scenario", 5, "explore: scenario: found 5; meant: the name of a packaged scenario, a file, or a dict "),
        ("calls_max", 0, "explore: calls_max: found 0; meant: a whole number above 0"),
        ("calls_max", 1.5, "explore: calls_max: found 1.5; meant: a whole number above 0"),
        ("run_timeout_s", "30", "explore: run_timeout_s: found '30'; meant: a number of seconds above 0"),
        ("run_timeout_s", float("nan"), "explore: run_timeout_s: found nan; meant: a number of seconds above 0"),
        ("probe", 1, "explore: probe: found 1; meant: True or False"),
        ("settings", 20, r"explore: settings: found 20; meant: hypothesis.settings\(...\)"),
        ("folder", 5, "explore: folder: found 5; meant: a folder, beside the test"),
    ],
)
def test_a_wrong_argument_is_refused_where_the_test_is_decorated(argument: str, value: object, message: str) -> None:
    wishes: dict[str, Any] = {argument: value}
    with pytest.raises(ValueError, match=message):
        explore(**wishes)


def test_scenario_and_limits_are_dicts_as_for_the_marker(tmp_path: Path) -> None:
    """Limits of the test over those of its scenario; what is written has both."""
    calls = ("get_tokens", "get_tokens", "get_exchange_info", "get_exchange_info")
    statuses: list[int] = []

    def test_client(relayer: RelayerHandle) -> None:
        statuses[:] = [send(relayer, ApiCall(name, {}, relayer.account("alice").api_key)).status for name in calls]
        assert statuses == [200, 200, 200, 200]

    scenario = {"extends": "default", "limits": {"get_tokens": 1, "get_exchange_info": 1}}
    sentence, file = found(test_client, tmp_path, scenario, limits={"get_tokens": "none"}, faults=0, vary=[])
    assert (sentence, statuses) == ("test_client fails with every decision at its default", [200, 200, 200, 429])
    with pytest.raises(AssertionError):
        test_client(RelayerHandle.of(Relay.from_scenario(file, clock="frozen", limits="spec")))
    assert statuses == [200, 200, 200, 429]


@pytest.mark.parametrize("thing", ["default", 5])
def test_what_is_no_test_is_refused(thing: Any) -> None:
    with pytest.raises(
        TypeError, match=f"explore: found {thing!r}; meant: a test, as in @explore, or arguments by name"
    ):
        explore(thing)


def test_a_test_without_a_relayer_is_refused() -> None:
    with pytest.raises(TypeError, match="does not take `relayer`"):
        explore()(lambda: None)


@pytest.mark.parametrize(
    "skipped", [SkipTest("not now"), pytest.skip.Exception("not now"), pytest.xfail.Exception("no")]
)
def test_a_run_that_is_skipped_or_expected_to_fail_is_no_failure(skipped: BaseException, tmp_path: Path) -> None:
    """A plain one ends the test; others leave the search to go on, which finds what is wrong elsewhere."""
    option = ""

    def test_client(relayer: RelayerHandle) -> None:
        relayer.allow("finding")
        send(relayer, ApiCall("get_ticker", {}, relayer.account("alice").api_key))
        now = relayer.state().choices["http.error_status"]
        assert now != option
        if now == "400" or not option:
            raise skipped

    explorer = explore(folder=tmp_path, faults=0, vary=["http.error_status"], settings=settings(max_examples=1))
    with pytest.raises(type(skipped)):
        explorer(test_client)()
    option = "200"
    with pytest.raises(AssertionError):
        explorer(test_client)()


def test_the_scenarios_of_two_tests_are_two_files(tmp_path: Path) -> None:
    """Although the tests have one name."""

    class TestA:
        @staticmethod
        def test_client(relayer: RelayerHandle) -> None:
            raise AssertionError(relayer.accounts)

    class TestB:
        @staticmethod
        def test_client(relayer: RelayerHandle) -> None:
            raise AssertionError(relayer.accounts)

    _, one = found(TestA.test_client, tmp_path)
    _, other = found(TestB.test_client, tmp_path)
    assert one != other


def test_the_strategy_hands_out_a_relayer() -> None:
    """For tests that draw more than the relayer's decisions."""
    relayer = RelayerHandle.of(Relay.from_scenario("default", clock="frozen", limits="off"))
    seen: set[str] = set()
    limits = PlanLimits(faults=1, vary=["http.error_status"])

    @settings(max_examples=30)
    @given(drawn=explored(relayer, calls={"submit_order": 1}, limits=limits), amount=st.integers(1, 5))
    def check(drawn: RelayerHandle, amount: int) -> None:
        seen.add(drawn.state().choices["http.error_status"])
        assert len(drawn.faults) <= 1
        assert drawn.account("alice").deposit("LRC", amount) is not None

    check()
    assert seen == {"split", "400", "200"}


def _signed(relayer: RelayerHandle, label: int = 1) -> ApiCall:
    """An order of alice's with her signature."""
    alice = relayer.account("alice")
    signed = alice.sign("submit_order", {**Bodies(relayer).order(alice, 0), "label": label})
    return ApiCall("submit_order", signed.body, alice.api_key)


def test_a_client_that_signs_is_explored_where_signatures_are_verified(tmp_path: Path) -> None:
    """One that signs another order after an answer that it lost is found, and the file verifies signatures too."""
    codes: set[int | None] = set()

    def test_client(relayer: RelayerHandle) -> None:
        relayer.allow("finding")
        answer = send(relayer, _signed(relayer))
        if answer.status == 0:
            answer = send(relayer, _signed(relayer, label=2))
            assert answer.code != 102004, "another order has the id by now"
        codes.add(answer.code)

    sentence, file = found(test_client, tmp_path, choices={"signature.scheme": "protocol"})
    assert sentence == ("test_client fails when the first `submit_order` is carried out and its answer lost")
    assert 0 in codes
    assert 104005 not in codes
    repeated = RelayerHandle.of(Relay.from_scenario(file, clock="frozen", limits="off"))
    assert repeated.state().choices["signature.scheme"] == "protocol"
    with pytest.raises(AssertionError, match="another order"):
        test_client(repeated)


def test_whether_signatures_are_verified_is_drawn_where_it_is_asked_for(tmp_path: Path) -> None:
    """A client whose signatures are well-formed and wrong is found by it, and by nothing else."""

    def test_client(relayer: RelayerHandle) -> None:
        signed = _signed(relayer)
        assert send(relayer, signed.but(label=3)).code in (0, 100000, 102014, 102027, None)

    explore(folder=tmp_path, faults=0, settings=settings(max_examples=20))(test_client)()
    sentence, _ = found(test_client, tmp_path, faults=0, vary=["signature.scheme"])
    assert sentence == "test_client fails when `signature.scheme` is protocol"


def test_calls_can_be_drawn_for_an_explored_relayer_that_verifies() -> None:
    """Whatever is drawn for its readings, calls that are drawn for it then are signed and right."""
    relay = Relay.from_scenario("default", clock="frozen", limits="off", choices={"signature.scheme": "protocol"})
    relayer = RelayerHandle.of(relay)

    @settings(max_examples=15)
    @given(drawn=explored(relayer, calls={}), data=st.data())
    def check(drawn: RelayerHandle, data: st.DataObject) -> None:
        for name in ("submit_order", "update_account", "submit_transfer", "deploy_nft_contract"):
            if name != "deploy_nft_contract" or drawn.state().choices["nft.optional_fields"] == "lenient":
                assert send(drawn, data.draw(valid_call(drawn, name))).is_accepted

    check()


def test_hypothesis_is_imported_by_those_who_use_it() -> None:
    """The handle alone does not bring it; the names of what needs it are there all the same."""
    code = (
        "import mockrelay.testing as testing; "
        "assert {'RelayMachine', 'explore', 'ApiCall'} < set(testing.__all__) < set(dir(testing)); "
        "assert 'hypothesis' not in sys.modules; testing.ApiCall, testing.ApiAnswer; "
        "assert 'hypothesis' not in sys.modules; "
        "testing.explore, testing.RelayMachine, testing.valid_call"
    )
    assert "hypothesis" in imported_by(code)
