"""Mistakes in the text of a signed call: another address, another text of its parameters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus

from mockrelay.signing.diagnosis.causes import Cause, SentCall
from mockrelay.signing.request_signature import join_pairs
from mockrelay.suggest import in_quotes

_URL = re.compile(r"(https?)://([^/:]+|\[[^]]*\])(:[0-9]{1,5})?(/.*)?", re.DOTALL)
_WORLD = re.compile(r"/w/[^/]+")
_FIELDS_MAX = 24
_OTHER_SCHEME = {"http": "https", "https": "http"}
_USUAL_PORT = {"http": ":80", "https": ":443"}
_SAME_HOST = {"localhost": "127.0.0.1", "127.0.0.1": "localhost"}
_QUERY_METHODS = ("GET", "DELETE")


Variant = tuple[Cause, str, str]
_quoted = partial(quote, safe="", errors="surrogatepass")


def wrong_texts(call: SentCall) -> Iterator[Variant]:
    """Texts that a client may have signed instead of the right one: cause, sentence and the whole text."""
    method = call.method.upper()
    by_query = method in _QUERY_METHODS
    usual = join_pairs(_pairs(call.query)) if by_query else _without_blanks(call.body)
    parameters = "query" if by_query else "body"
    for url in _other_urls(call):
        wording = f"signed for the address {in_quotes(url)}; {in_quotes(call.url)} is meant"
        yield Cause.URL, wording, f"{method}&{_quoted(url)}&{_quoted(usual)}"
    for how, text in _of_query(call.query) if by_query else _of_body(call):
        wording = f"signed with the {parameters} {how}; the {parameters} as it was sent is meant"
        yield Cause.TEXT, wording, f"{method}&{_quoted(call.url)}&{_quoted(text)}"
    for how, text in _other_forms(method, call.url, usual):
        yield Cause.TEXT, f"signed {how}; METHOD&address&{parameters} is meant, each percent-encoded once", text
    if not by_query:
        for cause, wording, text in _other_fields(call.body):
            yield cause, wording, f"{method}&{_quoted(call.url)}&{_quoted(text)}"
    for other in ("GET", "POST", "PUT", "DELETE"):
        if other != method:
            wording = f"signed for the method {other}; {method} is meant"
            yield Cause.TEXT, wording, f"{other}&{_quoted(call.url)}&{_quoted(usual)}"


def _other_urls(call: SentCall) -> Iterator[str]:
    found = _URL.fullmatch(call.url)
    if found is None:
        return
    scheme, host, port, path = found[1], found[2], found[3] or "", found[4] or ""
    plain = _WORLD.sub("", path, count=1) if _WORLD.match(path) else path
    other = _OTHER_SCHEME[scheme]
    urls = [
        *([] if plain == path else [f"{scheme}://{host}{port}{plain}"]),
        f"{other}://{host}{port}{path}",
        f"{scheme}://{host}{path}" if port else f"{scheme}://{host}{_USUAL_PORT[scheme]}{path}",
        f"{other}://{host}{path}",
        path,
        plain,
        f"{scheme}://{host}{port}{path.removesuffix('/') if path.endswith('/') else path + '/'}",
        *([f"{scheme}://{_SAME_HOST[host]}{port}{path}"] if host in _SAME_HOST else []),
        f"{scheme}://{host}{port}",
        f"{scheme}://{host}{port}/{path}",
        f"{host}{port}{path}",
        path.removeprefix("/"),
        f"{call.url}?{call.query}",
    ]
    yield from (url for url in dict.fromkeys(urls) if url != call.url)


def _of_query(query: str) -> Iterator[tuple[str, str]]:
    pairs = _pairs(query)
    yield "left out", ""
    yield "still encoded", query
    yield "in the reverse order", join_pairs(pairs[::-1])
    yield "sorted by key, the last one first", join_pairs(sorted(pairs, reverse=True))
    yield "as JSON", json.dumps(dict(pairs), separators=(",", ":"))
    yield "and its question mark", f"?{join_pairs(pairs)}"
    yield "and without the parameters that are empty", join_pairs([pair for pair in pairs if pair[1]])
    for key, _ in pairs[:_FIELDS_MAX]:
        yield f"without {key}", join_pairs([pair for pair in pairs if pair[0] != key])


def _of_body(call: SentCall) -> Iterator[tuple[str, str]]:
    yield "left out", ""
    if (parsed := _parsed(call.body)) is not None:
        yield "sorted by key", _compact(parsed, sort_keys=True)
        yield "sorted by its outer keys", _compact(dict(sorted(parsed.items())))
        yield "with blanks after commas and colons", json.dumps(parsed, ensure_ascii=False)
        yield "sorted and with blanks", json.dumps(parsed, ensure_ascii=False, sort_keys=True)
        yield "in the reverse order of its keys", _compact(dict(reversed(parsed.items())))
        yield "with other letters than ASCII escaped", json.dumps(parsed, separators=(",", ":"))
        yield "with two blanks before each key", json.dumps(parsed, ensure_ascii=False, indent=2)
        yield "as k=v joined by &", join_pairs([(key, _plain(value)) for key, value in parsed.items()])
    yield "and a line's end", f"{call.body}\n"
    yield "inside of quotation marks", json.dumps(call.body)
    if call.query:
        yield "left out, and the query in its place", join_pairs(_pairs(call.query))


def _other_forms(method: str, url: str, text: str) -> Iterator[tuple[str, str]]:
    slashes = partial(quote, errors="surrogatepass")
    yield "with slashes left as they are", f"{method}&{slashes(url)}&{slashes(text)}"
    yield "with slashes left as they are in the address", f"{method}&{slashes(url)}&{_quoted(text)}"
    yield "without any percent-encoding", f"{method}&{url}&{text}"
    yield "with the address alone percent-encoded", f"{method}&{_quoted(url)}&{text}"
    yield "with the parameters alone percent-encoded", f"{method}&{url}&{_quoted(text)}"
    yield "percent-encoded twice", f"{method}&{_quoted(_quoted(url))}&{_quoted(_quoted(text))}"
    yield "with the parameters percent-encoded twice", f"{method}&{_quoted(url)}&{_quoted(_quoted(text))}"
    plus = partial(quote_plus, safe="", errors="surrogatepass")
    yield "with + for blanks", f"{method}&{plus(url)}&{plus(text)}"
    lower = partial(re.sub, "%[0-9A-F]{2}", lambda found: found[0].lower())
    yield "percent-encoded in lower case", lower(f"{method}&{_quoted(url)}&{_quoted(text)}")
    yield "with the method in lower case", f"{method.lower()}&{_quoted(url)}&{_quoted(text)}"
    yield "without the ampersands", f"{method}{_quoted(url)}{_quoted(text)}"
    yield "without the method", f"{_quoted(url)}&{_quoted(text)}"
    yield "over the parameters alone", text


def _other_fields(body: str) -> Iterator[Variant]:
    """The body without one of its fields, or with a number for a string of digits, or the reverse."""
    parsed = _parsed(body)
    if parsed is None:
        return
    for path, value in list(_nested_fields(parsed))[:_FIELDS_MAX]:
        name = ".".join(path)
        yield Cause.FIELD_LEFT_OUT, f"signed without {name}, which the body has", _compact(_with(parsed, path, None))
        if isinstance(value, str) and re.fullmatch(r"0|[1-9][0-9]{0,77}", value):
            wording = f"signed with {name} as the number {value}; the string that was sent is meant"
            yield Cause.FIELD_VALUE, wording, _compact(_with(parsed, path, int(value)))
        elif isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 256:
            wording = f"signed with {name} as the string {in_quotes(str(value))}; the number that was sent is meant"
            yield Cause.FIELD_VALUE, wording, _compact(_with(parsed, path, str(value)))


def _parsed(body: str) -> dict[str, Any] | None:
    try:
        parsed = json.loads(body)
        # Clients do not sign JSON of a depth or with numbers that cannot be serialized again.
        _compact(parsed)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _nested_fields(fields: Mapping[str, Any], before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in fields.items():
        if isinstance(value, dict) and len(before) < 3:
            yield from _nested_fields(value, (*before, key))
        yield (*before, key), value


def _with(fields: Mapping[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """The fields with another value at a path; None: without that field."""
    key, *rest = path
    copied = dict(fields)
    if rest:
        copied[key] = _with(fields[key], tuple(rest), value)
    elif value is None:
        del copied[key]
    else:
        copied[key] = value
    return copied


def _pairs(query: str) -> list[tuple[str, str]]:
    return parse_qsl(query, keep_blank_values=True)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else _compact(value)


def _compact(value: Any, *, sort_keys: bool = False) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=sort_keys)


def _without_blanks(body: str) -> str:
    parsed = _parsed(body)
    return body if parsed is None else _compact(parsed)
