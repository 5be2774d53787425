"""Blocks and pending transactions (spec §19, §20)."""
