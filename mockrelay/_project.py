"""A project's own settings: `mockrelay.toml`, or the table `[tool.mockrelay]` of `pyproject.toml`, from the nearest folder.

Settings at the top are for every command that has such an option; a table is for one command.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

FILE, PYPROJECT = "mockrelay.toml", "pyproject.toml"
SHARED = ("scenario", "profile", "clock", "limits", "set")
"""What may stand at the top."""
SECTIONS = ("serve", "pytest", "sweep")
"""The commands that have a table."""
PYTEST_NAMES = (
    *("scenario", "profile", "set", "clock", "limits", "strict", "allow", "start"),
    *("coverage", "coverage-append", "coverage-fail-under"),
)
"""The settings of pytest: its options without `--mockrelay-`."""
NO_FILE = "none"
"""In place of a file: no settings are read."""
_TOP: Mapping[str, Any] = MappingProxyType({})


class Setting(NamedTuple):
    """A value of a project's settings."""

    value: Any
    where: str
    """Its source, for errors: the file and the key in it."""


class Project(NamedTuple):
    """The settings of a project. Relative paths in it are relative to its folder."""

    file: Path | None = None
    """None: there are no settings."""
    top: Mapping[str, Any] = _TOP

    @property
    def folder(self) -> Path:
        """The folder of the file."""
        return Path() if self.file is None else self.file.parent

    def settings(self, section: str, names: Iterable[str]) -> dict[str, Setting]:
        """The settings of a command, by name: its table's, and those at the top that are among `names`, which are all that
        it can have. Raises ValueError for another name in its table.
        """
        possible = tuple(names)
        found = {name: Setting(self.top[name], f"{self.file}: {name}") for name in SHARED if name in self.top}
        table = self.top.get(section, {})
        for name, value in table.items():
            if name not in possible:
                place = f"{self.file}: {section}.{name}"
                raise ValueError(f"{place}: there is no such setting; meant: {_nearest(name, possible)}")
            found[name] = Setting(value, f"{self.file}: {section}.{name}")
        return {name: setting for name, setting in found.items() if name in possible}


def find_project(folder: Path, named: str | None = None) -> Project:
    """The settings of the nearest folder, from `folder` up; or those of the file that is named, or none (`none`). Raises
    ValueError where they cannot be read.
    """
    if named is not None:
        return Project() if named == NO_FILE else _read(Path(named), must_have=True) or Project()
    start = folder.resolve()
    for place in (start, *start.parents):
        for name in (FILE, PYPROJECT):
            if (place / name).is_file():
                project = _read(place / name)
                if project is not None:
                    return project
    return Project()


def _read(file: Path, *, must_have: bool = False) -> Project | None:
    """The settings in a file; None: it is a `pyproject.toml` without any. Raises ValueError."""
    try:
        text = file.read_bytes().decode()
    except (OSError, ValueError) as error:
        raise ValueError(f"{file}: {getattr(error, 'strerror', None) or 'is not UTF-8'}") from None
    if file.name == PYPROJECT and "mockrelay" not in text and not must_have:
        return None
    # Most servers are started without such a file.
    import tomllib  # noqa: PLC0415

    try:
        value: Any = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file}: is not TOML: {error}") from None
    if file.name == PYPROJECT:
        tools = value.get("tool")
        value = tools.get("mockrelay") if isinstance(tools, dict) else None
        if value is None and not must_have:
            return None
    return Project(file, _checked(file, value))


def _checked(file: Path, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{file}: there is no table [tool.mockrelay]")  # noqa: TRY004 - one kind of error for all files
    for name, inner in value.items():
        if name not in (*SHARED, *SECTIONS):
            meant = _nearest(name, (*SHARED, *SECTIONS))
            raise ValueError(f"{file}: {name!r}: there is no such setting; meant: {meant}")
        if name in SECTIONS and not isinstance(inner, dict):
            raise ValueError(f"{file}: {name} is not a table; meant: [{name}]")
    return value


def _nearest(name: str, possible: Collection[str]) -> str:
    from mockrelay.suggest import nearest  # noqa: PLC0415 - only errors pay for it

    return nearest(name, possible)
