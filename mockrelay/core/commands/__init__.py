"""The commands on a world: one record type for each."""
