from dataclasses import dataclass

import sluice


@dataclass
class Args:
    key: str
    """the path of the key"""


@sluice.plugin(ordered=True, outputs=["keys"])
class first:
    """numbers the records of each key"""

    def __init__(self, args: Args):
        self.args, self.seen = args, {}

    def process(self, record):
        key = record.raw(self.args.key)
        key = key.decode() if key else ""
        self.seen[key] = self.seen.get(key, 0) + 1
        if record.json().lstrip().startswith(b"{"):
            record["nth"] = self.seen[key]

    def finish(self, record):
        record.side("keys", {"keys": len(self.seen)})

    def save(self):
        return self.seen

    def restore(self, state):
        self.seen = state


if __name__ == "__main__":
    sluice.main()
