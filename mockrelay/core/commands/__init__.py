"""What can be done to a world by hand: one record for each command."""
