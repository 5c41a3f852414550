"""Edits of a record as the bytes it is written in: what no edit touches stays as it was read."""

from __future__ import annotations

from collections.abc import Iterable

from .jsontext import (
    COMMA, KEYS, OPEN_LIST, OPEN_OBJECT, SPACE, Unsafe, all_members, dumps, element, elements, end, is_index, kind, may_be_escaped, member, shown,
)


def _children(data: bytes, at: int, part: str) -> Iterable[tuple[int, int]]:
    """Returns where members or elements of the value at a place begin, and where their values do: several of a key that stands twice."""
    if data[at] == OPEN_OBJECT:
        return all_members(data, at + 1, part, data.find(KEYS[part][0], at + 1))
    value = element(data, at, part)
    return [(value, value)] if value >= 0 else []


def _places(data: bytes, parts: tuple[str, ...]) -> tuple[list[tuple[int, int]], tuple[int, int] | None]:
    """Returns where a path leads to, several places of a key that stands twice, in order. Readers that know such keys take the last, so
    when the path along the last ones ends early, it returns the value where it ends with the number of parts that lead there."""
    at = 0 if data[0] > 0x20 else SPACE.match(data).end()  # type: ignore[union-attr]
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
    if len(parts) == 1 and data[0] == OPEN_OBJECT and data[-1] == 0x7D and data[-2] not in b" \t\r\n{":
        written, escape = KEYS[parts[0]]
        at = data.find(written, 1)
        if at < 0 and not may_be_escaped(data, escape) or at >= 0 and not member(data, 0, parts[0]):
            return b"".join((data[:-1], b",", written, b":", value, b"}"))
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
        value = KEYS[part][0] + b":" + value
    elif first == OPEN_LIST:
        if is_index(part):
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
        if is_index(part):
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
        behind = SPACE.match(data, to).end()  # type: ignore[union-attr]
        if data[behind] == COMMA and behind < limit:
            to = SPACE.match(data, behind + 1).end()  # type: ignore[union-attr]
        else:  # it is the last one, or has become it
            begin = _last_solid(data, begin)
            if data[begin - 1] == COMMA:
                begin = _last_solid(data, begin - 1)
        kept.append(data[to:limit])
        limit = begin
    return b"".join((data[:limit], *reversed(kept))) if found else data
