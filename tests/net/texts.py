"""The frozen texts of errors: wrong scenarios and wrong commands, and what was said of each.

Like the traffic beside it, it takes its expectation from the program's own output: `texts.json.xz` was made once, of the
wrong inputs of the tests of that day and of one mistake in each leaf of the scenario format and of each command. A text
that is changed on purpose is listed in `changed_texts.json`, and so are commands that are refused for another reason than
before; any other changed position (line and column, or field and status) is a fault.

`scenarios` is a list of `{files, wrong}`: lines by file name, of which `main.yaml` is validated, and the mistakes, each
`[first, count, lines, file, line, column, found, meant]`: so many lines of `main.yaml` from the `first` (counted from 0)
are replaced by these. `commands` has the calls of a `prelude` and `wrong`: `[method, path, body, status, error, field,
meant]`.
"""

from __future__ import annotations

import json
import lzma
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

from mockrelay.cli import validate
from tests.net.traffic import CONTROL
from tests.net.wire import Client, served, value_of

FILE = Path(__file__).with_name("texts.json.xz")
CHANGED = Path(__file__).with_name("changed_texts.json")
WORLD = Path(__file__).parent / "scenarios" / "every_verb.yaml"


class Said(NamedTuple):
    """What was said of an input: where the mistake is, and the texts about it."""

    given: str
    place: tuple[Any, ...]
    texts: tuple[str | None, ...]


class Changed(NamedTuple):
    """A text that is another one on purpose: a regular expression of the whole old text, and the new one with its groups."""

    was: re.Pattern[str]
    now: str

    def text(self, old: str) -> str | None:
        """The new text; None where it is about another one."""
        found = self.was.fullmatch(old)
        return found.expand(self.now) if found else None


def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(lzma.decompress(FILE.read_bytes()))
    return table


def changed() -> list[Changed]:
    """What is listed, each with its reason."""
    return [
        Changed(re.compile(row["was"], re.DOTALL), row["now"]) for row in json.loads(CHANGED.read_text())["changed"]
    ]


def scenarios() -> Iterator[tuple[dict[str, str], Said]]:
    """The files of each wrong scenario and what was said of it."""
    for group in _table()["scenarios"]:
        base = group["files"]["main.yaml"]
        others = {name: _joined(lines) for name, lines in group["files"].items() if name != "main.yaml"}
        for first, count, lines, file, line, column, found, meant in group["wrong"]:
            text = _joined([*base[:first], *lines, *base[first + count :]])
            yield {"main.yaml": text, **others}, Said(text, (file, line, column), (found, meant))


def _joined(lines: list[str]) -> str:
    return "\n".join(lines)


def validated(cases: list[dict[str, str]], folder: Path) -> list[Said | None]:
    """What `mockrelay validate`, run in a folder, says of each; None where it is taken."""
    with chdir(folder):
        return [_validated(files) for files in cases]


def _validated(files: dict[str, str]) -> Said | None:
    """In place of the files of the case before: thousands of folders would take longer to make than to validate."""
    for name, text in files.items():
        Path(name).write_bytes(text.encode("utf-8", "surrogateescape"))
    row = validate._result("main.yaml")
    if row["ok"]:
        return None
    return Said(files["main.yaml"], (row["place"], row["line"], row["column"]), (row["found"], row["meant"]))


def commands() -> tuple[list[Said], list[Said | None]]:
    """What was said of each wrong command, and what is said now; None where it is carried out."""
    table = _table()["commands"]
    was: list[Said] = []
    now: list[Said | None] = []
    with served("--clock", "frozen", "--scenario", str(WORLD)) as port:
        client = Client(port)
        for method, path, headers, body in table["prelude"]:
            assert client.send(method, path, headers, _bytes(body)).status == 200, path
        for method, path, body, status, error, field, meant in table["wrong"]:
            given = f"{method} {path} {body}"
            was.append(Said(given, (status, field), (error, meant)))
            reply = client.send(method, f"{CONTROL}{path}", {}, _bytes(body))
            value = value_of(reply)
            is_wrong = isinstance(value, dict) and "error" in value
            texts = (value["error"], value["meant"]) if is_wrong else ()
            now.append(Said(given, (reply.status, value["field"]), texts) if is_wrong else None)
        client.close()
    return was, now


def _bytes(body: str) -> bytes:
    return body.encode("utf-8", "surrogateescape")


def _refused_otherwise() -> list[tuple[re.Pattern[str], tuple[int, int]]]:
    """The commands that are refused for another reason than before, or taken: as they are given, and their statuses then
    and now (of a scenario, its file then).
    """
    rows = json.loads(CHANGED.read_text())["refused_otherwise"]
    return [(re.compile(row["given"], re.DOTALL), (row["was"], row["now"])) for row in rows]


def differences(was: list[Said], now: list[Said | None]) -> list[str]:
    """What is said otherwise and is not listed, and before it the texts that changed, the most frequent first."""
    listed, refused_otherwise = changed(), _refused_otherwise()
    found: list[str] = []
    pairs: Counter[tuple[str | None, str | None]] = Counter()
    for old, new in zip(was, now, strict=True):
        statuses = old.place[0], 200 if new is None else new.place[0]
        if any(statuses == moved and given.search(old.given) for given, moved in refused_otherwise):
            continue
        unlike = (
            [] if new is None else [pair for pair in zip(old.texts, new.texts, strict=True) if not _fits(*pair, listed)]
        )
        if new is None or new.place != old.place or unlike:
            said = "it is taken" if new is None else f"{new.place} {new.texts}"
            found.append(f"{old.given}\n    was {old.place} {old.texts}\n    now {said}")
            pairs.update(unlike)
    return [*(f"{count} times: was {old!r}, now {new!r}" for (old, new), count in pairs.most_common()), *found]


def _fits(old: str | None, new: str | None, listed: list[Changed]) -> bool:
    return old == new or (old is not None and new is not None and any(one.text(old) == new for one in listed))
