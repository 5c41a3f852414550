"""JSON as the bytes it is written in: where a value stands, how one is read without loss, and how one is written.

The bytes given to this module are valid JSON in UTF-8, as sluice hands records to a plugin.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

QUOTE, BACKSLASH, COMMA, COLON, OPEN_LIST, OPEN_OBJECT = 0x22, 0x5C, 0x2C, 0x3A, 0x5B, 0x7B

_mark = re.compile(rb'["\[\]{}]')
_scalar = re.compile(rb"[^\s,\]}]+")
_space = re.compile(rb"[ \t\r\n]*")
_quoted = re.compile(rb'"[^"]*"')
_not_structure = bytes(set(range(256)) - set(b'"{}[]'))
_not_marks = bytes(set(range(256)) - set(b'"{}[]\\'))
_structure = bytes.maketrans(b"[]", b"{}")


class Unsafe(ValueError):
    """A value that Python's objects cannot hold without loss."""


@lru_cache(maxsize=4096)
def split(path: str) -> tuple[str, ...]:
    """Returns the keys and positions of a path such as ``messages.0.content``; a backslash takes the next character as it is."""
    if not path:
        raise ValueError("want a path, have an empty one")
    parts, part, escaped = [], "", False
    for c in path:
        if escaped or c not in "\\.":
            if not escaped and c in "*?#|@":
                raise ValueError(f"want a path without wildcards and modifiers, or \\{c}, have {path!r}")
            part, escaped = part + c, False
        elif c == "\\":
            escaped = True
        else:
            parts.append(part)
            part = ""
    return (*parts, part)


def string_end(data: bytes, at: int) -> int:
    """Returns the end of a string whose first byte behind the quote is at."""
    while True:
        quote = data.index(b'"', at)
        before = quote - 1
        while data[before] == BACKSLASH and before >= at:
            before -= 1
        at = quote + 1
        if (quote - before) % 2:
            return at


def end(data: bytes, at: int) -> int:
    """Returns the end of the value at a place."""
    first = data[at]
    if first == QUOTE:
        return string_end(data, at + 1)
    if first not in b"{[":
        return _scalar.match(data, at).end()  # type: ignore[union-attr]
    depth, search = 0, _mark.search
    while True:
        at = search(data, at).end()  # type: ignore[union-attr]
        c = data[at - 1]
        if c == QUOTE:
            at = string_end(data, at)
        elif c in b"{[":
            depth += 1
        else:
            depth -= 1
            if not depth:
                return at


def members(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    """Yields where the members of the object at a place begin, and where their values do."""
    at = _space.match(data, at + 1).end()  # type: ignore[union-attr]
    while data[at] == QUOTE:
        value = _value(data, string_end(data, at + 1))
        yield at, value
        at = _space.match(data, end(data, value)).end()  # type: ignore[union-attr]
        if data[at] != COMMA:
            return
        at = _space.match(data, at + 1).end()  # type: ignore[union-attr]


def elements(data: bytes, at: int) -> Iterator[int]:
    """Yields where the elements of the list at a place begin."""
    at = _space.match(data, at + 1).end()  # type: ignore[union-attr]
    while data[at] != 0x5D:
        yield at
        at = _space.match(data, end(data, at)).end()  # type: ignore[union-attr]
        if data[at] == COMMA:
            at = _space.match(data, at + 1).end()  # type: ignore[union-attr]


def _value(data: bytes, at: int) -> int:
    """Returns where the value behind a key begins; at is behind the key's quote."""
    if data[at] == COLON:
        if data[at + 1] > 0x20:
            return at + 1
        if data[at + 2] > 0x20:
            return at + 2
    return _space.match(data, data.index(b":", at) + 1).end()  # type: ignore[union-attr]


@lru_cache(maxsize=4096)
def _key(key: str) -> tuple[bytes, bool]:
    """Returns a key as it is mostly written, and whether it can only be written otherwise by \\u."""
    return dumps(key), not re.search(r'["\\/\x00-\x1f\ud800-\udfff]', key)


def member(data: bytes, at: int, key: str) -> tuple[int, int] | None:
    """Returns where a member of the object at a place begins, and where its value does: of the first with that key.

    The key is searched as bytes first, and what stands before it is reduced to brackets, so members before it are not read one by one.
    """
    written, plain = _key(key)
    if not plain:
        return _walk(data, at, key)
    found = data.find(written, at)
    if found < 0:
        if b"\\u" not in data:
            return None
    else:
        before = data[at + 1 : found].translate(None, _not_marks)
        behind = found + len(written)
        if not before.strip(b'"') and not len(before) % 2 and data[behind] == COLON:  # the members before it have no brackets
            return found, _value(data, behind)
    level, search = _Level(data, at + 1), at
    while True:
        found = data.find(written, search)
        if _has_escaped_key(data, search, found if found >= 0 else len(data)):
            return _walk(data, at, key)
        if found < 0:
            return None
        if data[found - 1] == BACKSLASH:  # not where a string begins
            search = found + 1
            continue
        behind = found + len(written)
        depth = level.at(found)
        if depth == 0 and (data[behind] == COLON or data[_space.match(data, behind).end()] == COLON):  # type: ignore[union-attr]
            return found, _value(data, behind)
        if depth == _BEYOND:
            return None
        search = found + 1 if depth == _INSIDE else behind


def _walk(data: bytes, at: int, key: str) -> tuple[int, int] | None:
    for begin, value in members(data, at):
        if loads_string(data[begin : string_end(data, begin + 1)]) == key:
            return begin, value
    return None


def _has_escaped_key(data: bytes, at: int, to: int) -> bool:
    """Reports whether a key is written with \\u, which may be any key."""
    while (at := data.find(b"\\u", at, to)) >= 0:
        at = string_end(data, at + 2)
        behind = _space.match(data, at).end()  # type: ignore[union-attr]
        if data[behind : behind + 1] == b":":
            return True
    return False


_BEYOND, _INSIDE = -1, -2


class _Level:
    """How deep places of a record are, compared with a first one, found in passes over what lies between them."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at, self._open = data, at, b""

    def at(self, place: int) -> int:
        """Returns how many brackets are open at a place behind the last one: _BEYOND when one has closed that was open at the
        first, _INSIDE when the byte at the place is the quote that ends a string."""
        between = self._data[self._at : place]
        if b"\\" in between:
            between = between.replace(b"\\\\", b"").replace(b'\\"', b"")
        between = between.translate(_structure, _not_structure).replace(b'""', b"")
        inside = False
        if b'"' in between:
            between = _quoted.sub(b"", between)
            between, quote, _ = between.partition(b'"')  # the brackets behind it are text
            inside = bool(quote)
        self._at = place + 1 if inside else place
        self._open = _closed(self._open + between)
        if self._open[:1] == b"}":
            return _BEYOND
        return _INSIDE if inside else len(self._open)


def _closed(brackets: bytes) -> bytes:
    """Returns the brackets that are not closed, or that close what is not open."""
    for _ in range(64):  # deeper is rare
        less = brackets.replace(b"{}", b"")
        if len(less) == len(brackets):
            return less
        brackets = less
    depth = 0
    for c in brackets:
        depth += 1 if c == OPEN_OBJECT else -1
        if depth < 0:
            return b"}"
    return b"{" * depth


def find(data: bytes, parts: tuple[str, ...]) -> int:
    """Returns where the value at a path begins, or -1."""
    at = 0 if data[0] > 0x20 else _space.match(data).end()  # type: ignore[union-attr]
    for part in parts:
        at = _child(data, at, part)
        if at < 0:
            return -1
    return at


def _child(data: bytes, at: int, part: str) -> int:
    if data[at] == OPEN_OBJECT:
        found = member(data, at, part)
        return found[1] if found else -1
    if data[at] == OPEN_LIST and part.isascii() and part.isdigit():
        n = int(part)
        for i, begin in enumerate(elements(data, at)):
            if i == n:
                return begin
    return -1


def put(data: bytes, parts: tuple[str, ...], value: bytes) -> bytes:
    """Returns the record with a value at a path. Objects on the way that are missing are made; an element behind the last of a list too."""
    at = 0 if data[0] > 0x20 else _space.match(data).end()  # type: ignore[union-attr]
    for i, part in enumerate(parts):
        child = _child(data, at, part)
        if child >= 0:
            at = child
            continue
        for missing in reversed(parts[i + 1 :]):
            value = b"{" + dumps(missing) + b":" + value + b"}"
        return _add(data, at, part, value, whole=i == 0)
    return b"".join((data[:at], value, data[end(data, at) :]))


def _add(data: bytes, at: int, part: str, value: bytes, whole: bool) -> bytes:
    if data[at] == OPEN_OBJECT:
        value = _key(part)[0] + b":" + value
    elif data[at] == OPEN_LIST:
        n = sum(1 for _ in elements(data, at))
        if part not in ("-1", str(n)):
            raise Unsafe(f"want a position up to {n} of a list, have {part}")
    else:
        raise Unsafe(f"want an object or a list to set {part} in, have {kind(data[at])}")
    last = (_last_solid(data, len(data)) if whole else end(data, at)) - 1
    inside = _last_solid(data, last)
    comma = b"" if inside == at + 1 else b","
    return b"".join((data[:inside], comma, value, data[inside:]))


def _last_solid(data: bytes, to: int) -> int:
    while data[to - 1] in b" \t\r\n":
        to -= 1
    return to


def cut(data: bytes, parts: tuple[str, ...]) -> bytes:
    """Returns the record without the value at a path; the record itself when nothing is there."""
    at = find(data, parts[:-1])
    if at < 0:
        return data
    if data[at] == OPEN_OBJECT:
        found = member(data, at, parts[-1])
        if not found:
            return data
        begin, to = found[0], end(data, found[1])
    else:
        begin = _child(data, at, parts[-1])
        if begin < 0:
            return data
        to = end(data, begin)
    behind = _space.match(data, to).end()  # type: ignore[union-attr]
    if data[behind] == COMMA:
        to = _space.match(data, behind + 1).end()  # type: ignore[union-attr]
    else:
        begin = _last_solid(data, begin)
        if data[begin - 1] == COMMA:
            begin = _last_solid(data, begin - 1)
    return data[:begin] + data[to:]


_kinds = {QUOTE: "a string", OPEN_OBJECT: "an object", OPEN_LIST: "a list", ord("t"): "a boolean", ord("f"): "a boolean", ord("n"): "null"}


def kind(first: int) -> str:
    """Returns what the value of a first byte is, as messages say it."""
    return _kinds.get(first, "a number")


def _float(text: str) -> float | Decimal:
    """Returns a number that is written again as the same number: a float where one holds it."""
    number = float(text)
    if len(text) < 16 and "e" not in text and "E" not in text:
        return number
    exact = Decimal(text)
    return number if math.isfinite(number) and Decimal(repr(number)) == exact else exact


def _int(text: str) -> int | Decimal:
    return int(text) if len(text) < 4000 else Decimal(text)  # Python bounds the digits of an int that it reads


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise Unsafe(f"want each key once in an object, have {shown(key)} twice")
            seen.add(key)
    return made


_decoder = json.JSONDecoder(parse_float=_float, object_pairs_hook=_once)
_long_decoder = json.JSONDecoder(parse_float=_float, parse_int=_int, object_pairs_hook=_once)
_string_decoder = json.JSONDecoder()


def loads_string(data: bytes) -> str:
    """Returns the text of a JSON string."""
    if BACKSLASH in data:
        return _string_decoder.decode(data.decode())
    return data[1:-1].decode()


def loads(data: bytes) -> Any:
    """Returns a value as Python objects. A number that no float holds is a Decimal.

    Raises Unsafe for what the objects would lose: an object with a key twice.
    """
    first = data[0]
    if first == QUOTE:
        return loads_string(data)
    if first in b"{[ \t\r\n":
        text = data.decode()
        try:
            return _decoder.decode(text)
        except Unsafe:
            raise
        except RecursionError:
            raise Unsafe("want a value that nests less deep") from None
        except ValueError:
            return _long_decoder.decode(text)
    return _decoder.decode(data.decode()) if len(data) < 4000 else _long_decoder.decode(data.decode())


_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class _Exact(Exception):
    pass


def _refuse(value: Any) -> Any:
    if isinstance(value, Decimal):
        raise _Exact
    raise TypeError(f"want a value that JSON has, have one of type {type(value).__name__}")


_encoder.default = _refuse  # type: ignore[method-assign]


def dumps(value: Any) -> bytes:
    """Returns a value as JSON in UTF-8, without spaces. Text that UTF-8 cannot hold, a lone surrogate, is escaped.

    Raises TypeError for a type that JSON lacks and ValueError for a number that it lacks, such as NaN.
    """
    t = type(value)
    if t is str:
        try:
            return encode_basestring(value).encode()
        except UnicodeEncodeError:
            return encode_basestring_ascii(value).encode()
    if t is bool:
        return b"true" if value else b"false"
    if t is int:
        return b"%d" % value
    try:
        text = _encoder.encode(value)
    except _Exact:
        text = _written(value)
    except RecursionError:
        raise ValueError("want a value that nests less deep") from None
    try:
        return text.encode()
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", lambda m: f"\\u{ord(m[0]):04x}", text).encode()


def _written(value: Any) -> str:
    """Returns a value that holds a Decimal as JSON."""
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError("want a number that JSON has, have one that is not finite")
        return str(value)
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"want keys that are strings, have one of type {type(key).__name__}")
        return "{" + ",".join(encode_basestring(k) + ":" + _written(v) for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_written, value)) + "]"
    return _encoder.encode(value)


def shown(key: str) -> str:
    """Returns a key as messages quote it."""
    return json.dumps(key if len(key) <= 40 else key[:40] + "…")
