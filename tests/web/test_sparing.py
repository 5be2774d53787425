"""A server's process imports aiohttp's parser and not the rest of aiohttp, and nobody can tell by what aiohttp offers."""

from __future__ import annotations

import subprocess
import sys

import pytest

import mockrelay.web
from tests.processes import ROOT, environment

SPARED = "from mockrelay.web.sparing import spare_the_client\nspare_the_client()\nimport sys\n"


def run(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, env=environment(), check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_parser_comes_without_client_and_application() -> None:
    names = ("aiohttp.http_parser", "aiohttp.client", "aiohttp.connector", "aiohttp.web")
    assert run(f"{SPARED}print([name in sys.modules for name in {names}])") == "[True, False, False, False]\n"


def test_a_server_runs_on_it() -> None:
    told = run(
        f"{SPARED}"
        "import urllib.request\n"
        "from mockrelay.relay import Relay\n"
        "from mockrelay.web import serve\n"
        "with serve(Relay.from_scenario('default')) as serving:\n"
        "    print(urllib.request.urlopen(serving.url + '/__mockrelay/health').status)\n"
        "print('aiohttp.client' in sys.modules)"
    )
    assert told == "200\nFalse\n"


@pytest.mark.parametrize(
    "use",
    [
        "import aiohttp; aiohttp.ClientSession; aiohttp.__version__",
        "from aiohttp import ClientSession, hdrs",
        "from aiohttp import web; web.Application",
        "from aiohttp import *; ClientSession",
        "import aiohttp; aiohttp.hdrs.HOST; aiohttp.streams.StreamReader; aiohttp.ClientSession",
        "import aiohttp.web, aiohttp; aiohttp.web.Application",
    ],
)
def test_whoever_wants_the_rest_finds_all_of_it(use: str) -> None:
    """And what there was before is still the same."""
    run(
        f"{SPARED}parser = sys.modules['aiohttp.http_parser']\n{use}\nimport aiohttp\n"
        "assert aiohttp.http_parser is parser\n"
        "assert aiohttp.http.HttpRequestParser is parser.HttpRequestParser\n"
        "assert aiohttp.ClientSession is aiohttp.client.ClientSession\n"
        "assert not hasattr(aiohttp, 'no_such_thing')\n"
    )


def test_an_aiohttp_that_is_there_already_stays_as_it_is() -> None:
    told = run(f"import aiohttp\nwas = dict(vars(aiohttp))\n{SPARED}print(vars(aiohttp) == was)")
    assert told == "True\n"


def test_a_parser_that_cannot_come_alone_comes_with_all() -> None:
    """An aiohttp whose parser needs its whole package is imported as usual."""
    run(
        "from mockrelay.web import sparing\n"
        "sparing._NEEDED = ('hdrs', 'no_such_module')\n"
        f"{SPARED}assert not [name for name in sys.modules if name.startswith('aiohttp')]\n"
        "import mockrelay.web.serving, aiohttp\n"
        "aiohttp.ClientSession, aiohttp.http_parser.HttpRequestParser"
    )


def test_the_room_gives_what_it_says_and_imports_it_only_then() -> None:
    told = run(
        "import sys, mockrelay.web as web\n"
        "before = 'aiohttp' in sys.modules\n"
        "web.serve\n"
        "served = 'aiohttp.web' in sys.modules\n"
        "print(before, served, [callable(getattr(web, name)) for name in web.__all__])"
    )
    assert told == "False False [True, True, True]\n"


def test_the_room_has_nothing_else() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        mockrelay.web.nothing  # type: ignore[attr-defined]  # noqa: B018
