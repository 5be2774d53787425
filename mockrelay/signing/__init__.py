"""What is signed and how: pure functions that know nothing of worlds or requests."""
