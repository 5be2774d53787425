"""Worlds on a frozen clock: any scenario by `relay_from`, world W by `world`, and W with other sections by `world_like`.

World W (`world_w.yaml`): exchange 2; alice 10001 with key-a and bob 10002 with key-b, each 10,000 LRC, 10 ETH and
1,000 USDT; fees of trades 10 bips (maker) and 20 (taker). The clock stands at `START_S` until a test moves it.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.clock import Clock
from mockrelay.relay import Relay
from mockrelay.scenario import load

START_MS = 1_767_225_600_000
"""2026-01-01T00:00:00Z, a whole second."""
START_S = START_MS // 1000
DAY_S = 86_400

W = Path(__file__).with_name("world_w.yaml")
COARSE = W.with_name("world_coarse.yaml")
"""W where the relayer counts six of LRC's eighteen decimals."""
DUSTY = W.with_name("world_dusty.yaml")
"""W where up to a thousand wei of ETH or LRC are dust."""
SLOW_CANCEL = W.with_name("world_slow_cancel.yaml")
"""W where a cancel takes 15 seconds."""


class Defaults(NamedTuple):
    """What worlds have where a test says nothing: a profile, and options of choices."""

    profile: str | None = None
    choices: Mapping[str, str] = MappingProxyType({})


defaults = Defaults()
"""Replaced by tests that run under another profile."""

_constant = cache(load)
"""Shipped scenarios and those of this folder, read once."""


def relay_from(
    scenario: str | Path = "default",
    *,
    choices: Mapping[str, str] | None = None,
    limits: Any = "off",
    start_ms: int = START_MS,
) -> Relay:
    """A relay on a frozen clock, without rate limits unless `limits` is "spec"."""
    is_constant = isinstance(scenario, str) or scenario.parent == W.parent
    return Relay(
        _constant(scenario) if is_constant else load(scenario),
        choices={**defaults.choices, **(choices or {})},
        profile=defaults.profile,
        limits_on=None if limits is None else limits == "spec",
        clock=Clock.frozen(start_ms),
    )


def world(choices: Mapping[str, str] | None = None, limits: Any = "off") -> Relay:
    """World W."""
    return relay_from(W, choices=choices, limits=limits)


def world_like(folder: Path, text: str, choices: Mapping[str, str] | None = None) -> Relay:
    """World W with the sections of `text` over it; `folder` is the test's own."""
    shutil.copy(W, folder / W.name)
    path = folder / "own.yaml"
    path.write_text(f"format: 1\nname: own\nextends: {W.name}\n{text}\n", encoding="utf-8")
    return relay_from(path, choices=choices)
