# /// script
# requires-python = ">=3.10"
# dependencies = ["probablepeople==0.5.6", "usaddress==0.5.16"]
# ///
"""Finds names of persons and postal addresses of the United States with models that their packages bring along.

    python3 names_addresses.py

probablepeople and usaddress are conditional random fields that were trained to take a name or an address apart. Here they
are asked whether what looks like one is one: words in a row with capitals, and lines with a number before such a word.
"""

import argparse
import itertools
import re
import sys

import protocol

# A word of a name, an initial, or a particle between them.
CAPITAL, SMALL = r"[^\W\d_a-zß-öø-ÿ]", "[a-zß-öø-ÿ\u0101-\u024f]"
WORD = rf"(?:{CAPITAL}{SMALL}+(?:['’-]?{CAPITAL}{SMALL}+){{0,3}}|{CAPITAL}['’]{CAPITAL}{SMALL}+|{CAPITAL}(?=[. ]))"
RUN = re.compile(rf"\b{WORD}\.?(?:[ \t](?:(?:de|del|della|da|di|van|von|der|den|la|le|bin|al|el)[ \t]){{0,2}}{WORD}\.?){{1,7}}")
LONGEST = 5  # words of a name
NO_NAMES = {"An", "In", "My", "Mac", "Ping", "The", "Will", "Do", "So", "Sun", "Mon", "Dear"}  # that are given names somewhere


def person_model(least):
    """Gives a function that tells how sure it is that words are a given name and a surname, or 0 for less than least."""
    import probablepeople
    from probablepeople.ratios import ratios

    tagger = probablepeople.TAGGERS["generic"]

    def score(words):
        # How often the word is a given name among all names it is in. Without one that is, the fields alone say too often
        # that a heading is a name.
        trust = 1 if ratios.get(words[0].rstrip(".").upper(), 0) > 0.3 else 0.49
        if trust < least:
            return 0.0
        tokens = probablepeople.tokenize(" ".join(words))
        labels = tagger.tag(probablepeople.tokens2features(tokens)) if tokens else []
        if "GivenName" not in labels or "Surname" not in labels or any(l.startswith("Corporation") for l in labels):
            return 0.0
        return tagger.probability(labels) * trust

    return score


def persons(text, score, least):
    """Gives the names in a text: of each run of words with capitals, from left to right, the longest part that is one."""
    for run in RUN.finditer(text):
        words = [(m.start(), m.end()) for m in re.finditer(r"\S+", run.group())]
        i = 0
        while i < len(words) - 1:
            for n in range(min(LONGEST, len(words) - i), 1, -1):
                part = [run.group()[s:e] for s, e in words[i : i + n]]
                if part[0] in NO_NAMES or part[0][0].islower() or part[-1][0].islower():
                    continue
                if (sure := score(part)) >= least:
                    end = words[i + n - 1][1] - len(part[-1]) + len(part[-1].rstrip("."))
                    yield run.start() + words[i][0], run.start() + end, "PERSON", sure
                    i += n - 1
                    break
            i += 1


# Where an address may begin: a number with a capital behind it soon, or a box.
BEGIN = re.compile(r"(?<![\w.,:/-])(?:\d{1,6}(?:-\d{1,6})?[A-Za-z]?,?[ \t]+(?=(?:\S{1,12}[ \t]+){0,2}\S?[A-Z])|(?:P\.? ?O\.? ?)?Box\b|(?:PSC|Unit|CMR)\b)")
TOKENS = re.compile(r"\S+")
BEFORE, MOST = 24, 24  # code points before it and tokens from there on that are looked at together


def address_model():
    """Gives a function that takes tokens and gives for each what part of an address it is, and how sure that is."""
    import usaddress

    def label(tokens):
        labels = usaddress.TAGGER.tag(usaddress.tokens2features(tokens))
        return [(l, usaddress.TAGGER.marginal(l, i)) for i, l in enumerate(labels)]

    return label


def addresses(text, label, least):
    """Gives the addresses in a text. The lines of one may lie below each other."""
    done = 0  # up to where it was looked at
    for begin in BEGIN.finditer(text):
        if begin.start() < done:
            continue
        base = max(done, begin.start() - BEFORE)
        tokens = list(itertools.islice((t for t in TOKENS.finditer(text, base) if any(map(str.isalnum, t.group()))), MOST))
        done = tokens[len(tokens) // 2].start()  # what begins behind that is looked at again, with what follows
        for start, end, sure in address_runs([t.group() for t in tokens], label):
            first, last = tokens[start], tokens[end - 1]
            if sure >= least and first.start() <= max(done, begin.start()):
                done = last.start() + len(last.group().rstrip(".,;:!?"))
                yield first.start(), done, "STREET_ADDRESS", sure


TOKEN = re.compile(r"[\w.,#'’&/-]+[;:!?]?")  # that an address may consist of, unlike code
NUMBER = re.compile(r"\d{1,6}(?:-\d{1,6})?[A-Za-z]?,?|(?:P\.?O\.?|Box|PSC|Unit|CMR|APO|FPO)", re.I)
FIRST = {"AddressNumber", "AddressNumberPrefix", "USPSBoxType", "USPSBoxGroupType", "OccupancyType"}
OTHER = {"AddressNumber", "Recipient", "NotAddress", "BuildingName", "LandmarkName", "CornerOf", "IntersectionSeparator", "CountryName"}
WHOLE = [{"StreetName", "StreetNamePostType"}, {"StreetName", "StateName"}, {"StreetName", "ZipCode"}, {"USPSBoxType", "USPSBoxID"}]


def address_runs(tokens, label):
    """Gives the runs of tokens that are an address, as a pair of places among them, with how sure the model is."""
    labels = label(tokens)
    start = 0
    while start < len(tokens):
        if labels[start][0] not in FIRST or not NUMBER.fullmatch(tokens[start]):
            start += 1
            continue
        end = start + 1
        while end < len(tokens) and labels[end][0] not in OTHER and not tokens[end].islower() and TOKEN.fullmatch(tokens[end]):
            end += 1
        kinds = {l for l, _ in labels[start:end]}
        if any(parts <= kinds for parts in WHOLE):
            # The surer half decides: where a sentence goes on behind an address, its last part is of two minds.
            sure = sorted((p for _, p in labels[start:end]), reverse=True)
            yield start, end, sure[len(sure) // 2]
        start = end


def recogniser(least=0.5):
    """Gives a function from texts to the names and addresses in them."""
    score, label = person_model(least), address_model()

    def find_in(text):
        places = list(addresses(text, label, least))
        streets = [range(start, end) for start, end, _, _ in places]  # which are named after persons
        return places + [p for p in persons(text, score, least) if not any(p[0] in street for street in streets)]

    def find(texts):
        return [find_in(text) for text in texts]

    return protocol.in_pieces(find, most=20_000)


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--least", type=float, default=0.5, help="how sure the models must be, 0 to 1; 0.45 has names whose given name nobody knows")
    protocol.serve(recogniser(args.parse_args().least))


if __name__ == "__main__":
    sys.exit(main())
