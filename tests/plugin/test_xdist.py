"""Many workers at once while the default port is somebody else's.

The one test that binds a fixed port: the default one must be in use, and it does not matter by whom.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

import pytest

from tests.plugin.conftest import Run

DEFAULT_PORT = 4627
START = "--mockrelay-start=2030-01-01T00:00:00Z"


@pytest.fixture
def default_port_taken() -> Iterator[None]:
    """Something listens on the port of `mockrelay serve`: this test, or whoever has it already."""
    with socket.socket() as taken:
        with contextlib.suppress(OSError):
            taken.bind(("127.0.0.1", DEFAULT_PORT))
            taken.listen()
        yield


def test_many_tests_in_two_workers(pytester: pytest.Pytester, run: Run, default_port_taken: None) -> None:
    """No bind fails and nobody meets another's world. All clocks start at the moment of `--mockrelay-start`, and the findings of
    all workers are counted in one line.
    """
    source = """
        import pathlib
        import pytest
        from api import call, orders, sell

        @pytest.mark.parametrize("number", range(20))
        def test_it(relayer, number, worker_id):
            pathlib.Path(f"start-{worker_id}-{number}").write_text(str(relayer.clock.now))
            relayer.account("alice").deposit("LRC", number + 1)
            assert sell(relayer)["resultInfo"]["code"] == 0
            assert orders(relayer)["data"]["totalNum"] == 1
            call(relayer.url, "GET", "/api/v2/ticker?market=LRC-ETH&more=1", relayer.account("alice").headers)
            assert relayer.requests.total == 3
            free = relayer.account("alice").balances["LRC"].free
            assert free == (20_000_000 - 100) * 10**18 + number + 1
    """
    result = run(source, "-n2", START, apart=True, plugins=("xdist",))
    result.assert_outcomes(passed=20)
    result.stdout.fnmatch_lines(["mockrelay: 20 findings about the client (*): unknown-field 20"])
    files = list(pytester.path.glob("start-*"))
    starts = {file.read_text() for file in files}
    assert {file.name.split("-")[1] for file in files} == {"gw0", "gw1"}
    assert len(files) == 20
    assert starts == {"2030-01-01 00:00:00+00:00"}
