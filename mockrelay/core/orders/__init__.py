"""Orders, books, trades and market data (spec §10 to §16)."""
