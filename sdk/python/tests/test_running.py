"""Runs of a program that behaves as sluice does, so that what becomes of it can be seen."""

import importlib.util
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


def has(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


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

    def test_interrupted_at_once(self):
        """What interrupts this thread while it still starts those that read has the program end all the same."""
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        reported = threading.Event()

        class Thread(threading.Thread):
            def start(self):
                super().start()
                if self._target.__name__ == "_follow":
                    reported.wait(60)

        def interrupt(_):
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            reported.set()

        with self.assertLogs("sluice"), self.assertRaises(KeyboardInterrupt), mock.patch.object(running.threading, "Thread", Thread):
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

    def test_dataset_of_packed_rows(self):
        """What datasets needs to unpack a sink is said as for rows."""
        receipt = running.Receipt({"outputs": [{"sink": "jsonl.o", "path": "o.jsonl.zst"}]}, self.folder)
        missing = mock.patch.object(running.importlib.util, "find_spec", return_value=None)
        unused = mock.patch.dict(sys.modules, {"datasets": mock.Mock()})
        ran = mock.patch.object(running, "run", return_value=receipt)
        with unused, missing, ran, self.assertRaisesRegex(ImportError, "o.jsonl.zst: want the package zstandard.*: pip install zstandard"):
            running.dataset("p.hcl", "o")


class Parquet(unittest.TestCase):
    """The rows of a sink of Parquet, which may have several files."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.receipt = running.Receipt({"outputs": [{"sink": "parquet.o", "path": f"o-{i}.parquet"} for i in (1, 2)]}, self.folder)

    def write(self):
        import pyarrow
        from pyarrow import parquet

        for i, path in enumerate(self.receipt.paths("o")):
            parquet.write_table(pyarrow.table({"n": [2 * i, 2 * i + 1], "messages": [[{"role": "user"}], []]}), path)

    @unittest.skipUnless(has("pandas", "pyarrow"), "want pandas and pyarrow")
    def test_pandas(self):
        self.write()
        frame = self.receipt.pandas("o")
        self.assertEqual(list(frame["n"]), [0, 1, 2, 3])
        self.assertEqual(list(frame.index), [0, 1, 2, 3])
        self.assertEqual(frame["messages"][2][0]["role"], "user")

    @unittest.skipUnless(has("polars", "pyarrow"), "want polars and pyarrow")
    def test_polars(self):
        self.write()
        self.assertEqual(self.receipt.polars("o")["n"].to_list(), [0, 1, 2, 3])

    def test_polars_reads_the_files(self):
        polars = mock.Mock()
        with mock.patch.dict(sys.modules, {"polars": polars}):
            self.assertIs(self.receipt.polars("o"), polars.read_parquet.return_value)
        polars.read_parquet.assert_called_once_with(self.receipt.paths("o"))

    @unittest.skipUnless(has("datasets", "pyarrow"), "want datasets and pyarrow")
    def test_dataset(self):
        self.write()
        ran = mock.patch.object(running, "run", return_value=self.receipt)
        quiet = mock.patch("tqdm.tqdm.monitor_interval", 0)  # no thread of it stays
        with ran, quiet, mock.patch("datasets.config.HF_DATASETS_CACHE", self.folder / "cache"):
            rows = running.dataset("p.hcl", "o")
            self.assertEqual(rows["n"][:], [0, 1, 2, 3])
            self.assertEqual(rows[0]["messages"], [{"role": "user"}])
            self.assertEqual([row["n"] for row in running.dataset("p.hcl", "o", streaming=True)], [0, 1, 2, 3])

    def test_rows(self):
        with self.assertRaisesRegex(ValueError, "o-1.parquet: want a sink of JSON lines, have Parquet, which the methods pandas and polars read"):
            list(self.receipt.rows("o"))


if __name__ == "__main__":
    unittest.main()
