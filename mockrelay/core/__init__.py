"""The rules: a world, and what a call at a moment does to it. Pure: no clock, no chance, no input or output."""
