"""What a relayer was asked, what it answered and why: kept within bounds, shown without secrets, compared with what a
test expects.
"""

from mockrelay.journal.journal import Entry, Journal, Problem, ProblemKind

__all__ = ["Entry", "Journal", "Problem", "ProblemKind"]
