#!/usr/bin/env python3
"""A sluice plugin that counts the tokens of a row by any tokenizer.json, and sets them as a label."""

import json
from dataclasses import dataclass

import sluice
from tokenizers import Tokenizer


@dataclass
class Args:
    tokenizer: str
    """the path of the tokenizer.json"""


@sluice.plugin(labels=["tokens"])
class tokens:
    """counts the tokens of a row by a tokenizer.json and sets them as a label"""

    def __init__(self, args: Args):
        try:
            self.tokenizer = Tokenizer.from_file(args.tokenizer)
        except Exception as error:  # the library knows no narrower one
            raise sluice.Mistake("tokenizer", f"want a tokenizer.json, have a file that is none: {error}") from None

    def process(self, record):
        row = json.loads(record.json())  # only read, so a key that stands twice is no loss
        found = list(texts(row)) if isinstance(row, dict) else []
        record.label("tokens", str(sum(map(len, self.tokenizer.encode_batch(found, add_special_tokens=False)))))


def texts(row):
    """Every text of a row that a model reads or writes. Marks of a chat template are not among them."""
    request, response = row.get("request"), row.get("response")
    if isinstance(request, dict):  # a canonical row
        yield from strings(request.get("system"))
        yield from strings(request.get("prompt"))
        row = request
        if isinstance(response, dict):
            yield from message({"content": response.get("text"), **response})
    for m in row.get("messages") or []:
        if isinstance(m, dict):
            yield from message(m)
    if row.get("tools"):
        yield written(row["tools"])


def message(m):
    for key in ("content", "reasoning", "reasoning_content"):
        yield from strings(m.get(key))
    for call in m.get("toolCalls") or m.get("tool_calls") or []:
        if isinstance(call, dict):
            call = call.get("function", call)
            yield from strings(call.get("toolName", call.get("name")))
            yield from strings(call.get("input", call.get("args", call.get("arguments"))), whole=True)


def strings(value, whole=False):
    """A string, or those of parts; of arguments the whole as JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and not whole:
        for part in value:
            if isinstance(part, dict):
                yield from strings(part.get("text"))
                yield from strings(part.get("input", part.get("output")), whole=True)
                yield from strings(part.get("toolName"))
            else:
                yield from strings(part)
    elif value is not None:
        yield written(value)


def written(value):
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    sluice.main()
