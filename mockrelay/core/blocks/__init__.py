"""Blocks and the transactions that wait for one (spec §19, §20)."""
