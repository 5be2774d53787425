"""What a client may leave out of its requests, and the words that it may choose from: by the request schemas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from mockrelay.spec.vocab import OrderFilter
from mockrelay.wire.schemas import SCHEME, keyword, place_of, properties_of

_LISTS = {f"{SCHEME}objects/OrderFilter.json": tuple(OrderFilter)}
"""Fields of several words with commas between them."""
_ABSENT = object()


class Form(NamedTuple):
    """What there is to try in an endpoint's requests."""

    optional: Mapping[str, Any]
    """Fields that may be left out, with the value that says the same as leaving them out."""
    worded: Mapping[str, Mapping[Any, str]]
    """Fields of few words, each word with its name among what is sent: `side=BUY`."""

    @property
    def names(self) -> list[str]:
        """All that can be sent of it."""
        words = [name for named in self.worded.values() for name in named.values()]
        return [*self.optional, *words]


class Sent:
    """What was sent of an endpoint's form. What has nothing left to show is not looked at again."""

    __slots__ = ("_optional", "_words", "names")

    def __init__(self, endpoint: str) -> None:
        form = form_of(endpoint)
        self._optional = dict(form.optional)
        """The fields that may be left out and that no call has shown yet."""
        self._words = tuple((name, dict(words)) for name, words in form.worded.items())
        """The same for fields of few words: of each the words that were not sent yet."""
        self.names: set[str] = set()
        """Fields, and words of fields."""

    def see(self, args: Mapping[str, Any]) -> None:
        """Take in the fields of a request."""
        if not args.keys().isdisjoint(self._optional):
            for name in args.keys() & self._optional.keys():
                if args[name] != self._optional[name]:
                    self.names.add(name)
                    del self._optional[name]
        for name, words in self._words:
            value = args.get(name)
            # By its class: true is not 1, and a list or a map is no word.
            if value.__class__ is str or value.__class__ is int:
                if value in words:
                    self._add(words, (value,))
                elif value.__class__ is str and "," in value:
                    self._add(words, value.split(","))

    def _add(self, words: dict[Any, str], sent: Iterable[Any]) -> None:
        """Take in what was sent of the words of a field that were not sent yet."""
        self.names.update(words.pop(word) for word in sent if word in words)
        self._words = tuple(each for each in self._words if each[1])


@cache
def form_of(endpoint: str) -> Form:
    """What there is to try in requests to an endpoint."""
    root = place_of(f"{SCHEME}requests/{endpoint}.json")
    needed = root.schema.get("required", ())
    optional: dict[str, Any] = {}
    worded: dict[str, Mapping[Any, str]] = {}
    for name, place in properties_of(root).items():
        words = _LISTS.get(place.schema.get("$ref", ""), keyword(place, "enum") or ())
        if len(words) > 1:
            worded[name] = {word: f"{name}={word}" for word in words}
        elif name not in needed:
            default = keyword(place, "default")
            optional[name] = _ABSENT if default is None else default
    return Form(optional, worded)
