"""Bodies of the type multipart/form-data (RFC 7578), read without the mail parser, which takes seconds for a long one."""

from __future__ import annotations

import re

_BOUNDARY = re.compile(r';[ \t]*boundary=(?:"([^"]{1,70})"|([^";,\s]{1,70}))', re.IGNORECASE)
_DISPOSITION = re.compile(rb"content-disposition:[ \t]*form-data[ \t]*;(.*)", re.IGNORECASE)
_NAME = re.compile(rb'[ \t]*name=(?:"([^"]*)"|([^";\s]+))', re.IGNORECASE)
_PART_HEAD_MAX = 4_096
"""How far the head of a part is searched for its name."""


def multipart_pairs(content_type: str, body: bytes, fields_max: int) -> list[tuple[str, str]] | None:
    """The parts of a form by name, as text; parts without a name are passed over. None where the body is not a form with the
    boundary of its `Content-Type`, or has more than `fields_max` parts.
    """
    found = _BOUNDARY.search(content_type)
    if found is None:
        return None
    delimiter = b"\r\n--" + (found[1] or found[2]).encode("latin-1", "replace")
    _, *parts = (b"\r\n" + body).split(delimiter, fields_max + 2)
    pairs: list[tuple[str, str]] = []
    for part in parts:
        if part.startswith(b"--"):
            return pairs
        head, blank_line, value = part.partition(b"\r\n\r\n")
        if not blank_line or len(pairs) == fields_max:
            return None
        name = _name_in(head[:_PART_HEAD_MAX])
        if name is not None:
            pairs.append((name.decode("utf-8", "replace"), value.decode("utf-8", "replace")))
    return None


def _name_in(head: bytes) -> bytes | None:
    for line in head.split(b"\r\n"):
        disposition = _DISPOSITION.fullmatch(line)
        if disposition is not None:
            for parameter in disposition[1].split(b";"):
                name = _NAME.fullmatch(parameter)
                if name is not None:
                    return name[2] if name[1] is None else name[1]
    return None
