"""JSON as the bytes it is written in: where a value stands, how one is read without loss, and how one is written.

The bytes given to this module are valid JSON in UTF-8, as sluice hands records to a plugin.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import islice
from json.encoder import c_make_encoder, encode_basestring, encode_basestring_ascii  # type: ignore[attr-defined]
from typing import Any

from .brackets import BEYOND, INSIDE, LEVEL, NOT_STRUCTURE, Level, balances

QUOTE, BACKSLASH, COMMA, COLON, OPEN_LIST, OPEN_OBJECT = 0x22, 0x5C, 0x2C, 0x3A, 0x5B, 0x7B

_mark = re.compile(rb'["\[\]{}]')
_scalar = re.compile(rb"[^\s,\]}]+")
SPACE = re.compile(rb"[ \t\r\n]*")
_escape = re.compile(rb"\\.", re.DOTALL)
_escape_u = re.compile(rb"\\u")  # twice as fast as find


class Unsafe(ValueError):
    """A value that Python's objects cannot hold without loss."""


class _Word(str):
    """A part of a path that is a key, whatever it looks like."""


@lru_cache(maxsize=4096)
def split(path: str) -> tuple[str, ...]:
    """Returns the keys and positions of a path such as ``messages.0.content``. A backslash takes the next character as it is, and a
    colon before a number makes it a key."""
    if not path:
        raise ValueError("want a path, have an empty one")
    parts, part, escaped, word = [], "", False, False
    for c in path:
        if escaped:
            part, escaped = part + c, False
        elif c == "\\":
            escaped = word = True
        elif c == ".":
            parts.append(_part(part, word))
            part, word = "", False
        elif c in "*?#|" or c in "@!{[" and not part:
            raise ValueError(f"want a path without wildcards and modifiers, or \\{c}, have {path!r}")
        else:
            part += c
    return (*parts, _part(part, word))


def _part(text: str, word: bool) -> str:
    if word:
        return _Word(text)
    return _Word(text[1:]) if text[:1] == ":" and text[1:].isdigit() else text


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
    depth, marks, search = 0, 0, _mark.search
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
        marks += 1
        if marks == 32:
            at, depth = _near_end(data, at, depth)


def _near_end(data: bytes, at: int, depth: int) -> tuple[int, int]:
    """Returns a place near to where a value ends, with how many brackets are open there, found in passes over what lies between. At the
    first place so many are open."""
    level, size = Level(data, at, depth - 1), 1 << 16
    while size >= 512:
        quote = data.find(b'"', at + size)
        while quote >= 0 and data[quote - 1] == BACKSLASH:
            quote = data.find(b'"', quote + 1)
        tried = Level(data, at, level.open)
        if quote < 0 or tried.at(quote) == BEYOND:
            size >>= 2
        else:
            level, at = tried, tried.place
    return at, level.open + 1


def elements(data: bytes, at: int) -> Iterator[int]:
    """Yields where the elements of the list at a place begin."""
    at = SPACE.match(data, at + 1).end()  # type: ignore[union-attr]
    while data[at] != 0x5D:
        yield at
        at = SPACE.match(data, end(data, at)).end()  # type: ignore[union-attr]
        if data[at] == COMMA:
            at = SPACE.match(data, at + 1).end()  # type: ignore[union-attr]


def _value(data: bytes, at: int) -> int:
    """Returns where the value behind a key begins; at is behind the key's quote."""
    if data[at] == COLON:
        if data[at + 1] > 0x20:
            return at + 1
        if data[at + 2] > 0x20:
            return at + 2
    return SPACE.match(data, data.index(b":", at) + 1).end()  # type: ignore[union-attr]


class _Keys(dict[str, tuple[bytes, re.Pattern[bytes]]]):
    """A key as it is mostly written, and what stands in it when it is written otherwise."""

    def __missing__(self, key: str) -> tuple[bytes, re.Pattern[bytes]]:
        if len(self) >= 4096:
            self.clear()
        made = self[str(key)] = dumps(key), _escape if re.search(r'["\\/\x00-\x1f\ud800-\udfff]', key) else _escape_u
        return made


KEYS = _Keys()


def member(data: bytes, at: int, key: str, since: int = 0) -> tuple[int, int] | None:
    """Returns where a member of the object at a place begins, and where its value does: of the first with that key, behind a value if
    since is its place.

    The key is searched as bytes first, and what stands before it is reduced to brackets, so members before it are not read one by one.
    """
    written, escape = KEYS[key]
    begin = since or at + 1
    found = data.find(written, begin)
    if found >= 0:
        between = data[begin:found]
        behind = found + len(written)
        if b"\\" not in between and data[behind] == COLON and balances[between.translate(None, NOT_STRUCTURE).replace(b'""', b"")] is LEVEL:
            return found, behind + 1 if data[behind + 1] > 0x20 else _value(data, behind)
    elif not may_be_escaped(data, escape):
        return None
    return next(all_members(data, begin, key, found), None)


_searched: tuple[bytes, re.Pattern[bytes], bool] = b"", _escape_u, False  # the last answer: a step looks for several keys


def may_be_escaped(data: bytes, escape: re.Pattern[bytes]) -> bool:
    """Reports whether a key in a record may be written with an escape."""
    global _searched
    searched = _searched
    if searched[0] is data and searched[1] is escape:
        return searched[2]
    found = b"\\" in data and escape.search(data) is not None
    if len(data) < 1 << 20:  # a larger one is not kept for it
        _searched = data, escape, found
    return found


def all_members(data: bytes, begin: int, key: str, found: int) -> Iterator[tuple[int, int]]:
    """Yields where members with a key begin, and where their values do, from a place between the members of an object on. The key
    as it is mostly written stands at found, if anywhere."""
    written, escape = KEYS[key]
    level, at = Level(data, begin, 0), begin
    has_escapes = may_be_escaped(data, escape)
    while True:
        escaped = has_escapes and _escaped_key(data, at, found if found >= 0 else len(data), key, escape)
        if not escaped:
            if found < 0:
                return
            if data[found - 1] == BACKSLASH:  # not where a string begins
                at, found = found + 1, data.find(written, found + 1)
                continue
        place, behind = escaped or (found, found + len(written))
        depth = level.at(place)
        if depth == BEYOND:
            return
        if depth == 0 and (data[behind] == COLON or data[SPACE.match(data, behind).end()] == COLON):  # type: ignore[union-attr]
            yield place, _value(data, behind)
        at = place + 1 if depth == INSIDE else behind
        if not escaped:
            found = data.find(written, at)


def _escaped_key(data: bytes, at: int, to: int, key: str, escape: re.Pattern[bytes]) -> tuple[int, int] | None:
    """Returns where a string begins and ends that is a key with escapes, of which the first stands between two places."""
    while found := escape.search(data, at, to):
        at = found.start()
        behind = string_end(data, at + 2)
        colon = SPACE.match(data, behind).end()  # type: ignore[union-attr]
        if data[colon : colon + 1] == b":":
            begin = data.rindex(b'"', 0, at)
            while _is_escaped(data, begin):
                begin = data.rindex(b'"', 0, begin)
            if loads_string(data[begin:behind]) == key:
                return begin, behind
        at = behind
    return None


def _is_escaped(data: bytes, at: int) -> bool:
    before = at
    while before and data[before - 1] == BACKSLASH:
        before -= 1
    return (at - before) % 2 == 1


def find(data: bytes, parts: tuple[str, ...]) -> int:
    """Returns where the value at a path begins, or -1."""
    at = 0 if data[0] > 0x20 else SPACE.match(data).end()  # type: ignore[union-attr]
    for part in parts:
        if data[at] == OPEN_OBJECT:
            found = member(data, at, part)
            if not found:
                return -1
            at = found[1]
        else:
            at = element(data, at, part)
            if at < 0:
                return -1
    return at


def get(data: bytes, path: str, default: Any) -> Any:
    """Returns the value at a path as Python objects, or the default where none is. It raises as loads does."""
    key = _simple[path]
    found = data.find(key, 1) if data[0] == OPEN_OBJECT else -1
    behind = found + len(key)
    if key and found > 0 and data[behind] == COLON and b"\\" not in (between := data[1:found]) and balances[between.translate(None, NOT_STRUCTURE).replace(b'""', b"")] is LEVEL:  # as in member
        at = behind + 1 if data[behind + 1] > 0x20 else _value(data, behind)
    else:
        at = find(data, split(path))
        if at < 0:
            return default
    if data[at] == QUOTE:
        text = data[at + 1 : data.index(b'"', at + 1)]
        if b"\\" not in text:
            return text.decode()
    return loads(data[at : end(data, at)])


class _Simple(dict[str, bytes]):
    """A path that is a key alone, as the key is mostly written; nothing for others."""

    def __missing__(self, path: str) -> bytes:
        if len(self) >= 4096:
            self.clear()
        parts = split(path)
        made = self[path] = KEYS[parts[0]][0] if len(parts) == 1 and KEYS[parts[0]][1] is _escape_u else b""
        return made


_simple = _Simple()


def element(data: bytes, at: int, part: str) -> int:
    if data[at] == OPEN_LIST and len(part) < 20 and is_index(part):
        return next(islice(elements(data, at), int(part), None), -1)
    return -1


def is_index(part: str) -> bool:
    return type(part) is str and part.isascii() and part.isdigit() and (part == "0" or part[0] != "0")


_kinds = {QUOTE: "a string", OPEN_OBJECT: "an object", OPEN_LIST: "a list", ord("t"): "a boolean", ord("f"): "a boolean", ord("n"): "null"}


def kind(first: int) -> str:
    """Returns what the value of a first byte is, as messages say it."""
    return _kinds.get(first, "a number")


def _float(text: str) -> float | Decimal:
    """Returns a number that is written again as the same number: a float where one holds it."""
    number = float(text)
    if len(text) < 16 and "e" not in text and "E" not in text:
        return number
    try:
        exact = Decimal(text)
    except InvalidOperation:
        raise Unsafe("want a number with a smaller exponent") from None
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


def _no_constant(text: str) -> Any:
    raise ValueError(f"want JSON, have {text}")


_checker = json.JSONDecoder(parse_float=len, parse_int=len, parse_constant=_no_constant)


def check(data: bytes) -> None:
    """Raises ValueError for bytes that are no JSON in UTF-8."""
    try:
        _checker.decode(data.decode())
    except (ValueError, RecursionError):
        raise ValueError(f"want JSON, have {len(data)} bytes that are not") from None


def loads_string(data: bytes) -> str:
    """Returns the text of a JSON string."""
    if BACKSLASH in data:
        text: str = _string_decoder.decode(data.decode())
        return text
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
            return _decoder.raw_decode(text)[0] if first > 0x20 else _decoder.decode(text)
        except Unsafe:
            raise
        except RecursionError:
            raise Unsafe("want a value that nests less deep") from None
        except ValueError:
            return _long_decoder.decode(text)
    return _decoder.raw_decode(data.decode())[0] if len(data) < 4000 else _long_decoder.raw_decode(data.decode())[0]


_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class _Exact(Exception):
    pass


def _refuse(value: Any) -> Any:
    if isinstance(value, Decimal):
        raise _Exact
    raise TypeError(f"want a value that JSON has, have one of type {type(value).__name__}")


_encoder.default = _refuse  # type: ignore[assignment, method-assign]
_encode: Callable[[Any], str] = _encoder.encode
if c_make_encoder:  # which _encoder makes anew for each value; here once, and without a list of what it is in
    _pieces = c_make_encoder(None, _refuse, encode_basestring, None, ":", ",", False, False, False)
    _encode = lambda value: "".join(_pieces(value, 0))  # noqa: E731


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
        try:
            text = _encode(value)
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
