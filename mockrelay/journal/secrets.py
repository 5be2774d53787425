"""The secrets that a relayer knows, masked by their value wherever they stand in what it shows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_plus

from mockrelay.core.accounts.keys import eddsa_private, layer1_private
from mockrelay.core.models import Account
from mockrelay.core.world import World
from mockrelay.journal.journal import Journal
from mockrelay.journal.masking import MASK, SENTENCE_MIN, VALUE_MIN, is_secret_field, is_secret_header
from mockrelay.wire.http import RawRequest

_Keys = tuple[str, str, str | None, str | None, str | None]
"""Of an account: its name, API key, seed, EdDSA key and layer-1 key."""
_ENCODED_WORD = re.compile(r"[^\s\"'<>&?=/,;]*%[^\s\"'<>&?=/,;]*")


class Secrets:
    """Masks values that are secret, but for short ones."""

    __slots__ = ("folded",)

    def __init__(self, values: Iterable[str]) -> None:
        self.folded = {value: value.casefold() for value in values if _is_masked(value)}
        """The values, each with what it is without regard to case."""

    def plus(self, *others: Secrets) -> Secrets:
        """These and others."""
        whole = Secrets(())
        for secrets in (self, *others):
            whole.folded |= secrets.folded
        return whole

    def add(self, other: Secrets) -> None:
        """Add those of others."""
        self.folded |= other.folded

    def forget_oldest(self, most: int) -> None:
        """Leave the newest, at most so many."""
        while len(self.folded) > most:
            del self.folded[next(iter(self.folded))]

    def mask_text(self, text: str) -> str:
        """A text without them, also where they are percent-encoded in one of its words."""
        folded = text.casefold()
        if "%" in text:
            folded += "\n" + unquote_plus(text).casefold()
        # Most texts have none, and a pattern of thousands takes half a second to make.
        found = [value for value, folded_value in self.folded.items() if folded_value in folded]
        if not found:
            return text
        longest_first = sorted(found, key=len, reverse=True)
        pattern = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)

        def masked_word(word: re.Match[str]) -> str:
            plain, count = pattern.subn(MASK, unquote_plus(word[0]))
            return plain if count else word[0]

        text = pattern.sub(MASK, text)
        return _ENCODED_WORD.sub(masked_word, text) if "%" in text else text

    def mask(self, value: Any) -> Any:
        """A JSON value without them, in the names of its fields too."""
        if isinstance(value, str):
            return self.mask_text(value)
        if isinstance(value, dict):
            return {self.mask_text(name): self.mask(inner) for name, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.mask(inner) for inner in value]
        if type(value) is int and str(value) in self.folded:
            return MASK
        return value


def _is_masked(value: str) -> bool:
    return len(value) >= (SENTENCE_MIN if " " in value else VALUE_MIN)


def known_secrets(world: World, journal: Journal) -> Secrets:
    """Those of a world's accounts, and those that the calls in its journal were sent with."""
    return secrets_of_world(world).plus(Secrets(secret for entry in journal for secret in secrets_in(entry.raw)))


def secrets_of_world(world: World) -> Secrets:
    """The API keys, the seeds and the private keys of all accounts."""
    return secrets_of_accounts(world.config.seed, world.accounts.values())


def secrets_of_accounts(seed: str, accounts: Iterable[Account]) -> Secrets:
    """The same of these accounts, in a world with this seed."""
    keys = tuple((one.name, one.api_key, one.key_seed, one.eddsa_key, one.layer1_key) for one in accounts)
    return _secrets_of_keys(seed, keys)


# Asked for every request that is logged, while keys seldom change.
@lru_cache(maxsize=16)
def _secrets_of_keys(seed: str, keys: tuple[_Keys, ...]) -> Secrets:
    return Secrets(secret for each in keys for secret in _secrets_of_account(seed, *each))


def _secrets_of_account(
    seed: str, name: str, api_key: str, key_seed: str | None, eddsa_key: str | None, layer1_key: str | None
) -> Iterator[str]:
    yield api_key
    yield key_seed or ""
    given = (int(key, 16) for key in (eddsa_key, layer1_key) if key is not None)
    derived = (make(seed, name) for make in (eddsa_private, layer1_private))
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
