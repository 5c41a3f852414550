"""Workers of a step in a run of the program: as processes, and as threads."""

import json
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import sluice
from sluice import program

PLUGIN = """#!%s
import os, signal
import sluice

LOADED = os.getpid()


def step(record, *, at: int = -1, how: str = ""):
    '''does at a record what its attributes say'''
    if record["id"] == at:
        match how:
            case "exit":
                os._exit(3)
            case "quit":
                os._exit(0)
            case "signal":
                os.kill(os.getpid(), signal.SIGKILL)
            case "fatal":
                sluice.fatal("enough")
    record["here"], record["loaded"] = os.getpid(), LOADED


sluice.plugin(step, name="forked")
sluice.plugin(step, name="threaded", threads=True)
sluice.main()
"""
PIPELINE = """
source "jsonl" "in" {
  paths = ["in.jsonl"]
  batch = "20 records"
}
plugin "%(name)s" {
  path = "workers"
  env  = ["PYTHONPATH"]
}
step "%(name)s" "step" {
  at  = %(at)d
  how = "%(how)s"
  host {
    workers = %(workers)d
  }
}
sink "jsonl" "out" {
  path = "out.jsonl"
}
"""


@unittest.skipUnless(sys.platform == "linux" and os.environ.get("SLUICE_PROGRAM"), "want Linux, and the program in SLUICE_PROGRAM")
class Workers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "workers").write_text(PLUGIN % sys.executable)
        (self.folder / "workers").chmod(0o700)
        (self.folder / "in.jsonl").write_text("".join(f'{{"id":{i}}}\n' for i in range(400)))
        here = str(pathlib.Path(sluice.__file__).parents[1])
        patched = mock.patch.dict(os.environ, {"PYTHONPATH": here})
        patched.start()
        self.addCleanup(patched.stop)
        program.path.cache_clear()

    def run_step(self, name, at=-1, how="", workers=3):
        """Returns the rows and the rejects of a run."""
        (self.folder / "p.hcl").write_text(PIPELINE % {"name": name, "at": at, "how": how, "workers": workers})
        sluice.run("p.hcl", cwd=self.folder)
        return [[json.loads(line) for line in (self.folder / f).read_text().splitlines()] for f in ("out.jsonl", "rejects.jsonl")]

    def test_processes(self):
        rows, _ = self.run_step("forked")
        self.assertEqual([row["id"] for row in rows], list(range(400)))
        self.assertEqual(len({row["loaded"] for row in rows}), 1)
        self.assertGreater(len({row["here"] for row in rows}), 1)
        self.assertNotIn(rows[0]["loaded"], {row["here"] for row in rows})

    def test_threads(self):
        rows, _ = self.run_step("threaded")
        self.assertEqual([row["id"] for row in rows], list(range(400)))
        self.assertEqual({row["here"] for row in rows}, {rows[0]["loaded"]})

    def test_one_that_ends(self):
        """A worker that ends is a crash of the plugin at the record that it had, and no process stays."""
        for how, want in [
            ("exit", "the plugin ended: exit status 3"), ("quit", "the plugin ended: exit status 0"), ("signal", "the plugin ended: signal: killed"),
        ]:
            with self.subTest(how):
                _, alone = self.run_step("forked", 333, how, workers=1)
                rows, rejects = self.run_step("forked", 333, how)
                self.assertEqual([r["message"] for r in rejects], [r["message"] for r in alone])
                self.assertEqual([row["id"] for row in rows], [i for i in range(400) if i != 333])
                self.assertEqual([(r["code"], r["line"]) for r in rejects], [("plugin_crash", 334)])
                self.assertIn(want, rejects[0]["message"])
                for row in rows:
                    self.assertFalse(is_running(row["here"]), how)

    def test_failure(self):
        with self.assertRaisesRegex(sluice.Failed, "step forked.step: enough"):
            self.run_step("forked", 333, "fatal")


def is_running(pid):
    try:
        return b"workers" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main()
