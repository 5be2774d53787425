"""`MOCKRELAY_URL`: the same tests in worlds of a server that is already up."""

from __future__ import annotations

import json

import pytest

from mockrelay.relay import Relay
from mockrelay.testing import RelayerHandle
from mockrelay.web import serve
from tests.plugin.conftest import Run
from tests.plugin.test_isolation import LEFT_BEHIND


def worlds(server: RelayerHandle) -> list[str]:
    return [world["name"] for world in server.control("GET", "worlds")]


def test_nothing_left_behind_is_seen(server: RelayerHandle, run: Run) -> None:
    """The tests of the fixture in this process hold; all is in the path of the URL instead of its port."""
    source = LEFT_BEHIND.replace('.url.rpartition(":")[2]', ".url").replace(
        'isinstance(seen["late"], OSError)', '"late" not in seen'
    )
    run(source, "--mockrelay-start=2030-01-01T00:00:00Z").assert_outcomes(passed=4)


def test_a_test_has_a_world_of_its_own_that_is_removed(server: RelayerHandle, run: Run) -> None:
    result = run(
        """
        import pytest
        from api import sell

        @pytest.mark.relayer(choices={"http.error_status": "400"}, clock="2030-01-01T00:00:00Z")
        def test_it(relayer, make_relayer):
            assert "/w/" in relayer.url and relayer.url != make_relayer().url
            state = relayer.state()
            assert (state.limits, state.choices["http.error_status"], state.now_ms) == ("off", "400", 1893456000000)
            assert relayer.scenario == "default" and relayer.clock.rate == 0
            sell(relayer)
            relayer.clock.advance("1d")
            relayer.reset()
            state = relayer.state()
            assert (state.choices["http.error_status"], state.now_ms, state.orders) == ("400", 1893456000000, [])
            with pytest.raises(RuntimeError, match="a world of a server elsewhere"):
                relayer.relay
            with pytest.raises(RuntimeError, match="verifier and decide run in the relayer's process"):
                make_relayer(verifier=lambda account, request: None)

        def test_silent(relayer):
            relayer.fault("submit_order", code=102014)
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*unfired_fault: *on submit_order never fired*", "*- mockrelay -*"])
    assert worlds(server) == []
    assert server.requests.total == 0


def test_a_scenario_file_goes_along_with_its_world(server: RelayerHandle, pytester: pytest.Pytester, run: Run) -> None:
    own = 'format: 1\nname: own\nextends: default\nclock: {start: "2031-01-01T00:00:00Z"}\n'
    pytester.path.joinpath("own.yaml").write_text(own)
    pytester.path.joinpath("none.yaml").write_text("format: 1\nname: none\nextends: default\n")
    run(
        """
        import pytest

        @pytest.mark.relayer(scenario="own.yaml")
        def test_a_start_of_its_own(relayer):
            assert (relayer.scenario, relayer.clock.now_ms) == ("own", 1924992000000)

        @pytest.mark.relayer(scenario="none.yaml")
        def test_the_start_of_the_session(relayer):
            assert (relayer.scenario, relayer.clock.now_ms) == ("none", 1893456000000)
        """,
        "--mockrelay-start=2030-01-01T00:00:00Z",
    ).assert_outcomes(passed=2)


def test_a_wrong_token_is_told(server: RelayerHandle, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKRELAY_TOKEN", "wrong")
    result = run("def test_it(relayer): pass")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*asks for its token*MOCKRELAY_TOKEN*"])


def test_a_server_that_is_not_up_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(Relay.from_scenario("default")) as serving:
        monkeypatch.setenv("MOCKRELAY_URL", serving.url)
    result = run("def test_it(relayer): pass")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*the server at {serving.url}* does not answer: *; meant: a `mockrelay serve`*"])


def test_workers_share_one_server(server: RelayerHandle, run: Run) -> None:
    run(
        """
        import pytest
        from api import orders, sell

        @pytest.mark.parametrize("number", range(6))
        def test_it(relayer, number):
            assert sell(relayer)["resultInfo"]["code"] == 0
            assert orders(relayer)["data"]["totalNum"] == 1
        """,
        "-n2",
        apart=True,
        plugins=("xdist",),
    ).assert_outcomes(passed=6)
    assert worlds(server) == []


def test_the_record_of_a_world_is_text(server: RelayerHandle) -> None:
    """Whatever its first line is: one line of JSON is no JSON value here."""
    record = server.dump()
    assert isinstance(record, str)
    assert json.loads(record.splitlines()[0])
