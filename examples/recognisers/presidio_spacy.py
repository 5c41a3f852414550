# /// script
# requires-python = ">=3.10"
# dependencies = ["presidio-analyzer>=2.2", "spacy>=3.8", "pip"]
# ///
"""Finds persons, places and organisations with Presidio and a spaCy pipeline.

    python3 presidio_spacy.py --model en_core_web_lg

The model is a spaCy package, which is downloaded when it is not there, or the path of a pipeline on disk.
"""

import argparse
import pathlib
import sys

import protocol


def analyzer(model, language):
    """Loads a model into an analyzer of Presidio."""
    import spacy
    from presidio_analyzer import BatchAnalyzerEngine, AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider

    if not pathlib.Path(model).exists() and not spacy.util.is_package(model):
        spacy.cli.download(model)
    provider = NlpEngineProvider(
        nlp_configuration={"nlp_engine_name": "spacy", "models": [{"lang_code": language, "model_name": model}]}
    )
    return BatchAnalyzerEngine(AnalyzerEngine(nlp_engine=provider.create_engine(), supported_languages=[language]))


def recogniser(model, language="en", entities=("PERSON", "LOCATION", "ORGANIZATION"), batch=32):
    """Gives a function from texts to what the model finds in them."""
    engine = analyzer(model, language)

    def find(texts):
        answers = engine.analyze_iterator(texts, language=language, batch_size=batch, entities=list(entities))
        return [[(a.start, a.end, a.entity_type, a.score) for a in found] for found in answers]

    return protocol.in_pieces(find, most=20_000)


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--model", default="en_core_web_lg", help="a spaCy package, or a path")
    args.add_argument("--language", default="en", help="of the model")
    args.add_argument("--entities", default="PERSON,LOCATION,ORGANIZATION", help="what to ask Presidio for")
    args.add_argument("--batch", type=int, default=32, help="texts that the model takes at a time")
    a = args.parse_args()
    protocol.serve(recogniser(a.model, a.language, a.entities.split(","), a.batch))


if __name__ == "__main__":
    sys.exit(main())
