"""All errors of a scenario. Loading ends at the first one; here what is wrong is taken out of the document, and the rest is checked again."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any

from mockrelay.core.errors import InvalidInput, Path
from mockrelay.scenario.build import build_scenario
from mockrelay.scenario.loader import Source, prepared_values, read_document
from mockrelay.scenario.section import SCHEMA
from mockrelay.scenario.validate import unknown_name_above
from mockrelay.scenario.yaml import Node, ScenarioError, plain_value, scenario_error
from mockrelay.suggest import in_quotes
from mockrelay.wire.violations import violations

ERRORS_MAX = 100
"""The number of errors of a scenario that are looked for."""
_NAMES = ("name", "symbol", "market", "clientOrderId")
"""The fields by which other parts of a scenario refer to a value."""


def scenario_errors(source: Source) -> list[ScenarioError]:
    """All errors, in the order of the file, then those of the files that it extends. An error that is there only because another
    one's value is not is left out. A text that is not YAML, and a head or an `extends` that is wrong, has one error.
    """
    try:
        document, name, _ = read_document(source, ())
    except ScenarioError as error:
        return [error]
    return sorted(_Search(document, name).errors(), key=lambda each: (each.file != source.file, each.line, each.column))


class _Search:
    """A document that becomes smaller with each error."""

    def __init__(self, document: Node, name: str) -> None:
        self._document = document
        self._name = name
        self._holes: set[Path] = set()
        """Where a value is missing, or was taken out: what is said of that has been said."""
        self._names: set[str] = set()
        """What was taken out is called so: no error is one that only says that it does not exist."""

    def errors(self) -> Iterator[ScenarioError]:
        """The errors, each as the document has it that it was found in."""
        for number in range(ERRORS_MAX):
            values = prepared_values(self._document)
            wrong = next((each for each in violations(SCHEMA, values) if each.path not in self._holes), None)
            if wrong is None:
                if not self._close_holes() and number:
                    return
                break
            wrong = unknown_name_above(values, wrong) or wrong
            yield scenario_error(self._document, wrong)
            self._take_out(wrong.path)
        for _ in range(ERRORS_MAX):
            try:
                build_scenario(prepared_values(self._document), self._name)
            except InvalidInput as wrong:
                if not any(in_quotes(name) in wrong.found for name in self._names):
                    yield scenario_error(self._document, wrong)
                self._take_out(wrong.path)
                if not self._close_holes():
                    return
            else:
                return

    def _take_out(self, path: Path) -> None:
        """Take out what is at a path; where nothing is, note that."""
        found = _at(self._document, path)
        if found is None:
            self._holes.add(path)
            return
        self._names.update(_names_in(found))
        self._document = _without(self._document, path)
        *above, last = path
        if isinstance(last, int):
            # The items behind it have moved.
            self._holes = {moved for hole in self._holes if (moved := _moved(hole, (*above,), last)) is not None}
        else:
            self._holes.add(path)

    def _close_holes(self) -> bool:
        """Take out the values that cannot be without what is missing; whether a document is left that fits the schema."""
        for _ in range(ERRORS_MAX):
            wrong = next(violations(SCHEMA, prepared_values(self._document)), None)
            if wrong is None:
                self._holes.clear()
                return True
            path = wrong.path
            while path and _at(self._document, path) is None:
                path = path[:-1]
            if not path:
                return False
            self._take_out(path)
        return False


def _at(node: Node, path: Path) -> Node | None:
    """What is at a path; None where nothing is."""
    found: Any = node
    for step in path:
        try:
            found = found.value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return found if isinstance(found, Node) else None


def _without(node: Node, path: Path) -> Node:
    """The document without what is at a path that leads somewhere."""
    step, *rest = path
    changed: Any = copy(node.value)
    if rest:
        changed[step] = _without(changed[step], (*rest,))
    else:
        del changed[step]
    return node._replace(value=changed)


def _moved(hole: Path, above: Path, index: int) -> Path | None:
    """A hole after the item with an index was taken out of a list; None: it was in that item."""
    depth = len(above)
    place = hole[depth] if len(hole) > depth and hole[:depth] == above else None
    if not isinstance(place, int) or place < index:
        return hole
    return None if place == index else (*above, place - 1, *hole[depth + 1 :])


def _names_in(node: Node) -> Iterator[str]:
    value = plain_value(node)
    return (str(value[name]) for name in _NAMES if isinstance(value, dict) and name in value)
