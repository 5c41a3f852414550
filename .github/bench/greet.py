"""The plugin of examples/hello in Python, twice: one edits the row as it is written, one makes objects of it first."""

import sluice


@sluice.plugin
def edits(record, *, greeting: str = "hello"):
    """greets the person whom a record names"""
    record["greeting"] = f"{greeting} {record['name']}"


@sluice.plugin
def parses(record, *, greeting: str = "hello"):
    """greets the person whom a record names, with the whole record as objects"""
    row = record.parse()
    row["greeting"] = f"{greeting} {row['name']}"
    record.replace(row)


if __name__ == "__main__":
    sluice.main()
