"""Measures sluice and other tools on a labelled set of `sluice privacy eval`: recall by entity, precision, MB a CPU-second.

    pip install presidio-analyzer==2.2.366 spacy==3.8.18 detect-secrets==1.5.0     # in one environment
    pip install scrubadub==2.0.1 datatrove==0.10.1                                # in another, since they disagree
    pip install credsweeper==1.19.5                                               # in a third
    go mod download -json github.com/zricethezav/gitleaks/v8@v8.30.1              # copy the folder, go build there
    python peers.py --tool presidio agent.jsonl --entities EMAIL,PHONE

As in `sluice privacy eval`, a label is found when every letter and digit of it is within findings, and a finding is right when
it overlaps a label. The tools have their defaults, but: sluice rejects no record; presidio has its pattern recognisers without a
model for names, from a score of 0.4 on, without URLs; CredSweeper no model; scrubadub no URLs; detect-secrets asks no provider;
datatrove's PIIFormatter takes private addresses too.
"""

import argparse
import importlib
import json
import logging
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path


def all_of(text, value):
    return [m.span() for m in re.finditer(re.escape(value), text)] if value else []


def presidio():
    spacy = importlib.import_module("spacy")
    analyzer = importlib.import_module("presidio_analyzer")
    engines = importlib.import_module("presidio_analyzer.nlp_engine")

    class Blank(engines.SpacyNlpEngine):
        """A blank pipeline: tokens for the context words, no entities."""

        def __init__(self):
            super().__init__()
            self.nlp = {"en": spacy.blank("en")}

        def _doc_to_nlp_artifact(self, doc, language):
            artifacts = super()._doc_to_nlp_artifact(doc, language)
            artifacts.lemmas = [token.lower_ for token in doc]
            artifacts.keywords = [token.lower_ for token in doc if token.is_alpha and not token.is_stop]
            return artifacts

    registry = analyzer.RecognizerRegistry()
    registry.load_predefined_recognizers(languages=["en"])
    engine = analyzer.AnalyzerEngine(registry=registry, nlp_engine=Blank(), supported_languages=["en"])
    return lambda text: [(r.start, r.end) for r in engine.analyze(text, "en", score_threshold=0.4) if r.entity_type != "URL"]


def scrubadub():
    module = importlib.import_module("scrubadub")
    scrubber = module.Scrubber()
    scrubber.remove_detector("url")
    return lambda text: [(f.beg, f.end) for f in scrubber.iter_filth(text)]


def datatrove():
    formatter = importlib.import_module("datatrove.pipeline.formatters.pii").PIIFormatter(only_remove_public_ips=False)
    patterns = [formatter.emails_replacer.regex, formatter.ip_replacer.regex]
    return lambda text: [m.span() for p in patterns for m in p.finditer(text)]


def detect_secrets():
    scan = importlib.import_module("detect_secrets.core.scan")
    settings = importlib.import_module("detect_secrets.settings")
    keep = settings.default_settings()
    keep.__enter__()
    settings.get_settings().disable_filters(
        "detect_secrets.filters.common.is_ignored_due_to_verification_policies"
    )  # asks providers
    path = Path(tempfile.mkdtemp(), "document.txt")

    def find(text):
        path.write_text(text, encoding="utf-8")
        values = {secret.secret_value for secret in scan.scan_file(str(path))}
        return [span for value in values for span in all_of(text, value)]

    find.settings = keep  # they end with their context
    return find


def credsweeper():
    sweeper = importlib.import_module("credsweeper.app").CredSweeper(ml_threshold=0)
    provider = importlib.import_module("credsweeper.file_handler.string_content_provider").StringContentProvider

    def find(text):
        lines = text.splitlines()
        return [
            span
            for c in sweeper.file_scan(provider(lines))
            for d in c.line_data_list
            for span in all_of(text, d.value or "")
        ]

    return find


def gitleaks(binary, texts):
    """Returns the findings of all texts, from one run over a folder."""
    with tempfile.TemporaryDirectory() as folder:
        for i, text in enumerate(texts):
            Path(folder, f"{i}.txt").write_text(text, encoding="utf-8")
        report = folder + ".json"
        subprocess.run(
            [binary, "dir", folder, "--no-banner", "--exit-code", "0", "-f", "json", "-r", report, "--log-level", "error"],
            check=True,
        )
    spans = defaultdict(list)
    for f in json.loads(Path(report).read_text(encoding="utf-8")):
        i = int(Path(f["File"]).stem)
        spans[i] += all_of(texts[i], f["Secret"])
    os.remove(report)
    return [spans[i] for i in range(len(texts))]


def children():
    """Returns the processor time of the programs that ran."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


PIPELINE = """source "jsonl" "set" { paths = ["%s"] }
step "privacy" "redact" {}
sink "jsonl" "filtered" { path = "${pipeline.dir}/filtered.jsonl" }
"""


def run_time(binary, path):
    with tempfile.TemporaryDirectory() as folder:
        pipeline = Path(folder, "pipeline.hcl")
        pipeline.write_text(PIPELINE % Path(path).resolve(), encoding="utf-8")
        start = children()
        subprocess.run([binary, "run", pipeline], check=True, capture_output=True)
        return children() - start


def sluice(binary, path):
    """Returns scores as sluice gives them, and the processor time of a run without that of a run over one document, its start."""
    with tempfile.NamedTemporaryFile("w", suffix=".hcl", encoding="utf-8") as attributes:
        attributes.write("strict = false\n")
        attributes.flush()
        run = [binary, "privacy", "eval", path, "--json", "--attributes", attributes.name]
        run = subprocess.run(run, check=True, capture_output=True, text=True)
    entities = json.loads(run.stdout)["entities"]
    score = {e["entity"]: [round(e["recall"] * e["labels"]), e["labels"]] for e in entities[:-1] if e["labels"]}
    right = [round(entities[-1]["precision"] * entities[-1]["findings"]), entities[-1]["findings"]]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as one, open(path, encoding="utf-8") as lines:
        one.write(next(lines))
        one.flush()
        start = run_time(binary, one.name)
    return score, right, max(0.001, run_time(binary, path) - start)


def scored(documents, found):
    score, precision = defaultdict(lambda: [0, 0]), [0, 0]
    for document, spans in zip(documents, found):
        text, covered, labelled = document["text"], set(), set()
        for a, b in spans:
            covered.update(range(a, b))
        for s in document["spans"]:
            place = range(s["start"], s["end"])
            labelled.update(place)
            cell = score[s["entity"]]
            cell[0] += all(i in covered or not text[i].isalnum() for i in place)
            cell[1] += 1
        precision[0] += sum(not labelled.isdisjoint(range(a, b)) for a, b in spans)
        precision[1] += len(spans)
    return score, precision


def share(n, of):
    return f"{n / of:.3f}" if of else "–"


def table(path):
    """Prints what the runs wrote, a column for each tool."""
    with open(path, encoding="utf-8") as lines:
        runs = [json.loads(line) for line in lines]
    print("| kind (labels) | " + " | ".join(run["tool"] for run in runs) + " |\n|---" + "|---" * len(runs) + "|")
    for entity, labels in runs[0]["labels"].items():
        print(f"| {entity} ({labels}) | " + " | ".join(run["recall"].get(entity, "–") for run in runs) + " |")
    for name in ("precision", "findings", "mb_per_cpu_second"):
        print(f"| {name} | " + " | ".join(str(run[name]) for run in runs) + " |")


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("set")
    args.add_argument(
        "--tool",
        required=True,
        choices=["sluice", "presidio", "scrubadub", "datatrove", "detect-secrets", "credsweeper", "gitleaks", "table"],
        help="the tool, or table: the set is then what the other runs wrote, in one file",
    )
    args.add_argument("--binary", help="of sluice or gitleaks")
    args.add_argument("--entities", help="entities to print, joined by commas; otherwise all")
    options = args.parse_args()
    if options.tool == "table":
        table(options.set)
        return
    logging.disable(logging.CRITICAL)
    with open(options.set, encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    texts = [d["text"] for d in documents]
    if options.tool == "sluice":
        score, precision, seconds = sluice(options.binary, options.set)
    elif options.tool == "gitleaks":
        start = children()
        found = gitleaks(options.binary, texts)
        seconds = children() - start
        score, precision = scored(documents, found)
    else:
        find = {
            "presidio": presidio,
            "scrubadub": scrubadub,
            "datatrove": datatrove,
            "detect-secrets": detect_secrets,
            "credsweeper": credsweeper,
        }[options.tool]()
        start = time.process_time()
        found = [find(text) for text in texts]
        seconds = time.process_time() - start
        score, precision = scored(documents, found)
    wanted = options.entities.split(",") if options.entities else sorted(score)
    rows = {e: score[e] for e in wanted if score.get(e, [0, 0])[1]}
    rows["all of these"] = [sum(c[0] for c in rows.values()), sum(c[1] for c in rows.values())]
    size = sum(len(t.encode()) for t in texts) / 1e6
    json.dump(
        {
            "tool": options.tool,
            "recall": {e: share(*c) for e, c in rows.items()},
            "labels": {e: c[1] for e, c in rows.items()},
            "precision": share(*precision),
            "findings": precision[1],
            "mb": round(size, 2),
            "mb_per_cpu_second": round(size / seconds, 3),
        },
        sys.stdout,
        ensure_ascii=False,
    )
    print()


if __name__ == "__main__":
    main()
