"""Reads {"language", "before", "after"}, one a line, and holds that both parse, by the parser of the language, to the same."""
import ast
import json
import sys

import yaml

parsers = {
    "json": json.loads,
    "jsonl": lambda text: [json.loads(line) for line in text.splitlines() if line.strip()],
    "python": lambda text: ast.dump(ast.parse(text)),
    "yaml": yaml.safe_load,
}
for line in sys.stdin:
    row = json.loads(line)
    parse = parsers[row["language"]]
    if parse(row["before"]) != parse(row["after"]):
        sys.exit(f"want the meaning of {row['before']!r}, have that of {row['after']!r}")
