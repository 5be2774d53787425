"""The relayer's rules: the state of a world and how calls, commands and events change it. Pure: no clock, randomness or I/O."""
