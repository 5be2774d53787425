"""The secrets that a relayer knows, masked by their value wherever they stand in what it shows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import unquote_plus

from mockrelay.core.accounts.keys import eddsa_private, layer1_private
from mockrelay.core.world import World
from mockrelay.journal.journal import Journal
from mockrelay.journal.masking import MASK, SENTENCE_MIN, VALUE_MIN, is_secret_field, is_secret_header
from mockrelay.wire.http import RawRequest

_ENCODED_WORD = re.compile(r"[^\s\"'<>&?=/,;]*%[^\s\"'<>&?=/,;]*")


class Secrets:
    """Masks values that are secret, but for short ones."""

    __slots__ = ("_pattern",)

    def __init__(self, values: Iterable[str]) -> None:
        longest_first = sorted({value for value in values if _is_masked(value)}, key=len, reverse=True)
        pattern = "|".join(map(re.escape, longest_first))
        self._pattern = re.compile(pattern, re.IGNORECASE) if pattern else None

    def mask_text(self, text: str) -> str:
        """A text without them, also where they are percent-encoded in one of its words."""
        if self._pattern is None:
            return text
        text = self._pattern.sub(MASK, text)
        return _ENCODED_WORD.sub(self._masked_word, text) if "%" in text else text

    def _masked_word(self, word: re.Match[str]) -> str:
        assert self._pattern is not None
        plain, count = self._pattern.subn(MASK, unquote_plus(word[0]))
        return plain if count else word[0]

    def mask(self, value: Any) -> Any:
        """A JSON value without them, in the names of its fields too."""
        if isinstance(value, str):
            return self.mask_text(value)
        if isinstance(value, dict):
            return {self.mask_text(name): self.mask(inner) for name, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.mask(inner) for inner in value]
        if type(value) is int and self._pattern is not None and self._pattern.fullmatch(str(value)):
            return MASK
        return value


def _is_masked(value: str) -> bool:
    return len(value) >= (SENTENCE_MIN if " " in value else VALUE_MIN)


def known_secrets(world: World, journal: Journal) -> Secrets:
    """Those of a world's accounts, and those that the calls in its journal were sent with."""
    return Secrets([*secrets_of_world(world), *(secret for entry in journal for secret in secrets_in(entry.raw))])


def secrets_of_world(world: World) -> Iterator[str]:
    """The API keys, the seeds and the private keys of all accounts."""
    for account in world.accounts.values():
        yield account.api_key
        yield account.key_seed or ""
        given = (int(key, 16) for key in (account.eddsa_key, account.layer1_key) if key is not None)
        derived = (make(world.config.seed, account.name) for make in (eddsa_private, layer1_private))
        for private in (*given, *derived):
            yield from (f"{private:x}", str(private))


def secrets_in(raw: RawRequest) -> Iterator[str]:
    """What a call was sent with under the names of secrets."""
    for name, value in raw.headers.items():
        if is_secret_header(name):
            yield value.removeprefix("Bearer ")
    yield from (value for name, value in raw.query if is_secret_field(name))
    if raw.body:
        # A body that is not JSON is masked by names alone.
        with suppress(ValueError, RecursionError):
            yield from _secrets_of(json.loads(raw.body))


def _secrets_of(value: Any, *, is_secret: bool = False) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _secrets_of(inner, is_secret=is_secret or is_secret_field(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _secrets_of(inner, is_secret=is_secret)
    elif is_secret and (isinstance(value, str) or type(value) is int):
        yield str(value)
