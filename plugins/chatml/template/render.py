"""Renders rows through a chat template as Transformers does.

Where Transformers is installed, it renders them itself; otherwise this script does the same with Jinja2, as `stands_for` does.

Reads JSON Lines. The first is {"templates": {name: text}, "tokens": {name: text}}, and is answered with
{"ready": what renders} or {"fault": what is wrong}. Each other one is a row {"messages", "tools"}, and is answered
with {"segments": [[trained on, text], ...], "exact": bool, "hidden": true if media are not shown} or {"error": what the template
raised}. With {"nulls": true} the
template sees members that are null, as it did before Transformers took them out.
"""
import sys

# What lies in the working folder is no part of Python, whatever its name is.
sys.path[:] = [path for path in sys.path if path]

import datetime
import json
import re

try:
    import resource  # not on every system
except ImportError:
    resource = None

# What a template may use at most, beside what Python and its libraries have mapped.
most_memory = 2 << 30
least_jinja = "3.1.6"  # its sandbox held none of the escapes that are known

stands_for = "Transformers 5.23"

try:
    import jinja2
    from jinja2 import nodes
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment
except ImportError as error:
    print(json.dumps({"fault": str(error)}), flush=True)
    sys.exit()


def version(text):
    """The numbers of a version, as in (3, 1, 6)."""
    return tuple(int(digits) for digits in re.findall(r"\d+", text)[:3])


if version(jinja2.__version__) < version(least_jinja):
    print(json.dumps({"old": jinja2.__version__, "least": least_jinja}), flush=True)
    sys.exit()


def choose(templates, tools):
    """The template for a row, of several that one tokenizer has."""
    if len(templates) == 1:
        return next(iter(templates.values()))
    if tools and "tool_use" in templates:
        return templates["tool_use"]
    return templates["default"]


def installed():
    """Transformers, or None."""
    try:
        import transformers.tokenization_utils_base
    except Exception:  # not installed, or broken
        return None
    return transformers


def with_transformers(transformers, templates, tokens):
    """What renders with the library itself, and its name."""

    class Encoding(dict):
        """The tokens of a text, one for each character: so the library's mask of tokens is a mask of characters."""

        def char_to_token(self, _, char):
            return char

    class Characters(transformers.tokenization_utils_base.PreTrainedTokenizerBase):
        special_tokens_map = property(lambda self: tokens)

        def __call__(self, text, **_):
            return Encoding(input_ids=[0] * len(text), text=text)

    tokenizer = Characters(chat_template=templates if len(templates) > 1 else next(iter(templates.values())))

    def render(messages, tools, prompt):
        return tokenizer.apply_chat_template(messages, tools=tools, add_generation_prompt=prompt, tokenize=False)

    def masked(messages, tools):
        made = tokenizer.apply_chat_template(messages, tools=tools, tokenize=True, return_dict=True, return_assistant_tokens_mask=True)
        return made["text"], made["assistant_masks"]

    probe = tokenizer.apply_chat_template(
        [{"role": "user", "content": "a"}], chat_template="b{% generation %}c{% endgeneration %}", tokenize=True, return_dict=True,
        return_assistant_tokens_mask=True)
    if (probe["text"], list(probe["assistant_masks"])) != ("bc", [0, 1]):
        raise ValueError(f"want bc and its mask, have {probe}")
    return render, masked, f"Transformers {transformers.__version__}"


class Generation(Extension):
    """{% generation %} ... {% endgeneration %} is what a template says the model shall learn to say."""

    tags = {"generation"}

    def __init__(self, environment):
        super().__init__(environment)
        self.rendered, self.spans = 0, []
        environment.extend(generation=self)

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("mark"), [], [], body).set_lineno(line)

    def mark(self, caller):
        text = caller()
        self.spans.append((self.rendered, self.rendered + len(text)))
        return text


class Namespace(jinja2.utils.Namespace):
    """A namespace as Transformers has it: no name begins with an underscore."""

    def __init__(*args, **kwargs):
        for name in dict(*args[1:], **kwargs):
            check(name)
        jinja2.utils.Namespace.__init__(*args, **kwargs)

    def __setitem__(self, name, value):
        check(name)
        jinja2.utils.Namespace.__setitem__(self, name, value)


def check(name):
    if str(name).startswith("_"):
        raise jinja2.exceptions.SecurityError(f"a name of a namespace begins with an underscore: {name!r}")


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def strftime_now(layout):
    return datetime.datetime.now().strftime(layout)


def prepared(messages):
    """Messages without members that are null, with their reasoning under both names that templates read."""
    for message in messages:
        message = {key: value for key, value in message.items() if value is not None}
        thoughts = [message[key] for key in ("reasoning_content", "thinking", "reasoning") if key in message]
        if thoughts:
            message = {"thinking": thoughts[0], **message, "reasoning_content": thoughts[0]}
        yield message


def with_jinja(templates, tokens):
    """What renders with Jinja2 alone, and its name."""
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    env.filters["tojson"] = tojson
    env.globals.update(raise_exception=raise_exception, strftime_now=strftime_now, namespace=Namespace)
    compiled = {name: env.from_string(text) for name, text in templates.items()}

    def pieces(messages, tools, prompt):
        if not messages:
            raise ValueError("want at least one message")
        return unprepared(list(prepared(messages)), tools, prompt)

    def unprepared(messages, tools, prompt):
        return choose(compiled, tools).generate(messages=messages, tools=tools, documents=None, add_generation_prompt=prompt, **tokens)

    def render(messages, tools, prompt):
        return "".join(pieces(messages, tools, prompt))

    def masked(messages, tools):
        tracker, text = env.generation, []
        tracker.rendered, tracker.spans = 0, []
        for piece in pieces(messages, tools, False):
            text.append(piece)
            tracker.rendered += len(piece)
        mask = [0] * tracker.rendered
        for start, end in tracker.spans:
            mask[start:end] = [1] * (min(end, len(mask)) - min(start, len(mask)))
        return "".join(text), mask

    return render, masked, unprepared, f"Jinja2 {jinja2.__version__}, in the way of {stands_for}"


def segments(text, mask):
    """The text, cut where the mask changes."""
    cut, start = [], 0
    for at in range(1, len(text) + 1):
        if at == len(text) or mask[at] != mask[start]:
            cut.append([bool(mask[start]), text[start:at]])
            start = at
    return cut


def answer(templates, render, masked, unprepared, row):
    if isinstance(row.get("tools"), str):
        row["tools"] = json.loads(row["tools"] or "[]")
    messages, tools = row["messages"], row.get("tools") or None
    if row.get("nulls"):
        return {"segments": [[True, "".join(unprepared(messages, tools, False))]], "exact": False}
    text = render(messages, tools, False)
    hidden = {"hidden": True} if text in without_media(render, messages, tools) else {}
    if re.search(r"\{%-?\s*generation\s*-?%\}", choose(templates, tools)):
        return {"segments": segments(*masked(messages, tools)), "exact": True, **hidden}
    try:
        head = render(messages[:-1], tools, True)
    except Exception:  # a template may refuse to begin with less
        return {"segments": [[False, text]], "exact": False, **hidden}
    at = len(head)
    while not text.startswith(head[:at]):
        at -= 1
    return {"segments": [s for s in ([False, text[:at]], [True, text[at:]]) if s[1]], "exact": at == len(head), **hidden}


def without_media(render, messages, tools):
    """The texts of the row without one of its media each, for as many as a row mostly has."""
    for at, message in list(enumerate(messages)):
        parts = message.get("content")
        media = [n for n, part in enumerate(parts) if part.get("type") != "text"] if isinstance(parts, list) else []
        for n in media[:8]:
            less = {**message, "content": parts[:n] + parts[n + 1:]}
            try:
                yield render([*messages[:at], less, *messages[at + 1:]], tools, False)
            except Exception:  # a template may refuse a message without it
                continue


def start(transformers, templates, tokens):
    try:
        render, masked, unprepared, name = with_jinja(templates, tokens)
    except jinja2.exceptions.TemplateError as error:
        return {"fault": f"{type(error).__name__}: {error}"}, ()
    except MemoryError:  # Jinja2 computes what is constant when it compiles
        return {"fault": f"MemoryError: a template that takes more than {most_memory >> 20} MiB before it renders a row"}, ()
    try:
        render, masked, name = with_transformers(transformers, templates, tokens)
    except Exception:  # not installed, or not as this script knows it
        pass
    return {"ready": name}, (render, masked, unprepared)


def limit_memory():
    """Ends what a template allocates beyond most_memory with a MemoryError."""
    if resource is None:
        return
    try:
        with open("/proc/self/statm") as file:
            mapped = int(file.read().split()[0]) * resource.getpagesize()
    except OSError:  # only Linux has it
        mapped = 2 << 30
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = mapped + most_memory
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    except (OSError, ValueError):  # macOS has no such limit
        pass


def main():
    first = json.loads(sys.stdin.readline())
    transformers = installed()
    limit_memory()
    said, ways = start(transformers, first["templates"], first["tokens"])
    print(json.dumps(said), flush=True)
    for line in sys.stdin if ways else ():
        try:
            said = answer(first["templates"], *ways, json.loads(line))
        except Exception as error:  # whatever a template raises is an answer
            said = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(said), flush=True)


main()
