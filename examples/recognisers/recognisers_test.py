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

import addresses
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


class Addresses(unittest.TestCase):
    """Addresses and accounts have a form, so their expressions need no package."""

    def test_finds(self):
        for land, text, want in [
            ("US", "we meet at 123 Main St. at noon", "123 Main St"),
            ("US", "ship to 6 Stuart Port, Wilsonhaven, AZ 85012 please", "6 Stuart Port, Wilsonhaven, AZ 85012"),
            ("US, over two lines", "to\n6 Stuart Port\nWilsonhaven, AZ 85012", "6 Stuart Port\nWilsonhaven, AZ 85012"),
            ("US", "P.O. Box 1234, Springfield, IL 62704", "P.O. Box 1234, Springfield, IL 62704"),
            ("US forces", "PSC 1234, Box 5678\nAPO AE 09012", "PSC 1234, Box 5678\nAPO AE 09012"),
            ("GB", "10 Fleet Street, London EC4Y 1AA", "10 Fleet Street, London EC4Y 1AA"),
            ("GB, no word for a street", "Flat 3\nSmith station\nEast Joelmouth\nAB1 2CD", "Flat 3\nSmith station\nEast Joelmouth\nAB1 2CD"),
            ("DE", "Ich wohne in der Lindenstraße 12a, 10115 Berlin und", "Lindenstraße 12a, 10115 Berlin"),
            ("DE, words with hyphens", "Anna-Meyer-Allee 5\n12345 Bad Doberan", "Anna-Meyer-Allee 5\n12345 Bad Doberan"),
            ("FR", "12, rue de la Paix, 75002 Paris", "12, rue de la Paix, 75002 Paris"),
            ("FR, no number", "livrez au rue de Bertin, 48238 Gilbert-sur-Mer", "rue de Bertin, 48238 Gilbert-sur-Mer"),
            ("ES", "Calle de Alcalá 45, 3º B, 28014 Madrid", "Calle de Alcalá 45, 3º B, 28014 Madrid"),
            ("IT", "Via Giuseppe Verdi 12, 20121 Milano (MI)", "Via Giuseppe Verdi 12, 20121 Milano (MI)"),
            ("BR", "Rua das Flores, 123 - Centro, São Paulo - SP, 01234-567", "Rua das Flores, 123 - Centro, São Paulo - SP, 01234-567"),
            ("NL", "Keizersgracht 241, 1016 EA Amsterdam", "Keizersgracht 241, 1016 EA Amsterdam"),
            ("BE, the number behind", "Rue de Piétrain 371, 1000 Bruxelles", "Rue de Piétrain 371, 1000 Bruxelles"),
            ("NO, the street in two words", "Trenerys gate 23, 7010 Trondheim", "Trenerys gate 23, 7010 Trondheim"),
            ("CZ, a unit and the country", "4596 Tylova 285\n Suite 578\n Ostrov nad Ohří\n Czech Republic 56655", "4596 Tylova 285\n Suite 578\n Ostrov nad Ohří\n Czech Republic 56655"),
            ("a cue and no word for a street", "He lives at 333 Golfskálinn 78, Borgarnes", "333 Golfskálinn 78, Borgarnes"),
            ("US, in a comment", "# 51 Elm Street, Fifth Floor, Boston, MA\n# 02110-1301, USA", "51 Elm Street, Fifth Floor, Boston, MA\n# 02110-1301, USA"),
            ("PL", "ul. Lipowa 10/5, 00-590 Warszawa", "ul. Lipowa 10/5, 00-590 Warszawa"),
            ("SE", "Storgatan 12, 111 51 Stockholm", "Storgatan 12, 111 51 Stockholm"),
            ("HU", "Lipa utca 12, 1056 Budapest", "Lipa utca 12, 1056 Budapest"),
            ("TR", "Lale Mah. Deniz Cad. No: 12, 34000 İstanbul", "Lale Mah. Deniz Cad. No: 12, 34000 İstanbul"),
            ("RU", "г. Москва, ул. Ленина, д. 5, кв. 12", "г. Москва, ул. Ленина, д. 5, кв. 12"),
            ("JP", "東京都新宿区西新宿2-8-1", "東京都新宿区西新宿2-8-1"),
            ("CN", "北京市朝阳区建国路88号", "北京市朝阳区建国路88号"),
            ("KR", "서울특별시 강남구 테헤란로 152", "서울특별시 강남구 테헤란로 152"),
            ("IN", "32/43, बोस, सतना-123456", "32/43, बोस, सतना-123456"),
        ]:
            self.assertEqual(values(text, protocol.joined(addresses.find(text))), [("STREET_ADDRESS", want)], land)

    def test_leaves(self):
        for why, text in [
            ("no number", "the street is long"),
            ("a court that is no street", "1 Supreme Court ruling"),
            ("a drive that is no street", "10 Google Drive folders and 2 Hard Drive bays"),
            ("a heading", "Table 3 Of Contents, 5 Ways to Drive"),
            ("a log", "16.1.2.3 - - GET / 200, the build 123 failed after 45 ms"),
            ("a member of a package", "os.Signal, 100) and pl.Int64, 3"),
            ("a number of what is sent", "The requests sent to 3p API"),
            ("a year and an author", "2017, Chanho Park"),
            ("years and an author", "Copyright 2003,2004 Andi Kleen, SuSE Labs."),
            ("words that end like streets", "the string 5, a Monitoring 2 and Platform 3"),
        ]:
            self.assertEqual(list(addresses.find(text)), [], why)

    def test_accounts(self):
        for why, text, want in [
            ("macOS", "cd /Users/annika.lindqvist/work", ["annika.lindqvist"]),
            ("Linux", "/home/tkamau: no such file", ["tkamau"]),
            ("Windows", "C:\\Users\\jhartley\\Desktop", ["jhartley"]),
            ("a prompt", "annika@macbook ~ % ls", ["annika"]),
            ("a profile", "see linkedin.com/in/annika-lindqvist-42", ["annika-lindqvist-42"]),
            ("accounts of no person", "/home/runner/work /Users/username/x ubuntu@ip-10-0-0-1:~$ ls", []),
            ("an owner of repositories, mostly an organisation", "github.com/golang/go", []),
        ]:
            self.assertEqual([text[s:e] for s, e, _, _ in addresses.accounts(text)], want, why)

    def test_takes_time_in_proportion(self):
        for part in ["12345 ", "12 Main Street ", "Calle A ", "rue de 1 ", "路1", "Av. Abc Abc, "]:
            places = list(addresses.regions(addresses.NUMBERED.finditer(part * 1000), len(part) * 1000))
            for (_, end), (start, _) in zip(places, places[1:]):
                self.assertLessEqual(end, start, part)  # no part of a text is searched twice


@needs("faker", "probablepeople")
class NamesAddresses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.find = staticmethod(names_addresses.recogniser())

    def test_finds_names(self):
        for why, text, want in [
            ("in a sentence", "I talked to Maria Lopez about it", ["Maria Lopez"]),
            ("an initial", "Ask Daniel J. Sims first.", ["Daniel J. Sims"]),
            ("an apostrophe", "Regards,\nThomas O'Brien", ["Thomas O'Brien"]),
            ("initials only", "J. R. Hartley wrote it", ["J. R. Hartley"]),
            ("capitals", "signed MARIA LOPEZ", ["MARIA LOPEZ"]),
            ("particles", "Ludwig van Beethoven met Simon van der Linden", ["Ludwig van Beethoven", "Simon van der Linden"]),
            ("a given name that is a word too", "Grace Henderson", ["Grace Henderson"]),
            ("titles", "Mr. Tanaka met Dr. Fatima Al-Sayed", ["Tanaka", "Fatima Al-Sayed"]),
            ("a given name after a greeting", "Hi Maria,\nthanks", ["Maria"]),
            ("a given name by itself", "then Maria left the room", ["Maria"]),
            ("small letters after words that ask for a name", "hi, my name is maria lopez", ["maria lopez"]),
            ("a name nobody knows, who says so", "My name is Rubija", ["Rubija"]),
            ("an author nobody knows", "Author: Behdad Esfahbod <b@example.org>", ["Behdad Esfahbod"]),
            ("the surname first", "Nguyen Van Minh and Wang Xiaoming", ["Nguyen Van Minh", "Wang Xiaoming"]),
            ("the surname first in Hungarian", "Kovács János", ["Kovács János"]),
            ("Russian", "пишет Анна Смирнова", ["Анна Смирнова"]),
            ("Russian in Latin letters", "Yekaterina Sokolova is here", ["Yekaterina Sokolova"]),
            ("Greek", "ο Γιώργος Παπαδόπουλος", ["Γιώργος Παπαδόπουλος"]),
            ("Hindi", "मोहन शर्मा आए", ["मोहन शर्मा"]),
            ("Chinese", "我叫王伟，联系人：李秀英。", ["王伟", "李秀英"]),
            ("Japanese", "佐藤 太郎さん、氏名：鈴木花子", ["佐藤 太郎", "鈴木花子"]),
            ("Korean", "김민준 씨에게", ["김민준"]),
            ("after an escape that is text", "output\\nMaria Lopez\\n", ["Maria Lopez"]),
        ]:
            self.assertEqual(values(text, self.find([text])[0]), [("PERSON", w) for w in want], why)

    def test_finds_both(self):
        text = "to\nMaria Lopez\n6 Stuart Port\nWilsonhaven, AZ 85012, not Maria Lopez Street"
        self.assertEqual(values(text, self.find([text])[0]), [("PERSON", "Maria Lopez"), ("STREET_ADDRESS", "6 Stuart Port\nWilsonhaven, AZ 85012")])

    def test_leaves(self):
        for text in [
            "", "- - -", "def main(self): return 4", "United States and Visual Studio Code", "Machine Learning is hard", "Princess Royal",
            "Claude Opus, Gemini Pro and Alexa Skill", "Jenkins Server, Julia Language, Travis CI", "Lincoln Park, Maria Street, University of Victoria",
            "from Adelaide to Sydney, Geneva and Vienna", "Los Angeles, San Jose, Monte Carlo Simulation, New York Times", "Monday March", "The Quick Brown Fox", "Grant Scope", "COMBINING DOT BELOW",
            "Jordan River and Santiago Airport", "the Nobel Prize, Turing Award", "Data Model, Secure Hash, Register Val", "Feature Request",
            "the MS Graph API", "after 500 ms. Don't wait", "func f(sig Signal)", "平成 昭和", "Alpha Beta Gamma Delta", "TELUGU DIGIT THREE FOR ODD POWERS OF FOUR", "a 2-D Legendre series", "name: Dependency Review",
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
