"""`python -m tests.net WORD [CASE…]`, of which the first three run over all cases or the ones that are named.

`replay` shows what differs from the stored traffic, the first ten of each case, and `differences` all of it; `renew` stores
today's answers to the same requests; `texts` shows which errors differ from those in `texts.json.xz`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.net.replaying import differences, replay
from tests.net.texts import commands, scenarios, validated
from tests.net.texts import differences as text_differences
from tests.net.traffic import Case, load, write

_SHOWN = 10


def main(what: str, *chosen: str) -> int:
    """Do it; 1 where something differs."""
    if what == "texts":
        with TemporaryDirectory() as folder:
            inputs = list(scenarios())
            found = text_differences(
                [said for _, said in inputs], validated([files for files, _ in inputs], Path(folder))
            )
        found += text_differences(*commands())
        print("\n".join(found) or "all texts are as they were")
        return 1 if found else 0
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
        unlike = differences(cases[name], replay(cases[name]))
        count += len(unlike)
        print(f"{name}: {len(cases[name].steps)} steps, {len(unlike)} differences")
        for difference in unlike if what == "differences" else unlike[:_SHOWN]:
            print(f"  {difference}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
