"""How deep places of a record are, by the brackets and quotes between them, in passes of C over all of them at once."""

from __future__ import annotations

import re

_escape = re.compile(rb"\\.", re.DOTALL)
_quoted = re.compile(rb'"[^"]*"')
_structure = bytes.maketrans(b"[]", b"{}")
NOT_STRUCTURE = bytes(set(range(256)) - set(b'"{}[]'))  # what is deleted of a text before its balance is looked up
BEYOND, INSIDE = -1, -2


class Level:
    """How deep places of a record are, compared with a first one, where so many brackets are open, found in passes over what lies between."""

    __slots__ = ("_data", "place", "open")

    def __init__(self, data: bytes, at: int, open: int) -> None:
        self._data, self.place, self.open = data, at, open

    def at(self, place: int) -> int:
        """Returns how many brackets are open at a place behind the last one: BEYOND when one has closed that was open at the
        first, INSIDE when the byte at the place is the quote that ends a string."""
        between = self._data[self.place : place]
        if b"\\" in between:
            between = _unescaped(between)
        closes, opens, inside = balances[between.translate(None, NOT_STRUCTURE).replace(b'""', b"")]
        self.place = place + 1 if inside else place
        if closes > self.open:
            return BEYOND
        self.open += opens - closes
        return INSIDE if inside else self.open


def _unescaped(text: bytes) -> bytes:
    """Returns a text without backslashes and quotes that are escaped."""
    if len(text) > 1 << 14:  # by far fewer objects, if many are escaped
        return text.replace(b"\\\\", b"").replace(b'\\"', b"")
    return _escape.sub(b"", text)


LEVEL = (0, 0, False)


class _Balances(dict[bytes, tuple[int, int, bool]]):
    """What brackets and quotes come to: how many brackets close that were open before, how many are left open, and whether they end inside
    of a string. Records of one shape have the same ones at the same place, so it is remembered."""

    def __missing__(self, marks: bytes) -> tuple[int, int, bool]:
        outside, inside = marks.translate(_structure), False
        if b'"' in marks:
            outside, quote, _ = _quoted.sub(b"", outside).partition(b'"')  # the brackets behind it are text
            inside = bool(quote)
        closes, opens = _unmatched(outside)
        balance = LEVEL if not closes and not opens and not inside else (closes, opens, inside)
        if len(marks) <= 256:
            if len(self) >= 4096:
                self.clear()
            self[marks] = balance
        return balance


balances = _Balances()


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
        depth += 1 if c == 0x7B else -1
        lowest = min(lowest, depth)
    return -lowest, depth - lowest
