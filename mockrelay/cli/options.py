"""What the commands share: options with their variables and old spellings, types of values, errors and exit codes."""

from __future__ import annotations

import importlib
import os
import re
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, ClassVar

import click

if TYPE_CHECKING:
    from mockrelay.relay import Relay

EXIT_FINDINGS, EXIT_CONFIG, EXIT_CANNOT_BIND = 1, 2, 3
EXIT_STOPPED = 130
"""After Ctrl-C, as shells have it."""
DEFAULT_PORT = 4627
AUTO_TOKEN = "auto"  # noqa: S105 - no token, but the wish for one
"""A token that `serve` makes at its start, and that nobody else knows."""
FILE, FOLDER = click.Path(dir_okay=False, path_type=Path), click.Path(file_okay=False, path_type=Path)
EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
EXISTING_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
LIMITS = click.Choice(("spec", "off"))
PROFILE = click.Choice(("spec", "live"))

Command = Callable[..., None]
Old = Mapping[str, str | None]
"""Old spellings of an option, `--NAME` or a variable. None: its value is the option's value. A text: the spelling was a
flag, and setting it gives the option this value.
"""
_PREFIX = "MOCKRELAY_"
_SIMILARITY_MIN = 0.85
_OF_A_PLATFORM = re.compile(r"(tcp|udp|sctp)://")
_NO_OLD: Old = MappingProxyType({})


def option(*names: str, command: str = "", old: Old = _NO_OLD, **settings: Any) -> Callable[[Command], Command]:
    """An option that can also be given as an environment variable: `MOCKRELAY_NAME`, or `MOCKRELAY_COMMAND_NAME` where
    `command` says whose own option it is. Old spellings work and are not in the help.
    """
    long_form = next(name for name in names if name.startswith("--"))
    variable = _PREFIX + f"{command}_{long_form[2:]}".removeprefix("_").replace("-", "_").upper()
    settings.setdefault("envvar", variable)
    return click.option(*names, cls=Option, old=old, **settings)


def completed_by(values: str) -> Callable[[click.Context, click.Parameter, str], Any]:
    """What completes a parameter: the function of this name in `completion.values`, which is imported only then."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> Any:
        # By name: it reads commands, which have options.
        module = importlib.import_module("mockrelay.cli.completion.values")
        return getattr(module, values)(ctx, incomplete)

    return complete


class Option(click.Option):
    """An option with old spellings, whose errors name the environment variable that the value comes from."""

    def __init__(self, *args: Any, old: Old = _NO_OLD, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.old = old

    @property
    def variables(self) -> list[str]:
        """The environment variables that give this option, the one that is documented first."""
        return [*([str(self.envvar)] if self.envvar else []), *(name for name in self.old if name[0] != "-")]

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Register the option, and its old spellings as further ways to set it."""
        super().add_to_parser(parser, ctx)
        for name, value in self.old.items():
            if name[0] == "-":
                action = "store" if value is None else "store_const"
                parser.add_option(obj=self, opts=[name], dest=self.name, action=action, const=value)

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        """The text of the option's variable, or else of an old one. What a platform has put there is passed over."""
        given = super().resolve_envvar_value(ctx)
        if given is not None and _OF_A_PLATFORM.match(given):
            # Docker and Kubernetes name the port of a service so; `mockrelay` is a likely name for one.
            click.echo(f"mockrelay: {self.envvar}={given} is the address of a service and is passed over", err=True)
            given = None
        for name, value in self.old.items():
            text = os.environ.get(name) if given is None else None
            if text and value is None:
                return text
            if text and click.BOOL.convert(text, self, ctx):
                return value
        return given

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """How an error calls the option."""
        hint = super().get_error_hint(ctx)
        source = source_of(ctx, self)
        return hint if source is None else f"{hint} ({source})"


def source_of(ctx: click.Context | None, param: click.Parameter) -> str | None:
    """The environment variable or the file that an option's value comes from; None: it comes from elsewhere."""
    source = None if ctx is None else ctx.get_parameter_source(param.name or "")
    if ctx is None or not isinstance(param, Option):
        return None
    if source is click.core.ParameterSource.DEFAULT_MAP:
        return str(ctx.find_root().obj.file)
    if source is not click.core.ParameterSource.ENVIRONMENT:
        return None
    variable = next((name for name in param.variables if os.environ.get(name)), None)
    return None if variable is None else f"env var: {variable!r}"


class OwnType(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click only
    """A type whose values are others than settings have."""

    @abstractmethod
    def written(self, value: Any) -> str | int:
        """A value as settings have it."""


class KeyOption(click.ParamType):  # type: ignore[type-arg]  # see above
    """`KEY=OPTION`, an option of a choice. In `MOCKRELAY_SET` a comma separates two."""

    name = "KEY=OPTION"
    envvar_list_splitter: ClassVar[str] = ","
    _separator = " (repeat --set for each; in MOCKRELAY_SET a comma separates two)"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """The pair; fails with the nearest key and its options, or with the options of the key."""
        from mockrelay.core.errors import InvalidInput
        from mockrelay.core.world import check_choices
        from mockrelay.spec.choices import BY_KEY

        if isinstance(value, tuple):
            return value
        key, equals, option = str(value).partition("=")
        if not equals:
            self.fail(f"{value!r} is not KEY=OPTION{self._separator}", param, ctx)
        try:
            check_choices({key: option})
        except InvalidInput as error:
            near = BY_KEY.get(error.expected)
            options = f" (one of {', '.join(near.options)})" if near else ""
            several = self._separator if "=" in option else ""
            self.fail(f"{error}{options}{several}. `mockrelay spec choices` lists all.", param, ctx)
        return key, option

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> Any:
        """What completes a value."""
        return completed_by("options")(ctx, param, incomplete)


class ClockRate(click.ParamType):  # type: ignore[type-arg]  # see above
    """`real`, `frozen`, or the number of the relayer's seconds in one real second."""

    name = "real|frozen|RATE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text as it is, after a check."""
        from mockrelay.clock import Clock

        try:
            Clock(0, float({"real": 1, "frozen": 0}.get(value, value)))
        except ValueError:
            self.fail(
                f"{value!r} is not real, frozen or a rate: a number of 0 or more (60: a minute a second)", param, ctx
            )
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> Any:
        """What completes a value."""
        return completed_by("clocks")(ctx, param, incomplete)


def is_http_url(text: str) -> bool:
    """Whether a text is an address and not a path."""
    return text.startswith(("http://", "https://"))


def http_url(ctx: click.Context, param: click.Parameter, url: str | None) -> str | None:
    """A base address, without the slash at its end; None where an optional one is not given."""
    if url is None:
        return None
    if not is_http_url(url):
        raise click.BadParameter(f"{url!r} is not http://HOST:PORT", ctx, param)
    return url.rstrip("/")


def environment_names(group: click.Command) -> set[str]:
    """All environment variables that the commands of a group read."""
    assert isinstance(group, click.Group)
    ctx = click.Context(group)
    commands = [group.get_command(ctx, name) for name in group.list_commands(ctx)]
    options = [param for command in commands if command for param in command.params if isinstance(param, Option)]
    return {"MOCKRELAY_URL", "MOCKRELAY_CONFIG"} | {name for each in options for name in each.variables}


def misspelt(environ: Iterable[str], names: Callable[[], Collection[str]]) -> Iterator[str]:
    """A sentence for each environment variable that is nearly one of ours. `names` gives ours; it is called only where
    there is a variable to compare.
    """
    import difflib

    present = sorted(name for name in environ if name.startswith(_PREFIX))
    valid = names() if present else ()
    for name in present:
        near = [] if name in valid else difflib.get_close_matches(name, valid, n=1, cutoff=_SIMILARITY_MIN)
        if near:
            yield f"the environment variable {name} is unknown and does nothing; meant: {near[0]}"


def warn_of_misspelt_variables(ctx: click.Context) -> None:
    """Print a line for each variable that is near one of ours, and is none."""
    own = {name for param in ctx.command.params if isinstance(param, Option) for name in param.variables}
    for warning in misspelt(os.environ.keys() - own, lambda: environment_names(ctx.find_root().command)):
        click.echo(f"mockrelay: {warning}", err=True)


def count_text(number: int, noun: str) -> str:
    """`1 call`, `2 calls`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


class CliError(click.ClickException):
    """Ends a command with a sentence on standard error and an exit code. Where the sentence begins with an option whose
    value comes from the environment, the variable is named.
    """

    def __init__(self, text: str, exit_code: int = EXIT_CONFIG, details: Sequence[str] = ()) -> None:
        """`details`: lines that are printed before the sentence."""
        ctx = click.get_current_context(silent=True)
        name = text.partition(" ")[0].rstrip(":")
        params = [] if ctx is None else [param for param in ctx.command.params if name in param.opts]
        hints = [f" ({source})" for param in params if (source := source_of(ctx, param))]
        super().__init__("".join([text, *hints]))
        self.exit_code = exit_code  # type: ignore[misc]  # in the newest click it is declared for the class
        self.details = details

    def show(self, file: IO[Any] | None = None) -> None:
        """Print it; click calls this, and then ends the process with the exit code."""
        for line in self.details:
            click.echo(f"  {line}", file=file, err=file is None)
        click.echo(f"mockrelay: {self.message}", file=file, err=file is None)


def file_error(option: str, path: Path, error: Exception) -> CliError:
    """The error that a file of an option cannot be read or written."""
    return CliError(f"{option} {path}: {getattr(error, 'strerror', None) or error}")


def relay_of(
    scenario: str, clock: str, choices: Mapping[str, str], limits: str | None = None, profile: str | None = None
) -> Relay:
    """The relay of `--scenario`: a packaged name or, where it looks like a path, a file. Raises CliError."""
    from mockrelay.relay import Relay
    from mockrelay.scenario import ScenarioError

    is_file = scenario.endswith((".yaml", ".yml")) or os.sep in scenario or "/" in scenario
    try:
        source = Path(scenario) if is_file else scenario
        return Relay.from_scenario(source, choices=dict(choices), clock=clock, limits=limits, profile=profile)
    except ScenarioError as error:
        # An error in the scenario's own file starts with its name.
        text = str(error) if error.file == scenario else f"{scenario}: {error}"
        file = next((f"{scenario}{end}" for end in (".yaml", ".yml") if Path(f"{scenario}{end}").is_file()), None)
        raise CliError(f"--scenario {text}" + (f", or the file {file}" if file and not is_file else "")) from error
    except (OSError, ValueError) as error:
        raise CliError(f"--scenario {scenario}: {error}") from error
