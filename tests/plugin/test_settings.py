"""Marker, command line, ini file and `make_relayer`: what each sets, which one wins, and what a wrong one is told."""

from __future__ import annotations

import pytest

from mockrelay.relay import Relay
from mockrelay.web import serve
from tests.plugin.conftest import INI, Run

SCENARIO = 'format: 1\nname: {name}\nextends: default\nclock: {{start: "2031-01-01T00:00:00Z"}}\n'


def test_a_scenario_lies_beside_its_test_or_at_the_root(pytester: pytest.Pytester, run: Run) -> None:
    for place in ("beside", "root"):
        folder = pytester.mkdir("sub") if place == "beside" else pytester.path
        folder.joinpath(f"{place}.yaml").write_text(SCENARIO.format(name=f"at_{place}"))
    pytester.path.joinpath("sub", "test_sub.py").write_text(
        "import pytest\n"
        "@pytest.mark.relayer(scenario='beside.yaml')\n"
        "def test_beside(relayer):\n"
        "    assert (relayer.scenario, relayer.clock.now_ms) == ('at_beside', 1924992000000)\n"
        "@pytest.mark.relayer(scenario='root.yaml')\n"
        "def test_root(relayer, make_relayer):\n"
        "    assert relayer.scenario == 'at_root'\n"
        "    assert make_relayer(scenario='beside.yaml').scenario == 'at_beside'\n"
        "@pytest.mark.relayer(scenario='beside.yaml', clock='2032-01-01T00:00:00Z')\n"
        "def test_a_moment_of_the_marker_goes_over_the_scenarios(relayer):\n"
        "    assert relayer.clock.now_ms == 1956528000000\n"
    )
    run("", "sub").assert_outcomes(passed=3)


def test_the_nearest_marker_wins_and_choices_add_up(run: Run) -> None:
    run(
        """
        import pytest

        pytestmark = pytest.mark.relayer(limits="spec", choices={"http.error_status": "400", "rate.status": "200"})

        @pytest.mark.relayer(choices={"rate.status": "429"})
        class TestIt:
            @pytest.mark.relayer(limits="off", clock=60)
            def test_it(self, relayer):
                state = relayer.state()
                assert (state.limits, state.choices["http.error_status"], state.choices["rate.status"]) == (
                    "off", "400", "429"
                )
                assert relayer.clock.rate == 60

            def test_other(self, relayer):
                assert relayer.state().limits == "spec" and relayer.clock.rate == 0
        """
    ).assert_outcomes(passed=2)


def test_the_command_line_goes_over_the_ini_file_and_the_marker_over_both(pytester: pytest.Pytester, run: Run) -> None:
    pytester.path.joinpath("other.yaml").write_text(SCENARIO.format(name="other"))
    source = """
        import pytest

        def test_run(relayer):
            state = relayer.state()
            print("told", relayer.scenario, state.limits, state.choices["http.error_status"],
                  state.choices["fee.charged"], relayer.strict, relayer.clock.rate)

        @pytest.mark.relayer(scenario="default", limits="off", choices={"http.error_status": "split"}, strict=False)
        def test_marker(relayer):
            state = relayer.state()
            print("told", relayer.scenario, state.limits, state.choices["http.error_status"], relayer.strict)
    """
    ini = (
        INI
        + "mockrelay_scenario = other.yaml\nmockrelay_limits = spec\nmockrelay_strict = true\nmockrelay_clock = 60\n"
        "mockrelay_set =\n  http.error_status=200\n  fee.charged=max_fee\n"
    )
    result = run(source)  # writes the files
    pytester.makeini(ini)
    result = pytester.runpytest_inprocess("-s", "--mockrelay-set", "http.error_status=400", "--mockrelay-clock=frozen")
    result.assert_outcomes(passed=2)
    told = [line.partition("told ")[2].rstrip(".") for line in result.outlines if "told " in line]
    assert told == ["other spec 400 max_fee True 0.0", "default off split False"]


def test_the_profile_comes_from_marker_option_or_reset(run: Run) -> None:
    source = """
        import pytest

        def is_live(relayer):
            return relayer.state().choices["http.numbers"] == "lenient"

        @pytest.mark.relayer(profile="live")
        def test_marker(relayer):
            assert is_live(relayer)
            relayer.reset()
            assert is_live(relayer)

        def test_reset(relayer):
            assert not is_live(relayer)
            relayer.reset(profile="live")
            assert is_live(relayer)
            relayer.reset()
            assert not is_live(relayer)
    """
    run(source).assert_outcomes(passed=2)
    run(source, "--mockrelay-profile=live", "-k", "test_marker").assert_outcomes(passed=1, deselected=1)


@pytest.mark.parametrize(
    ("marker", "meant"),
    [
        ("choises={}", "@pytest.mark.relayer: there is no 'choises'; meant: 'choices'"),
        ("choices={'http.eror_status': '400'}", "*no choice of this name; meant http.error_status"),
        ("choices={'http.error_status': '404'}", "*http.error_status*'404'*"),
        ("scenario='defualt'", "@pytest.mark.relayer: scenario: *'defualt'*default*"),
        ("scenario='none.yaml'", "*there is no file none.yaml; meant: a file beside the test or at the root*"),
        ("profile='life'", "@pytest.mark.relayer: profile: 'life' is not a profile; meant: 'live'"),
        ("limits='of'", "*'of' is not known; meant: 'off'"),
        (
            "limits={'get_dept': 1}",
            "@pytest.mark.relayer: limits: get_dept: found the unknown name 'get_dept'; meant: 'get_depth'",
        ),
        ("limits={'get_depth': 0}", "*limits: get_depth: found the number 0; meant: a whole number*or none"),
        (
            "scenario={'extends': 'defualt'}",
            "@pytest.mark.relayer: scenario: extends: found *'defualt'*meant 'default'*",
        ),
        (
            "scenario={'extends': 'default', 'faults': [{'on': 'get_depth', 'cod': 7}]}",
            "@pytest.mark.relayer: scenario: faults[[]0[]].cod: found the unknown key 'cod'; meant 'code'",
        ),
        (
            "scenario={'extends': 'default', 'seed': 1.5}",
            "*scenario: seed: found the number 1.5; meant a text, a whole *",
        ),
        ("scenario={'extends': '../x.yaml'}", "*scenario: extends: *leaves the scenario's folder*"),
        ("clock='frosen'", "*'frosen' is not a clock; meant: frozen, real, a rate such as 60, or a moment*"),
        ("strict='yes'", "*'yes' is neither True nor False"),
        ("allow='unknown_pth'", "@pytest.mark.relayer: allow: there is no kind 'unknown_pth'; meant: 'unknown_path'"),
        (
            "'default'",
            "@pytest.mark.relayer: it takes names only: scenario, profile, choices, clock, limits, strict, allow*",
        ),
    ],
)
def test_a_wrong_marker_is_told_what_was_meant(run: Run, marker: str, meant: str) -> None:
    """In one line, as an error of the test's set-up, without a trace of the plugin's inner workings."""
    result = run(f"import pytest\n@pytest.mark.relayer({marker})\ndef test_it(relayer): pass")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"mockrelay: {meant}"])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*During handling*")


LIMITS = """
    import pytest
    from api import call

    def calls(relayer, count):
        headers = relayer.account("alice").headers
        return [call(relayer.url, "GET", "/api/v2/exchange/tokens", headers)["resultInfo"]["code"] for _ in range(count)]

    def depths(relayer, count):
        headers, path = relayer.account("alice").headers, "/api/v2/depth?market=LRC-ETH&level=0"
        answers = [call(relayer.url, "GET", path, headers) for _ in range(count)]
        return [answer.get("resultInfo", {"code": 0})["code"] for answer in answers]
"""


def test_limits_are_on_where_the_scenario_has_some(pytester: pytest.Pytester, run: Run) -> None:
    """The specification allows 3 of these calls in a second."""
    pytester.path.joinpath("two.yaml").write_text("format: 1\nname: two\nextends: default\nlimits: {get_tokens: 2}\n")
    run(
        LIMITS
        + """
    @pytest.mark.relayer(scenario="two.yaml")
    def test_on(relayer):
        assert relayer.state().limits == "spec"
        assert calls(relayer, 3) == [0, 0, 100000]

    @pytest.mark.relayer(scenario="two.yaml", limits="off")
    def test_off(relayer):
        assert calls(relayer, 5) == [0] * 5

    def test_default(relayer, make_relayer):
        assert relayer.state().limits == "off"
        assert make_relayer(scenario="two.yaml").state().limits == "spec"

    def test_reset(relayer):
        relayer.reset(scenario="two.yaml")
        assert relayer.state().limits == "spec"
        relayer.reset()
        assert relayer.state().limits == "off"
        relayer.reset(scenario="two.yaml", limits="off")
        assert relayer.state().limits == "off"
    """
    ).assert_outcomes(passed=4)


def test_limits_are_laid_over_those_of_the_scenario(pytester: pytest.Pytester, run: Run) -> None:
    pytester.path.joinpath("two.yaml").write_text("format: 1\nname: two\nextends: default\nlimits: {get_tokens: 2}\n")
    run(
        LIMITS
        + """
    @pytest.mark.relayer(limits={"get_tokens": 1, "get_depth": None})
    def test_marker(relayer, make_relayer):
        assert relayer.scenario == "default"
        assert calls(relayer, 2) == [0, 100000]
        assert depths(relayer, 20) == [0] * 20
        assert calls(make_relayer(limits="spec"), 4) == [0, 0, 0, 100000]
        relayer.reset()
        assert calls(relayer, 2) == [0, 100000]

    @pytest.mark.relayer(scenario="two.yaml", limits={"get_depth": 1})
    def test_of_a_file(relayer):
        assert relayer.scenario == "two"
        assert (calls(relayer, 3), depths(relayer, 2)) == ([0, 0, 100000], [0, 100000])

    @pytest.mark.relayer(scenario={"extends": "two.yaml", "limits": {"get_depth": 2}}, limits={"get_depth": 1})
    def test_of_a_document(relayer):
        assert (calls(relayer, 3), depths(relayer, 2)) == ([0, 0, 100000], [0, 100000])
    """
    ).assert_outcomes(passed=3)


SCENARIO_DOCUMENT = """
    import pytest

    @pytest.mark.relayer(scenario={"extends": "busy_market", "name": "mine", "choices": {"order.dust": "keep"}})
    def test_it(relayer, make_relayer):
        assert relayer.scenario == "mine"
        assert relayer.state().choices["order.dust"] == "keep"
        assert relayer.orders
        alice = {"name": "alice", "balances": {"LRC": "7"}}
        poor = make_relayer(scenario={"extends": "default", "accounts": [alice]})
        assert poor.account("alice").balances["LRC"].free == 7
        assert poor.account("bob").balances["LRC"].free > 7
        poor.account("alice").deposit("LRC", 1)
        poor.reset()
        assert poor.account("alice").balances["LRC"].free == 7
        of_file = make_relayer(scenario={"extends": "base.yaml"}, clock="frozen")
        assert of_file.clock.now_ms == 1924992000000
"""


@pytest.mark.parametrize("is_remote", [False, True], ids=["in process", "in a world"])
def test_a_scenario_may_be_a_document(
    pytester: pytest.Pytester, run: Run, monkeypatch: pytest.MonkeyPatch, *, is_remote: bool
) -> None:
    pytester.path.joinpath("base.yaml").write_text(SCENARIO.format(name="base"))
    with serve(Relay.from_scenario("default")) as serving:
        if is_remote:
            monkeypatch.setenv("MOCKRELAY_URL", serving.url)
        run(SCENARIO_DOCUMENT).assert_outcomes(passed=1)


def test_the_name_of_a_file_without_its_ending_is_told_the_file(pytester: pytest.Pytester, run: Run) -> None:
    pytester.path.joinpath("good.yaml").write_text(SCENARIO.format(name="good"))
    result = run("import pytest\n@pytest.mark.relayer(scenario='good')\ndef test_it(relayer): pass")
    meant = "'good' is not a shipped scenario; meant: the file 'good.yaml'"
    result.stdout.fnmatch_lines([f"mockrelay: @pytest.mark.relayer: scenario: {meant}"])


def test_a_wrong_word_in_the_ini_file_is_told_whose_it_is(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini(f"{INI}mockrelay_strict = maybe\n")
    result = run("def test_it(): pass")
    result.stderr.fnmatch_lines(["*the ini file: mockrelay_strict: *'maybe'; meant: true or false"])


def test_a_wrong_address_in_the_environment_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKRELAY_URL", "localhost:4627")
    result = run("def test_it(): pass")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    meant = "'localhost:4627' is not the address of a server; meant: http://HOST:PORT"
    result.stderr.fnmatch_lines([f"ERROR: MOCKRELAY_URL: {meant}"])


def test_a_wrong_setting_is_told_where_it_comes_from(
    pytester: pytest.Pytester, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("def test_it(): pass")
    for ini in ("scenario = zz", "set = http.eror_status=400", "limits = on"):
        pytester.makeini(f"{INI}mockrelay_{ini}\n")
        result = pytester.runpytest_inprocess()
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"ERROR: the ini file: mockrelay_{ini.partition(' ')[0]}: *meant*"])
    pytester.makeini(INI)
    monkeypatch.setenv("MOCKRELAY_SET", "http.eror_status=400")
    result = pytester.runpytest_inprocess("--mockrelay-set=http.error_status=400")
    result.stderr.fnmatch_lines(["ERROR: MOCKRELAY_SET: http.eror_status: *; meant http.error_status"])


def test_the_report_of_a_red_test_says_which_answer_is_held_back(run: Run) -> None:
    result = run(
        """
        import pytest
        from mockrelay.testing import RelayerHandle
        from mockrelay.wire.http import RawRequest

        @pytest.mark.relayer(clock="2030-01-01T00:00:00Z")
        def test_it(relayer):
            relayer.fault("get_tokens", delay="30s")
            path = "/api/v2/exchange/tokens"
            headers = {"x-api-key": relayer.account("alice").api_key}
            raw = RawRequest("GET", path, path, (), headers, b"", "http", "localhost", "127.0.0.1")
            relayer.relay.handle(raw, relayer.clock.now_ms)
            assert False
        """
    )
    result.stdout.fnmatch_lines(
        ["*r1 GET *get_tokens* -> no answer before 2030-01-01T00:00:30Z (fault f1: held for 30s)"]
    )


def test_a_wrong_argument_of_make_relayer_is_told_what_was_meant(run: Run) -> None:
    run(
        """
        import pytest

        def test_it(make_relayer):
            with pytest.raises(ValueError, match="make_relayer: there is no 'scenaro'; meant: 'scenario'"):
                make_relayer(scenaro="default")
        """
    ).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("option", "meant"),
    [
        ("--mockrelay-start=yesterday", "ERROR: --mockrelay-start: 'yesterday' is not a moment; meant: *"),
        ("--mockrelay-set=http.error_status", "ERROR: --mockrelay-set http.error_status: meant: KEY=OPTION*"),
        ("--mockrelay-set=http.eror_status=1", "ERROR: --mockrelay-set: http.eror_status: *; meant http.error_status"),
        ("--mockrelay-profile=real", "ERROR: --mockrelay-profile: 'real' is not a profile; meant: *"),
        ("--mockrelay-limits=on", "ERROR: --mockrelay-limits: 'on' is not known; meant: *"),
        ("--mockrelay-scenario=none.yaml", "ERROR: *there is no file none.yaml*"),
        ("--mockrelay-scenario=defualt", "ERROR: --mockrelay-scenario: *'defualt'*default*"),
        ("--mockrelay-allow=al", "ERROR: --mockrelay-allow: there is no kind 'al'; meant: 'all'"),
    ],
)
def test_a_wrong_option_ends_the_run_before_it_starts(run: Run, option: str, meant: str) -> None:
    result = run("def test_it(): pass", option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([meant])


def test_many_relayers_in_one_test_are_apart(run: Run) -> None:
    """Each has a port, a state and settings of its own; those of the marker hold unless others are given."""
    run(
        """
        import pytest
        from api import sell

        @pytest.mark.relayer(limits="spec")
        def test_it(relayer, relayer_url, make_relayer):
            assert relayer_url == relayer.url
            others = [make_relayer(choices={"http.error_status": "400"}) for _ in range(3)]
            sell(others[1])
            assert len({relayer.url, *(other.url for other in others)}) == 4
            assert [len(each.orders) for each in (relayer, *others)] == [0, 0, 1, 0]
            assert {each.state().limits for each in others} == {"spec"}
            assert relayer.state().choices["http.error_status"] == "split"
            told = []
            strict = make_relayer(verifier=lambda account, request: told.append(request.endpoint) or "no")
            assert sell(strict)["resultInfo"]["code"] == 104005 and told == ["submit_order"]
        """
    ).assert_outcomes(passed=1)


def test_readings_of_the_environment_go_over_the_ini_file_and_under_command_line_and_marker(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `mockrelay sweep` gives them."""
    pytester.makeini(
        "[pytest]\nasyncio_default_fixture_loop_scope = function\naddopts = -p no:cacheprovider -p no:schemathesis\n"
        "mockrelay_set =\n  http.error_status=200\n  fee.charged=max_fee\n"
    )
    monkeypatch.setenv("MOCKRELAY_SET", "http.error_status=400,tx_type.case=lower,order.dust=keep")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.relayer(choices={"order.dust": "finish"})
        def test_x(relayer):
            choices = relayer.state().choices
            names = ("http.error_status", "fee.charged", "tx_type.case", "order.dust", "pending.shape")
            assert [choices[name] for name in names] == ["400", "max_fee", "camel", "finish", "object"]
        """
    )
    args = ("--mockrelay-set", "tx_type.case=camel", "--mockrelay-set", "pending.shape=object")
    result = pytester.runpytest_inprocess(*args)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["mockrelay: *; under http.error_status=400,*order.dust=keep (MOCKRELAY_SET)"])
    monkeypatch.setenv("MOCKRELAY_SET", "http.error_status")
    result = pytester.runpytest_inprocess()
    result.stderr.fnmatch_lines(["ERROR: MOCKRELAY_SET http.error_status: meant: KEY=OPTION*"])


PROJECT = """
clock = "2031-01-01T00:00:00Z"
set = {"http.error_status" = 400}

[pytest]
limits = {get_ticker = 2}
strict = true
allow = "unknown-field"
start = "2032-01-01T00:00:00Z"
scenario = "worlds/mine.yaml"
"""


def test_the_projects_settings_are_below_those_of_pytest(pytester: pytest.Pytester, run: Run) -> None:
    pytester.path.joinpath("mockrelay.toml").write_text(PROJECT)
    pytester.mkdir("worlds").joinpath("mine.yaml").write_text("format: 1\nname: mine\nextends: default\n")
    run(
        """
        import pytest

        def test_project(relayer):
            assert relayer.scenario == "mine"
            assert relayer.clock.now_ms == 1924992000000
            assert relayer.state().choices["http.error_status"] == "400"
            assert relayer.state().limits == "spec"

        @pytest.mark.relayer(limits="off", clock="2033-01-01T00:00:00Z", choices={"http.error_status": "200"})
        def test_marker(relayer):
            assert relayer.state().limits == "off"
            assert relayer.clock.now_ms == 1988150400000
            assert relayer.state().choices["http.error_status"] == "200"
        """
    ).assert_outcomes(passed=2)
    run("def test_option(relayer):\n    assert relayer.clock.rate == 60", "--mockrelay-clock=60").assert_outcomes(
        passed=1
    )
    pytester.makeini(INI + "mockrelay_scenario = busy_market\nmockrelay_set = http.error_status=split\n")
    run(
        "def test_ini(relayer):\n"
        "    assert relayer.scenario == 'busy_market'\n"
        "    assert relayer.state().choices['http.error_status'] == 'split'"
    ).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("clock =", "*mockrelay.toml: is not TOML: *"),
        ("[pytest]\nclok = 1", "*mockrelay.toml: pytest.clok: there is no such setting; meant: 'clock'*"),
        ("clock = 'fast'", "*mockrelay.toml: clock: 'fast' is not a clock; meant: *"),
        ("set = ['a']", "*mockrelay.toml: set: *'a'* is not a table of choices*"),
        ("[pytest]\nstrict = 1", "*mockrelay.toml: pytest.strict: 1 is neither True nor False*"),
        ("[pytest]\nstart = 'now'", "*mockrelay.toml: pytest.start: 'now' is not a moment*"),
        ("[pytest]\ncoverage = {a = 1}", "*mockrelay.toml: pytest.coverage: *is not a text or a list of texts*"),
        ("[pytest]\ncoverage-append = 1", "*mockrelay.toml: pytest.coverage-append: 1 is neither true nor false*"),
    ],
)
def test_a_wrong_setting_of_the_project_is_told(pytester: pytest.Pytester, run: Run, text: str, says: str) -> None:
    pytester.path.joinpath("mockrelay.toml").write_text(text)
    result = run("def test_it():\n    pass")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([says])


def test_coverage_is_asked_for_by_the_project(pytester: pytest.Pytester, run: Run) -> None:
    pytester.path.joinpath("mockrelay.toml").write_text('[pytest]\ncoverage = "term"\ncoverage-fail-under = [100]\n')
    result = run("def test_it(relayer):\n    pass")
    result.stdout.fnmatch_lines(["endpoints *"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
