"""Rows of Arrow as JSON. Every value becomes what the program makes of it when it reads it from Parquet."""

from __future__ import annotations

import base64
import math
import struct
import uuid
from collections.abc import Callable
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from . import jsontext

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def lines(batch: pa.Table) -> list[bytes]:
    """Returns each row as a line of JSON. Lists, structs and maps become arrays and objects, whole numbers and decimals keep all their digits, and
    other numbers are the shortest that read as the same. Dates and times are strings as ISO 8601 writes them, with Z when the column has a
    zone; bytes are strings of base64; durations are counts of their unit. A number that JSON lacks, such as NaN, and text that is not
    UTF-8 make a line that a pipeline rejects.

    Raises TypeError for a column of a type that Parquet lacks, or of Python objects.
    """
    columns = []
    for name, column in zip(batch.column_names, batch.columns):
        try:
            columns.append([text for chunk in getattr(column, "chunks", [column]) for text in _texts(chunk)])
        except _Unknown as e:
            raise TypeError(f"column {name}: want a type that Parquet has, have {e}") from None
    if not columns:
        return [b"{}"] * batch.num_rows
    return [row.encode("utf-8", "surrogateescape") for row in _objects(batch.column_names, columns)]


class _Unknown(Exception):
    pass


def _objects(names: list[str], columns: list[list[str]]) -> list[str]:
    keys = ["{" * (not i) + "," * bool(i) + _text(name) + ":" for i, name in enumerate(names)]
    return ["".join(part for pair in zip(keys, row) for part in pair) + "}" for row in zip(*columns)]


def _texts(a: pa.Array) -> list[str]:
    """Returns each value as JSON."""
    t = a.type
    if isinstance(t, pa.BaseExtensionType):
        name = getattr(t, "extension_name", "")
        if name == "arrow.json":
            return _each(_strings(a.storage), _json)
        if name == "arrow.uuid":
            return _each(a.storage.to_pylist(), lambda v: f'"{uuid.UUID(bytes=v)}"')
        if "object" in name:  # pickled, as Ray has what Arrow has no type for
            raise _Unknown(f"{name}: Python objects")
        return _texts(a.storage)
    if types.is_dictionary(t):
        return _texts(a.dictionary_decode())
    if types.is_struct(t):
        columns = [_texts(child) for child in a.flatten()]
        rows = _objects([field.name for field in t], columns) if columns else ["{}"] * len(a)
        return ["null" if null else row for row, null in zip(rows, a.is_null().to_pylist())]
    if types.is_map(t):
        a = a.cast(pa.list_(pa.struct([("key", t.key_type), ("value", t.item_type)])))
        keys, items = (_texts(child) for child in a.flatten().flatten())
        members = [(key if key[0] == '"' else _text(key)) + ":" + item for key, item in zip(keys, items)]
        return _joined(a, members, "{%s}")
    if any(is_list(t) for is_list in _LISTS):
        return _joined(a, _texts(a.flatten()), "[%s]")
    if types.is_string(t) or types.is_large_string(t) or str(t) == "string_view":
        return _each(_strings(a), _text)
    form = _form(t)
    if form is None:
        raise _Unknown(str(t))
    values, write = form
    return _each(values(a), write)


_LISTS = [getattr(types, f"is_{kind}", types.is_list) for kind in ("list", "large_list", "fixed_size_list", "list_view", "large_list_view")]


def _form(t: pa.DataType) -> tuple[Callable[[pa.Array], list[Any]], Callable[[Any], str]] | None:
    """Returns how the values of a type are taken from an array, and how one is written."""
    if types.is_null(t) or types.is_integer(t):
        return _listed, str
    if types.is_boolean(t):
        return _listed, lambda v: "true" if v else "false"
    if types.is_float64(t):
        return _listed, _double
    if types.is_floating(t):
        return lambda a: a.cast(pa.float32()).to_pylist(), _float
    if types.is_decimal(t):
        return _listed, lambda v: format(v, "f")
    if types.is_binary(t) or types.is_large_binary(t) or types.is_fixed_size_binary(t) or str(t) == "binary_view":
        return _listed, lambda v: f'"{base64.b64encode(v).decode()}"'
    if types.is_date32(t):
        return lambda a: a.cast(pa.int32()).to_pylist(), lambda v: f'"{_day(v)}"'
    if types.is_date64(t):
        return _counts, lambda v: f'"{_day(v // 86_400_000)}"'
    if types.is_timestamp(t):
        per, zone = _PER_SECOND[t.unit], "Z" if t.tz else ""
        return _counts, lambda v: f'"{_day(v // (86_400 * per))}T{_clock(v % (86_400 * per), per)}{zone}"'
    if types.is_time32(t):
        return lambda a: a.cast(pa.int32()).to_pylist(), lambda v: f'"{_clock(v, _PER_SECOND[t.unit])}"'
    if types.is_time64(t):
        return _counts, lambda v: f'"{_clock(v, _PER_SECOND[t.unit])}"'
    if types.is_duration(t):
        return _counts, str
    return None


def _listed(a: pa.Array) -> list[Any]:
    return a.to_pylist()  # type: ignore[no-any-return]


def _counts(a: pa.Array) -> list[Any]:
    return a.cast(pa.int64()).to_pylist()  # type: ignore[no-any-return]


def _each(values: list[Any], write: Callable[[Any], str]) -> list[str]:
    return ["null" if v is None else write(v) for v in values]


def _joined(a: pa.Array, elements: list[str], brackets: str) -> list[str]:
    """Returns lists of elements, which are those of all lists that are not null."""
    all, at = [], 0
    for n in pc.list_value_length(a).to_pylist():
        all.append("null" if n is None else brackets % ",".join(elements[at : at + n]))
        at += n or 0
    return all


def _strings(a: pa.Array) -> list[str | None]:
    try:
        return a.to_pylist()  # type: ignore[no-any-return]
    except UnicodeDecodeError:  # bytes that are not UTF-8 stay as they are
        return [s.as_buffer().to_pybytes().decode("utf-8", "surrogateescape") if s.is_valid else None for s in a]


def _text(value: str) -> str:
    return jsontext.encode_basestring(value)


def _json(value: str) -> str:
    """Returns the value that a text of JSON is, on one line, and another text as a string."""
    try:
        jsontext.check(value.encode())
    except ValueError:
        return _text(value)
    return value.strip(" \t\r\n").replace("\n", " ").replace("\r", " ")  # which are not in strings


def _double(value: float) -> str:
    return repr(value) if math.isfinite(value) else {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")


def _float(value: float) -> str:
    """Returns the shortest number that reads as the same of 32 bits."""
    if math.isfinite(value):
        bits = struct.pack("f", value)
        digits = range(6 if abs(value) > 1e-37 else 1, 10)
        value = next(v for v in (float(f"{value:.{n}g}") for n in digits) if _packed(v) == bits)
    return _double(value)


def _packed(value: float) -> bytes:
    try:
        return struct.pack("f", value)
    except OverflowError:  # rounded beyond the largest
        return b""


def _day(days: int) -> str:
    """Returns a date as ISO 8601 writes it. Years of more than four digits have a sign, as it wants."""
    cycles, rest = divmod(days + 719_162, 146_097)  # of 400 years, from the year 1 on
    day = date.fromordinal(rest + 1)
    year = day.year + 400 * cycles
    shown = f"{year:04d}" if 0 <= year <= 9999 else f"{year:+07d}"
    return f"{shown}-{day.month:02d}-{day.day:02d}"


def _clock(count: int, per: int) -> str:
    seconds, rest = divmod(count, per)
    fraction = f".{rest:0{len(str(per)) - 1}d}".rstrip("0") if rest else ""
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"
