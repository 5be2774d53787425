"""The calls of a relayer with their answers and reasons: stored within bounds, shown without secrets, compared with a
test's expectations.
"""

from mockrelay.journal.journal import Entry, Journal, Problem, ProblemKind

__all__ = ["Entry", "Journal", "Problem", "ProblemKind"]
