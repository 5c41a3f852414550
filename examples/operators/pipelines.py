"""The pipelines that the tests of this folder run."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

import sluice

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

    def interrupt_first(self):
        """Has the first run fail as one that was interrupted. Returns a list that gets the resume of each run."""
        resumed, run = [], sluice.run

        def fails_first(*args, resume, **options):
            resumed.append(resume)
            if not resume:
                raise sluice.Failed("interrupted", 1, [])
            return run(*args, resume=resume, **options)

        patch = mock.patch("sluice.run", fails_first)
        patch.start()
        self.addCleanup(patch.stop)
        return resumed
