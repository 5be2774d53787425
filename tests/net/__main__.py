"""`python -m tests.net WORD [CASE…]`, of which the first three run over all cases or the ones that are named.

`replay` says what differs from the stored traffic, the first ten of each case, and `differences` all of it; `renew` stores
today's answers to the same requests, `record` new requests too; `texts` says which errors are told otherwise than in
`texts.json.xz`.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.net.recording import names, record
from tests.net.replaying import differences, replay
from tests.net.texts import commands, scenarios, validated
from tests.net.texts import differences as text_differences
from tests.net.traffic import Case, load, write

_SHOWN = 10
_AT_ONCE = 2


def main(what: str, *chosen: str) -> int:
    """Do it; 1 where something differs."""
    if what == "record":
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            write(dict(zip(names(), pool.map(record, names()), strict=True)))
        return 0
    if what == "texts":
        with TemporaryDirectory() as folder:
            inputs = list(scenarios())
            told = text_differences(
                [said for _, said in inputs], validated([files for files, _ in inputs], Path(folder))
            )
        told += text_differences(*commands())
        print("\n".join(told) or "all is said as it was")
        return 1 if told else 0
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
