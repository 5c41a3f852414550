"""Tells names that are written in Latin letters though their lists are in another script, or have another order of words."""

import re

CYRILLIC = dict(zip("абвгдезийклмнопрстуфыэіґїєў", "a b v g d e z i y k l m n o p r s t u f y e i g i ie u".split()))
CYRILLIC.update({"ё": "e", "ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ь": "", "ю": "yu", "я": "ya", "ј": "j", "љ": "lj", "њ": "nj", "ќ": "kj", "ѓ": "gj", "џ": "dz", "ѕ": "dz", "’": "", "'": ""})
GREEK = dict(zip("αβγδεζηθικλμνξοπρσςτυφχψω", "a v g d e z i th i k l m n x o p r s s t y f ch ps o".split()))
FORMS = [  # how people write what the tables make
    [("yy", "y"), ("iy", "y")], [("kh", "h"), ("yy", "iy")], [("ya", "ia"), ("yu", "iu"), ("yy", "y")], [("ks", "x"), ("yy", "y")], [("yy", "ij"), ("y", "j")], [("v", "w"), ("yy", "y")],
    [("oy", "ou"), ("ey", "ef"), ("ay", "av"), ("ch", "h")], [("oy", "ou"), ("mp", "b"), ("nt", "d")], [("oy", "ou"), ("ei", "i"), ("gg", "ng"), ("gk", "g")],
]
TABLE = str.maketrans({**CYRILLIC, **GREEK})


def latin(words):
    """Returns how words in Cyrillic or Greek letters are written in Latin ones, in several ways each."""
    out = set()
    for word in words:
        if "\u0370" <= word[0] <= "\u052f":
            base = word.translate(TABLE)
            out.add(base)
            for form in FORMS:
                changed = base
                for a, b in form:
                    changed = changed.replace(a, b)
                out.add(changed)
            if base.startswith("e"):
                out.add("y" + base)
    return {w for w in out if w.isascii() and len(w) > 2}


SYLLABLE = (
    r"(?:[bpmf]?(?:a|ai|an|ang|ao|ei|en|eng|i|ian|iao|ie|in|ing|o|ou|u)|[dtnlgkhzcsr](?:a|ai|an|ang|ao|e|ei|en|eng|ong|ou|u|uan|un|uo)|[dtnl](?:i|ian|iao|ie|in|ing|iu|iang)"
    r"|[zcs]h(?:a|ai|an|ang|ao|e|en|eng|i|ong|ou|u|ua|uai|uan|uang|ui|un|uo)|[jqx](?:i|ia|ian|iang|iao|ie|in|ing|iong|iu|u|uan|ue|un)|[gkh]u(?:a|ai|an|ang|i|n|o)"
    r"|y(?:a|an|ang|ao|e|i|in|ing|ong|ou|u|uan|ue|un)|w(?:a|ai|an|ang|ei|en|eng|o|u)|[zcs]i|er|ri|r(?:ui|uan|un|uo))"
)
PINYIN = re.compile(rf"{SYLLABLE}(?:['-]?{SYLLABLE})?")
CHINESE = set("""
wang zhang liu chen yang zhao huang zhou wu xu zhu hu lin guo luo gao liang zheng xie tang deng feng cao zeng xiao tian dong pan cai
jiang yu wei su lu ding shen yao zhong cui tan liao fan jin jia xia fu qin bai zou meng xiong qiu hou shi lei hao gong shao qian dai
qiao lai wen pang xue yan
""".split())
KOREAN = set("kim lee park choi jung jeong kang cho yoon jang lim han oh seo shin kwon hwang ahn song yoo ryu hong jeon moon yang bae baek heo nam noh ha".split())
KOREAN_GIVEN = re.compile(r"[A-Z][a-z]{1,5}-[A-Za-z][a-z]{1,5}|(?:Ji|Min|Seo|Soo|Hyun|Sung|Young|Jae|Eun|Hye|Kyung|Dong|Joon|Jun|Woo|Ye|Ha|Do)(?:ji|min|seo|soo|su|hyun|sung|young|jae|eun|hye|jin|joon|jun|woo|won|ho|hee|ah|a|yeon|na|ra|kyung|hyuk|rin|eun|bin|yoon|hyo)")
VIETNAMESE = set("nguyen nguyễn tran trần le lê pham phạm hoang hoàng huynh huỳnh phan vu vũ vo võ dang đặng bui bùi ngo ngô duong dương truong trương dinh đinh".split())
SHORT = re.compile(r"[^\W\d_a-z][^\W\d_]{0,6}")


def surname_first(words, kinds, plain):
    """Reports whether words are a Chinese, Korean or Vietnamese name, whose surname comes first or last."""
    low = [plain(w.lower()) for w in words]
    if len(words) == 2:
        first, last = low
        if first in CHINESE and pinyin(last) or last in CHINESE and pinyin(first) and len(first) > 4:
            return True
        if first in KOREAN and KOREAN_GIVEN.fullmatch(words[1]) or last in KOREAN and KOREAN_GIVEN.fullmatch(words[0]):
            return True
    if 2 <= len(words) <= 4 and (words[0].lower() in VIETNAMESE or low[0] in VIETNAMESE) and all(SHORT.fullmatch(w.capitalize()) for w in words):
        return len(words) > 2 and low[1] in ("van", "thi", "minh", "quoc", "ngoc", "thanh", "duc", "huu", "xuan", "kim", "thu") or kinds[-1][0] > 0 and low[0] not in ("le", "vo")
    return False


def pinyin(word):
    return PINYIN.fullmatch(word) is not None and word not in ENGLISH


ENGLISH = set("ha he hi ho ma me no so we you can fan man pan ran tan van wan ban fun gun run sun pin bin win din sin tin ten men pen den hen sang rang bang dang gang hang song long tong dong hong mine line fine pipe dune tune cube duo due hue cue wait sauce rule bone tone done code chain shine china machine channel banana pang ping king ding menu queue quan".split())
