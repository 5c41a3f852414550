"""Renders rows through chat templates as Transformers does.

Reads JSON Lines {"template": path, "row": {...}} and writes, for each, {"text": ...} or {"error": ...}.
"""
import json
import sys

from jinja2.exceptions import TemplateError
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment


def raise_exception(message):
    raise TemplateError(message)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
env.filters["tojson"] = tojson
env.globals["raise_exception"] = raise_exception
env.globals["strftime_now"] = lambda layout: "2025-01-01"

templates = {}
for line in sys.stdin:
    case = json.loads(line)
    path = case["template"]
    if path not in templates:
        with open(path, encoding="utf-8") as file:
            templates[path] = env.from_string(file.read())
    try:
        text = templates[path].render(
            bos_token="<s>", eos_token="</s>", add_generation_prompt=False, **case["row"])
        answer = {"text": text}
    except Exception as error:  # whatever a template raises is an answer
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer))
