"""What commands share: exit codes, options that are environment variables too, and types of their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import IO, Any, ClassVar

import click

EXIT_FINDINGS, EXIT_CONFIG, EXIT_CANNOT_BIND = 1, 2, 3
EXIT_STOPPED = 130
"""As shells have it for what Ctrl-C has ended."""
DEFAULT_PORT = 4627

Command = Callable[..., None]


def option(*names: str, **settings: Any) -> Callable[[Command], Command]:
    """An option that can also be given as an environment variable, named after its long form."""
    long_form = next(name for name in names if name.startswith("--"))
    settings.setdefault("envvar", "MOCKRELAY_" + long_form[2:].replace("-", "_").upper())
    return click.option(*names, cls=_Option, **settings)


class _Option(click.Option):
    """An option whose errors name the environment variable where the value is from there."""

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """How an error calls the option."""
        hint = super().get_error_hint(ctx)
        variable = _variable_of(ctx, self)
        return hint if variable is None else f"{hint} (env var: {variable!r})"


def _variable_of(ctx: click.Context | None, option: click.Parameter) -> str | None:
    """The environment variable that an option's value is from; None: it is not from there."""
    source = None if ctx is None else ctx.get_parameter_source(option.name or "")
    is_there = source is click.core.ParameterSource.ENVIRONMENT
    return str(option.envvar) if is_there else None


class Setting(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click only
    """`KEY=VALUE` of the choices table. In `MOCKRELAY_SET` a comma stands between two."""

    name = "KEY=VALUE"
    envvar_list_splitter: ClassVar[str] = ","
    _separator = " (--set is given once for each; in MOCKRELAY_SET a comma stands between two)"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """The pair; fails with the nearest key and its options, or with the options of a key."""
        from mockrelay.core.choosing import check_choices
        from mockrelay.core.errors import InvalidInput
        from mockrelay.spec.choices import BY_KEY

        if isinstance(value, tuple):
            return value
        key, equals, option = str(value).partition("=")
        if not equals:
            self.fail(f"{value!r} is not KEY=VALUE{self._separator}", param, ctx)
        try:
            check_choices({key: option})
        except InvalidInput as error:
            near = BY_KEY.get(error.expected)
            options = f" ({key_options(near.options)})" if near else ""
            several = self._separator if "=" in option else ""
            self.fail(f"{error}{options}{several}. `mockrelay spec choices` lists all.", param, ctx)
        return key, option


class ClockWord(click.ParamType):  # type: ignore[type-arg]  # see above
    """`real`, `frozen`, or how many of the relayer's seconds go by in one."""

    name = "real|frozen|RATE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word as it is, once it is known to be one."""
        from mockrelay.clock import Clock

        try:
            Clock(0, float({"real": 1, "frozen": 0}.get(value, value)))
        except ValueError:
            self.fail(
                f"{value!r} is not real, frozen or a rate: a number of 0 or more (60: a minute a second)", param, ctx
            )
        return str(value)


def http_url(ctx: click.Context, param: click.Parameter, url: str) -> str:
    """A base address, without a slash at its end."""
    if not url.startswith(("http://", "https://")):
        raise click.BadParameter(f"{url!r} is not http://HOST:PORT", ctx, param)
    return url.rstrip("/")


def environment_names(group: click.Command) -> set[str]:
    """All environment variables that mean something to the commands of a group."""
    commands = group.commands.values() if isinstance(group, click.Group) else (group,)
    options = [option for command in commands for option in command.params]
    return {"MOCKRELAY_URL"} | {str(option.envvar) for option in options if option.envvar}


def key_options(options: tuple[str, ...]) -> str:
    """The options of a choice, as a part of a sentence."""
    return "one of " + ", ".join(options)


def count_text(number: int, what: str) -> str:
    """`1 call`, `2 calls`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


class CliError(click.ClickException):
    """Ends a command with a sentence on standard error and an exit code. Where the sentence begins with an option that is
    given by the environment, the variable is named.
    """

    def __init__(self, text: str, exit_code: int = EXIT_CONFIG, details: Sequence[str] = ()) -> None:
        """`details`: lines that are shown ahead of the sentence."""
        ctx = click.get_current_context(silent=True)
        name = text.partition(" ")[0].rstrip(":")
        params = [] if ctx is None else [param for param in ctx.command.params if name in param.opts]
        hints = [f" (env var: {variable!r})" for param in params if (variable := _variable_of(ctx, param))]
        super().__init__("".join([text, *hints]))
        self.exit_code = exit_code  # type: ignore[misc]  # in the newest click it is declared for the class
        self.details = details

    def show(self, file: IO[Any] | None = None) -> None:
        """Print it; click does so, and ends the process with the exit code."""
        for line in self.details:
            click.echo(f"  {line}", file=file, err=file is None)
        click.echo(f"mockrelay: {self.message}", file=file, err=file is None)
