"""The page that shows a relayer, and its files: at `/`, at `/w/NAME/` and under `/__mockrelay/ui/`.

They hold no secret and change nothing, so that they are served to whoever asks. What the page shows it has from the
control API.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from mockrelay._files import packaged_page
from mockrelay.suggest import in_quotes
from mockrelay.web.http1 import CONTROL_ROOT, Target, control_error
from mockrelay.wire.http import BROWSER_PATHS, RawRequest, Response

UI_ROOT = f"{CONTROL_ROOT}/ui/"
PAGE, ICON = "index.html", "icon.svg"
_METHODS = ("GET", "HEAD")
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


def page_answer(raw: RawRequest, target: Target) -> Response | None:
    """The answer to a request for the page, one of its files, or what browsers ask any server for; None: it is for none
    of them. A relayer's `/` takes no other method, so that those of a client that calls a wrong path reach the relayer.
    """
    path = target.path
    if path.startswith(UI_ROOT) or path == UI_ROOT[:-1]:
        if raw.method not in _METHODS:
            meant = ", ".join(_METHODS)
            return control_error(405, f"{raw.method} is not for {UI_ROOT}", "method", meant, ("Allow", meant))
        return _file(path[len(UI_ROOT) :] or PAGE)
    if path not in BROWSER_PATHS or raw.method not in _METHODS:
        return None
    if path == "/robots.txt":
        return _ROBOTS
    return _file(PAGE if path == "/" else ICON)


def _file(name: str) -> Response:
    content = page_files().get(name)
    if content is None:
        meant = f"{UI_ROOT}, where the page is"
        return control_error(404, f"the page has no file {in_quotes(name, 60)}", "path", meant)
    media_type = _MEDIA.get(name.rpartition(".")[2], _MEDIA["txt"])
    return Response(200, (("Content-Type", media_type), *_HEADERS), content)


@cache
def page_files() -> Mapping[str, bytes]:
    """All files of the page by name, read once."""
    return packaged_page()
