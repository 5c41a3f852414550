"""Writes the Parquet files of this folder with pyarrow, polars and DuckDB, and what is in them as rows.jsonl."""

import datetime as dt
import decimal
import json

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = {
    "id": pa.int32(), "big": pa.int64(), "unsigned": pa.uint64(), "double": pa.float64(), "float": pa.float32(),
    "text": pa.string(), "maybe": pa.string(), "yes": pa.bool_(), "list": pa.list_(pa.int16()),
    "lists": pa.list_(pa.list_(pa.string())),
    "messages": pa.list_(pa.struct([("role", pa.string()), ("content", pa.string()), ("deep", pa.struct([("x", pa.list_(pa.int64()))]))])),
    "struct": pa.struct([("a.b", pa.int64()), ("c", pa.list_(pa.int32()))]),
    "decimal": pa.decimal128(20, 2), "date": pa.date32(), "time": pa.timestamp("us", "UTC"), "local": pa.timestamp("ms"),
    "clock": pa.time64("us"), "bytes": pa.binary(), "map": pa.map_(pa.string(), pa.int32()),
}


def row(i):
    return {
        "id": i - 3, "big": 2**63 - 1 - i, "unsigned": 2**64 - 1 - i, "double": i / 7 * 10 ** (i * 5 - 20), "float": i * 0.5,
        "text": ["a", "日本語 😀", 'q"\\\n\t\x01', ""][i % 4], "maybe": None if i % 3 == 0 else "x" * (i * 20), "yes": i % 2 == 0,
        "list": [[], None, [1, None, 3], [7] * 20][i % 4], "lists": [[str(k) for k in range(j)] for j in range(i % 4)],
        "messages": [{"role": "user" if j % 2 else "assistant", "content": f"text {j}", "deep": None if j % 2 else {"x": [j]}} for j in range(i % 4)],
        "struct": None if i % 5 == 0 else {"a.b": i, "c": None if i % 2 else [i]},
        "decimal": decimal.Decimal(i - 5) / 4, "date": dt.date(1960, 1, 1) + dt.timedelta(days=i * 1000),
        "time": dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc) + dt.timedelta(microseconds=i * 1000003),
        "local": dt.datetime(1950, 1, 1) + dt.timedelta(milliseconds=i * 77777), "clock": dt.time(1, 2, 3, i), "bytes": bytes([i, 0, 255]),
        "map": [(f"k{j}", j if j % 2 else None) for j in range(i % 3)],
    }


def shown(column, value):
    import base64
    if value is None:
        return None
    if column == "map":
        return dict(value)
    if column == "bytes":
        return base64.b64encode(value).decode()
    if column == "decimal":
        return float(value)
    if column in ("time", "local", "clock"):
        text = value.replace(tzinfo=None).isoformat()
        return (text.rstrip("0").rstrip(".") if "." in text else text) + ("Z" if column == "time" else "")
    if column == "date":
        return value.isoformat()
    return value


table = pa.Table.from_pylist([row(i) for i in range(12)], schema=pa.schema(COLUMNS))
with open("rows.jsonl", "w") as to:
    for r in table.to_pylist():
        to.write(json.dumps({k: shown(k, v) for k, v in r.items()}, ensure_ascii=False) + "\n")
for codec in ["none", "snappy", "gzip", "zstd", "brotli", "lz4"]:
    version, plain = ("2.0", True) if codec in ("gzip", "brotli") else ("1.0", False)
    pq.write_table(table, f"pyarrow-{codec}.parquet", compression=codec, data_page_version=version, use_dictionary=not plain,
                   row_group_size=7, data_page_size=64, write_batch_size=2, write_page_checksum=True)
pq.write_table(table, "pyarrow-encodings.parquet", use_dictionary=False, compression="none", data_page_version="2.0", column_encoding={
    "id": "DELTA_BINARY_PACKED", "big": "DELTA_BINARY_PACKED", "double": "BYTE_STREAM_SPLIT", "float": "BYTE_STREAM_SPLIT",
    "text": "DELTA_BYTE_ARRAY", "maybe": "DELTA_LENGTH_BYTE_ARRAY", "yes": "RLE", "decimal": "BYTE_STREAM_SPLIT",
})
pq.write_table(table, "pyarrow-old.parquet", version="1.0", use_deprecated_int96_timestamps=True, use_compliant_nested_type=False)
frame = polars.read_parquet("pyarrow-none.parquet", columns=[c for c in COLUMNS if c != "map"])
frame.write_parquet("polars-zstd.parquet", row_group_size=7)
frame.write_parquet("polars-snappy.parquet", compression="snappy", data_page_size=64)
for codec, version in [("snappy", "V1"), ("zstd", "V2"), ("lz4_raw", "V1")]:
    duckdb.execute(f"copy (from 'pyarrow-none.parquet') to 'duckdb-{codec}.parquet' (format parquet, compression {codec}, parquet_version {version})")
