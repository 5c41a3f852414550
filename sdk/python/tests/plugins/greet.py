import sluice


@sluice.plugin
def greet(record, *, greeting: str = "hello"):
    """greets the person whom a record names"""
    record["greeting"] = f"{greeting} {record['name']}"


if __name__ == "__main__":
    sluice.main()
