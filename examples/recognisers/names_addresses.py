# /// script
# requires-python = ">=3.10"
# dependencies = ["Faker==40.54.0", "probablepeople==0.5.6"]
# ///
"""Finds names of persons, postal addresses and names of accounts, by word lists of two packages and the forms of addresses.

    python3 names_addresses.py

The word lists come with the packages Faker and probablepeople; nothing is downloaded and no model is loaded.
"""

import argparse
import sys

import addresses
import names
import protocol
import word_lists


def recogniser(least=0.5, accounts=True):
    """Returns a function from texts to the names, addresses and accounts in them."""
    persons = names.Names(word_lists.Lists())

    def find_in(text):
        found = list(addresses.find(text))
        if accounts:
            found += addresses.accounts(text)
        taken = [range(start, end) for start, end, _, _ in found]  # streets are named after persons
        return found + [p for p in persons.find(text, least) if not any(p[0] in place for place in taken)]

    return protocol.in_pieces(lambda texts: [find_in(text) for text in texts], most=20_000)


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--least", type=float, default=0.5, help="the least score of a name, 0 to 1; 0.6 for names that the lists are surer of")
    args.add_argument("--no-accounts", action="store_true", help="leave home folders, prompts and profiles")
    a = args.parse_args()
    protocol.serve(recogniser(a.least, not a.no_accounts))


if __name__ == "__main__":
    sys.exit(main())
