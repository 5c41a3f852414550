"""Writes labelled sets that others made, for `sluice privacy eval`, from what pip downloads; nothing of them is kept here.

    pip install python-stdnum==2.2 phonenumbers==9.0.43
    python others_set.py presidio-research >presidio-research.jsonl
    python others_set.py stdnum >stdnum.jsonl
    python others_set.py libphonenumber >libphonenumber.jsonl

presidio-research  the 1,500 texts of presidio-evaluator 0.3.2 (MIT, Microsoft), as they are in its source: sentences of
                   templates by people, filled by Faker, with all their labels, also those of kinds that sluice does not look for
stdnum             the numbers in the documentation and tests of python-stdnum 2.2 (LGPL 2.1 or later) that it calls valid, of the
                   kinds that sluice looks for: each in a sentence with the word for it, in a line, under a key, and alone
libphonenumber     the example numbers of Google's libphonenumber (Apache 2, in phonenumbers 9.0.43), mobile and fixed: of 245 regions in
                   international form, alone and in a sentence; of those that sluice looks for by default in national form with a word

CredSweeper 1.19.5, detect-secrets 1.5.0, whispers 2.4.0 and presidio-analyzer 2.2.366 have no samples in their packages.
"""

import argparse
import importlib
import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

# For each kind its entity, the word in a sentence and the key of JSON.
KINDS = {
    "au.tfn": ("AU_TFN", "TFN", "tfn"),
    "br.cnpj": ("BR_CNPJ", "CNPJ", "cnpj"),
    "br.cpf": ("BR_CPF", "CPF", "cpf"),
    "ca.sin": ("CA_SIN", "social insurance number", "sin"),
    "cn.ric": ("CN_RESIDENT_ID", "身份证号码", "身份证号"),
    "de.idnr": ("DE_TAX_ID", "Steuer-ID", "steuerId"),
    "es.dni": ("ES_DNI", "DNI", "dni"),
    "es.nie": ("ES_NIE", "NIE", "nie"),
    "fr.nir": ("FR_NIR", "numéro de sécurité sociale", "nir"),
    "gb.nhs": ("UK_NHS", "NHS number", "nhs_number"),
    "in_.aadhaar": ("IN_AADHAAR", "Aadhaar", "aadhaar"),
    "in_.pan": ("IN_PAN", "PAN", "pan"),
    "it.codicefiscale": ("IT_FISCAL_CODE", "codice fiscale", "codice_fiscale"),
    "nl.bsn": ("NL_BSN", "BSN", "bsn"),
    "pl.pesel": ("PL_PESEL", "PESEL", "pesel"),
    "us.ssn": ("US_SSN", "SSN", "ssn"),
    "us.itin": ("US_ITIN", "ITIN", "itin"),
    "iban": ("IBAN_CODE", "IBAN", "iban"),
    "mac": ("MAC_ADDRESS", "MAC address", "mac"),
    "bitcoin": ("CRYPTO", "bitcoin address", "wallet"),
}
FORMS = {
    "sentence": "my {word} is {number}, please check it",
    "line": "name: Ada\n{word}: {number}\nstatus: ok",
    "key": '{{"id": 7, "{key}": "{number}"}}',
    "alone": "{number}",
}


def source(package, path):
    """Returns the source of a package as an archive, which pip downloads unless there is a path; without a package, nothing."""
    if path or not package:
        return path and tarfile.open(path)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--no-binary",
                ":all:",
                "--dest",
                folder,
                package,
            ],
            check=True,
            stdout=sys.stderr,
        )
        return tarfile.open(fileobj=io.BytesIO(next(Path(folder).glob("*.tar.gz")).read_bytes()))


def texts_of(archive, ending):
    for member in archive.getmembers():
        if member.isfile() and re.search(ending, member.name):
            yield member.name, archive.extractfile(member).read().decode("utf-8", "replace")


def presidio_research(archive):
    for _, text in texts_of(archive, r"/data/synth_dataset_v2\.json$"):
        for row in json.loads(text):
            spans = [
                {"start": s["start_position"], "end": s["end_position"], "entity": s["entity_type"]} for s in row["spans"]
            ]
            yield {"text": row["full_text"], "spans": spans}


def stdnum(archive):
    for name, (entity, word, key) in KINDS.items():
        module, numbers = importlib.import_module("stdnum." + name), []
        ending = rf"/stdnum/{name.replace('.', '/')}\.py$|/tests/test_{name.replace('_.', '_').replace('.', '_')}\.doctest$"
        for _, text in texts_of(archive, ending):
            doc = text.split('"""')[1] if '"""' in text else text
            for candidate in re.findall(r"'([^'\n]{6,40})'", doc) + [line.strip(" .>") for line in doc.splitlines()]:
                if candidate not in numbers and re.search(r"\d{2}", candidate) and module.is_valid(candidate):
                    numbers.append(candidate)
        for number in numbers:
            for form, template in FORMS.items():
                text = template.format(word=word, key=key, number=number)
                at = text.index(number)
                yield {"text": text, "spans": [{"start": at, "end": at + len(number), "entity": entity}], "locale": form}


# The regions of which sluice finds national forms by default, and the word for a telephone there.
NATIONAL = {
    "US": "phone",
    "GB": "phone",
    "DE": "Telefon",
    "FR": "téléphone",
    "ES": "teléfono",
    "IT": "telefono",
    "NL": "telefoon",
    "IN": "mobile",
    "AU": "phone",
    "BR": "telefone",
    "JP": "電話",
    "PL": "telefon",
    "CN": "电话",
}


def libphonenumber(_):
    phonenumbers = importlib.import_module("phonenumbers")
    forms, kinds = phonenumbers.PhoneNumberFormat, phonenumbers.PhoneNumberType
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        numbers = [phonenumbers.example_number_for_type(region, kind) for kind in (kinds.MOBILE, kinds.FIXED_LINE)]
        for number in filter(None, numbers):
            shown = {"international": forms.INTERNATIONAL, "E.164": forms.E164}
            written = [
                (name, f"you can call {phonenumbers.format_number(number, form)} until six", form)
                for name, form in shown.items()
            ]
            written += [(name + ", alone", phonenumbers.format_number(number, form), form) for name, form in shown.items()]
            if region in NATIONAL:
                value = phonenumbers.format_number(number, forms.NATIONAL)
                written += [
                    ("national, line", f"{NATIONAL[region]}: {value}", forms.NATIONAL),
                    ("national, key", json.dumps({NATIONAL[region]: value}, ensure_ascii=False), forms.NATIONAL),
                ]
            for name, text, form in written:
                value = phonenumbers.format_number(number, form)
                at = text.index(value)
                yield {
                    "text": text,
                    "spans": [{"start": at, "end": at + len(value), "entity": "PHONE_NUMBER"}],
                    "locale": name,
                }


SETS = {
    "presidio-research": ("presidio-evaluator==0.3.2", presidio_research),
    "stdnum": ("python-stdnum==2.2", stdnum),
    "libphonenumber": (None, libphonenumber),
}


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("set", choices=sorted(SETS))
    args.add_argument("--source", type=Path, help="the source of the package as a .tar.gz, in place of a download")
    options = args.parse_args()
    package, documents = SETS[options.set]
    for document in documents(source(package, options.source)):
        json.dump(document, sys.stdout, ensure_ascii=False)
        sys.stdout.write("\n")


if __name__ == "__main__":
    main()
