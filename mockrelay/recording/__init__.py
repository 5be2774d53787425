"""Records and snapshots of a relayer: their form, and what writes and keeps them. `replay` carries them out."""

from mockrelay.recording.format import RecordError, read_record

__all__ = ["RecordError", "read_record"]
