"""Accounts: their records as owners read them, their keys, and the change of a key (spec §8, §9)."""
