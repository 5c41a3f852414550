"""Rows written by sluice as trainers take them: loaded by datasets, rendered by tokenizers of transformers, prepared by TRL."""

import importlib.util
import json
import os
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[2]))

import sluice  # noqa: E402

ROOT = HERE.parents[4]
TOKENS = ROOT / "plugins" / "modelspec" / "tokens"
TEMPLATES = ROOT / "plugins" / "chatml" / "testdata" / "templates"

TEXT = """
source "jsonl" "threads" {
  paths = []
}
step "modelspec-tokens" "text" {
  notation = "%s"
}
sink "jsonl" "text" {
  path = "text.jsonl"
}
"""

PAIRS = """
source "jsonl" "rows" {
  paths = []
}
step "native" "canonical" {}
step "chatml" "pair" {
  form = "preference"
}
sink "jsonl" "pairs" {
  path = "pairs.jsonl"
}
"""


def has(*modules):
    return all(importlib.util.find_spec(m) for m in modules)


def tokenizer(template, **special):
    """A tokenizer with a token for each byte, made here, and a chat template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = {c: i for i, c in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    inner = Tokenizer(models.BPE(vocab=letters, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=inner, chat_template=template)
    made.add_special_tokens(special)
    return made


def masked(made, messages, **options):
    """The text of messages and what of it is trained on, as pairs of places."""
    text = made.apply_chat_template(messages, tokenize=False, **options)
    rendered = made.apply_chat_template(messages, tokenize=True, return_dict=True, return_assistant_tokens_mask=True, **options)
    places = made(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
    spans = []
    for (start, end), on in zip(places, rendered["assistant_masks"], strict=True):
        if on and spans and start <= spans[-1][1]:
            spans[-1][1] = max(end, spans[-1][1])
        elif on:
            spans.append([start, end])
    return text, spans


@unittest.skipUnless("SLUICE_PROGRAM" in os.environ, "want SLUICE_PROGRAM, the path of sluice; go test sets it")
@unittest.skipUnless(has("datasets", "transformers", "tokenizers"), "want datasets, transformers and tokenizers: pip install datasets transformers")
class Training(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        os.environ["HF_HOME"] = str(cls.folder / "cache")  # read when datasets is imported
        os.environ["HF_HUB_OFFLINE"] = "1"

    def dataset(self, pipeline, sink, **vars):
        vars["out"] = self.folder / pathlib.Path(pipeline).stem
        return sluice.dataset(ROOT / "pipelines" / pipeline, sink, vars=vars, cwd=self.folder)

    def test_threads(self):
        """Templates render the text of threads, and mask what its segments train on, after Arrow has filled up their columns."""
        threads = self.dataset("modelspec.hcl", "rows", unfiltered=True)
        self.assertGreater(len(threads), 80)
        special = json.loads((TOKENS / "special_tokens.json").read_text())
        for notation, file in [("document", "chat_template.jinja"), ("end_message", "chat_template_end_message.jinja")]:
            made = tokenizer((TOKENS / file).read_text(), **special)
            (self.folder / "text.hcl").write_text(TEXT % notation)
            with (self.folder / "modelspec" / "threads.jsonl").open("rb") as lines:
                texts = list(sluice.stream(self.folder / "text.hcl", lines))
            self.assertEqual(len(texts), len(threads))
            for thread, row in zip(threads, texts, strict=True):
                want = row.parse()
                text, spans = masked(made, thread["messages"])
                with self.subTest(notation, line=row.line):
                    self.assertEqual(text, want["text"])
                    self.assertEqual(spans, [[s["start"], s["end"]] for s in want["segments"] if s["train"]])

    def chat(self, **vars):
        return self.dataset("eliza-sft.hcl", "train", tools="string", python=sys.executable, **vars)

    def test_chat(self):
        """Each family's template shows the texts of the rows that are made for it."""
        for family in ("qwen3", "glm"):
            template = TEMPLATES / f"{family}.jinja"
            rows = self.chat(template=template)
            self.assertGreater(len(rows), 70)
            made = tokenizer(template.read_text())
            for row in rows:
                text = made.apply_chat_template(row["messages"], tools=row["tools"] and json.loads(row["tools"]), tokenize=False)
                for message in row["messages"]:
                    with self.subTest(family, row=row):
                        self.assertIn((message["content"] or "").strip(), text)

    @unittest.skipUnless(has("trl"), "want trl: pip install --no-deps trl")
    def test_supervised(self):
        """What TRL trains on is what the assistant says and the end of its turn, in every row. Its trainers need torch; this is what they
        do with a row before."""
        from trl.chat_template_utils import has_generation_markers, qwen3_training_chat_template
        from trl.data_utils import is_conversational, pack_dataset

        rows = self.chat()
        self.assertTrue(has_generation_markers(qwen3_training_chat_template))
        made = tokenizer(qwen3_training_chat_template, additional_special_tokens=["<|im_start|>", "<|im_end|>"])
        for row in rows:
            self.assertTrue(is_conversational(row))
            text, spans = masked(made, row["messages"], tools=row["tools"] and json.loads(row["tools"]))
            trained = [text[start:end] for start, end in spans]
            said = [m for m in row["messages"] if m["role"] == "assistant"]
            with self.subTest(row=row):
                self.assertEqual(len(trained), len(said))
                for span, message in zip(trained, said, strict=True):
                    self.assertIn(message["content"] or "", span)
                    self.assertTrue(span.rstrip("\n").endswith("<|im_end|>"), span)
                    for call in message.get("tool_calls") or []:
                        self.assertIn(call["function"]["name"], span)
        ids = rows.map(lambda row: {"input_ids": made.apply_chat_template(row["messages"], return_dict=True)["input_ids"]}, remove_columns=rows.column_names)
        packed = pack_dataset(ids, 4096)
        self.assertEqual(sum(map(len, packed["input_ids"])), sum(len(i[:4096]) for i in ids["input_ids"]))

    @unittest.skipUnless(has("trl"), "want trl: pip install --no-deps trl")
    def test_preferences(self):
        """TRL takes preference rows apart into prompt and answers that render as the whole conversation does."""
        from datasets import Dataset
        from trl.chat_template_utils import qwen3_training_chat_template
        from trl.data_utils import apply_chat_template, extract_prompt, unpair_preference_dataset

        (self.folder / "pairs.hcl").write_text(PAIRS)
        asked = [f"What is {n} and {n}?" for n in range(20)]
        given = ({
            "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
            "request": {"system": "You add.", "messages": [{"role": "user", "content": text}]}, "response": {"text": f"{2 * n}"},
            "metadata": {"preference": {"rejected": f"{2 * n + 1}"}},
        } for n, text in enumerate(asked))
        rows = Dataset.from_list([row.parse() for row in sluice.stream(self.folder / "pairs.hcl", given)])
        self.assertEqual([r["prompt"][-1]["content"] for r in rows], asked)
        made = tokenizer(qwen3_training_chat_template)
        for n, row in enumerate(rows):
            pair = apply_chat_template(row, made)
            self.assertEqual(pair["prompt"] + pair["chosen"], made.apply_chat_template(row["prompt"] + row["chosen"], tokenize=False))
            self.assertIn(f"{2 * n + 1}", pair["rejected"])
            whole = {"chosen": row["prompt"] + row["chosen"], "rejected": row["prompt"] + row["rejected"]}
            self.assertEqual(extract_prompt(whole), {k: row[k] for k in ("prompt", "chosen", "rejected")})
        self.assertEqual(unpair_preference_dataset(rows)["label"], [True] * 20 + [False] * 20)


if __name__ == "__main__":
    unittest.main()
