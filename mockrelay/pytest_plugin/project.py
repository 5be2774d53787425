"""The settings of the project (`mockrelay.toml`, `[tool.mockrelay]`) for pytest: below those of its ini file."""

from __future__ import annotations

import os

import pytest

from mockrelay._project import PYTEST_NAMES, Project, Setting, find_project

_STASH = pytest.StashKey[tuple[Project, dict[str, Setting]]]()


def check_project(config: pytest.Config) -> None:
    """Raise ValueError where the project's settings cannot be read, or have a name that pytest has not."""
    _settings(config)


def project_setting(config: pytest.Config, name: str) -> Setting | None:
    """A setting of the project; None: it has none of this name."""
    return _settings(config)[1].get(name)


def project_texts(config: pytest.Config, name: str) -> list[str]:
    """A setting of texts: one, or a list. Raises ValueError."""
    setting = project_setting(config, name)
    if setting is None:
        return []
    texts = [setting.value] if isinstance(setting.value, (str, int, float)) else setting.value
    if not isinstance(texts, list) or any(isinstance(text, bool) for text in texts):
        raise ValueError(f"{setting.where}: {setting.value!r} is not a text or a list of texts")
    return [str(text) for text in texts]


def project_folder(config: pytest.Config) -> str:
    """The folder that paths in the settings are relative to."""
    return str(_settings(config)[0].folder)


def _settings(config: pytest.Config) -> tuple[Project, dict[str, Setting]]:
    if _STASH not in config.stash:
        project = find_project(config.rootpath, os.environ.get("MOCKRELAY_CONFIG") or None)
        config.stash[_STASH] = project, project.settings("pytest", PYTEST_NAMES)
    return config.stash[_STASH]
