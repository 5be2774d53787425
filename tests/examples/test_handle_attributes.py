"""The table of attributes on the page of the handle: what it lists is what there is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.examples.wishes.bot import Bot
from tests.examples.write import GUIDE

if TYPE_CHECKING:
    from mockrelay.testing import RelayerHandle

_ROW = re.compile(r"^\| `([^|]+)` \| (`[^|]+`) \|", re.MULTILINE)


def listed() -> dict[str, list[str]]:
    """The attributes by what has them."""
    section = (
        (GUIDE / "handle.md").read_text(encoding="utf-8").split("## Attributes and their units")[1].split("\n## ")[0]
    )
    return {of: names.strip("`").split("`, `") for of, names in _ROW.findall(section)}


def test_the_attributes_that_are_listed_are_those_there_are(relayer: RelayerHandle) -> None:
    bot = Bot(relayer)
    order = relayer.order(bot.order(valid_for_days=3).json["data"]["orderHash"])
    submission = relayer.submission(bot.withdraw().json["hash"])
    refused = bot.order(exchangeId=7)
    views: dict[str, Any] = {
        "order.view": order.view,
        "submission.view": submission.view,
        "relayer.requests[0]": relayer.requests[0],
        "relayer.findings[0]": relayer.findings[0],
        "relayer.why(…).refusal": relayer.why(refused.request_id).refusal,
    }
    objects = {
        'account.balances["LRC"]': relayer.account("alice").balances["LRC"],
        "order": order,
        "submission": submission,
    }
    table = listed()
    assert table.keys() == views.keys() | objects.keys()
    for of, view in views.items():
        assert len(table[of]) == len(view), of
        assert [getattr(view, name) for name in table[of]] == list(view.values()), of
    assert order.view.clientOrderId == order.view.client_order_id, "the spelling of before"
    for of, value in objects.items():
        assert [name for name in table[of] if not hasattr(value, name)] == [], of
