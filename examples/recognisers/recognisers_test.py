"""Tests of the recognisers: python3 -m unittest recognisers_test, in this folder.

What needs packages that are not installed is skipped and says so. No model is fetched: those of the packages are used, and
pipelines that are made on the spot.
"""

import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import names_addresses
import protocol

HERE = pathlib.Path(__file__).parent


def needs(*packages):
    absent = [p for p in packages if importlib.util.find_spec(p) is None]
    return unittest.skipIf(absent, "not installed: " + ", ".join(absent))


def values(text, spans):
    return [(entity, text[start:end]) for start, end, entity, _ in sorted(spans)]


class Protocol(unittest.TestCase):
    def ask(self, program, *requests):
        lines = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in requests)
        done = subprocess.run([sys.executable, "-c", program], input=lines, capture_output=True, text=True, cwd=HERE, encoding="utf-8")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_answers_in_code_points_and_keeps_what_is_printed_out_of_them(self):
        program = "import protocol; protocol.serve(lambda ts: [print('noise') or [(t.index('Ann'), t.index('Ann') + 3, 'PERSON', 0.9)] for t in ts])"
        have = self.ask(program, {"id": 7, "texts": ["é😀 Ann", "Ann"]}, {"id": 8, "texts": []})
        span = {"start": 3, "end": 6, "entity": "PERSON", "score": 0.9}
        self.assertEqual(have, [{"id": 7, "results": [[span], [span | {"start": 0, "end": 3}]]}, {"id": 8, "results": []}])

    def test_pieces_cover_a_long_text_and_keep_a_name_on_a_cut_whole(self):
        def find(texts):
            for t in texts:
                self.assertLessEqual(len(t), 100)
            return [[(i, i + 9, "PERSON", 0.5) for i in range(len(t)) if t.startswith("Ann Smith", i)] for t in texts]

        for before in range(40, 160):
            text = "word " * (before // 5) + "x" * (before % 5) + " Ann Smith" + " more" * 60
            spans = protocol.in_pieces(find, most=100, common=20)(["", text])[1]
            self.assertEqual(values(text, spans), [("PERSON", "Ann Smith")], before)

    def test_a_text_without_white_space_is_cut_too(self):
        self.assertEqual(list(protocol.cuts("x" * 25, 10, 2)), [(0, 10), (8, 18), (16, 25)])

    def test_spans_of_one_entity_that_overlap_are_one(self):
        spans = [(0, 5, "A", 0.4), (3, 9, "A", 0.8), (4, 6, "B", 0.1), (9, 12, "A", 0.2)]
        self.assertEqual(protocol.joined(spans), [(0, 9, "A", 0.8), (4, 6, "B", 0.1), (9, 12, "A", 0.2)])


@needs("probablepeople", "usaddress")
class NamesAddresses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.find = staticmethod(names_addresses.recogniser())

    def test_finds(self):
        for text, want in [
            ("I talked to Maria Lopez about it", [("PERSON", "Maria Lopez")]),
            ("Ask Daniel J. Sims first.", [("PERSON", "Daniel J. Sims")]),
            ("Regards,\nThomas O'Brien", [("PERSON", "Thomas O'Brien")]),
            ("we meet at 123 Main St. at noon", [("STREET_ADDRESS", "123 Main St")]),
            ("ship to 6 Stuart Port, Wilsonhaven, AZ 85012 please", [("STREET_ADDRESS", "6 Stuart Port, Wilsonhaven, AZ 85012")]),
            ("word " * 300 + "at 123 Main St. at noon, or " + "word " * 300 + "45 Oak Ave", [("STREET_ADDRESS", "123 Main St"), ("STREET_ADDRESS", "45 Oak Ave")]),
            ("to\nMaria Lopez\n6 Stuart Port\nWilsonhaven, AZ 85012", [("PERSON", "Maria Lopez"), ("STREET_ADDRESS", "6 Stuart Port\nWilsonhaven, AZ 85012")]),
            ("P.O. Box 1234, Springfield, IL 62704", [("STREET_ADDRESS", "P.O. Box 1234, Springfield, IL 62704")]),
        ]:
            self.assertEqual(values(text, self.find([text])[0]), want, text)

    def test_leaves(self):
        for text in [
            "", "- - -", "the build 123 failed after 45 ms", "United States and Visual Studio Code", "def main(self): return 4",
            "Table 3 Of Contents", "5 Ways to Drive", "Machine Learning is hard", "16.1.2.3 - - GET / 200",
        ]:
            self.assertEqual(values(text, self.find([text])[0]), [], text)


@needs("presidio_analyzer", "spacy")
class PresidioSpacy(unittest.TestCase):
    def test_a_pipeline_on_disk(self):
        import presidio_spacy
        import spacy

        nlp = spacy.blank("en")
        ruler = nlp.add_pipe("entity_ruler")  # stands for the model that learnt
        ruler.add_patterns([{"label": "PERSON", "pattern": "Maria Lopez"}, {"label": "GPE", "pattern": "Berlin"}])
        with tempfile.TemporaryDirectory() as folder:
            nlp.to_disk(folder)
            find = presidio_spacy.recogniser(folder, batch=2)
            texts = ["é😀 Maria Lopez is in Berlin", "nobody", "to Maria Lopez", ""]
            have = [values(t, spans) for t, spans in zip(texts, find(texts))]
        person = ("PERSON", "Maria Lopez")
        self.assertEqual(have, [[person, ("LOCATION", "Berlin")], [], [person], []])


@needs("transformers", "torch")
class TransformersTokens(unittest.TestCase):
    def test_a_model_on_disk(self):
        import transformers_tokens

        with tempfile.TemporaryDirectory() as folder:
            save_model(folder)
            find = transformers_tokens.recogniser(folder, batch=2)
            long = "word " * 100 + "Maria Lopez" + " word" * 100  # longer than a window
            texts = ["é😀 Maria Lopez is here", "nobody", long]
            have = [values(t, spans) for t, spans in zip(texts, find(texts))]
        person = ("PERSON", "Maria Lopez")
        self.assertEqual(have, [[person], [], [person]])

    def test_entities_of_labels(self):
        import transformers_tokens

        for label, want in [("B-PER", "PERSON"), ("GPE", "LOCATION"), ("MISC", ""), ("I-street name", "STREET_NAME"), ("7", "ENTITY_7")]:
            self.assertEqual(transformers_tokens.entity(label), want)


def save_model(folder):
    """Saves a small model that learnt two words, with its tokenizer."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForTokenClassification, PreTrainedTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "Maria", "Lopez", "word", "is", "here", "nobody"]
    split = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    split.pre_tokenizer = pre_tokenizers.Whitespace()
    split.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=split, model_max_length=64, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
    )
    torch.manual_seed(1)
    labels = ["O", "B-PER", "I-PER"]
    model = BertForTokenClassification(BertConfig(
        vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=64, num_labels=3, id2label=dict(enumerate(labels)), label2id={l: i for i, l in enumerate(labels)},
    ))
    ids = torch.randint(0, len(words), (64, 32))
    want = torch.where(ids == 5, 1, torch.where(ids == 6, 2, 0))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(60):
        loss = model(input_ids=ids, labels=want).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    unittest.main()
