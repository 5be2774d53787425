"""Lists as the calls of published clients ask for them: pages, and words with commas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from mockrelay.core.call import Call
from mockrelay.core.orders.queries import PAGE_DEFAULT, page_limit

if TYPE_CHECKING:
    from mockrelay.core.context import Context

Row = TypeVar("Row")


def page_of(ctx: Context, call: Call, field: str, rows: Sequence[Row], show: Callable[[Row], Any]) -> dict[str, Any]:
    """The page that `offset` and `limit` of a call ask for, each row as `show` has it, and the number of all rows."""
    first, limit = call.args.get("offset", 0), page_limit(ctx, call.args.get("limit", PAGE_DEFAULT))
    return {"totalNum": len(rows), field: [show(row) for row in rows[first : first + limit]]}


def words_of(text: str | None, read: Callable[[str], str] = str) -> frozenset[str] | None:
    """The words of a text with commas, each as it is read; None where no text is given, so nothing is filtered."""
    return None if text is None else frozenset(map(read, text.split(",")))
