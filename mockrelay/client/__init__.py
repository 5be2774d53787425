"""The one client of a relayer: its calls as values, HTTP, control calls, right bodies and wrong calls."""
