"""A user's tests under `explore`, most of which must fail: test_explore_report.py runs them and reads the report."""

from __future__ import annotations

import asyncio
import threading
import time
import unittest
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator

import pytest
from hypothesis import settings

from mockrelay.testing import RelayerHandle, explore

Ask = Callable[[], int]
FEW = settings(max_examples=1)


def asking(relayer: RelayerHandle) -> Ask:
    """A client: the status of an answer. HTTPError for one that is not 2xx, OSError where there is none."""
    alice = relayer.account("alice")
    call = urllib.request.Request(f"{relayer.url}/api/v2/ethBalances?owner={alice.owner}", headers=alice.headers)

    def ask() -> int:
        with urllib.request.urlopen(call) as answer:
            return int(answer.status)

    return ask


def asked_once(ask: Ask) -> None:
    """Ask, whatever comes."""
    try:
        ask()
    except urllib.error.HTTPError as error:
        error.close()
    except OSError:
        pass


@pytest.fixture
def ask(relayer: RelayerHandle) -> Ask:
    return asking(relayer)


@pytest.fixture
def ask_another(make_relayer: Callable[[], RelayerHandle]) -> Ask:
    return asking(make_relayer())


@pytest.fixture
def logged_in(ask: Ask) -> int:
    return ask()


@pytest.fixture
def logging_in_forever(ask: Ask) -> None:
    while True:
        ask()


@pytest.fixture
def logged_out(ask: Ask) -> Iterator[None]:
    yield
    ask()


@explore(trouble=["status"])
def test_of_a_fixture_that_takes_relayer(ask: Ask, relayer: RelayerHandle, tmp_path: object) -> None:
    print("one run")
    assert ask() == 200


@explore
def test_without_a_call(relayer: RelayerHandle) -> None:
    assert relayer.accounts


@explore(settings=FEW)
def test_of_another_relayer(relayer: RelayerHandle, ask_another: Ask) -> None:
    ask_another()


@explore(settings=FEW)
def test_of_two_relayers(relayer: RelayerHandle, ask: Ask, ask_another: Ask) -> None:
    asked_once(ask)
    ask_another()


@explore(calls_max=30)
def test_that_calls_without_end(relayer: RelayerHandle, ask: Ask) -> None:
    while True:
        try:
            ask()
        except Exception:  # noqa: BLE001 - the bug
            time.sleep(0)


@explore(calls_max=30)
def test_whose_setup_calls_without_end(relayer: RelayerHandle, logging_in_forever: None) -> None: ...


@explore(calls_max=30)
def test_whose_threads_call_without_end(relayer: RelayerHandle, ask: Ask) -> None:
    def work() -> None:
        while True:
            ask()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@explore(run_timeout_s=1)
def test_that_sleeps_without_end(relayer: RelayerHandle, ask: Ask) -> None:
    ask()
    time.sleep(600)


@explore(trouble=["status"])
def test_whose_teardown_fails(relayer: RelayerHandle, logged_out: None) -> None: ...


@explore(trouble=["status"])
def test_that_fails_with_a_problem(relayer: RelayerHandle, ask: Ask) -> None:
    try:
        ask()
    except urllib.error.HTTPError as error:
        error.close()
        with pytest.raises(urllib.error.HTTPError) as unknown:
            urllib.request.urlopen(f"{relayer.url}/nowhere")
        unknown.value.close()
        raise AssertionError("its own") from None


class TestOverriding:
    @pytest.fixture
    def relayer(self, make_relayer: Callable[[], RelayerHandle]) -> RelayerHandle:
        return make_relayer()

    @explore(settings=FEW)
    def test_of_an_overridden_relayer(self, relayer: RelayerHandle) -> None:
        asking(relayer)()


FAILED_BEFORE: list[bool] = []


@explore(trouble=["status"])
def test_that_fails_once(relayer: RelayerHandle, ask: Ask) -> None:
    try:
        ask()
    except urllib.error.HTTPError as error:
        error.close()
        FAILED_BEFORE.append(True)
        assert FAILED_BEFORE[1:], "the first time"


@explore(trouble=["status"])
async def test_that_is_async(relayer: RelayerHandle, ask: Ask) -> None:
    assert await asyncio.to_thread(ask) == 200


@explore(trouble=["status"])
def test_whose_setup_fails(relayer: RelayerHandle, logged_in: int) -> None: ...


@explore(faults=0, paces=False, settings=FEW)
def test_that_leaves_its_fault_unfired(relayer: RelayerHandle, ask: Ask) -> None:
    if relayer.state().choices["auth.key_on_unlisted"] == "refuse":
        relayer.fault("get_code", code=100000)
    ask()


@pytest.mark.parametrize("number", [1, 2])
@explore(trouble=["status"])
def test_of_a_parameter(relayer: RelayerHandle, ask: Ask, number: int) -> None:
    assert ask() == 200


@explore(settings=FEW)
def test_that_passes(relayer: RelayerHandle, ask: Ask) -> None:
    asked_once(ask)


@explore(settings=FEW)
def test_that_is_skipped(relayer: RelayerHandle) -> None:
    pytest.skip("not today")


@explore(trouble=["status"], settings=FEW)
def test_that_is_skipped_inside(relayer: RelayerHandle, ask: Ask) -> None:
    try:
        ask()
    except urllib.error.HTTPError as error:
        error.close()
        raise unittest.SkipTest("not under trouble") from None


@explore(trouble=["status"])
def test_that_is_expected_to_fail_inside(relayer: RelayerHandle, ask: Ask) -> None:
    try:
        ask()
    except urllib.error.HTTPError as error:
        error.close()
        pytest.xfail("not under trouble")


@pytest.mark.xfail(strict=True)
@explore(trouble=["status"])
def test_that_is_expected_to_fail(relayer: RelayerHandle, ask: Ask) -> None:
    ask()
