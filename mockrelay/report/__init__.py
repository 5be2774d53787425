"""What a client did wrong, and what it never tried, from its first call to its last, resets included."""

from mockrelay.report.report import Report

__all__ = ["Report"]
