"""`mockrelay config`: which options hold and where each comes from; and the options that a project's settings give."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from mockrelay._project import PYTEST_NAMES, SECTIONS, Project, Setting
from mockrelay.cli.options import CliError, KeyOption, Option, OwnType, source_of
from mockrelay.cli.output import aligned, output_options, put

_SECRET, _MASK = "token", "***"
_PYTEST = "pytest"
_NO_COMMAND = ("true",)
"""What a sweep would run; only its options are looked at."""


@click.command()
@click.argument("section", type=click.Choice(SECTIONS), required=False)
@output_options("config", "text", "json")
@click.pass_context
def config(ctx: click.Context, section: str | None, output_format: str, output: Path | None) -> None:
    """Print the options of serve and sweep, and what the project sets for pytest, each with its source.

    An option comes from the command line, else from its environment variable, else from the nearest mockrelay.toml or the
    table [tool.mockrelay] of pyproject.toml, else it is the default. pytest's own settings (its ini file, the command line) go
    over those of the project.
    """
    project: Project = ctx.find_root().obj
    sections = {name: dict(_rows(ctx, project, name)) for name in ((section,) if section else SECTIONS)}
    if output_format == "json":
        value = {"file": None if project.file is None else str(project.file), **sections}
        put(json.dumps(value, indent=2, default=str), output)
        return
    lines = [f"settings: {project.file or 'no mockrelay.toml, and no [tool.mockrelay] in a pyproject.toml'}"]
    for name, rows in sections.items():
        shown = [{name: option, "value": _text(row["value"]), "from": row["from"]} for option, row in rows.items()]
        lines += ["", *(aligned(shown) if shown else [f"{name}: nothing is set"])]
    put("\n".join(lines), output)


def _rows(ctx: click.Context, project: Project, section: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Option, value and source."""
    if section == _PYTEST:
        try:
            found = project.settings(section, PYTEST_NAMES)
        except ValueError as error:
            raise CliError(str(error)) from None
        yield from ((name, {"value": setting.value, "from": setting.where}) for name, setting in found.items())
        return
    group = ctx.find_root().command
    assert isinstance(group, click.Group)
    command = group.get_command(ctx, section)
    assert command is not None
    root = click.Context(group, info_name="mockrelay", obj=project)
    root.default_map = {section: defaults_of(command, section, project)}
    args = list(_NO_COMMAND) if any(isinstance(param, click.Argument) for param in command.params) else []
    own = command.make_context(section, args, parent=root)
    for param in command.params:
        if isinstance(param, Option) and param.name is not None:
            value = own.params[param.name]
            is_masked = param.name == _SECRET and value is not None
            source = source_of(own, param) or "default"
            yield long_name(param), {"value": _MASK if is_masked else _setting(param, value), "from": source}


def _setting(param: Option, value: Any) -> Any:
    """The value of an option as settings have it."""
    if isinstance(param.type, KeyOption):
        return dict(value)
    if param.multiple:
        return [_one(param, each) for each in value]
    return None if value is None else _one(param, value)


def _one(param: Option, value: Any) -> Any:
    if isinstance(param.type, OwnType):
        return param.type.written(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else _toml(value)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        pairs = (f"{_toml(name)} = {_toml(inner)}" for name, inner in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (bool, int, float, str)) else str(value)


def long_name(param: Option) -> str:
    """The name of an option in settings: its long form without the dashes."""
    return next(name for name in param.opts if name.startswith("--"))[2:]


def defaults_of(command: click.Command, section: str, project: Project) -> dict[str, Any]:
    """What a project's settings give as defaults of a command's parameters. Raises CliError."""
    params = {long_name(param): param for param in command.params if isinstance(param, Option)}
    try:
        found = project.settings(section, params)
        return {
            params[name].name or name: _default(params[name], setting, project.folder)
            for name, setting in found.items()
        }
    except ValueError as error:
        raise CliError(str(error)) from None


def _default(param: Option, setting: Setting, folder: Path) -> Any:
    """A setting in the form that the option converts. Raises ValueError."""
    value = setting.value
    if param.is_flag:
        if not isinstance(value, bool):
            raise ValueError(f"{setting.where}: {_toml(value)} is neither true nor false")
        return value
    if param.multiple:
        listed = [f"{key}={option}" for key, option in value.items()] if isinstance(value, Mapping) else value
        listed = [listed] if isinstance(listed, str) else listed
        if not isinstance(listed, list):
            raise ValueError(f"{setting.where}: {_toml(value)} is not a list; meant: a list of texts, or a table")
        return tuple(_word(each, param, setting, folder) for each in listed)
    if isinstance(value, list):
        return ",".join(_word(each, param, setting, folder) for each in value)
    return _word(value, param, setting, folder)


def _word(value: Any, param: Option, setting: Setting, folder: Path) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError(f"{setting.where}: {_toml(value)} is not a text or a number")  # noqa: TRY004 - see above
    text = str(value)
    is_path = isinstance(param.type, click.Path) or (param.name == "scenario" and _looks_like_a_path(text))
    return str(folder / text) if is_path and text != "-" else text


def _looks_like_a_path(text: str) -> bool:
    return text.endswith((".yaml", ".yml")) or "/" in text or "\\" in text
