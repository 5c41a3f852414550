"""Rows of Arrow are what the program reads of the same rows as Parquet."""

import datetime
import decimal
import importlib.util
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import sluice  # noqa: E402

READY = importlib.util.find_spec("pyarrow") and "SLUICE_PROGRAM" in os.environ
if READY:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from sluice import arrow

PIPELINE = """
source "parquet" "rows" {
  paths = ["rows.parquet"]
}
sink "jsonl" "all" {
  path = "out/all.jsonl"
}
"""


def setUpModule():
    if not READY:
        raise unittest.SkipTest("want pyarrow and SLUICE_PROGRAM, which go test sets")


class Rows(unittest.TestCase):
    def read(self, table):
        """Returns the rows that the program reads of a table as Parquet, and those that it rejects."""
        with tempfile.TemporaryDirectory() as folder:
            pq.write_table(table, os.path.join(folder, "rows.parquet"))
            pathlib.Path(folder, "p.hcl").write_text(PIPELINE)
            sluice.run("p.hcl", cwd=folder)
            rejects = pathlib.Path(folder, "out", "rejects.jsonl").read_bytes().splitlines()
            return pathlib.Path(folder, "out", "all.jsonl").read_text().split("\n")[:-1], len(rejects)

    def assert_as_read(self, columns):
        table = pa.table(columns)
        want, _ = self.read(table)
        exact = {"parse_float": decimal.Decimal, "object_pairs_hook": list}
        self.assertEqual([json.loads(line, **exact) for line in arrow.lines(table)], [json.loads(line, **exact) for line in want])

    def test_types(self):
        """Digit by digit, with nulls, and in the middle of an array."""
        year = 365 * 86400
        arrays = {
            "bytes": pa.array([b"ab", b"\xff", None, b""]),
            "large": pa.array([b"ab", None, b"", b"c"], pa.large_binary()),
            "fixed": pa.array([b"abcd", None, b"\0\0\0\0", b"wxyz"], pa.binary(4)),
            "second": pa.array([0, -1, None, 9000 * year], pa.timestamp("s")),
            "milli": pa.array([1704164645600, -1, None, 0], pa.timestamp("ms", "Europe/Berlin")),
            "micro": pa.array([1704164645000600, -year * 3000 * 10**6, None, year * 10000 * 10**6], pa.timestamp("us", "UTC")),
            "nano": pa.array([1704164645000000001, -1, None, 100], pa.timestamp("ns")),
            "day": pa.array([datetime.date(2024, 2, 29), datetime.date(1, 1, 1), None, datetime.date(9999, 12, 31)]),
            "days": pa.array([-719163, -800000, None, 3000000], pa.date32()),
            "date64": pa.array([86400000, -86400000, None, 0], pa.date64()),
            "time": pa.array([1, 86399, None, 3600], pa.time32("s")),
            "time_ms": pa.array([1, 86399999, None, 500], pa.time32("ms")),
            "time_us": pa.array([1, 86399999999, None, 100], pa.time64("us")),
            "time_ns": pa.array([1, 86399999999999, None, 100], pa.time64("ns")),
            "decimal": pa.array([decimal.Decimal("1.50"), decimal.Decimal("-0.05"), None, decimal.Decimal("0.00")], pa.decimal128(30, 2)),
            "whole": pa.array([decimal.Decimal(10) ** 40, decimal.Decimal(-7), None, decimal.Decimal(0)], pa.decimal256(60, 0)),
            "duration": pa.array([1000, -1, None, 0], pa.duration("ms")),
            "map": pa.array([[("a", 1), ("a", 2)], [], None, [("b", None)]], pa.map_(pa.string(), pa.int64())),
            "map_int": pa.array([[(1, b"x")], [], None, [(-2, None)]], pa.map_(pa.int32(), pa.binary())),
            "list": pa.array([[1, None], [], None, [2]]),
            "large_list": pa.array([["x"], [], None, [None]], pa.large_list(pa.string())),
            "pair": pa.array([[1, 2], None, [None, 3], [4, 5]], pa.list_(pa.int8(), 2)),
            "struct": pa.array([{"t": datetime.time(1), "b": b"x"}, {}, None, {"t": None, "b": b""}], pa.struct([("t", pa.time64("us")), ("b", pa.binary())])),
            "structs": pa.array([[{"a": [1.5]}, None], [], None, [{"a": None}]]),
            "unsigned": pa.array([2**64 - 1, 0, None, 1], pa.uint64()),
            "bool": pa.array([True, False, None, True]),
            "double": pa.array([1e16, 0.1, None, -0.0]),
            "doubles": pa.array([1e15, 1e-5, 1.5e300, 0.0001]),
            "float": pa.array([0.1, 3.4028235e38, 16777216.0, 1e-45], pa.float32()),
            "half": pa.array([0.1, 65504.0, None, 6e-8], pa.float16()),
            "text": pa.array(["x\n\u2028\"", "日本語 😀", None, "\x00\x7f"]),
            "category": pa.array(["x", "y", None, "x"]).dictionary_encode(),
            "nothing": pa.nulls(4),
        }
        if hasattr(pa, "uuid"):
            arrays["uuid"] = pa.array([bytes(range(16)), bytes(16), None, bytes(16)], pa.uuid())
        if hasattr(pa, "json_"):
            arrays["json"] = pa.array(['{"a": [1.50,\n2]}', "no json", None, "7"], pa.json_())
        for name, array in arrays.items():
            with self.subTest(name):
                self.assert_as_read({name: array})
        self.assert_as_read(arrays)
        self.assert_as_read({name: array[1:3] for name, array in arrays.items()})
        self.assert_as_read({"chunks": pa.chunked_array([arrays["map"][:2], arrays["map"][2:]])})

    def test_rejected(self):
        """What JSON lacks makes lines that are rejected, as the rows of Parquet are."""
        for why, array in {
            "numbers": pa.array([float("nan"), float("inf"), -float("inf"), 1.5]),
            "text": pa.Array.from_buffers(pa.string(), 4, [None, pa.py_buffer(bytes(b"\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0")), pa.py_buffer(b"\xff\xfe\x80a")]),
        }.items():
            table = pa.table({"a": array})
            want, rejects = self.read(table)
            self.assertEqual((len(want), rejects), (1, 3), why)
            with tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "p.hcl").write_text(PIPELINE)
                rows = list(sluice.stream(pathlib.Path(folder, "p.hcl"), arrow.lines(table)))
            self.assertEqual(sorted(r.sink for r in rows), ["all"] + ["rejects"] * 3, why)

    def test_refused(self):
        with self.assertRaisesRegex(TypeError, "^column span: want a type that Parquet has, have month_day_nano_interval$"):
            arrow.lines(pa.table({"a": [1], "span": pa.array([(1, 2, 3)], pa.month_day_nano_interval())}))
        self.assertEqual(arrow.lines(pa.table({"a": [1, 2]}).select([])), [b"{}", b"{}"])


if __name__ == "__main__":
    unittest.main()
