"""The parts of `python -m tests.hostile` at small sizes, so that none rots."""

from __future__ import annotations

import pytest

from tests.hostile.__main__ import PARTS


@pytest.mark.parametrize("name", PARTS)
def test_part_holds_at_its_small_size(name: str) -> None:
    part = PARTS[name]
    assert part.run(part.size, 1)
