"""A decider that the user brings, held to the options that exist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.core.context import Decide
from mockrelay.spec.choices import BY_KEY


def held_to_options(decide: Decide) -> Decide:
    """The same decider; ValueError where it gives no option of the choice. It may give None and decide nothing."""

    def checked(key: str, context: Mapping[str, Any]) -> Any:
        option = decide(key, context)
        choice = BY_KEY.get(key)
        if choice is not None and option is not None and option not in choice.options:
            raise ValueError(f"decide({key!r}) gave {option!r}; one of {', '.join(choice.options)}")
        return option

    return checked
