"""The fixture `relayer_time`: a client's sleeps and times are those of the relayer's clock."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Run

BOT = """
import asyncio
import time
from time import sleep

from api import call


def poll(relayer, pause_s):
    began = time.time()
    for _ in range(3):
        call(relayer.url, "GET", "/api/v3/getAvailableBroker")
        time.sleep(pause_s)
        sleep(pause_s)
    return time.time() - began


async def apoll(relayer, pause_s):
    await asyncio.sleep(pause_s)
    return time.monotonic()
"""


@pytest.mark.parametrize("place", ["in process", "MOCKRELAY_URL"])
def test_a_client_sleeps_on_the_relayers_clock_until_the_test_ends(
    pytester: pytest.Pytester, run: Run, place: str, request: pytest.FixtureRequest
) -> None:
    if place == "MOCKRELAY_URL":
        request.getfixturevalue("server")
    pytester.path.joinpath("bot.py").write_text(BOT)
    result = run(
        """
        import asyncio
        import time

        import bot
        import pytest

        def test_it(relayer, relayer_time):
            relayer_time(bot)
            before_ms = relayer.clock.now_ms
            assert bot.poll(relayer, 3600) == 6 * 3600
            assert asyncio.run(bot.apoll(relayer, 3600)) == before_ms / 1000 + 7 * 3600
            assert relayer.clock.now_ms == before_ms + 7 * 3600 * 1000
            assert [each.at_ms - before_ms for each in relayer.requests] == [0, 7_200_000, 14_400_000]
            assert time.sleep is not bot.time.sleep

        def test_it_is_undone():
            assert (bot.time, bot.sleep, bot.asyncio) == (time, time.sleep, asyncio)

        def test_nothing_is_replaced_where_one_module_is_wrong(relayer, relayer_time):
            with pytest.raises(ValueError, match="api: found neither `time` nor `asyncio` in it"):
                import api
                relayer_time(bot, api)
            assert bot.time is time
        """
    )
    result.assert_outcomes(passed=3)
