"""Reads the report of a server: of all its worlds, or of some."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from mockrelay.cli.options import CliError, option

WORLD = option(
    "--world",
    "worlds",
    multiple=True,
    metavar="NAME",
    command="report",
    help="Of a URL, this world alone in place of all worlds; '' is the relayer that is none. Repeat it for several.",
)
"""`--world`: the parameter `worlds`."""


def report_of(url: str, verb: str, worlds: Iterable[str], token: str | None) -> Iterator[Any]:
    """The JSON values of `GET findings` or `GET coverage` of a server: one for all its relayers, or one for each world named.
    Raises CliError.
    """
    from mockrelay.client.control import ControlError, over_http

    base, names = url.rstrip("/"), list(worlds)
    query: Mapping[str, object] = {"format": "json"} if verb == "findings" else {}
    try:
        control = over_http(base, token)
        if _is_world(base):
            if names:
                raise CliError(f"--world {names[0]}: {url} is a world itself; meant: the address of its server")
            server, _, name = base.rpartition("/w/")
            # Asked by itself, a server would make a world of that name.
            there = [world["name"] for world in over_http(server, token)("GET", "worlds")]
            if name not in there:
                raise CliError(
                    f"{url}: there is no such world; meant: {', '.join(there) or 'none, since there is no world'}"
                )
            yield control("GET", verb, query=query)
        elif not names:
            yield control("GET", verb, query={**query, "worlds": "all"})
        else:
            there = ["", *(world["name"] for world in control("GET", "worlds"))]
            for name in names:
                if name not in there:
                    meant = ", ".join(there[1:]) or "none, since there is no world"
                    raise CliError(f"--world {name}: {url} has no such world; meant: {meant}")
                yield (over_http(f"{base}/w/{name}", token) if name else control)("GET", verb, query=query)
    except ControlError as error:
        raise CliError(str(error)) from error
    except ValueError as error:
        raise CliError(f"{url}: {error}") from error


def _is_world(url: str) -> bool:
    """Whether an address ends in `/w/NAME`."""
    steps = urlsplit(url).path.split("/")
    return len(steps) >= 3 and steps[-2] == "w"
