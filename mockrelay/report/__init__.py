"""What a client did wrong, and what it never tried: kept from the first call to the last, whatever is reset meanwhile."""

from mockrelay.report.report import Report

__all__ = ["Report"]
