"""Loads every config of a published folder and holds its rows to those that were published."""

import json
import sys

import datasets


def decode(value, path):
    """The value with what is JSON text at the path decoded."""
    if value is None:
        return None
    if not path:
        return json.loads(value)
    head, rest = path[0], path[1:]
    if head == "[]":
        return [decode(v, rest) for v in value]
    return {**value, head: decode(value.get(head), rest)}


def parts(value):
    """Texts of messages as the parts that other messages of the column have."""
    if isinstance(value, dict) and isinstance(value.get("content"), str):
        return {**value, "content": [{"type": "text", "text": value["content"]}]}
    return value


def same(a, b):
    """Whether two values say the same: a member that is null does, and one that is absent."""
    if isinstance(a, dict) and isinstance(b, dict):
        return all(same(a.get(key), b.get(key)) for key in a.keys() | b.keys())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return isinstance(a, bool) == isinstance(b, bool) and a == b
    return type(a) is type(b) and a == b


for config, plan in json.load(sys.stdin).items():
    want = [json.loads(line) for line in open(plan["rows"], encoding="utf-8")]
    for streaming in (False, True):
        have = list(datasets.load_dataset(sys.argv[1], config, split="train", streaming=streaming, chunksize=plan["block"]))
        assert len(have) == len(want), (config, len(have), len(want))
        for i, (row, wanted) in enumerate(zip(have, want)):
            for path in plan["texts"] or []:
                row = decode(row, path.replace("[]", ".[]").split("."))
            if not same(row, wanted):
                wanted["messages"] = [parts(m) for m in wanted.get("messages", [])]
                assert config == "media" and same(row, wanted), (config, i, str(row)[:2000])
    print("datasets", datasets.__version__, config, len(have), "rows")
