"""The pipelines that the tests of this folder run."""

import tempfile
import unittest
from pathlib import Path

RIGHT = """
variable "out" {}

source "jsonl" "rows" {
  paths = ["${pipeline.dir}/rows.jsonl"]
}

sink "jsonl" "train" {
  path = "${var.out}/train.jsonl"
}
"""

WRONG = """
source "jsonl" "rows" {
  paths = ["rows.jsonl"]
}
"""


class Pipelines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.out = self.folder / "out"
        self.pipeline, self.wrong = self.folder / "right.hcl", self.folder / "wrong.hcl"
        self.pipeline.write_text(RIGHT)
        self.wrong.write_text(WRONG)
        (self.folder / "rows.jsonl").write_text('{"n": 1}\n{"n": 2}\nnot json\n')
