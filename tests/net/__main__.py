"""`python -m tests.net record | renew | replay | differences [CASE…]`.

`replay` says what differs from the stored traffic, the first ten of each case, `differences` all; `renew` stores the
answers of today to the same requests, `record` new requests too.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from tests.net.recording import names, record
from tests.net.replaying import differences, replay
from tests.net.traffic import Case, load, write

_SHOWN = 10
_AT_ONCE = 2


def main(what: str, *chosen: str) -> int:
    """Do it; 1 where something differs."""
    if what == "record":
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            write(dict(zip(names(), pool.map(record, names()), strict=True)))
        return 0
    cases = load()
    wanted = chosen or tuple(cases)
    if what == "renew":
        for name in wanted:
            cases[name] = Case(cases[name].options, cases[name].steps, replay(cases[name]))
        write(cases)
        return 0
    assert what in ("replay", "differences"), __doc__
    count = 0
    for name in wanted:
        found = differences(cases[name], replay(cases[name]))
        count += len(found)
        print(f"{name}: {len(cases[name].steps)} steps, {len(found)} differences")
        for difference in found if what == "differences" else found[:_SHOWN]:
            print(f"  {difference}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
