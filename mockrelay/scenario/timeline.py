"""The section `timeline`: what happens at set moments after the start. Each entry is read as far as it can be before its
moment has come, so that what is left to go wrong is the state that it then meets.
"""

from __future__ import annotations

from mockrelay.core.timeline import Entry
from mockrelay.core.wording import nearest
from mockrelay.scenario.deeds import VERBS
from mockrelay.scenario.known import Known
from mockrelay.scenario.nodes import Node
from mockrelay.scenario.reading import Fields, duration, entries, items

ENTRY_KEYS = ("at", "do")


def read_timeline(node: Node, known: Known) -> tuple[Entry, ...]:
    """The entries in the order given, which is theirs where two have one moment."""
    return tuple(_entry(item, known) for item in items(node))


def _entry(node: Node, known: Known) -> Entry:
    fields = Fields(node, ENTRY_KEYS)
    at_ms, do = fields.need("at", duration), fields.node_of("do")
    verbs = entries(do)
    for verb, given in verbs.items():
        if verb not in VERBS:
            raise given.key_error(f"the unknown verb {verb!r}", nearest(verb, VERBS))
    if len(verbs) != 1:
        raise do.error(" and ".join(map(repr, verbs)) or "nothing to do", "one verb, such as {cancel: {...}}")
    ((verb, given),) = verbs.items()
    return Entry(at_ms, verb, VERBS[verb](given, known))
