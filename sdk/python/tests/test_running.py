"""Runs of a program that behaves as sluice does, so that what becomes of it can be seen."""

import os
import pathlib
import signal
import sys
import tempfile
import threading
import unittest
from unittest import mock

from sluice import program, running

SCRIPT = """#!%s
import json, os, signal, sys
if sys.argv[1] == "version":
    print("sluice (devel)")
    sys.exit()
with open("args.json", "w") as f:
    json.dump(sys.argv[1:], f)
signal.signal(signal.SIGINT, signal.SIG_DFL)  # one that is ignored never comes
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
print(json.dumps({"level": "WARN", "msg": "odd", "step": "a.b"}), file=sys.stderr, flush=True)
if "flood" in sys.argv[2]:
    print(("x" * 99 + "\\n[]\\n1") * 20_000, file=sys.stderr, flush=True)
if "wait" in sys.argv[2]:
    print(json.dumps({"msg": "progress", "pid": os.getpid()}), file=sys.stderr, flush=True)
    signal.sigwait([signal.SIGINT])
    print("y" * 200_000)
    open("checkpoint", "w").close()
    sys.exit(130)
print(json.dumps({"totals": {}, "outputs": [{"sink": "jsonl.o", "path": "o.jsonl"}], "pipeline": {"path": "p"}}))
"""


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "sluice").write_text(SCRIPT % sys.executable)
        (self.folder / "sluice").chmod(0o700)
        patched = mock.patch.dict(os.environ, {"SLUICE_PROGRAM": str(self.folder / "sluice")})
        patched.start()
        self.addCleanup(patched.stop)
        program.path.cache_clear()
        self.addCleanup(program.path.cache_clear)

    def test_much_on_stderr(self):
        with self.assertLogs("sluice") as logs:
            receipt = running.run("flood", vars={"out": pathlib.Path("a"), "n": 1, "on": True, "l": ["x"]}, cwd=self.folder)
        self.assertEqual(logs.output[0], "WARNING:sluice:odd step=a.b")
        self.assertEqual(receipt.paths("o"), [self.folder / "o.jsonl"])
        given = (self.folder / "args.json").read_text()
        for want in ('"out=a"', '"n=1"', '"on=true"', r'"l=[\"x\"]"'):
            self.assertIn(want, given)

    def test_interrupted(self):
        """The program is interrupted once and has the time for its checkpoint."""
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))

        def interrupt(_):
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        with self.assertLogs("sluice"), self.assertRaises(KeyboardInterrupt):
            running.run("wait", progress=interrupt, cwd=self.folder)
        self.assertTrue((self.folder / "checkpoint").exists())

    def test_progress_fails(self):
        def fail(_):
            raise LookupError

        with self.assertLogs("sluice"), self.assertRaises(LookupError):
            running.run("wait", progress=fail, cwd=self.folder)
        self.assertTrue((self.folder / "checkpoint").exists())

    def test_facts(self):
        totals = {"read": 3, "written": 2, "dropped": {"total": 0}, "rejected": {"total": 1}, "bytes_read": 30, "bytes_written": 20, "seconds": 0.5}
        receipt = running.Receipt({
            "run": "R", "sluice": "0", "pipeline": {"path": "p.hcl", "sha256": "abc"}, "totals": totals, "outputs": [{"path": "out/a/o.jsonl"}, {"path": "out/r.jsonl"}],
        }, self.folder)
        self.assertIsNone(receipt.report)
        self.assertNotIn("report", receipt.facts())
        (self.folder / "out").mkdir()
        page = self.folder / "out" / "report.html"
        page.write_text("<p>")
        self.assertEqual(receipt.report, page)
        self.assertEqual(receipt.facts(), {
            "run": "R", "pipeline": "p.hcl", "pipeline_sha256": "abc", "sluice": "0", "read": 3, "written": 2, "dropped": 0, "rejected": 1,
            "bytes_read": 30, "bytes_written": 20, "seconds": 0.5, "warnings": 0, "report": page.as_uri(),
        })

    def test_packed_rows(self):
        receipt = running.Receipt({"outputs": [{"sink": "jsonl.o", "path": "o.jsonl.zst"}]}, self.folder)
        with mock.patch.object(running.importlib, "import_module", side_effect=ImportError), self.assertRaisesRegex(ImportError, "pip install zstandard"):
            list(receipt.rows("o"))


if __name__ == "__main__":
    unittest.main()
