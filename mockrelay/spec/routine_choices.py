"""The choices that right calls meet as a matter of course: their defaults explain nothing about an answer."""

from __future__ import annotations

from mockrelay.spec.choices import DEFAULTS

ROUTINE = frozenset(
    {
        *("rate.escalate", "rate.scope", "rate.window", "rate.unlisted"),
        *("http.date", "auth.key_on_unlisted", "auth.key_on_silent", "signature.scheme", "hash.scheme"),
        *("fee.charged", "storage_id.scope", "storage_id.space", "nft.optional_fields", "nft.error_code"),
    }
)


def matters(key: str, option: str) -> bool:
    """Whether an option that a call met says something about its answer: it is not the default, or the choice is met only
    where its question arises.
    """
    return key not in ROUTINE or option != DEFAULTS[key]
