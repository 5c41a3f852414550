"""Serves a recogniser to the privacy step of sluice: a line of JSON in, a line of JSON out.

A recogniser is a function that takes a list of texts and gives, for each of them, a list of (start, end, entity, score)
in code points, which are what Python counts in.
"""

import json
import os
import sys


def serve(find):
    """Answers requests with what find finds, until there are no more."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    for line in sys.stdin.buffer:
        request = json.loads(line)
        results = [
            [{"start": s, "end": e, "entity": entity, "score": round(score, 4)} for s, e, entity, score in found]
            for found in find(request["texts"])
        ]
        answers.write(json.dumps({"id": request["id"], "results": results}) + "\n")
        answers.flush()


def in_pieces(find, most=2000, common=200):
    """Makes a recogniser for texts of any length out of one that is slow or blind on long ones.

    Long texts are cut behind white space into pieces of at most so many code points. A piece begins with the last code
    points of the one before, so that a name on the cut is whole in one of them.
    """

    def find_all(texts):
        places = [(i, start, end) for i, text in enumerate(texts) for start, end in cuts(text, most, common)]
        places.sort(key=lambda p: p[2] - p[1])  # a batch takes as long as its longest text
        found = [[] for _ in texts]
        for (i, start, _), spans in zip(places, find([texts[i][start:end] for i, start, end in places])):
            found[i].extend((start + s, start + e, entity, score) for s, e, entity, score in spans)
        return [joined(spans) for spans in found]

    return find_all


def cuts(text, most, common):
    """Gives where the pieces of a text begin and end."""
    start = 0
    while len(text) - start > most:
        end = start + most
        while end > start + most // 2 and not text[end - 1].isspace():
            end -= 1
        if not text[end - 1].isspace():
            end = start + most
        yield start, end
        start = end - common
    yield start, len(text)


def joined(spans):
    """Makes spans of one entity that overlap one span."""
    last, out = {}, []
    for start, end, entity, score in sorted(spans):
        before = last.get(entity)
        if before is not None and start < out[before][1]:
            s, e, _, other = out[before]
            out[before] = (s, max(e, end), entity, max(score, other))
        else:
            last[entity] = len(out)
            out.append((start, end, entity, score))
    return out
