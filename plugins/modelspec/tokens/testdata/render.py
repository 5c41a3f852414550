"""Renders threads, one a line of standard input, with a chat template as Transformers does: to {"text", "spans"}.

With transformers installed, spans are read off the mask of apply_chat_template as well, and both must agree.
"""
import json
import sys

import jinja2
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment


class Generation(Extension):
    tags = {"generation"}

    def __init__(self, environment):
        super().__init__(environment)
        environment.extend(marks=None)

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_mark"), [], [], body).set_lineno(line)

    def _mark(self, caller):
        return "\ue000" + caller() + "\ue001"


def refuse(message):
    raise jinja2.exceptions.TemplateError(message)


def plain(source):
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation])
    env.globals["raise_exception"] = refuse
    template = env.from_string(source)

    def render(messages):
        text, spans, at = "", [], 0
        for i, piece in enumerate(template.render(messages=messages).replace("\ue001", "\ue000").split("\ue000")):
            if i % 2:
                spans.append([len(text), len(text) + len(piece)])
            text += piece
        return text, spans

    return render


def transformers(source, special):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = {c: i for i, c in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    inner = Tokenizer(models.BPE(vocab=letters, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, chat_template=source)
    tokenizer.add_special_tokens(special)

    def render(messages):
        text = tokenizer.apply_chat_template(messages, tokenize=False)
        out = tokenizer.apply_chat_template(messages, tokenize=True, return_dict=True, return_assistant_tokens_mask=True)
        offsets = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        spans = []
        for (start, end), on in zip(offsets, out["assistant_masks"]):
            if not on:
                continue
            if spans and start <= spans[-1][1]:
                spans[-1][1] = max(end, spans[-1][1])
            else:
                spans.append([start, end])
        return text, spans

    return render


source = open(sys.argv[1], encoding="utf-8").read()
renderers = [plain(source)]
try:
    renderers.append(transformers(source, json.load(open(sys.argv[2], encoding="utf-8"))))
except ImportError:
    pass
for line in sys.stdin:
    messages = json.loads(line)
    answers = [render(messages) for render in renderers]
    if any(a != answers[0] for a in answers):
        sys.exit(f"want the same from both, have {answers}")
    print(json.dumps({"text": answers[0][0], "spans": answers[0][1], "renderers": len(renderers)}))
