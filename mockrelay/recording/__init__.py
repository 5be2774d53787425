"""Records and snapshots of a relayer: their format, and what writes and stores them. `replay` replays records."""

from mockrelay.recording.format import RecordError, read_record

__all__ = ["RecordError", "read_record"]
