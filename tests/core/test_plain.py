"""JSON values of any kind, as saved worlds hold them."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.core.saving.codec import DEPTH_MAX, InvalidSavedState, plain_written


def nested(levels: int) -> Any:
    """A list in a list, so many times."""
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_a_value_may_be_nested_so_deep_and_no_deeper() -> None:
    assert plain_written(nested(DEPTH_MAX)) == nested(DEPTH_MAX)
    with pytest.raises(InvalidSavedState):
        plain_written(nested(DEPTH_MAX + 1))
