"""How many examples a property is tried with: few enough for every run, or as many as the profile `long` asks for.

python -m pytest tests/properties --hypothesis-profile=long
"""

from __future__ import annotations

from hypothesis import settings

LONG = "long"
LONG_EXAMPLES = 3000


def register() -> None:
    """Make the profile known; new examples each time, so that it finds what the fixed ones do not."""
    settings.register_profile(
        LONG, deadline=None, derandomize=False, print_blob=True, max_examples=LONG_EXAMPLES, stateful_step_count=80
    )


def effort(max_examples: int, steps: int = 50) -> settings:
    """The settings of a property that ordinarily has so many examples of so many steps."""
    # The name of a profile cannot be asked for in the oldest Hypothesis; what it sets can.
    if settings().max_examples == LONG_EXAMPLES:
        return settings()
    return settings(max_examples=max_examples, stateful_step_count=steps)
