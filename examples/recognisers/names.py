"""Finds names of persons by lists of names and the words around them."""

import re

import romanized
import uncased
import word_lists

UPPER = "".join(c for c in map(chr, range(0x600)) if c.isupper()) + "".join(c for c in map(chr, range(0x1E00, 0x2000)) if c.isupper())
LOWER = r"[^\W\d_%s]" % re.escape(UPPER)
SPACE = r"[ \t\u00a0\u202f]"
# A word of a name, an initial, or a particle between words.
WORD = rf"[{UPPER}](?:(?!['’]s\b)['’`]?[{UPPER}]?{LOWER}+(?:(?!['’]s\b)['’‐-]?[{UPPER}]?{LOWER}+){{0,3}}|['’‐-]?[{UPPER}]{{1,20}}(?:['’‐-][{UPPER}]+)?|(?:\.[{UPPER}])*\.?)"
SMALL = r"(?:de|del|della|dello|da|das|do|dos|di|du|von|van|vom|zu|zur|der|den|des|ter|ten|la|las|le|los|bin|ibn|bint|al|el|af|av)"
START = r"(?:(?<![\w@#$/\\.])|(?<=\\[nrt]))"
RUN = re.compile(rf"{START}{WORD}\.?(?:{SPACE}(?:{SMALL}{SPACE}){{0,2}}{WORD}\.?){{0,7}}(?![\w@(])")
PART = re.compile(r"[^ \t\u00a0\u202f]+")
LONGEST = 5  # words of a name


def phrases(text):
    """Returns phrases of up to three words, between bars or new lines, or else words."""
    parts = text.replace("\n", "|").split("|") if "|" in text else text.split()
    return {p.strip() for p in parts} - {""}


def before(text, at):
    """Returns the last word before a place in a text in lower case, the last two and the last three."""
    tail = text[max(0, at - 40) : at]
    if tail[-1:].isalnum() or not (words := tail.lower().replace('"', "").split()):
        return frozenset()
    if tail.rstrip()[-2:].isupper():  # MS Graph is no title and a name
        return frozenset()
    words = [w.lstrip("'([{<>*_-") for w in words[-3:]]
    return {words[-1], " ".join(words[-2:]), " ".join(words)}



# Words right before a name, in lower case; before() says which of them are there.
TITLES = phrases("""
mr mrs ms mx dr prof herr herrn frau monsieur madame mme mlle señor señora sra signor signora sig dott hr fru mevrouw meneer mevr dhr
г-н г-жа господин госпожа mr. mrs. ms. dr. prof. hr. sra. sig. dott. mevr. dhr. mme.
""")
# A name follows, also one that no list has.
CALLED = phrases("""
author: | authors: | from: | contact: | owner: | assignee: | attn: | attn | maintainer: | customer | patient | employee | colleague | regards, | sincerely,
cheers, | thanks, | best, | grüße, | grüße | cordialement, | saludos, | atenciosamente, | pozdrawiam, | pozdrawiam | signed by | authored by | submitted by | reported by
signed-off-by: | reviewed-by: | co-authored-by: | full name: | full_name: | fullname: | first name: | first_name: | firstname: | last name: | last_name: | lastname:
customer name: | customer_name: | patient name: | patient_name: | contact name: | imię i nazwisko: | фио: | nombre es | nome è | name was
""")
MINE = phrases("""
my name is | my name's | maiden name is | ich heiße | ich heisse | mein name ist | je m'appelle | je m’appelle | me llamo | mi nombre es | mi chiamo | me chamo | meu nome é
nazywam się | jag heter | jeg heter | ik heet | mijn naam is | меня зовут
""")
FIELD = phrases("to: | cc: | by: | name: | name= | name | nom: | nom : | nombre: | nome: | vorname: | nachname: | имя: | named | called | i'm | i am | this is")
SURNAME = phrases("last name: | last name? | last name is | last_name: | lastname: | family name: | family name? | surname: | surname is | surname? | nachname:")
HELLO = phrases("dear | hi | hello | hey | thanks | thanks, | thank you | regards | regards, | cheers | cheers, | sincerely, | best, | hallo | liebe | lieber | bonjour | chère | cher | hola | querida | querido | ciao | cara | caro | olá | cześć | hej | привет")
# A person does or gets something.
DOES = phrases("""
by | cc | hired | patient, | meeting with | talked to | spoke to | spoke with | attendees: | recipients: | recipient: | is | wrote | married | reports to | customer, | employee, | colleague,
friend | friend, | forward to | forward it to | with | ask | tell | told | asked | emailed | email | call | called | met | thank | thanked | contact | contacted | texted | invited | mit
avec | con | com | von | chez | frag
""")
# The word after these is a part of the name of a thing or place.
THING_OF = phrases("""
university of | college of | city of | town of | island of | county of | school of | bank of | republic of | kingdom of | gulf of | bay of | temple of | church of | university of the
street | rue | via | calle | avenida | rua | piazza | plaza | san | santa | saint | st | st. | mount | mt | mt. | lake | fort | ft. | cape | port | hurricane | princess | prince | royal | los | las
""")
SAID = re.compile(
    r"['’]s (?:mother|father|wife|husband|son|daughter|sister|brother|boss|manager|team|email|phone|birthday|address|account|office|house)\b"
    r"|(?:\*\*)? (?:said|says|commented|answered|mentioned|agreed|joined|left|signed|requested|lives in|will send|is on|was admitted|told|asked|asks|called"
    r"|wrote|writes|replied|thinks|lives|lived|works|worked|wants|sagte|sagt|dit|dijo|dice|disse|powiedziała?)\b"
)
LOWER_CALLED = re.compile(
    rf"\b(?:my name is|name's|i am|i'm|this is|regards,|thanks,|cheers,|with|by|from|to|ask|asked|tell|told|met|cc|named|called|email|emailed)[ \n]({LOWER}{{3,}}) ({LOWER}{{3,}})\b"
)
MAIL = re.compile(r"[\"']?,?[ \u00a0]?(?:<|&lt;|\()[\w.+-]+(?:@| at )[\w-]")
ENDS = re.compile(r"[,.!\n]|$")
PARTICLES = set("de del della dello di da das do dos du la le las los van von der den el al bin ibn ben".split())
MARKS = {"van", "van de", "van der", "van den", "bin", "ibn", "bint"}
DEGREE = {"jr", "sr", "phd", "md", "esq", "msc", "mba", "dds", "dvm", "ii", "iii", "iv", "ba", "bsc"}


def has_title(text, at, said):
    """Reports whether the word before a place is a title, which begins with a capital: 500 ms is none."""
    return bool(said & TITLES) and text[max(0, at - 12) : at].split()[-1].lstrip("'\"([{<>*_-")[:1].isupper()


class Names:
    """Finds names with the lists."""

    def __init__(self, lists):
        self.lists, self.kind = lists, lists.kind
        self.uncased = uncased.Uncased(lists)

    def find(self, text, least=0.5):
        """Yields (start, end, "PERSON", score) for the names in a text."""
        for run in RUN.finditer(text):
            start, whole = run.start(), run.group()
            if " " not in whole and ((kind := self.kind(whole)) is None or kind[0] < 2 and text[start - 1 : start] not in (" ", "\u00a0")):
                continue  # one word, and nothing that makes a name of it is before it
            words = [(start + m.start(), start + m.end()) for m in PART.finditer(whole)]
            parts = [text[s:e] for s, e in words]
            kinds = [self.kind(p) for p in parts]
            i = 0
            while i < len(words):
                n, score = self.name_at(text, words, parts, kinds, i)
                if n and score >= least:
                    end = words[i + n - 1][1]
                    while text[end - 1] in ".,":
                        end -= 1
                    yield words[i][0], end, "PERSON", score
                i += n or 1
        for m in LOWER_CALLED.finditer(text):
            first, last = self.kind(m[1].capitalize()), self.kind(m[2].capitalize())
            if first and last and first[0] == last[1] == 2 and self.lists.known(m[1]):
                yield m.start(1), m.end(2), "PERSON", 0.6
        if not text.isascii():
            yield from self.uncased.find(text)

    def name_at(self, text, words, parts, kinds, i):
        """Returns how many words from the i-th on are a name, and how surely; 0 words when none are."""
        first, kind = parts[i], kinds[i]
        if kind is None and (len(words) == i + 1 or len(first) < 2 or not initial(first)) or first[0].islower():
            return 0, 0
        start = words[i][0]
        if len(words) == 1:
            said = before(text, start)
            return (0, 0) if said & THING_OF else self.alone(text, words[0], first, kind, said)
        said = before(text, start)
        if said & THING_OF:
            return 0, 0
        titled = has_title(text, start, said)
        called = titled or bool(said & (CALLED | MINE))
        for n in range(min(LONGEST, len(words) - i), 1, -1):
            end, last = words[i + n - 1][1], len(words) == i + n
            if first.isupper() and len(first) > 2 and not initial(first) and any(p.isupper() and len(p) > 1 for p in parts[max(0, i - 1) : i] + parts[i + n : i + n + 1]):
                continue  # TELUGU DIGIT THREE FOR ODD POWERS
            cue = called or last and MAIL.match(text, end) is not None
            person = cue or said & DOES or SAID.match(text, end)
            if score := self.score(parts[i : i + n], cue, person):
                following = parts[i + n] if not last else "" if text[end : end + 1] not in (" ", "\u00a0") else text[end + 1 : end + 25].split(" ", 1)[0]
                return n, 0 if not cue and following.strip(".,;:!?'’s").lower() in word_lists.THINGS else score
        return self.alone(text, words[i], first, kind, said) if titled and kind or len(words) == i + 1 else (0, 0)

    def alone(self, text, place, word, kind, said):
        """Returns whether one word by itself is a name, by the words around it."""
        end = place[1]
        word = word.rstrip(".")
        if len(word) < 3 or word.isupper() or text[end : end + 1] in ("-", "_"):
            return 0, 0
        if has_title(text, place[0], said) and (max(kind) > 0 or self.looks_like(word)) or said & MINE and self.looks_like(word):
            return 1, 0.7
        if kind[1] == 2 and said & SURNAME:
            return 1, 0.6
        if kind[0] < 2 or not self.lists.known(word):
            return 0, 0
        if said & HELLO and ENDS.match(text, end) or said & (CALLED | FIELD | DOES) or SAID.match(text, end):
            return 1, 0.6
        return (1, 0.5) if len(word) > 3 and text[end : end + 1] not in tuple("(/=[{<\\$") else (0, 0)

    def score(self, part, cue, person):
        """Returns how surely words are a name, 0 when they are none."""
        if part[-1][0].islower() or part[-1].rstrip(".").lower() in word_lists.THINGS - word_lists.SURNAMES_TOO and not cue:
            return 0
        degree = len(part) > 2 and part[-1].rstrip(".").lower().replace(".", "") in DEGREE
        core = part[:-1] if degree else part
        core = [w.rstrip(",") for w in core]
        core[1:-1] = [w.lower() if w.lower() in PARTICLES else w for w in core[1:-1]]
        kinds = [(0, 0) if initial(w) or w.islower() else self.kind(w) for w in core]
        if None in kinds or initial(core[-1]):
            return 0
        if any(w.endswith(".") and not initial(w) for w in core[:-1]) or len(core) > 1 and all(w.isupper() for w in core) and not self.shouted(core, kinds, cue):
            return 0
        return self.score_of(core, kinds, cue, person)

    def score_of(self, core, kinds, cue, person):
        """Returns how surely words of some kinds are a name."""
        first, last = kinds[0], kinds[-1]
        middle = all(max(k) > 0 or initial(w) or w.islower() for w, k in zip(core[1:-1], kinds[1:-1]))
        if not middle and not (cue and len(core) < 4):
            return 0
        if initial(core[0]) and "." not in core[0]:
            return 0  # D Legendre, as in 2-D
        if initial(core[0]):
            named = any(k[0] == 2 for k in kinds[1:-1])
            return 0.7 if named and max(last) > 0 else 0.6 if last[1] == 2 and not core[-1].isupper() and len(core[-1]) > 3 else 0.5 if cue and last[1] else 0
        if core[-1].isupper() and len(core[-1]) < 4 and not core[0].isupper() or len(core[0]) > 1 and core[0].isupper() and not core[-1].isupper() and not initial(core[0]):
            return 0  # Travis CI, IKE Phase
        if first[0] == 2:
            if last[1] == 2 or last[0] == 2:
                return 0.9
            if last[1] == 1 or last[0] == 1:
                return 0.7
            return 0.6 if cue or self.looks_like(core[-1]) and len(core) < 4 else 0
        if first[0] == 1 and last[1] == 2:
            return 0.6
        if first[1] >= (1 if not core[0].isascii() else 2) and last[0] == 2 and (len(core) == 2 or cue):  # the surname first
            return 0.6
        if romanized.surname_first(core, kinds, word_lists.plain):
            return 0.6
        if person and first == (0, 0) and last[1] == 2 and self.looks_like(core[0]):
            return 0.55
        if len(core) > 2 and " ".join(core[1:-1]) in MARKS and self.looks_like(core[0]) and self.looks_like(core[-1]):
            return 0.55
        if cue and max(first) + max(last) >= 2 or cue and len(core) == 2 and self.looks_like(core[0]) and self.looks_like(core[-1]):
            return 0.5
        return 0

    def shouted(self, core, kinds, cue):
        return min(len(w) for w in core if not initial(w)) > 2 and kinds[0][0] == 2 and kinds[-1][1] == 2 and len(core) < 4 or cue

    def looks_like(self, word):
        """Reports whether a word that no list has may be a name."""
        low = word.lower()
        return len(word) > 2 and low not in self.lists.common and not low.endswith(NO_SURNAME) and not any(c.isupper() for c in word[1:])


NO_SURNAME = ("ing", "tion", "ions", "ment", "ments", "ness", "ity", "able", "ible", "ous", "ive", "ized", "ised", "ies", "ers", "ics", "ism", "ist", "ung", "keit", "heit", "ción", "ções", "ção", "zione", "logy", "ware", "age")
INITIAL = re.compile(rf"[{UPPER}](?:\.[{UPPER}])*\.?")


def initial(word):
    return len(word) < 8 and INITIAL.fullmatch(word) is not None
