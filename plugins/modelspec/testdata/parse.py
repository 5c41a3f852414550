"""Parses the contents of token text, one row of {"text"} a line, each by the parser of its own language, and counts them."""
import ast
import collections
import json
import sys

try:
    import yaml
except ImportError:
    yaml = None

counts = collections.Counter()
for line in sys.stdin:
    for message in json.loads(line)["text"].split("<|role|>"):
        if "<|format|>" not in message:
            continue
        head, content = message.split("<|content|>", 1)
        language = head.split("<|format|>")[1].split(":")[-1]
        content = content.replace("<|end_message|>", "").removesuffix("<|end_turn|>")
        if language == "json":
            json.loads(content)
        elif language == "jsonl":
            for part in content.split("\n"):
                json.loads(part)
        elif language == "python":
            ast.parse(content)
        elif language == "yaml" and yaml:
            yaml.safe_load(content)
        else:
            continue
        counts[language] += 1
print(json.dumps(counts))
