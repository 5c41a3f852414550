"""Finds names of persons by lists of names and the words around them."""

import re

import romanized
import uncased
import word_lists

UPPER = "".join(c for c in map(chr, range(0x600)) if c.isupper()) + "".join(c for c in map(chr, range(0x1E00, 0x2000)) if c.isupper())
LOWER = r"[^\W\d_%s]" % re.escape(UPPER)
SPACE = r"[ \t\u00a0\u202f]"
# A word of a name, an initial, or a particle between words.
WORD = rf"[{UPPER}](?:['’`]?[{UPPER}]?{LOWER}+(?:['’‐-]?[{UPPER}]?{LOWER}+){{0,3}}|['’‐-]?[{UPPER}]{{1,20}}(?:['’‐-][{UPPER}]+)?|(?:\.[{UPPER}])*\.?)"
SMALL = r"(?:de|del|della|dello|da|das|do|dos|di|du|von|van|vom|zu|zur|der|den|des|ter|ten|la|las|le|los|bin|ibn|bint|al|el|af|av)"
START = r"(?:(?<![\w@#$/\\.])|(?<=\\[nrt]))"
RUN = re.compile(rf"{START}{WORD}\.?(?:{SPACE}(?:{SMALL}{SPACE}){{0,2}}{WORD}\.?){{0,7}}(?![\w@(])")
PART = re.compile(r"[^ \t\u00a0\u202f]+")
LONGEST = 5  # words of a name

TITLE = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Herrn?|Frau|Monsieur|Madame|Mme|Mlle|Señora?|Sra|Signora?|Sig|Dott|Hr|Fru|Mevrouw|Meneer|Mevr|Dhr"
    r"|г-н|г-жа|[Гг]осподин|[Гг]оспожа)\.?[ \u00a0])$"
)
# After these a name follows that may be of words that no list has.
CALLED = re.compile(
    r"(?:\b(?:(?:name is|name's|named|name was|nombre es|nome è|nome é|Name ist|naam is|ich hei(?:ß|ss)e|je m['’]appelle|[Mm]e llamo|mi chiamo"
    r"|me chamo|[Nn]azywam się|imię i nazwisko:?|heter|signed by|[Mm]eet|[Aa]ttn\.?:?|[Cc]/o|меня зовут|[Cc]ustomer|[Pp]atient|[Ee]mployee|[Cc]olleague"
    r"|[Aa]uthored by|[Ss]ubmitted by|[Rr]eported by|[Ss]igned-off-by:|[Rr]eviewed-by:|[Cc]o-authored-by:)"
    r"|(?:[Ff]ull|[Ff]irst|[Ll]ast|[Cc]ustomer|[Pp]atient|[Cc]ontact|[Uu]ser)?[ _-]?[Nn]ame[\"']?\s*[:=]|(?:Vor|Nach)?[Nn]ame:|[Nn]om :|[Nn]ombre:|[Nn]ome:|Imię:|Имя:|ФИО:"
    r"|[Aa]uthor:|From:|To:|Cc:|Contact:|Owner:|Assignee:|Regards,|regards,|Sincerely,|Cheers,|Thanks,|Best,|Grüße,?|Cordialement,|Saludos,|Atenciosamente,|Pozdrawiam,)"
    r"[ \"'\n\u00a0]{0,3})$"
)
HELLO = re.compile(r"(?:\b(?:[Dd]ear|[Hh]i|[Hh]ello|[Hh]ey|[Tt]hanks|[Tt]hank you|[Rr]egards|[Cc]heers|[Ss]incerely|[Bb]est|Hallo|Liebe|Lieber|Bonjour|Chère?|Hola|Querid[oa]|Ciao|Car[oa]|Olá|Cześć|Hej|Привет),?[ \n\u00a0]+)$")
NEAR = re.compile(r"(?:\b(?:with|[Aa]sk|[Tt]ell|told|asked|emailed|[Ee]mail|[Cc]all|called|met|[Tt]hank|thanked|[Cc]ontact|contacted|texted|married|invited|mit|avec|con|com|von|chez|[Ff]rag)[ \u00a0])$")
SAID = re.compile(r"(?:['’]s (?:mother|father|wife|husband|son|daughter|sister|brother|boss|manager|team|email|phone|birthday|address|account|office|house)\b|(?:\*\*)? (?:said|says|commented|answered|mentioned|agreed|joined|left|signed|requested|lives in|will send|is on|was admitted|told|asked|asks|called|wrote|writes|replied|thinks|lives|lived|works|worked|wants|sagte|sagt|dit|dijo|dice|disse|powiedział[a]?)\b)")
DOES = re.compile(r"(?:\b(?:by|cc|CC|hired|[Pp]atient,|[Mm]eeting with|[Tt]alked to|[Ss]poke (?:to|with)|[Aa]ttendees:|[Rr]ecipients?:|[Ii]s|[Ww]rote|married|[Rr]eports to|[Cc]ustomer,|[Ee]mployee,|[Cc]olleague,|[Ff]riend,?|[Ff]orward (?:it |this )?to)[ \u00a0])$|" + NEAR.pattern)
BEFORE = re.compile(r"(?:\b(?:[Uu]niversity|[Cc]ollege|[Cc]ity|[Tt]own|[Ii]sland|[Cc]ounty|[Ss]chool|[Bb]ank|[Rr]epublic|[Kk]ingdom|[Gg]ulf|[Bb]ay|[Tt]emple|[Cc]hurch) of(?: the)? |\b(?:[Ss]treet|[Rr]ue|[Vv]ia|[Cc]alle|[Aa]venida|[Rr]ua|[Pp]iazza|[Pp]laza) )$")
MAIL = re.compile(r"[\"']?,?[ \u00a0]?(?:<|&lt;|\()[\w.+-]+(?:@| at )[\w-]")
PARTICLES = set("de del della dello di da das do dos du la le las los van von der den el al bin ibn ben".split())
MARKS = {"van", "van de", "van der", "van den", "bin", "ibn", "bint"}
DEGREE = {"jr", "sr", "phd", "md", "esq", "msc", "mba", "dds", "dvm", "ii", "iii", "iv", "ba", "bsc"}


class Names:
    """Finds names with the lists."""

    def __init__(self, lists):
        self.lists, self.kind = lists, lists.kind
        self.uncased = uncased.Uncased(lists)

    def find(self, text, least=0.5):
        """Yields (start, end, "PERSON", score) for the names in a text."""
        for run in RUN.finditer(text):
            words = [(run.start() + m.start(), run.start() + m.end()) for m in PART.finditer(run.group())]
            i = 0
            while i < len(words):
                n, score = self.name_at(text, words, i)
                if n and score >= least:
                    end = words[i + n - 1][1]
                    while text[end - 1] in ".,":
                        end -= 1
                    if text[end - 2 : end] in ("'s", "’s"):
                        end -= 2
                    yield words[i][0], end, "PERSON", score
                i += n or 1
        if not text.isascii():
            yield from self.uncased.find(text)

    def name_at(self, text, words, i):
        """Returns how many words from the i-th on are a name, and how surely; 0 words when none are."""
        first = text[words[i][0] : words[i][1]]
        kind = self.kind(first)
        if first[0].islower() or kind is None and not (first[1:] and initial(first)):
            return 0, 0
        if len(words) == 1 and kind[0] == 0 and kind[1] < 2:
            return 0, 0
        before = text[max(0, words[i][0] - 40) : words[i][0]]
        if BEFORE.search(before) or i > 0 and self.forbids(text[slice(*words[i - 1])]):
            return 0, 0
        titled = TITLE.search(before)
        called = bool(titled or CALLED.search(before))
        for n in range(min(LONGEST, len(words) - i), 1, -1):
            part = [text[s:e] for s, e in words[i : i + n]]
            following = text[slice(*words[i + n])] if i + n < len(words) else text[words[i + n - 1][1] :][:24]
            cue = called or n == len(words) - i and MAIL.match(following) is not None
            person = cue or DOES.search(before) or SAID.match(text, words[i + n - 1][1])
            if score := self.score(part, cue, person):
                thing = following.strip(" \t\u00a0").split(" ", 1)[0].strip(".,;:!?'’s").lower() if following[:1] not in ",.;:\n" else ""
                if thing in word_lists.THINGS and not cue:
                    return n, 0
                return n, score
        return self.alone(text, words, i, before, titled)

    def forbids(self, word):
        """Reports whether a word before a name makes it the name of a thing."""
        return word.lower().rstrip(".") in {"san", "santa", "saint", "st", "mount", "mt", "lake", "fort", "ft", "cape", "port", "hurricane", "princess", "prince", "royal", "los", "las"}

    def alone(self, text, words, i, before, titled):
        """Returns whether one word by itself is a name, by the words around it."""
        start, end = words[i]
        word = text[start:end].rstrip(".")
        kind = self.kind(word)
        if kind is None or len(word) < 3 or word.isupper() or text[end : end + 1] in ("-", "_") or len(words) > i + 1 and not titled:
            return 0, 0
        if titled and max(kind) > 0:
            return 1, 0.7
        if kind[0] == 2 and self.lists.known(word) and (HELLO.search(before) and re.match(r"[,.!\n]|$", text[end:]) or CALLED.search(before) or NEAR.search(before) or SAID.match(text, end)):
            return 1, 0.6
        return 0, 0

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
        if initial(core[0]):
            named = any(k[0] == 2 for k in kinds[1:-1])
            return 0.7 if named and max(last) > 0 else 0.6 if last[1] == 2 and not core[-1].isupper() else 0.5 if cue and last[1] else 0
        if core[-1].isupper() and len(core[-1]) < 4 and not core[0].isupper():  # Travis CI
            return 0
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
