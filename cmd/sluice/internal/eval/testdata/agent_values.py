"""Draws the values of agent_set.py: each maker takes a language and returns a value of its kind.

Telephone numbers and national numbers are drawn until phonenumbers and python-stdnum call them valid; cards and IBANs have their
check digits, tokens the formats of providers.
"""

import base64
import hashlib
import random
import re
import string
from datetime import date, timedelta

import phonenumbers
from faker import Faker
from stdnum.au import tfn
from stdnum.br import cnpj, cpf
from stdnum.ca import sin
from stdnum.cn import ric
from stdnum.de import idnr
from stdnum.es import dni, nie
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.in_ import aadhaar, pan
from stdnum.iso7064 import mod_97_10
from stdnum.luhn import calc_check_digit
from stdnum.nl import bsn
from stdnum.pl import pesel
from stdnum.us import itin, ssn

LOCALES = {
    "en": "en_US",
    "de": "de_DE",
    "fr": "fr_FR",
    "es": "es_ES",
    "it": "it_IT",
    "pt": "pt_BR",
    "nl": "nl_NL",
    "pl": "pl_PL",
    "ja": "ja_JP",
    "zh": "zh_CN",
    "hi": "en_IN",
    "sv": "sv_SE",
    "tr": "tr_TR",
    "cs": "cs_CZ",
    "ru": "ru_RU",
    "ko": "ko_KR",
}
REGIONS = {
    "en": ["US", "US", "GB", "AU"],
    "hi": ["IN"],
    "pt": ["BR"],
    "ja": ["JP"],
    "zh": ["CN"],
    "de": ["DE"],
    "fr": ["FR"],
    "es": ["ES"],
    "it": ["IT"],
    "nl": ["NL"],
    "pl": ["PL"],
}
DATES = {
    "en": ["%m/%d/%Y", "%B %d, %Y", "%d %B %Y", "%Y-%m-%d", "%d/%m/%y"],
    "de": ["%d.%m.%Y", "%d.%m.%y", "%Y-%m-%d"],
    "fr": ["%d/%m/%Y", "%d-%m-%Y"],
    "es": ["%d/%m/%Y", "%d-%m-%Y"],
    "it": ["%d/%m/%Y"],
    "pt": ["%d/%m/%Y"],
    "nl": ["%d-%m-%Y"],
    "pl": ["%d.%m.%Y", "%Y-%m-%d"],
    "ja": ["%Y年%m月%d日", "%Y/%m/%d"],
    "zh": ["%Y年%m月%d日", "%Y-%m-%d"],
    "hi": ["%d/%m/%Y", "%d-%m-%Y"],
}
MONTHS = {
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
}
ALNUM = string.ascii_letters + string.digits
WORDS = "tulip maple otter harbor pixel comet velvet ginger walnut saddle copper meadow falcon".split()
r = random.Random()


def of(alphabet, length):
    return "".join(r.choice(alphabet) for _ in range(length))


def digits(length):
    return of(string.digits, length)


def drawn(form, valid):
    """Draws values of a form (0 a digit, A a letter, all else itself) until one is valid."""
    while True:
        value = "".join(digits(1) if c == "0" else of(string.ascii_uppercase, 1) if c == "A" else c for c in form)
        if valid(value):
            return value


def password(_):
    kind = r.randrange(12)
    if kind < 3:
        return of(string.ascii_letters, 1) + of(ALNUM, r.randint(8, 14)) + digits(1)
    if kind < 5:
        return r.choice(WORDS).title() + r.choice("!@#*_.") + digits(r.randint(2, 4))
    if kind < 8:
        return of(ALNUM, 1) + of(ALNUM + "!@#%^*_-+=.~?", r.randint(9, 15)) + of(ALNUM, 1) + digits(1)
    if kind < 10:
        return "-".join([r.choice(WORDS), r.choice(WORDS), digits(2)])
    if kind < 11:
        return of(string.ascii_lowercase, 3) + digits(2) + of(string.ascii_uppercase, 2) + "!"
    return r.choice("+=@^~") + of(ALNUM, r.randint(10, 14)) + digits(1)


def secret(_):
    kind = r.randrange(4)
    if kind == 0:
        return of(ALNUM, r.randint(24, 40))
    if kind == 1:
        return of(ALNUM, r.randint(18, 24)) + "_" + of(ALNUM, 12)
    if kind == 2:
        return of(string.ascii_lowercase + string.digits, 32)
    return of(ALNUM + "-_", 30) + of(ALNUM, 2)


def api_key(_):
    return r.choice(
        [
            lambda: "sk-proj-" + of(ALNUM, 40) + "T3BlbkFJ" + of(ALNUM, 40),
            lambda: "ghp_" + of(ALNUM, 36),
            lambda: "glpat-" + of(ALNUM, 20),
            lambda: "hf_" + of(string.ascii_letters, 34),
            lambda: "AIza" + of(ALNUM + "_", 35),
            lambda: "xoxb-" + digits(12) + "-" + digits(12) + "-" + of(ALNUM, 24),
            lambda: "SG." + of(ALNUM, 22) + "." + of(ALNUM, 43),
            lambda: "sk-ant-api03-" + of(ALNUM + "-", 93) + "AA",
            lambda: "gsk_" + of(ALNUM, 52),
            lambda: "npm_" + of(ALNUM, 36),
            lambda: "dop_v1_" + of("0123456789abcdef", 64),
            lambda: "sk_live_" + of(ALNUM, 24),
        ]
    )()


def phone(language):
    region = r.choice(REGIONS.get(language, ["US"]))
    kinds = [phonenumbers.PhoneNumberType.MOBILE, phonenumbers.PhoneNumberType.FIXED_LINE]
    while True:
        example = str(phonenumbers.example_number_for_type(region, r.choice(kinds)).national_number)
        keep = 3 if region == "US" else 2
        number = phonenumbers.parse(example[:keep] + digits(len(example) - keep), region)
        if region == "US":
            number = phonenumbers.parse(r.choice(["212", "415", "617", "303", "512"]) + digits(7), region)
        if phonenumbers.is_valid_number(number):
            break
    forms = phonenumbers.PhoneNumberFormat
    return phonenumbers.format_number(number, r.choice([forms.NATIONAL, forms.NATIONAL, forms.INTERNATIONAL, forms.E164]))


def birth(language, form=None):
    day = date(1940, 1, 1) + timedelta(r.randrange(24000))
    if form or language not in MONTHS or r.random() < 0.7:
        return day.strftime(form or r.choice(DATES.get(language, DATES["en"])))
    join = " de " if language in ("es", "pt") else ". " if language == "de" else " "
    return (
        f"{day.day}{join}{MONTHS[language].split()[day.month - 1]}{join.strip('.') if language != 'de' else ' '}{day.year}"
    )


def card(_):
    prefix, length = r.choice([("4", 16), ("51", 16), ("55", 16), ("2221", 16), ("37", 15), ("6011", 16)])
    body = prefix + digits(length - 1 - len(prefix))
    number = body + calc_check_digit(body)
    groups = [number[:4], number[4:10], number[10:]] if length == 15 else re.findall("....", number)
    return r.choice(["", " ", "-"]).join(groups)


def iban(language):
    country, form = r.choice(
        {
            "de": [("DE", "0" * 18)],
            "fr": [("FR", "0" * 23)],
            "es": [("ES", "0" * 20)],
            "pl": [("PL", "0" * 24)],
            "it": [("IT", "A" + "0" * 22)],
            "nl": [("NL", "INGB" + "0" * 10)],
        }.get(language, [("GB", "NWBK" + "0" * 14), ("DE", "0" * 18), ("NO", "0" * 11), ("CH", "0" * 17), ("BE", "0" * 12)])
    )
    body = drawn(form, bool)
    value = country + mod_97_10.calc_check_digits(body + country) + body
    return r.choice([value, " ".join(re.findall(".{1,4}", value))])


def bitcoin(_):
    raw = b"\0" + r.randbytes(20)
    raw += hashlib.sha256(hashlib.sha256(raw).digest()).digest()[:4]
    number, text = int.from_bytes(raw, "big"), ""
    while number:
        number, at = divmod(number, 58)
        text = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[at] + text
    return "1" + text


def mac(_):
    return r.choice([":", ":", "-"]).join(f"{b:02x}" for b in bytes([r.randrange(64) * 4]) + r.randbytes(5))


def jwt(_):
    def part(value):
        return base64.urlsafe_b64encode(value).rstrip(b"=").decode()

    return ".".join(
        [
            part(b'{"alg":"HS256","typ":"JWT"}'),
            part(b'{"sub":"%d","iat":%d}' % (r.randrange(10**9), r.randrange(10**9))),
            part(r.randbytes(32)),
        ]
    )


def pem(_):
    lines = re.findall(".{1,64}", base64.b64encode(r.randbytes(400)).decode())
    return "\n".join(["-----BEGIN " + "PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----"])


def public_ip(_):
    while True:
        first, *rest = (r.randint(1, 254) for _ in range(4))
        if first < 224 and first != 127 and max(first, *rest) > 40:  # others are multicast, loopback or look like versions
            return ".".join(map(str, [first, *rest]))


def number(form, module, grouped=True):
    return lambda _: module.format(drawn(form, module.is_valid)) if grouped else drawn(form, module.is_valid)


def fake(name):
    return lambda language: getattr(Faker(LOCALES[language]), name)()


def codice_fiscale(_):
    return Faker("it_IT").ssn()


def social_security(_):
    value = r.choice("12") + f"{r.randint(40, 99)}{r.randint(1, 12):02d}{r.randint(1, 95):02d}" + digits(6)
    value += nir.calc_check_digits(value)
    return r.choice([value, f"{value[0]} {value[1:3]} {value[3:5]} {value[5:7]} {value[7:10]} {value[10:13]} {value[13:]}"])


def resident(_):
    while True:
        value = (
            r.choice(["110101", "310104", "440305", "330106"]) + birth("zh", "%Y%m%d") + digits(3) + r.choice("0123456789X")
        )
        if ric.is_valid(value):
            return value


def us_ssn(_):
    return drawn("000-00-0000", lambda v: ssn.is_valid(v) and v[0] != "9")


def us_itin(_):
    return drawn("9" + "00-70-0000", itin.is_valid)


def tax_id(_):
    while True:
        body = r.sample(string.digits, 9)
        body.append(r.choice(body))
        r.shuffle(body)
        body = "".join(body)
        for check in string.digits:
            if body[0] != "0" and idnr.is_valid(body + check):
                value = body + check
                return r.choice([value, f"{value[:2]} {value[2:5]} {value[5:8]} {value[8:]}"])


MAKERS = {
    "EMAIL": lambda language: (
        fake("ascii_email")(language)
        if r.random() < 0.6
        else r.choice(WORDS)
        + "."
        + r.choice(WORDS)
        + r.choice(["", "+news", str(r.randrange(90))])
        + "@"
        + r.choice(["gmail.com", "posteo.de", "corp.acme.io", "uni.ac.jp", "outlook.com"])
    ),
    "PHONE": phone,
    "BIRTH": birth,
    "BIRTHISO": lambda _: birth("en", r.choice(["%Y-%m-%d", "%Y%m%d"])),
    "CARD": card,
    "IBAN": iban,
    "IP": public_ip,
    "IP6": lambda _: ":".join(["2a01", *(f"{r.randrange(65536):x}" for _ in range(7))]),
    "MAC": mac,
    "MACCISCO": lambda _: ".".join(f"{r.randrange(65536):04x}" for _ in range(2)) + "." + of("0123456789abcdef", 3) + "a",
    "MACDASH": lambda _: "-".join(f"{b:02X}" for b in b"\x3c" + r.randbytes(5)),
    "SSN": us_ssn,
    "ITIN": us_itin,
    "NHS": number("0000000000", nhs),
    "NINO": lambda _: r.choice(["AB", "JK", "TS", "CE"]) + digits(6) + r.choice("ABCD"),
    "USPASS": lambda _: r.choice([r.choice("123456") + digits(8), r.choice("AY") + digits(8)]),
    "CPF": number("00000000000", cpf),
    "CPFBARE": number("00000000000", cpf, False),
    "CNPJ": number("00000000000000", cnpj),
    "CNID": resident,
    "DNI": number("00000000A", dni, False),
    "NIE": number("X0000000A", nie, False),
    "NIR": social_security,
    "CF": codice_fiscale,
    "AADHAAR": number("000000000000", aadhaar),
    "PAN": number("AAAPA0000A", pan, False),
    "BSN": number("000000000", bsn, False),
    "PESEL": number("00000000000", pesel, False),
    "TFN": number("000000000", tfn),
    "SIN": number("000000000", sin),
    "STEUER": tax_id,
    "BTC": bitcoin,
    "ETH": lambda _: "0x" + of("0123456789abcdef", 40),
    "GEO": lambda _: f"{r.uniform(-60, 60):.5f}, {r.uniform(-170, 170):.5f}",
    "LAT": lambda _: f"{r.uniform(20, 60):.5f}",
    "LON": lambda _: f"{r.uniform(-120, -20):.5f}",
    "PASSWORD": password,
    "SECRET": secret,
    "HEX": lambda _: of("0123456789abcdef", r.choice([32, 40, 64])),
    "HEX64": lambda _: of("0123456789abcdef", 64),
    "AWSSECRET": lambda _: of(ALNUM + "+/", 40),
    "AKIA": lambda _: "AKIA" + of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
    "APIKEY": api_key,
    "GHP": lambda _: "ghp_" + of(ALNUM, 36),
    "NPM": lambda _: "npm_" + of(ALNUM, 36),
    "JWT": jwt,
    "PEM": pem,
    "BASIC": lambda l: base64.b64encode(("robot:" + of(ALNUM, 12)).encode()).decode(),
    "SEED": lambda _: " ".join(
        r.choice("abandon ability zebra ocean garden puzzle fabric eagle cabin absorb about kitchen ladder".split())
        for _ in range(12)
    ),
    "WEBHOOK": lambda _: "https://hooks.slack.com/services/T"
    + of(string.ascii_uppercase, 8)
    + "/B"
    + of(string.ascii_uppercase, 8)
    + "/"
    + of(ALNUM, 24),
}
