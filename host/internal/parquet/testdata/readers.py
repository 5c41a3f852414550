"""Compares NAME.parquet, as pyarrow, DuckDB, polars and datasets read it, with NAME.jsonl, for each NAME."""

import json
import math
import os
import sys
import tempfile

os.environ["HF_HOME"] = tempfile.mkdtemp()
os.environ["HF_HUB_OFFLINE"] = "1"
import datasets  # noqa: E402
import duckdb  # noqa: E402
import polars  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

datasets.disable_progress_bars()


def values(value, as_json, path=(), typed=False):
    """The value without members that are null, which Parquet does not tell from those that are not there, and with JSON read."""
    if path in as_json and not typed:
        return None if value is None else values(json.loads(value), (), ())
    if isinstance(value, dict):
        return {k: x for k, v in value.items() if (x := values(v, as_json, path + (k,), typed)) is not None}
    if isinstance(value, list):
        return [values(v, as_json, path, typed) for v in value]
    return value


def close(a, b):
    """Whether both are the same but for the last digits of floats: datasets reads JSON with ujson, which does not read them all."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(close, a, b))
    return a == b or isinstance(a, float) and isinstance(b, float) and math.isclose(a, b, rel_tol=1e-13)


def readers(name):
    yield "pyarrow", pq.read_table(name).to_pylist(), False
    found = duckdb.execute(f"select * from read_parquet('{name}')")
    columns = [d[0] for d in found.description]
    yield "duckdb", [dict(zip(columns, row)) for row in found.fetchall()], False
    yield "polars", polars.read_parquet(name).to_dicts(), False
    yield "datasets", list(datasets.load_dataset("parquet", data_files=name, split="train", cache_dir=tempfile.mkdtemp())), True


for name in sys.argv[1:]:
    meta = json.loads(pq.read_metadata(name + ".parquet").metadata[b"sluice"])
    as_json = {tuple(p) for p in meta["json"]}
    with open(name + ".jsonl") as lines:
        want = [values(json.loads(line), ()) for line in lines]
    for reader, rows, typed in readers(name + ".parquet"):
        have = [values(row, as_json, (), typed) for row in rows]
        if len(have) != len(want):
            sys.exit(f"{reader}: want {len(want)} rows, have {len(have)}")
        for i, (w, h) in enumerate(zip(want, have)):
            if w != h and not (typed and close(w, h)):
                sys.exit(f"{reader}, row {i + 1} of {name}: want {str(w)[:2000]}, have {str(h)[:2000]}")
