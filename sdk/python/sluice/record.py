"""Records as a step sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from . import edits, jsontext
from .verdict import Reject

SIDE_BYTES = 16 << 20  # of one record's side rows
MOST_COUNT = 1 << 53
CODES = {  # that records are rejected with here
    "missing": "a value that the step wants is not there",
    "unsafe_json": "an object has a key twice, or a number or the depth is beyond what Python's objects hold",
    "bad_place": "a value is to be set in what is neither an object nor a list",
}


class Place(NamedTuple):
    """Where a record was read: a file and a line, from 1."""

    file: str
    line: int


class Record:
    """One JSON value with its origin. Edits replace bytes; what no edit touches stays as it was read.

    Paths are keys and positions with dots between them, ``messages.0.content``; a backslash takes a dot into a key, and a colon before a
    number makes it a key. A record belongs to
    the call that it was given to. What ``get``, ``raw`` and ``parse`` return may be kept.
    """

    __slots__ = ("_data", "_edited", "_place", "_labels", "_given", "_more", "_origins", "_from", "_sides", "_counts", "_shown")

    def __init__(self, data: bytes, place: tuple[str, int], labels: dict[str, str] | None = None) -> None:
        self._data, self._place = data, place
        self._labels = self._given = labels
        self._edited = False
        self._more = False  # whether the step has set more than its bytes
        self._origins: list[Place] | None = None
        self._from: list[Place] | None = None  # the origins that it came with
        self._sides: list[tuple[str, bytes]] | None = None
        self._counts: dict[str, int] | None = None
        self._shown = b""

    @property
    def file(self) -> str:
        """The name of the file that it was read from."""
        return self._place[0]

    @property
    def line(self) -> int:
        """Its line there, from 1."""
        return self._place[1]

    @property
    def place(self) -> Place:
        """Both."""
        return Place(*self._place)

    @property
    def origins(self) -> list[Place]:
        """The places of all records that it was made of: its own alone unless a step has joined several."""
        return list(self._origins or [self.place])

    def json(self) -> bytes:
        """Returns the record as it is now."""
        return self._data

    def raw(self, path: str) -> bytes | None:
        """Returns the value at a path as it is written, or None."""
        data = self._data
        at = jsontext.find(data, jsontext.split(path))
        return data[at : jsontext.end(data, at)] if at >= 0 else None

    def get(self, path: str, default: Any = None) -> Any:
        """Returns the value at a path as Python objects, or the default where none is.

        A number that no float holds is a ``decimal.Decimal``. An object with a key twice rejects the record with code ``unsafe_json``,
        since a dict would lose one.
        """
        try:
            return jsontext.get(self._data, path, default)
        except jsontext.Unsafe as e:
            raise Reject("unsafe_json", str(e), path) from None

    def __getitem__(self, path: str) -> Any:
        """Returns the value at a path, and rejects the record with code ``missing`` where none is."""
        try:
            value = jsontext.get(self._data, path, _missing)
        except jsontext.Unsafe as e:
            raise Reject("unsafe_json", str(e), path) from None
        if value is _missing:
            raise Reject("missing", "want a value, have nothing", path)
        return value

    def __contains__(self, path: str) -> bool:
        return jsontext.find(self._data, jsontext.split(path)) >= 0

    def set(self, path: str, value: Any) -> None:
        """Sets the value at a path. What is missing on the way is made: an object for a key, a list for a position, with null before it;
        ``-1`` is the position behind the last. Of a key that stands twice both get the value.

        It raises TypeError or ValueError for what JSON lacks, and rejects with ``bad_place`` what stands in something that is no object
        and no list.
        """
        self._put(path, jsontext.dumps(value))

    __setitem__ = set

    def set_raw(self, path: str, value: bytes) -> None:
        """Sets JSON at a path as it is written. It raises ValueError for bytes that are none."""
        jsontext.check(value)
        self._put(path, value)

    def _put(self, path: str, value: bytes) -> None:
        try:
            self._data = edits.put(self._data, jsontext.split(path), value)
        except jsontext.Unsafe as e:
            raise Reject("bad_place", str(e), path) from None
        self._edited = True

    def delete(self, path: str) -> None:
        """Takes the value at a path away, if there is one; of a key that stands twice both."""
        data = edits.cut(self._data, jsontext.split(path))
        if data is not self._data:
            self._data, self._edited = data, True

    def __delitem__(self, path: str) -> None:
        self.delete(path)

    def parse(self) -> Any:
        """Returns the whole record as Python objects. ``get`` says what they keep and what rejects the record."""
        try:
            return jsontext.loads(self._data.strip())
        except jsontext.Unsafe as e:
            raise Reject("unsafe_json", str(e)) from None

    def replace(self, value: Any) -> None:
        """Makes the record another value, which is written anew."""
        self._data, self._edited = jsontext.dumps(value), True

    def derive(self, value: Any) -> Record:
        """Returns a new record of the same origin and labels, to be returned or yielded; bytes are taken as JSON."""
        made = Record(value if isinstance(value, bytes) else jsontext.dumps(value), self._place, self._labels)
        made._edited, made._origins = True, self._origins
        return made

    def _copy(self) -> Record:
        made = Record(self._data, self._place, self._labels)
        made._given, made._edited, made._origins = self._given, self._edited, self._origins
        return made

    def _come_of(self, places: list[Place]) -> None:
        self._origins = self._from = places
        self._place = places[0]

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels that it has."""
        return self._labels or {}

    def label(self, name: str, value: str) -> None:
        """Sets a label; the plugin must declare it. The empty value takes it away."""
        if not isinstance(name, str) or not isinstance(value, str):
            raise TypeError(f"want a name and a value that are strings, have {type(name).__name__} and {type(value).__name__}")
        labels = dict(self._labels or {})
        labels[name] = value
        if not value:
            del labels[name]
        self._labels = labels
        self._more = True

    def side(self, output: str, row: Mapping[str, Any]) -> None:
        """Writes a row, an object, to a side output, which the plugin must declare."""
        if not isinstance(row, Mapping):
            raise TypeError(f"want a row that is an object, have {type(row).__name__}")
        self._sides = self._sides or []
        self._more = True
        self._sides.append((output, jsontext.dumps(row if type(row) is dict else dict(row))))

    def count(self, name: str, n: int = 1) -> None:
        """Adds to a count of the receipt."""
        if not isinstance(name, str) or not name:
            raise ValueError("want a count with a name, have one without")
        if not isinstance(n, int) or not 0 <= n <= MOST_COUNT:
            raise ValueError(f"want a count that is a whole number from 0 to 2^53, have {n}")
        self._counts = self._counts or {}
        self._more = True
        self._counts[name] = self._counts.get(name, 0) + n

    def warn(self, code: str, name: str = "") -> None:
        """Counts a warning of the run, whose code the plugin declares among its codes."""
        self.count(f"warn.{code}.{name}" if name else f"warn.{code}")

    def conceal(self, shown: Any) -> None:
        """Sets the value that the dead letter shows instead of the record if this step rejects it."""
        self._shown = jsontext.dumps(shown)

    def made_of(self, places: Iterable[Place]) -> None:
        """Says which records it was made of, by what their ``place`` or ``origins`` were. The first is its place from then on."""
        origins = [Place(*place) for place in places]
        if not origins or any(not place.file or place.line < 1 for place in origins):
            raise ValueError(f"want the places of records, have {len(origins)}, of which not every one is a place")
        self._origins, self._place = origins, origins[0]
        self._more = True

    def __repr__(self) -> str:
        return f"<record {self.file}:{self.line}>"  # no values: they may be personal


_missing = object()
