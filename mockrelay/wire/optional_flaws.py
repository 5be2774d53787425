"""What the spec leaves open about a request's form: an optional flaw names the choice under which it is refused or reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from mockrelay.core.call import Flaw
from mockrelay.spec import lint_rules
from mockrelay.wire.json_body import quoted


def repeated(query: tuple[tuple[str, str], ...]) -> Iterator[Flaw]:
    """Parameters that are given more than once: flaws where their values differ, optional where they are the same."""
    values: dict[str, list[str]] = {}
    for name, value in query:
        values.setdefault(name, []).append(value)
    for name, given in values.items():
        field = quoted(name)
        if len(set(given)) > 1:
            detail = f"{field} is given {len(given)} times, with different values"
            yield Flaw(field, "repeated", None, detail, lint_rules.REPEATED_PARAMETER)
        elif len(given) > 1:
            detail = f"{field} is given {len(given)} times"
            yield Flaw(field, "repeated", None, detail, lint_rules.REPEATED_PARAMETER, "http.repeated_query")


def misplaced(name: str) -> Flaw:
    """A parameter in the query of a call whose fields are in the body."""
    detail = f"{quoted(name)}: a query parameter; the fields belong into the body"
    return Flaw(quoted(name), "unknown", None, detail, lint_rules.UNKNOWN_FIELD, "http.unknown_fields")


def unknown_fields(
    names: frozenset[str], inner: tuple[tuple[str, frozenset[str]], ...], args: Mapping[str, Any]
) -> Iterator[Flaw]:
    """Fields that the endpoint does not have; `inner` are those of its fields that are objects, with their names."""
    for outer, known, given in [("", names, args), *((name, own, args.get(name)) for name, own in inner)]:
        if isinstance(given, dict):
            for name in given:
                if name not in known:
                    field = f"{outer}.{quoted(name)}".removeprefix(".")
                    detail = f"{field}: the endpoint has no such field{_near(name[:80], known)}"
                    yield Flaw(field, "unknown", None, detail, lint_rules.UNKNOWN_FIELD, "http.unknown_fields")


def foreign_type(content_type: str) -> Flaw:
    """A body that is declared as something else than JSON."""
    found = quoted(content_type) if content_type else "none"
    detail = f"Content-Type: {found}, not application/json"
    return Flaw("header Content-Type", "content type", None, detail, lint_rules.CONTENT_TYPE, "http.content_type")


@lru_cache(maxsize=512)
def _near(name: str, known: frozenset[str]) -> str:
    """The name that was probably meant by a misspelt one, in words; a client misspells it in every call."""
    from difflib import get_close_matches  # noqa: PLC0415  # for those who are lost

    by_lower = {each.lower(): each for each in sorted(known)}
    near = get_close_matches(name.lower(), by_lower, 1)
    return f"; {by_lower[near[0]]!r} is near it" if near else ""
