"""Orders, books and trades, and the market data made of them (spec §10 to §16)."""
