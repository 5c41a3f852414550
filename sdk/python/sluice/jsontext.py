"""JSON as the bytes it is written in: where a value stands, how one is read without loss, and how one is written.

The bytes given to this module are valid JSON in UTF-8, as sluice hands records to a plugin.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
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


def members(data: bytes, at: int, since: int = 0) -> Iterator[tuple[int, int]]:
    """Yields where the members of the object at a place begin, and where their values do: those behind a value, if since is its place."""
    at = _space.match(data, end(data, since) if since else at + 1).end()  # type: ignore[union-attr]
    if since and data[at] == COMMA:
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


def member(data: bytes, at: int, key: str, since: int = 0) -> tuple[int, int] | None:
    """Returns where a member of the object at a place begins, and where its value does: of the first with that key, behind a value if
    since is its place.

    The key is searched as bytes first, and what stands before it is reduced to brackets, so members before it are not read one by one.
    """
    written, plain = _key(key)
    if not plain:
        return _walk(data, at, key, since)
    begin = since or at + 1
    found = data.find(written, begin)
    if found < 0:
        if data.find(b"\\u", begin) < 0:
            return None
    else:
        before = data[begin:found].translate(None, _not_marks)
        behind = found + len(written)
        if not before.strip(b'"') and not len(before) % 2 and data[behind] == COLON:  # the members before it have no brackets
            return found, _value(data, behind)
    level, search = _Level(data, begin), begin
    while True:
        found = data.find(written, search)
        if _has_escaped_key(data, search, found if found >= 0 else len(data)):
            return _walk(data, at, key, since)
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


def _walk(data: bytes, at: int, key: str, since: int) -> tuple[int, int] | None:
    for begin, value in members(data, at, since):
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
        self._data, self._at, self._open = data, at, 0

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
        closes, opens = _unmatched(between)
        if closes > self._open:
            return _BEYOND
        self._open += opens - closes
        return _INSIDE if inside else self._open


def _unmatched(brackets: bytes) -> tuple[int, int]:
    """Returns how many brackets close what was open before, and how many are left open."""
    for _ in range(64):  # deeper is rare
        less = brackets.replace(b"{}", b"")
        if len(less) == len(brackets):
            closes = brackets.count(b"}")
            return closes, len(brackets) - closes
        brackets = less
    depth = lowest = 0
    for c in brackets:
        depth += 1 if c == OPEN_OBJECT else -1
        lowest = min(lowest, depth)
    return -lowest, depth - lowest


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
    if data[at] == OPEN_LIST and len(part) < 20 and _is_index(part):
        n = int(part)
        for i, begin in enumerate(elements(data, at)):
            if i == n:
                return begin
    return -1


def _is_index(part: str) -> bool:
    return type(part) is str and part.isascii() and part.isdigit() and (part == "0" or part[0] != "0")


def _children(data: bytes, at: int, part: str) -> list[tuple[int, int]]:
    """Returns where members or elements of the value at a place begin, and where their values do: several of a key that stands twice."""
    if data[at] != OPEN_OBJECT:
        value = _child(data, at, part)
        return [(value, value)] if value >= 0 else []
    found, since = [], 0
    while hit := member(data, at, part, since):
        found.append(hit)
        since = hit[1]
    return found


def _places(data: bytes, parts: tuple[str, ...]) -> tuple[list[tuple[int, int]], tuple[int, int] | None]:
    """Returns where a path leads to, several places of a key that stands twice, in order. Readers that know such keys take the last, so
    when the path along the last ones ends early, it returns the value where it ends with the number of parts that lead there."""
    at = 0 if data[0] > 0x20 else _space.match(data).end()  # type: ignore[union-attr]
    found, missing = [(at, at)], None
    for i, part in enumerate(parts):
        last = found[-1:]
        found = [child for _, value in found for child in _children(data, value, part)]
        if missing is None and last and (not found or found[-1][0] < last[0][1]):
            missing = last[0][1], i
    return found, missing


def put(data: bytes, parts: tuple[str, ...], value: bytes) -> bytes:
    """Returns the record with a value at a path, at each place of a key that stands twice. What is missing on the way is made: an
    object for a key, a list for a position, with null before it."""
    found, missing = _places(data, parts)
    splices = [(at, end(data, at), value) for _, at in found]
    if missing:
        splices.append(_addition(data, missing[0], parts[missing[1] :], value, whole=not missing[1]))
        splices.sort(key=lambda s: s[0])
    pieces: list[bytes] = []
    since = 0
    for begin, to, text in splices:
        pieces += (data[since:begin], text)
        since = to
    return b"".join((*pieces, data[since:]))


def _addition(data: bytes, at: int, parts: tuple[str, ...], value: bytes, whole: bool) -> tuple[int, int, bytes]:
    """Returns what to put between two places for a value in the object or list at a place."""
    first = data[at]
    if first == ord("n"):
        return at, at + 4, _created(parts, value)
    part = parts[0]
    value = _created(parts[1:], value)
    if first == OPEN_OBJECT:
        value = _key(part)[0] + b":" + value
    elif first == OPEN_LIST:
        if _is_index(part):
            value = _nulls(int(part) - sum(1 for _ in elements(data, at))) + value
        elif part != "-1":
            raise Unsafe(f"want a position of a list, have {shown(part)}")
    else:
        raise Unsafe(f"want an object or a list to set {shown(part)} in, have {kind(first)}")
    last = (_last_solid(data, len(data)) if whole else end(data, at)) - 1
    inside = _last_solid(data, last)
    return inside, inside, value if inside == at + 1 else b"," + value


def _created(parts: tuple[str, ...], value: bytes) -> bytes:
    for part in reversed(parts):
        if _is_index(part):
            value = b"[" + _nulls(int(part)) + value + b"]"
        elif type(part) is str and part == "-1":
            value = b"[" + value + b"]"
        else:
            value = b"{" + dumps(str(part)) + b":" + value + b"}"
    return value


def _nulls(n: int) -> bytes:
    """Returns what stands before a new element: a large position is more likely a key."""
    if n > 1 << 16:
        raise Unsafe(f"want a position at most 65536 behind the end of its list, have {n}; a colon before a number makes it a key")
    return b"null," * n


def _last_solid(data: bytes, to: int) -> int:
    while data[to - 1] in b" \t\r\n":
        to -= 1
    return to


def cut(data: bytes, parts: tuple[str, ...]) -> bytes:
    """Returns the record without what a path leads to, all members of a key that stands twice; the record itself when nothing is there."""
    found, _ = _places(data, parts)
    kept, limit = [], len(data)
    for begin, value in reversed(found):
        to = end(data, value)
        behind = _space.match(data, to).end()  # type: ignore[union-attr]
        if data[behind] == COMMA and behind < limit:
            to = _space.match(data, behind + 1).end()  # type: ignore[union-attr]
        else:  # it is the last one, or has become it
            begin = _last_solid(data, begin)
            if data[begin - 1] == COMMA:
                begin = _last_solid(data, begin - 1)
        kept.append(data[to:limit])
        limit = begin
    return b"".join((data[:limit], *reversed(kept))) if found else data


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
        raise ValueError(f"want JSON, have {len(data)} bytes that are none") from None


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


_encoder.default = _refuse  # type: ignore[assignment, method-assign]


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
