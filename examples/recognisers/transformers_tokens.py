# /// script
# requires-python = ">=3.10"
# dependencies = ["transformers>=4.40", "torch>=2.2"]
# ///
"""Finds persons, places and organisations with a model for token classification of transformers.

    python3 transformers_tokens.py --model dslim/bert-base-NER

The model is a name on the hub, or the path of a model on disk. It needs a fast tokenizer, which says where tokens are.
"""

import argparse
import re
import sys

import protocol

# What the labels of models are called in the ledger; others are written in capitals.
NAMES = {"PER": "PERSON", "LOC": "LOCATION", "GPE": "LOCATION", "ORG": "ORGANIZATION", "MISC": ""}


def entity(label, names=NAMES):
    """Gives the entity of a label, or "" for one that is left out."""
    label = re.sub(r"^[BIESLU]-", "", label)
    if label in names:
        return names[label]
    name = re.sub(r"[^A-Z0-9]+", "_", label.upper()).strip("_")
    return name if re.fullmatch(r"[A-Z][A-Z0-9_]{1,40}", name) else "ENTITY_" + name[:30]


def recogniser(model, batch=16, device=None):
    """Gives a function from texts to what the model finds in them."""
    from transformers import AutoModelForTokenClassification, AutoTokenizer, pipeline

    tokenizer = AutoTokenizer.from_pretrained(model, use_fast=True)
    network = AutoModelForTokenClassification.from_pretrained(model)
    window = min(tokenizer.model_max_length, getattr(network.config, "max_position_embeddings", 512))
    tokenizer.model_max_length = window
    classify = pipeline(
        "token-classification", model=network, tokenizer=tokenizer, device=device,
        aggregation_strategy="first", stride=window // 4, batch_size=batch,
    )

    def find(texts):
        out = []
        for found in classify(texts):
            spans = [(f["start"], f["end"], entity(f["entity_group"]), float(f["score"])) for f in found]
            out.append([s for s in spans if s[2] and s[0] < s[1]])
        return out

    return protocol.in_pieces(find, most=10_000)


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--model", default="dslim/bert-base-NER", help="a name on the hub, or a path")
    args.add_argument("--batch", type=int, default=16, help="windows of text that the model takes at a time")
    args.add_argument("--device", help="such as cuda:0; the best there is by default")
    a = args.parse_args()
    protocol.serve(recogniser(a.model, a.batch, a.device))


if __name__ == "__main__":
    sys.exit(main())
