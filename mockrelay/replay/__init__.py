"""Replays records: restores the relay that wrote one, compares its answers with the recorded ones, shrinks a record."""

from mockrelay.replay.load import load_into, resume

__all__ = ["load_into", "resume"]
