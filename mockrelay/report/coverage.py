"""What of the spec a client has met."""

from __future__ import annotations

from mockrelay.journal.journal import Entry


class Coverage:
    """What of the spec the calls so far have met."""

    __slots__ = ("answers", "choices", "moves")

    def __init__(self) -> None:
        self.answers: set[tuple[str | None, int | None]] = set()
        """Endpoints with the codes they answered."""
        self.choices: set[tuple[str, str]] = set()
        """Choices that were consulted, with the option that held."""
        self.moves: set[tuple[str, str | None, str]] = set()
        """What moved, from where and whereto."""

    def see(self, entry: Entry) -> None:
        """Take in a call and its answer."""
        self.answers.add((entry.endpoint, entry.code))
        self.choices.update(entry.consulted)
        for what, _, was, to in entry.moves:
            self.moves.add((what, was, to))
