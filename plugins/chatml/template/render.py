"""Renders rows through a chat template as Transformers does.

Reads JSON Lines. The first is {"templates": {name: text}, "tokens": {name: text}}, and is answered with
{"ready": version of jinja2} or {"fault": what is wrong}. Each other one is a row {"messages", "tools"}, and is answered
with {"segments": [[trained on, text], ...], "exact": bool} or {"error": what the template raised}.
"""
import datetime
import json
import sys

try:
    import jinja2
    from jinja2 import nodes
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment
except ImportError as error:
    print(json.dumps({"fault": str(error)}), flush=True)
    sys.exit()

# What stands around text to train on until it is cut out: characters that no row has.
marks = ["\ue000", "\ue001"]


class Generation(Extension):
    """{% generation %} ... {% endgeneration %} is what a template says the model shall learn to say."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("mark"), [], [], body).set_lineno(line)

    def mark(self, caller):
        return marks[0] + caller() + marks[1]


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def strftime_now(layout):
    return datetime.datetime.now().strftime(layout)


env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
env.filters["tojson"] = tojson
env.globals["raise_exception"] = raise_exception
env.globals["strftime_now"] = strftime_now


def choose(templates, row):
    """The template for a row, of several that one tokenizer has."""
    if len(templates) == 1:
        return next(iter(templates.values()))
    if row.get("tools") and "tool_use" in templates:
        return templates["tool_use"]
    return templates["default"]


def render(template, tokens, row, messages, prompt):
    return template.render(messages=messages, tools=row.get("tools") or None, documents=None,
                           add_generation_prompt=prompt, **tokens)


def segments(text):
    """The text without marks, cut where they stood."""
    cut = []
    for n, piece in enumerate(text.split(marks[0])):
        learnt, mark, rest = piece.partition(marks[1])
        if n == 0 or not mark:
            cut.append([False, piece])
        else:
            cut += [[True, learnt], [False, rest]]
    return [s for s in cut if s[1]]


def answer(templates, tokens, line):
    row = json.loads(line)
    if isinstance(row.get("tools"), str):
        row["tools"] = json.loads(row["tools"] or "[]")
    free = (chr(c) for c in range(0xE000, 0xF8FF) if chr(c) not in line and f"\\u{c:04x}" not in line.lower())
    marks[0], marks[1] = next(free), next(free)
    template = choose(templates, row)
    text = render(template, tokens, row, row["messages"], False)
    if marks[0] in text:
        return {"segments": segments(text), "exact": True}
    try:
        head = render(template, tokens, row, row["messages"][:-1], True)
    except Exception:  # a template may refuse to begin with less
        return {"segments": [[False, text]], "exact": False}
    at = len(head)
    while not text.startswith(head[:at]):
        at -= 1
    return {"segments": [s for s in ([False, text[:at]], [True, text[at:]]) if s[1]], "exact": at == len(head)}


def main():
    start = json.loads(sys.stdin.readline())
    try:
        templates = {name: env.from_string(text) for name, text in start["templates"].items()}
    except jinja2.exceptions.TemplateError as error:
        print(json.dumps({"fault": f"{type(error).__name__}: {error}"}), flush=True)
        return
    print(json.dumps({"ready": jinja2.__version__}), flush=True)
    for line in sys.stdin:
        try:
            said = answer(templates, start["tokens"], line)
        except Exception as error:  # whatever a template raises is an answer
            said = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(said), flush=True)


main()
