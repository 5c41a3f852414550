"""Writes a labelled set with values that Faker makes, in eleven locales, for `sluice privacy eval`.

    python3 -m venv venv && venv/bin/pip install Faker==40.54.0 phonenumbers==9.0.43
    venv/bin/python faker_set.py --each 100 >faker.jsonl

The values are Faker's; the sentences are in the language of the locale and were written for this set. Telephone numbers
that the phonenumbers library does not call valid, of which Faker makes many, have a name of their own. Left out are card
numbers and IBANs that their check digits refuse, and British national insurance numbers, of which Faker makes none that
could be one.
"""

import argparse
import json
import random
import re
import sys
from datetime import date

import phonenumbers
from faker import Faker

# For each kind of value, sentences in which {} stands for it. "" are those of every locale.
SENTENCES = {
    "EMAIL_ADDRESS": {
        "": ["{}", "From: <{}>", '{{"email": "{}", "ok": true}}', "user={} action=login"],
        "en": ["please write to {} before Friday", "my e-mail is {}."],
        "de": ["schreib bitte an {} bis Freitag", "meine E-Mail ist {}."],
        "fr": ["écrivez à {} avant vendredi", "mon adresse : {}."],
        "es": ["escribe a {} antes del viernes", "mi correo es {}."],
        "it": ["scrivi a {} entro venerdì", "la mia e-mail è {}."],
        "pt": ["escreva para {} até sexta", "meu e-mail é {}."],
        "pl": ["napisz na {} do piątku", "mój e-mail to {}."],
        "ja": ["金曜までに {} へ連絡してください", "メール：{}"],
        "zh": ["请在周五前联系 {} 谢谢", "邮箱：{}"],
        "hi": ["शुक्रवार से पहले {} पर लिखें", "मेरा ईमेल {} है"],
    },
    "PHONE_NUMBER": {
        "en": ["call me at {} after six", "Phone: {}", "mobile {}", "Tel. {}", "you can reach me on {}", "Fax: {}", "my number is {}"],
        "de": ["ruf mich unter {} an", "Telefon: {}", "Handy: {}", "Tel.: {}", "Mobil {}", "meine Nummer ist {}", "Rufnummer {}"],
        "fr": ["appelez-moi au {} ce soir", "Tél. : {}", "Portable : {}", "téléphone {}", "mon numéro est le {}", "Mobile : {}"],
        "es": ["llámame al {} luego", "Teléfono: {}", "Móvil: {}", "Tel. {}", "mi número es {}"],
        "it": ["chiamami al {} stasera", "Telefono: {}", "Cellulare: {}", "Tel. {}", "il mio numero è {}"],
        "pt": ["me liga no {} hoje", "Telefone: {}", "Celular: {}", "Tel. {}", "meu número é {}"],
        "pl": ["zadzwoń pod {} wieczorem", "Telefon: {}", "Tel. {}", "komórka: {}", "mój numer to {}"],
        "ja": ["電話番号は{}です", "携帯：{}", "TEL: {}", "{} に電話してください", "電話 {}"],
        "zh": ["请打电话 {} 谢谢", "手机：{}", "电话: {}", "我的手机号是{}", "联系电话 {}"],
        "hi": ["मुझे {} पर कॉल करें", "फ़ोन: {}", "मोबाइल: {}", "मेरा नंबर {} है", "Mobile: {}"],
    },
    "DATE_OF_BIRTH": {
        "en": ["date of birth {}", "DOB: {}", "born on {} in town", "birthday: {}"],
        "de": ["geboren am {} hier", "Geburtsdatum: {}"],
        "fr": ["né le {} ici", "date de naissance : {}"],
        "es": ["nacido el {} aquí", "fecha de nacimiento: {}"],
        "it": ["nato il {} qui", "data di nascita: {}"],
        "pt": ["nascido em {} aqui", "data de nascimento: {}"],
        "pl": ["urodzony {} tutaj", "data urodzenia: {}"],
        "ja": ["生年月日：{}", "{}生まれ"],
        "zh": ["出生日期：{}", "生日 {} 谢谢"],
        "hi": ["जन्म तिथि: {}", "जन्म {} को हुआ"],
    },
    "CREDIT_CARD": {"": ["card {} exp 09/29", "credit card number: {}", '{{"card": "{}", "total": 12}}', "pay with {} please"]},
    "IBAN_CODE": {"": ["IBAN: {}", "transfer it to {} today", "my iban is {}"]},
    "IP_ADDRESS": {"": ["connection from {} refused", "{} - - GET /index.html 200", "ping {} took 12 ms"]},
    "MAC_ADDRESS": {"": ["device {} got a lease", "ether {} txqueuelen 1000"]},
    "NATIONAL_ID": {
        "en_US": ["SSN {}", "my social security number is {}"],
        "fr": ["numéro de sécurité sociale {}", "NIR : {}"],
        "es": ["DNI {}", "mi NIF es {}"],
        "it": ["codice fiscale {}", "C.F.: {}"],
        "pt": ["CPF {}", "meu CPF é {}"],
        "pl": ["PESEL {}", "mój PESEL: {}"],
        "zh": ["身份证号：{}", "身份证 {} 谢谢"],
        "hi": ["Aadhaar {}", "आधार संख्या {}"],
    },
    "PERSON": {
        "en": ["I talked to {} about it", "Regards,\n{}", "ask {} first"],
        "de": ["ich habe mit {} gesprochen", "Viele Grüße\n{}"],
        "fr": ["j'ai parlé avec {} hier", "Cordialement,\n{}"],
        "es": ["hablé con {} ayer", "Saludos,\n{}"],
        "it": ["ho parlato con {} ieri", "Saluti,\n{}"],
        "pt": ["falei com {} ontem", "Atenciosamente,\n{}"],
        "pl": ["to napisał {} wczoraj", "Pozdrawiam\n{}"],
        "ja": ["{}さんに聞きました", "担当：{}"],
        "zh": ["我问过{}了", "联系人：{}"],
        "hi": ["मैंने {} से बात की", "सादर,\n{}"],
    },
    "STREET_ADDRESS": {
        "en": ["ship it to {} please", "Address: {}", "we meet at {} at noon"],
        "de": ["Lieferung an {} bitte", "Adresse: {}"],
        "fr": ["livrez au {} merci", "adresse : {}"],
        "es": ["envíalo a {} por favor", "dirección: {}"],
        "it": ["spedisci a {} grazie", "indirizzo: {}"],
        "pt": ["envie para {} por favor", "endereço: {}"],
        "pl": ["proszę wysłać na {} dziś", "adres: {}"],
        "ja": ["{}へ送ってください", "住所：{}"],
        "zh": ["请寄到{}谢谢", "地址：{}"],
        "hi": ["कृपया {} पर भेजें", "पता: {}"],
    },
}

# Sentences with nothing to find.
NOTHING = [
    "the build {n} failed after {n} ms", "order {n} shipped", "see version {n}.4.1 of the library", "id {uuid} was not found",
    "commit {hex} fixes it", "retry {n} of {n}, p99 {n} ms", "the matrix is 1.25 3.50 4.75", "at {n} the job ran", "page {n}, section 4.2.1",
]

LOCALES = ["en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "pt_BR", "pl_PL", "ja_JP", "zh_CN", "hi_IN"]

# How dates are written, in digits and with the month in words.
DATES = {
    "en_US": ["%m/%d/%Y", "%m/%d/%y", "%B %d, %Y"], "en_GB": ["%d/%m/%Y", "%d %B %Y", "%d %b %y"],
    "ja": ["%Y年%m月%d日", "%Y/%m/%d"], "zh": ["%Y年%m月%d日", "%Y-%m-%d"],
    "": ["%d.%m.%Y", "%d/%m/%Y", "%Y-%m-%d", "%d.%m.%y"],
}


def of_locale(table, locale):
    """Gives the entry of a locale, or of its language, or of all."""
    return table.get(locale) or table.get(locale[:2]) or table.get("") or []


def entity_of(kind, value, locale):
    if kind != "PHONE_NUMBER":
        return kind
    try:
        valid = phonenumbers.is_valid_number(phonenumbers.parse(value, locale[3:]))
    except phonenumbers.NumberParseException:
        valid = False
    return kind if valid else kind + " not valid"


def mod97(iban):
    return int("".join(str(int(c, 36)) for c in iban[4:] + iban[:4])) % 97 == 1


def luhn(digits):
    total = 0
    for i, c in enumerate(reversed(digits)):
        n = int(c) * (1 + i % 2)
        total += n - 9 if n > 9 else n
    return total % 10 == 0


def national_id(fake, locale):
    if locale == "hi_IN":  # which has no numbers of its own
        indian = Faker("en_IN")
        indian.seed_instance(fake.random_int())
        return indian.aadhaar_id()
    makers = {"pt_BR": "cpf", "pl_PL": "pesel", "es_ES": "nif"}
    return getattr(fake, makers.get(locale, "ssn"))()


def value_of(kind, fake, locale):
    """Gives a value, or None when Faker makes none that holds."""
    if kind == "EMAIL_ADDRESS":
        return fake.email()
    if kind == "PHONE_NUMBER":
        return fake.phone_number()
    if kind == "DATE_OF_BIRTH":
        form = fake.random_element(of_locale(DATES, locale))
        return fake.date_between(date(1930, 1, 1), date(2008, 1, 1)).strftime(form)
    if kind == "CREDIT_CARD":
        number = fake.credit_card_number()
        return number if luhn(number) else None
    if kind == "IBAN_CODE":
        value = fake.iban()  # those of zh_CN are of no country
        return value if mod97(value) and locale != "zh_CN" else None
    if kind == "IP_ADDRESS":
        return fake.random_element([fake.ipv4_public(), fake.ipv6()])
    if kind == "MAC_ADDRESS":
        return fake.mac_address()
    if kind == "NATIONAL_ID":
        return national_id(fake, locale)
    if kind == "PERSON":
        return fake.first_name() + ("" if locale[:2] in ("ja", "zh") else " ") + fake.last_name()
    return re.sub(r"\s*\n\s*", ", ", fake.address())


def documents(each):
    """Gives, for every kind and locale, so many documents, and as many with nothing in them for every locale."""
    for locale in LOCALES:
        fake = Faker(locale)
        fake.seed_instance(20261121)
        random.seed(20261121)  # which some makers of numbers use
        for kind, table in SENTENCES.items():
            sentences = table.get("", []) + (table.get(locale) or table.get(locale[:2]) or [])
            for i in range(each if sentences else 0):
                value = value_of(kind, fake, locale)
                if value is None:
                    continue
                before, after = sentences[i % len(sentences)].replace("{{", "{").replace("}}", "}").split("{}")
                span = {"start": len(before), "end": len(before) + len(value), "entity": entity_of(kind, value, locale)}
                yield {"text": before + value + after, "spans": [span], "locale": locale}
        for i in range(each):
            text = NOTHING[i % len(NOTHING)]
            text = text.replace("{uuid}", fake.uuid4()).replace("{hex}", fake.sha1())
            while "{n}" in text:
                text = text.replace("{n}", str(fake.random_int(10, 99999)), 1)
            yield {"text": text, "spans": [], "locale": locale}


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--each", type=int, default=100, help="documents for each kind of value and locale")
    for document in documents(args.parse_args().each):
        json.dump(document, sys.stdout, ensure_ascii=False)
        sys.stdout.write("\n")


if __name__ == "__main__":
    main()
