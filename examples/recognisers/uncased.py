"""Finds names of persons in scripts without capitals: by lists alone where words are apart, otherwise by the words around too."""

import re

CASELESS = re.compile(r"[\u0590-\u06ff\u0900-\u0dff\u0e00-\u0e7f\u10d0-\u10ff]{2,}")
HAN = re.compile(r"[\u3005\u3400-\u9fff]+")
HANGUL = re.compile(r"(?<![가-힣])([가-힣])([가-힣]{2})(?=씨|님|은|는|이|가|을|를|에게|의|께|과|와|[^가-힣]|$)")
KANA = re.compile(r"([ァ-ヶー]{2,}(?:[・＝][ァ-ヶー]{2,}){1,2})(?=さん|様|氏)")

# What comes right before and after a name, in Chinese and Japanese.
CALLED = re.compile(r"(?:姓名|联系人|聯絡人|收件人|客户|患者|病人|我叫|名字|名字是|名字叫|名叫|氏名|お名前|名前|担当者?|差出人|私は)[:： は]{0,2}$")
TITLE = re.compile(r"[ 　]?(?:先生|女士|小姐|老师|老師|经理|經理|医生|醫生|教授|同学|同學|さん|様|氏|くん|先輩)")
BEFORE, AFTER = set("和与跟给请是问叫找由对让为向我，。：、；"), set("在的说和与是去来到有会把给跟也已，。、；は")


ERAS = {"明治", "大正", "昭和", "平成", "令和"}  # of which two may be taken for a surname and a given name


class Uncased:
    """Finds names with the lists."""

    def __init__(self, lists):
        self.given = {w for w in lists.given if len(w) > 2 and CASELESS.fullmatch(w)}
        self.surnames = {w for w in lists.surnames if CASELESS.fullmatch(w)}
        self.han_given, self.han_surnames = lists.han_given, lists.han_surnames
        self.hangul_given = {w for w in lists.given if len(w) == 2 and all("가" <= c <= "힣" for c in w)}
        self.hangul_surnames = {w for w in lists.surnames if len(w) == 1 and "가" <= w <= "힣"}

    def find(self, text):
        """Yields (start, end, "PERSON", score) for the names in a text."""
        last = None
        for m in CASELESS.finditer(text):
            if last and m.start() == last.end() + 1 and text[last.end()] in " \u00a0" and last.group() in self.given and m.group() in self.surnames:
                yield last.start(), m.end(), "PERSON", 0.8
            last = m
        for m in HAN.finditer(text):
            yield from self.han(text, m.start(), m.end())
        for m in HANGUL.finditer(text):
            if m[1] in self.hangul_surnames and m[2] in self.hangul_given:
                yield m.start(), m.end(), "PERSON", 0.7
        for m in KANA.finditer(text):
            yield m.start(1), m.end(1), "PERSON", 0.7

    def han(self, text, start, end):
        """Yields the names in a run of Han characters, and in what follows a space after it."""
        i = start
        while i < end:
            found = None
            for n in (3, 2, 1):
                if i + n <= end and text[i : i + n] in self.han_surnames and (found := self.given_at(text, i, i + n, end)):
                    break
            if found and text[i : found[0]] not in ERAS:
                yield i, found[0], "PERSON", found[1]
            i = found[0] if found else i + 1

    def given_at(self, text, begin, at, end):
        """Returns the end of the given name that follows a surname and how sure it is, or None."""
        after_space = at == end and text[at : at + 1] in (" ", "　")
        start = at + 1 if after_space else at
        long_surname = at - begin > 1
        for n in (3, 2, 1):
            given = text[start : start + n]
            if len(given) == n and given in self.han_given and (n > 1 or long_surname or not after_space and self.borders(text, begin, start + n)):
                return start + n, 0.8 if n > 1 or long_surname else 0.55
        if after_space:
            return None
        called = CALLED.search(text, max(0, begin - 8), begin) is not None
        for n in (2, 1, 0):
            if at + n <= end and (n and called and not HAN.match(text, at + n) or TITLE.match(text, at + n) and self.opens(text, begin)):
                return at + n, 0.7
        return None

    def opens(self, text, begin):
        """Reports whether a name may begin at a place: what is before it is no part of another word."""
        return begin == 0 or text[begin - 1] in BEFORE or not HAN.match(text, begin - 1)

    def borders(self, text, begin, end):
        return self.opens(text, begin) and (end == len(text) or text[end] in AFTER or not HAN.match(text, end))
