"""Writes a labelled set of texts as agents, users and machines write them, for `sluice privacy eval`.

    python3 -m venv venv && venv/bin/pip install Faker==40.54.0 phonenumbers==9.0.43 python-stdnum==2.2
    venv/bin/python agent_set.py --each 12 >agent.jsonl

The texts are in agent_templates.txt, by form (prose, Markdown, terminals, logs ...) and language; the authors of the rules
did not see them. Values are drawn: telephone numbers and national numbers until phonenumbers and python-stdnum call them
valid, cards and IBANs with their check digits, tokens in the formats of providers. With --group form the locale of a document
is its form, so that the scores by locale are scores by form.
"""

import argparse
import json
import random
import re
import sys
import urllib.parse
from datetime import date, timedelta
from pathlib import Path

from agent_values import LOCALES, MAKERS, birth, digits, of, r
from faker import Faker

ENTITIES = {
    "EMAIL": "EMAIL_ADDRESS",
    "PHONE": "PHONE_NUMBER",
    "BIRTH": "DATE_OF_BIRTH",
    "BIRTHISO": "DATE_OF_BIRTH",
    "CARD": "CREDIT_CARD",
    "IBAN": "IBAN_CODE",
    "IP": "IP_ADDRESS",
    "IP6": "IP_ADDRESS",
    "MAC": "MAC_ADDRESS",
    "MACCISCO": "MAC_ADDRESS",
    "MACDASH": "MAC_ADDRESS",
    "SSN": "US_SSN",
    "ITIN": "US_ITIN",
    "NHS": "UK_NHS",
    "NINO": "UK_NINO",
    "USPASS": "US_PASSPORT",
    "CPF": "BR_CPF",
    "CPFBARE": "BR_CPF",
    "CNPJ": "BR_CNPJ",
    "CNID": "CN_RESIDENT_ID",
    "DNI": "ES_DNI",
    "NIE": "ES_NIE",
    "NIR": "FR_NIR",
    "CF": "IT_FISCAL_CODE",
    "AADHAAR": "IN_AADHAAR",
    "PAN": "IN_PAN",
    "BSN": "NL_BSN",
    "PESEL": "PL_PESEL",
    "TFN": "AU_TFN",
    "SIN": "CA_SIN",
    "STEUER": "DE_TAX_ID",
    "BTC": "CRYPTO",
    "ETH": "CRYPTO",
    "GEO": "GEO_COORDINATES",
    "LAT": "GEO_COORDINATES",
    "LON": "GEO_COORDINATES",
    "BASIC": "AUTH_HEADER",
    "PEM": "PRIVATE_KEY",
    "SEED": "SEED_PHRASE",
    "WEBHOOK": "WEBHOOK_URL",
    "HEX": "SECRET, hexadecimal",
    "HEX64": "SECRET, hexadecimal",
    "AWSSECRET": "SECRET, of AWS",
    "AKIA": "API_KEY",
    "APIKEY": "API_KEY",
    "GHP": "API_KEY",
    "NPM": "API_KEY",
}
FILLERS = {
    ".uuid": lambda: str(Faker().uuid4()),
    ".sha": lambda: of("0123456789abcdef", 40),
    ".n": lambda: str(r.randint(10, 99999)),
    ".ver": lambda: f"{r.randint(0, 20)}.{r.randint(0, 40)}.{r.randint(0, 30)}",
    ".date": lambda: str(date(2026, 1, 1) + timedelta(r.randrange(300))),
    ".id16": lambda: digits(16),
}
ENCODINGS = {
    "url": lambda v: urllib.parse.quote(v, safe=""),
    "entity": lambda v: v.replace("@", "&#64;"),
    "json": lambda v: json.dumps(v)[1:-1],
    "nbsp": lambda v: re.sub("[ -]", "\u00a0", v),
    "dots": lambda v: re.sub("[ -]", ".", v),
    "wide": lambda v: "".join(chr(ord(c) + 0xFEE0) if c.isascii() and c.isdigit() else c for c in v),
}
SIGNS = str.maketrans({"␛": "\x1b", "␉": "\t", "⍽": "\u00a0", "␟": "\u200b"})
SLOT = re.compile(r"⟦([A-Z0-9]+|\.[a-z0-9]+)(?: (\d))?(?:\|([a-z]+))?⟧")


def templates(path):
    """Returns form, language and text of each template."""
    found = re.split(r"^@@ (\w+) (\w+)\n", path.read_text(encoding="utf-8"), flags=re.M)[1:]
    return [(form, language, text.rstrip("\n").translate(SIGNS)) for form, language, text in zip(*[iter(found)] * 3)]


def document(form, language, template, by_form):
    text, spans, last, known = "", [], 0, {}
    for slot in SLOT.finditer(template):
        text += template[last : slot.start()]
        last = slot.end()
        kind, again, encoding = slot.groups()
        if kind.startswith("."):
            text += FILLERS[kind]()
            continue
        value = known.get((kind, again)) or MAKERS[kind](language)
        if again:
            known[kind, again] = value
        if encoding:
            value = ENCODINGS[encoding](value)
        spans.append({"start": len(text), "end": len(text) + len(value), "entity": ENTITIES.get(kind, kind)})
        text += value
    return {"text": text + template[last:], "spans": spans, "locale": form if by_form else LOCALES[language]}


# For the matrix of kinds and dresses: what a value of a kind is called.
NAMES = {
    "EMAIL": "email",
    "PHONE": "phone",
    "BIRTH": "date of birth",
    "CARD": "card number",
    "IBAN": "IBAN",
    "IP": "client ip",
    "MAC": "mac",
    "SSN": "SSN",
    "ITIN": "ITIN",
    "NHS": "NHS number",
    "NINO": "national insurance number",
    "USPASS": "passport number",
    "CPF": "CPF",
    "CNID": "身份证号",
    "DNI": "DNI",
    "NIE": "NIE",
    "NIR": "NIR",
    "CF": "codice fiscale",
    "AADHAAR": "Aadhaar",
    "PAN": "PAN",
    "BSN": "BSN",
    "PESEL": "PESEL",
    "TFN": "TFN",
    "SIN": "SIN",
    "STEUER": "Steuer-ID",
    "BTC": "bitcoin address",
    "PASSWORD": "password",
    "SECRET": "API key",
    "HEX": "access token",
    "AWSSECRET": "secret access key",
    "APIKEY": "key",
    "JWT": "token",
}
# A name and a value as they are dressed. The tests of the rules have a table of their own.
DRESSES = {
    "plain": lambda n, v: f"{n}: {v}",
    "ansi value": lambda n, v: f"{n}: \x1b[36m{v}\x1b[0m ok",
    "ansi name": lambda n, v: f"\x1b[1;33m{n}:\x1b[0m {v}",
    "ansi both": lambda n, v: f"\x1b[38;5;81m{n}\x1b[39m \x1b[38;2;9;9;9m{v}\x1b[m",
    "text \\n": lambda n, v: f"'ok\\n{n}: {v}\\n'",
    "text \\t": lambda n, v: f'"{n}\\t{v}\\tend"',
    "text \\n between": lambda n, v: f"stdout='{n}:\\n{v}\\n'",
    "bold name": lambda n, v: f"**{n}:** {v}",
    "bold value": lambda n, v: f"{n}: **{v}**",
    "bold name, code": lambda n, v: f"- **{n}**: `{v}`",
    "table row": lambda n, v: f"| field | value |\n|---|---|\n| {n} | {v} |",
    "table column": lambda n, v: f"| id | {n} | ok |\n|---|---|---|\n| 7 | {v} | yes |",
    "html cells": lambda n, v: f"<tr><td>{n}</td><td>{v}</td></tr>",
    "html bold": lambda n, v: f"<p><b>{n}:</b> {v}</p>",
    "html code": lambda n, v: f"{n}: <code>{v}</code>",
    "nbsp entity": lambda n, v: f"{n}:&nbsp;{v}",
    "nbsp": lambda n, v: f"{n}:\u00a0{v}",
    "zero-width": lambda n, v: f"{n}: \u200b{v}\u200b",
    "arrow": lambda n, v: f"{n} → {v}",
    "dash": lambda n, v: f"{n} — {v}",
    "percent": lambda n, v: f"a=1&{n.replace(' ', '_')}={urllib.parse.quote(v, safe='')}&b=2",
    "csv": lambda n, v: f"id,{n},ok\n7,{v},yes",
    "json key": lambda n, v: json.dumps({n.replace(" ", "_"): v, "ok": True}, ensure_ascii=False),
    "json camel": lambda n, v: json.dumps({n[0].lower() + n.title().replace(" ", "")[1:]: v}, ensure_ascii=False),
    "escaped json": lambda n, v: json.dumps(json.dumps({n: v}, ensure_ascii=False), ensure_ascii=False)[1:-1],
    "sentence": lambda n, v: f"well, my {n} is {v}, please keep it",
}


def dressed(kind, dress):
    value = MAKERS[kind]("en")
    if dress == "csv" and "," in value or dress.startswith("html") and "&" in value:
        value = birth("en", "%Y-%m-%d")
    text = DRESSES[dress](NAMES[kind], value)
    shown = urllib.parse.quote(value, safe="") if dress == "percent" else value
    start = text.rindex(shown)
    return {
        "text": text,
        "spans": [{"start": start, "end": start + len(shown), "entity": ENTITIES.get(kind, kind)}],
        "locale": dress,
    }


def documents(options):
    if options.set == "dress":
        return (dressed(kind, dress) for kind in NAMES for dress in DRESSES for _ in range(options.each))
    return (document(*t, options.group == "form") for t in templates(options.templates) for _ in range(options.each))


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--each", type=int, default=12, help="documents for each template")
    args.add_argument(
        "--set", choices=["agent", "dress"], default="agent", help="texts of templates, or each kind in each dress"
    )
    args.add_argument("--seed", type=int, default=20261122)
    args.add_argument("--group", choices=["locale", "form"], default="locale", help="what the locale of a document says")
    args.add_argument("--templates", type=Path, default=Path(__file__).with_name("agent_templates.txt"))
    options = args.parse_args()
    r.seed(options.seed)
    Faker.seed(options.seed)
    random.seed(options.seed)  # which some makers of Faker use
    for one in documents(options):
        json.dump(one, sys.stdout, ensure_ascii=False)
        sys.stdout.write("\n")


if __name__ == "__main__":
    main()
