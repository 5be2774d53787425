"""Accounts: queries, private keys, and key updates (spec §8, §9)."""
