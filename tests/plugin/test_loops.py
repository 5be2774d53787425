"""The same fixtures under every way of running coroutines, with warnings as errors."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Run

ASYNC_TESTS = """
import aiohttp
import asyncio
import pytest

{mark}

URL = "/api/v3/getAvailableBroker"


@pytest.fixture(scope="session")
def shared(make_session_relayer):
    return make_session_relayer()


async def ask(url):
    async with aiohttp.ClientSession() as session, session.get(url + URL) as answer:
        return await answer.json()


async def test_own(relayer):
    assert "resultInfo" not in await ask(relayer.url)
    relayer.clock.advance("15s")
    relayer.assert_called("get_broker", times=1)


async def test_shared(shared):
    await ask(shared.url)


async def test_shared_again(shared, relayer_url):
    await asyncio.gather(*(ask(url) for url in (shared.url, relayer_url) * 3))
"""

LOOPLESS_TESTS = """
import asyncio
import threading

def test_two_runs_in_one_test(relayer, shared):
    asyncio.run(ask(relayer.url))
    asyncio.run(ask(relayer.url))
    asyncio.run(ask(shared.url))
    relayer.assert_called("get_broker", times=2)

def test_in_another_thread(relayer, shared):
    def work():
        asyncio.run(ask(relayer.url))
        shared.clock.advance("1s")
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    relayer.assert_called("get_broker", times=1)
"""

WITH_CLIENT = """
from mockrelay.web import create_app

async def test_client(relayer, aiohttp_client):
    client = await aiohttp_client(create_app(relayer.relay))
    relayer.fault("get_tokens", code=100000)
    answer = await client.get("/api/v2/exchange/tokens", headers=relayer.account("bob").headers)
    assert (await answer.json())["resultInfo"]["code"] == 100000
    relayer.assert_called("get_tokens", times=1, code=100000)
    assert relayer.why(answer).refusal.code == 100000
"""
ASYNCIO = ("pytest_asyncio.plugin",)
AIOHTTP = (*ASYNCIO, "pytest_aiohttp.plugin")
SCOPE = ("-o", "asyncio_default_fixture_loop_scope=function")


def test_pytest_asyncio_in_strict_mode(pytester: pytest.Pytester, run: Run) -> None:
    """With a loop for each test, and with one for the whole session."""
    mark = 'pytestmark = pytest.mark.asyncio(loop_scope="session")'
    pytester.makepyfile(test_session=ASYNC_TESTS.format(mark=mark))
    source = ASYNC_TESTS.format(mark="pytestmark = pytest.mark.asyncio")
    run(source, "--asyncio-mode=strict", *SCOPE, apart=True, plugins=ASYNCIO).assert_outcomes(passed=6)


def test_pytest_asyncio_in_auto_mode_beside_sync_tests(pytester: pytest.Pytester, run: Run) -> None:
    """And beside the test client of pytest-aiohttp, whose application is around the fixture's own relay: handle and
    client meet the same world.
    """
    pytester.makepyfile(test_client=WITH_CLIENT)
    source = ASYNC_TESTS.format(mark="") + LOOPLESS_TESTS
    run(source, "--asyncio-mode=auto", *SCOPE, apart=True, plugins=AIOHTTP).assert_outcomes(passed=6)


def test_anyio(run: Run) -> None:
    """Without pytest-asyncio, and with it beside."""
    source = ASYNC_TESTS.format(
        mark="pytestmark = pytest.mark.anyio\n\n@pytest.fixture\ndef anyio_backend():\n    return 'asyncio'"
    )
    run(source, apart=True, plugins=("anyio.pytest_plugin",)).assert_outcomes(passed=3)
    run(source, *SCOPE, apart=True, plugins=("anyio.pytest_plugin", *AIOHTTP)).assert_outcomes(passed=3)


def test_sync_tests_without_pytest_asyncio(run: Run) -> None:
    source = ASYNC_TESTS.format(mark="").replace("async def test_", "async def leave_") + LOOPLESS_TESTS
    run(source).assert_outcomes(passed=2)


def test_control_from_inside_the_servers_own_loop(run: Run) -> None:
    """A verifier runs there: it may move the clock, open another port and ask for anything, and nothing waits for
    itself.
    """
    run(
        """
        import threading
        from api import sell

        def test_it(make_relayer):
            seen = {}

            def verifier(account, request):
                seen["thread"] = threading.current_thread().name
                relayer.clock.advance("1s")
                relayer.account("bob").deposit("LRC", 1)
                seen["url"] = other.url
                seen["state"] = relayer.state().now_ms

            relayer, other = make_relayer(verifier=verifier), make_relayer()
            start_ms = relayer.clock.now_ms
            assert sell(relayer)["resultInfo"]["code"] == 0
            assert seen["thread"] == "mockrelay"
            assert seen["state"] == start_ms + 1000
            assert sell(other)["resultInfo"]["code"] == 0
        """,
    ).assert_outcomes(passed=1)


def test_fifty_servers_in_one_process(run: Run) -> None:
    """Each has a port and a world of its own."""
    run(
        """
        from api import call, sell

        def test_it(make_relayer):
            relayers = [make_relayer() for _ in range(50)]
            assert len({relayer.url for relayer in relayers}) == 50
            for number, relayer in enumerate(relayers):
                relayer.account("alice").deposit("LRC", number + 1)
            for relayer in relayers[::-1]:
                assert sell(relayer)["resultInfo"]["code"] == 0
            free = [relayer.account("alice").balances["LRC"].free for relayer in relayers]
            assert [each - free[0] for each in free] == list(range(50))
            assert all(relayer.requests.total == 1 for relayer in relayers)
        """
    ).assert_outcomes(passed=1)
