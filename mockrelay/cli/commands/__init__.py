"""The commands, one file for each face. Each imports what it needs when it runs."""
