"""The page that shows a relayer, and its files: at `/`, at `/w/NAME/` and under `/__mockrelay/ui/`; and the calls with which
it steps through a record, where the server shows one.

They hold no secret and change nothing, so that they are served to whoever asks. What the page shows it has from the
control API.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from mockrelay._files import packaged_page
from mockrelay.control.answers import answer
from mockrelay.spec.choices import CHOICES
from mockrelay.suggest import in_quotes
from mockrelay.web.http1 import CONTROL_ROOT, Target, control_error
from mockrelay.wire.http import BROWSER_PATHS, RawRequest, Response

if TYPE_CHECKING:
    from mockrelay.replay.stepping import Stepper

UI_ROOT = f"{CONTROL_ROOT}/ui/"
RECORD_PATH = f"{CONTROL_ROOT}/record"
PAGE, ICON = "index.html", "icon.svg"
CHOICES_FILE = "choices.json"
"""A file that is made: the default option of each choice."""
_METHODS = ("GET", "HEAD")
_RECORD_METHODS = ("GET", "POST")
_POLICY = "default-src 'self'; img-src 'self' data:"
"""Nothing is loaded from elsewhere, and nothing runs but the page's own files."""
_HEADERS = (
    ("Content-Security-Policy", _POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-cache"),
)
_MEDIA = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/json",
    "txt": "text/plain; charset=utf-8",
}
_ROBOTS = Response(200, (("Content-Type", _MEDIA["txt"]),), b"User-agent: *\nDisallow: /\n")


def page_answer(raw: RawRequest, target: Target, *, of_record: bool = False) -> Response | None:
    """The answer to a request for the page, one of its files, or what browsers ask any server for; None: it is for none
    of them. `of_record`: whether the page can step through a record. A relayer's `/` takes no other method, so that those of a client that calls a wrong path reach the relayer.
    """
    path = target.path
    if path.startswith(UI_ROOT) or path == UI_ROOT[:-1]:
        if raw.method not in _METHODS:
            meant = ", ".join(_METHODS)
            return control_error(405, f"{raw.method} is not for {UI_ROOT}", "method", meant, ("Allow", meant))
        return _file(path[len(UI_ROOT) :] or PAGE, of_record=of_record)
    if path not in BROWSER_PATHS or raw.method not in _METHODS:
        return None
    if path == "/robots.txt":
        return _ROBOTS
    return _file(PAGE if path == "/" else ICON, of_record=of_record)


def _file(name: str, *, of_record: bool) -> Response:
    content = page_files().get(name)
    if content is not None and name == PAGE and of_record:
        content = content.replace(b"<html", b"<html data-record", 1)
    if content is None:
        meant = f"{UI_ROOT}, where the page is"
        return control_error(404, f"the page has no file {in_quotes(name, 60)}", "path", meant)
    media_type = _MEDIA.get(name.rpartition(".")[2], _MEDIA["txt"])
    return Response(200, (("Content-Type", media_type), *_HEADERS), content)


@cache
def page_files() -> Mapping[str, bytes]:
    """All files of the page by name, read once."""
    defaults = {choice.key: choice.default for choice in CHOICES}
    return {**packaged_page(), CHOICES_FILE: json.dumps(defaults).encode()}


def answer_record(stepper: Stepper, raw: RawRequest) -> Response:
    """`GET record`: the positions and the present one. `POST record {"position"}`: show another."""
    if raw.method not in _RECORD_METHODS:
        meant = ", ".join(_RECORD_METHODS)
        return control_error(405, f"{raw.method} is not for record", "method", meant, ("Allow", meant))
    if raw.method == "GET":
        positions = [position._asdict() for position in stepper.positions]
        return answer(200, {"position": stepper.position, "positions": positions})
    last = len(stepper.positions) - 1
    try:
        body = json.loads(raw.body)
        position = body["position"]
    except (ValueError, RecursionError, TypeError, KeyError):
        position = None
    if type(position) is not int or not 0 <= position <= last:
        return control_error(400, "there is no such position", "position", f"a whole number from 0 to {last}")
    stepper.go_to(position)
    return answer(200, {"position": position})
