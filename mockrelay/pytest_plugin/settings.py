"""The settings of relayers, from the ini file, the environment, the command line, the marker and `make_relayer`.

Later ones of these win. A wrong setting is a ValueError that says where it comes from and what was meant.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mockrelay.pytest_plugin.project import project_folder, project_setting

SCENARIO, CHOICES, CLOCK, LIMITS, STRICT, ALLOW = "scenario", "choices", "clock", "limits", "strict", "allow"
PROFILE = "profile"
NAMES = (SCENARIO, PROFILE, CHOICES, CLOCK, LIMITS, STRICT, ALLOW)
"""The arguments of the marker and of `make_relayer`."""
LIMITS_WORDS = ("spec", "off")


class Settings(NamedTuple):
    """The settings of a relayer."""

    scenario: str | Path | Mapping[str, Any] = "default"
    """A packaged name, a file, or a document."""
    folder: Path = Path()
    """The folder of the files that a document may extend."""
    profile: str | None = None
    """`spec` or `live`; None: the scenario's."""
    choices: Mapping[str, str] = {}
    rate: float = 0
    start_ms: int | None = None
    """The start of the clock; None: the scenario's, or the session's."""
    limits: str | None = None
    """`spec` or `off`; None: on where the scenario has limits of its own."""
    limits_by_endpoint: Mapping[str, int | str] = {}
    """Laid over those of the scenario."""
    strict: bool = False
    allow: frozenset[str] = frozenset()
    scenario_from: str = "the plugin: scenario"
    """The source of `scenario`, for errors."""


class SettingValue(NamedTuple):
    """A value of a setting, not yet checked."""

    name: str
    value: Any
    where: str
    """Its source, for errors."""


class Base:
    """The settings of a run, and of its tests."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.roots = (config.invocation_params.dir, config.rootpath, Path(project_folder(config)))
        """The folders that a scenario's path outside a test may be relative to."""
        self.settings = Settings()
        for setting in values_of_run(config):
            self.settings = _with_value(self.settings, setting, self.roots)

    def of(self, item: pytest.Item) -> Settings:
        """The settings of a test: those of the run, changed by its markers; the nearest marker wins. Raises ValueError."""
        settings = self.settings
        for marker in reversed(list(item.iter_markers("relayer"))):
            if marker.args:
                raise ValueError(
                    f"@pytest.mark.relayer: it takes names only: {', '.join(NAMES)}; found {marker.args!r}"
                )
            settings = merged(settings, marker.kwargs, self.folders(item), "@pytest.mark.relayer")
        return settings

    def folders(self, item: pytest.Item) -> tuple[Path, ...]:
        """The folders that a scenario's path in a test may be relative to."""
        return item.path.parent, self._config.rootpath


def check_run(config: pytest.Config) -> None:
    """Raise ValueError for a wrong setting of the command line, the environment or the ini file."""
    settings = Base(config).settings
    if isinstance(settings.scenario, str) and settings.scenario != Settings().scenario:
        _check_shipped(settings.scenario, settings.scenario_from)
    url = os.environ.get("MOCKRELAY_URL")
    if url and not url.startswith(("http://", "https://")):
        raise ValueError(f"MOCKRELAY_URL: {url!r} is not the address of a server; meant: http://HOST:PORT")


def values_of_run(config: pytest.Config) -> Iterator[SettingValue]:
    """The value of each setting, from the command line or else the ini file. Choices of all sources are added up.
    Raises ValueError.
    """
    for name in NAMES:
        option = config.getoption(f"mockrelay_{name}")
        if name == CHOICES:
            for where, text in _choice_texts(config, option or ()):
                yield SettingValue(name, dict([_pair(text, where)]), where)
        elif option is not None:
            yield SettingValue(name, option, f"--mockrelay-{name}")
        elif (in_ini := _from_ini(config, name)) is not None:
            yield SettingValue(name, in_ini, f"the ini file: mockrelay_{name}")
        elif (in_project := project_setting(config, name)) is not None:
            yield SettingValue(name, *in_project)


def merged(settings: Settings, values: Mapping[str, Any], folders: Iterable[Path], where: str) -> Settings:
    """Settings with some values replaced; choices are added. Raises ValueError."""
    for name, value in values.items():
        if name not in NAMES:
            raise ValueError(f"{where}: there is no {name!r}; meant: {_nearest(name, NAMES)}")
        settings = _with_value(settings, SettingValue(name, value, f"{where}: {name}"), folders)
    return settings


def _with_value(settings: Settings, setting: SettingValue, folders: Iterable[Path]) -> Settings:
    try:
        changed = _READERS[setting.name](setting.value, settings, folders)
    except ValueError as error:
        raise ValueError(f"{setting.where}: {error}") from None
    if setting.name == SCENARIO:
        changed["scenario_from"] = setting.where
    return settings._replace(**changed)


def moment_ms(text: str) -> int:
    """A moment such as `2026-01-01T00:00:00Z`, in milliseconds. Raises ValueError."""
    from mockrelay.core import units  # noqa: PLC0415 - only those who set it pay for it

    moment = units.moment_ms(text)
    if moment is None:
        raise ValueError(f"{text!r} is not a moment; meant: a date and time with Z: 2026-01-01T00:00:00Z")
    return moment


def _scenario(value: Any, settings: Settings, folders: Iterable[Path]) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return {SCENARIO: value, "folder": next(iter(folders))}
    text = str(value)
    if not isinstance(value, Path) and not text.endswith((".yaml", ".yml")) and "/" not in text and "\\" not in text:
        _check_no_file_is_meant(text, folders)
        return {SCENARIO: text}
    tried = [folder / text for folder in folders]
    for path in tried:
        if path.is_file():
            return {SCENARIO: path}
    places = ", ".join(dict.fromkeys(str(path) for path in tried))
    raise ValueError(f"there is no file {text}; meant: a file beside the test or at the root of the tests ({places})")


def _check_no_file_is_meant(name: str, folders: Iterable[Path]) -> None:
    """Raise ValueError for the name of a file without its ending. (An unknown name is an error when it is loaded.)"""
    endings = [ending for folder in folders for ending in (".yaml", ".yml") if (folder / f"{name}{ending}").is_file()]
    if endings:
        from mockrelay.scenario import shipped  # noqa: PLC0415 - only those who have such a file pay for it

        if name not in shipped():
            raise ValueError(f"{name!r} is not a shipped scenario; meant: the file {name + endings[0]!r}")


def _check_shipped(name: str, where: str) -> None:
    """Raise ValueError for a name that is not a packaged scenario."""
    from mockrelay._files import data_root  # noqa: PLC0415 - only those who name one pay for it

    if not data_root().joinpath("scenarios", f"{name}.yaml").is_file():
        from mockrelay.scenario import ScenarioError, load  # noqa: PLC0415 - only errors pay for it

        try:
            load(name)
        except ScenarioError as error:
            raise ValueError(f"{where}: {error}") from None


def _choice_texts(config: pytest.Config, options: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Texts `KEY=OPTION`, each with its source; later ones win."""
    in_project = project_setting(config, "set")
    if in_project is not None:
        value, where = in_project
        if not isinstance(value, Mapping):
            raise ValueError(f"{where}: {value!r} is not a table of choices")
        yield from ((where, f"{key}={option}") for key, option in value.items())
    yield from (("the ini file: mockrelay_set", text) for text in config.getini("mockrelay_set"))
    # The environment is for a whole run (`mockrelay sweep` sets it), so it wins over the project's own settings.
    texts = os.environ.get("MOCKRELAY_SET", "").split(",")
    yield from (("MOCKRELAY_SET", text) for text in texts if text.strip())
    yield from (("--mockrelay-set", text) for text in options)


def _from_ini(config: pytest.Config, name: str) -> Any:
    try:
        return config.getini(f"mockrelay_{name}") or None
    except (ValueError, pytest.UsageError) as error:  # the one before pytest 9, the other since
        raise ValueError(f"the ini file: mockrelay_{name}: {error}; meant: true or false") from None


def _choices(value: Any, settings: Settings, folders: Iterable[Path]) -> dict[str, Any]:
    from mockrelay.core.world import check_choices  # noqa: PLC0415 - for those who use a relayer

    if not isinstance(value, Mapping):
        raise ValueError(f"{value!r} is not a map of choices; meant: a dict such as {{'http.error_status': '400'}}")  # noqa: TRY004
    return {CHOICES: {**settings.choices, **check_choices(value)}}


def _clock(value: Any, settings: Settings, folders: Iterable[Path]) -> dict[str, Any]:
    from mockrelay.clock import ClockConfig  # noqa: PLC0415 - for those who use a relayer

    text = str(value)
    if "T" in text:
        return {"rate": 0.0, "start_ms": moment_ms(text)}
    try:
        return {"rate": ClockConfig.of_text(text).rate, "start_ms": None}
    except ValueError:
        meant = "frozen, real, a rate such as 60, or a moment to stand at: 2026-01-01T00:00:00Z"
        raise ValueError(f"{text!r} is not a clock; meant: {meant}") from None


def _profile(value: Any, settings: Settings, folders: Iterable[Path]) -> dict[str, Any]:
    from mockrelay.spec.profiles import PROFILES  # noqa: PLC0415 - only those who set it pay for it

    if value not in PROFILES:
        raise ValueError(f"{value!r} is not a profile; meant: {_nearest(str(value), PROFILES)}")
    return {PROFILE: value}


def _limits(value: Any, settings: Settings, folders: Iterable[Path]) -> dict[str, Any]:
    if isinstance(value, Mapping):
        from mockrelay.scenario import checked_limits  # noqa: PLC0415 - for those who use a relayer

        return {LIMITS: "spec", "limits_by_endpoint": checked_limits(value)}
    if value not in LIMITS_WORDS:
        raise ValueError(f"{value!r} is not known; meant: {_nearest(str(value), LIMITS_WORDS)}")
    return {LIMITS: value, "limits_by_endpoint": {}}


def _strict(value: Any, settings: Settings, folders: Iterable[Path]) -> dict[str, Any]:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither True nor False")  # noqa: TRY004 - one kind of error for all settings
    return {STRICT: value}


def _allow(value: Any, settings: Settings, folders: Iterable[Path]) -> dict[str, Any]:
    from mockrelay.testing.problems import allowed_kinds  # noqa: PLC0415 - for those who use a relayer

    try:
        return {ALLOW: allowed_kinds(value)}
    except ValueError as error:
        # The source of the value is put before the text instead.
        raise ValueError(str(error).removeprefix("allow: ")) from None


def _pair(text: str, where: str) -> tuple[str, str]:
    key, equals, option = text.partition("=")
    if not equals:
        raise ValueError(f"{where} {text}: meant: KEY=OPTION, such as http.error_status=400")
    return key.strip(), option.strip()


def _nearest(name: str, known: Collection[str]) -> str:
    from mockrelay.suggest import nearest  # noqa: PLC0415 - only errors pay for it

    return nearest(name, known)


_READERS: dict[str, Callable[[Any, Settings, Iterable[Path]], dict[str, Any]]] = {
    SCENARIO: _scenario,
    PROFILE: _profile,
    CHOICES: _choices,
    CLOCK: _clock,
    LIMITS: _limits,
    STRICT: _strict,
    ALLOW: _allow,
}
