"""Records carried out: a relay put where one leads, its answers compared with the recorded ones, and a record shrunk."""

from mockrelay.replay.load import load_into, resume

__all__ = ["load_into", "resume"]
