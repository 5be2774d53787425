"""`python -m tests.relay.crowd_process URL FIRST COUNT`: some of the callers as a process of their own, which prints what they
were told, pickled.
"""

from __future__ import annotations

import pickle
import sys

from tests.relay.crowd import Caller, run
from tests.support.connection import connected


def main(url: str, first: int, count: int) -> int:
    """Call, and tell."""
    callers = [Caller(number) for number in range(first, first + count)]
    wrong: list[BaseException] = []
    run(callers, lambda: connected(url), wrong)
    pickle.dump([(caller.told, caller.steered) for caller in callers], sys.stdout.buffer)
    for error in wrong:
        print(repr(error), file=sys.stderr)
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
