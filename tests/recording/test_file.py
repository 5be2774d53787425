"""A record's file holds whole lines, whatever becomes of a write."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from mockrelay.recording.file import RecordFile

LINES = ("one\n", "zwei \u00e9\n", "three\n")


class Disk:
    """A file in memory on which there is so much room."""

    def __init__(self, room: int, *, a_time: int = 1000, cuts: bool = True) -> None:
        self.held = bytearray()
        self.room = room
        self.a_time = a_time
        self.cuts = cuts
        self.is_closed = False

    def write(self, data: bytes, /) -> int:
        """As a system does it: as much as there is room for, and an error only where there is none."""
        count = min(len(data), self.room - len(self.held), self.a_time)
        if not count:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.held += data[:count]
        return count

    def truncate(self, size: int, /) -> int:
        if not self.cuts:
            raise OSError(errno.EIO, "Input/output error")
        del self.held[size:]
        return size

    def close(self) -> None:
        self.is_closed = True


def test_a_line_is_written_whole_however_little_a_write_takes() -> None:
    disk = Disk(1000, a_time=3)
    file = RecordFile(disk, 0)
    for line in LINES:
        file.write(line)
    assert disk.held.decode() == "".join(LINES)
    assert file.failure is None


@pytest.mark.parametrize("room", range(4, 13))
def test_a_line_that_does_not_fit_leaves_nothing_behind_not_even_when_there_is_room_again(room: int) -> None:
    """The second line takes 8 bytes behind the 4 of the first."""
    failures: list[str] = []
    disk = Disk(room)
    file = RecordFile(disk, 0)
    file.on_failure = failures.append
    file.write(LINES[0])
    if room == 12:
        file.write(LINES[1])
        assert (failures, disk.held.decode()) == ([], "one\nzwei \u00e9\n")
        return
    with pytest.raises(OSError, match="No space left on device"):
        file.write(LINES[1])
    disk.room = 1000
    with pytest.raises(OSError, match="No space left on device"):
        file.write(LINES[2])
    file.close()
    assert disk.held == b"one\n"
    assert failures == ["No space left on device"]
    assert disk.is_closed


def test_what_cannot_be_cut_off_is_a_torn_last_line_and_nothing_follows_it() -> None:
    disk = Disk(7, cuts=False)
    file = RecordFile(disk, 0)
    file.write(LINES[0])
    for line in LINES[1:]:
        with pytest.raises(OSError, match="No space left"):
            file.write(line)
    assert disk.held == b"one\nzwe"


def test_a_write_that_takes_nothing_is_a_failure_and_no_endless_loop() -> None:
    disk = Disk(1000, a_time=-5)
    disk.write = lambda data, /: 0  # type: ignore[method-assign]
    with pytest.raises(OSError, match="a write of nothing"):
        RecordFile(disk, 0).write(LINES[0])


def test_what_was_there_before_stays(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"before\n")
    with path.open("ab", buffering=0) as raw:
        file = RecordFile(raw, 7)
        file.write("one\n")
        raw.write(b"half")
        raw.close()
        with pytest.raises(ValueError, match="closed file"):
            file.write("two\n")
    assert path.read_bytes() == b"before\none\nhalf"
