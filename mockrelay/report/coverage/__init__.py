"""What of the spec a client has met and what it never tried: seen call by call, merged over relayers, jobs and runs."""

from mockrelay.report.coverage.seen import FORMS, Coverage

__all__ = ["FORMS", "Coverage"]
