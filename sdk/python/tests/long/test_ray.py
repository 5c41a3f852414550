"""Pipelines on a Ray cluster of several nodes, all on this machine: parts fail, nodes die, and people interrupt the run."""

import contextlib
import datetime
import decimal
import importlib.util
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[2]))

import sluice  # noqa: E402
from sluice import program  # noqa: E402

READY = all(map(importlib.util.find_spec, ("ray", "pyarrow"))) and "SLUICE_PROGRAM" in os.environ and sys.platform == "linux"
if READY:
    import ray
    import ray.cluster_utils
    import ray.data

    import sluice.ray

ROOT = HERE.parents[4]

PIPELINE = """
variable "input" {}
variable "out" {}
variable "secret" {
  default   = "none"
  sensitive = true
}
source "jsonl" "rows" {
  paths = [var.input]
  batch = "32KiB" # so that a part has many places to stop at
}
first "shape" {
  step "native" "canonical" {}
}
step "privacy" "redact" {
  output "ledger" {
    sink "jsonl" "ledger" {
      path = "${var.out}/ledger.jsonl"
    }
  }
}
step "chatml" "row" {}
sink "jsonl" "train" {
  path = "${var.out}/train.jsonl"
}
"""

# Stands before the program on the nodes. A file TROUBLE/PART holds what befalls the tries of a part, a line for each.
TROUBLED = """#!%s
import os, pathlib, signal, subprocess, sys, time
real, trouble, args = %r, pathlib.Path(%r), sys.argv[1:]
if "--part" in args:
    args += ["--checkpoint", "10ms"]
    part = args[args.index("--part") + 1].partition("/")[0]
    with open(trouble / "tries", "a") as f:
        f.write(part + "\\n")
    left = (trouble / part).read_text().splitlines() if (trouble / part).exists() else []
    if left:
        (trouble / part).write_text("".join(t + "\\n" for t in left[1:]))
        if left[0] == "fail":
            print('{"level":"ERROR","msg":"want luck","exit":1}', file=sys.stderr)
            sys.exit(1)
        run = subprocess.Popen([real, *args])
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        state = pathlib.Path(os.environ["OUT"], ".sluice", "receipt-%%05d-of-%%05d.json.resume" %% (int(part), int(os.environ["PARTS"])))
        while run.poll() is None and not state.exists():
            time.sleep(0.001)
        run.send_signal(signal.SIGSTOP)
        (trouble / "seen").write_text(str(state.exists()))
        if left[0] == "kill node":
            worker = os.getppid()
            raylet = int(pathlib.Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[1])
            run.kill()
            os.kill(raylet, signal.SIGKILL)
            os.kill(worker, signal.SIGKILL)
            signal.pause()  # until it is gone with the worker
        signal.sigwait([signal.SIGINT])
        run.send_signal(signal.SIGINT)
        run.send_signal(signal.SIGCONT)
        code = run.wait()
        (trouble / "ended").write_text(str(code))
        sys.exit(code)
os.execv(real, [real, *args])
"""


def setUpModule():
    if not READY:
        raise unittest.SkipTest('want Linux, Ray and SLUICE_PROGRAM: pip install "ray[data]", and go test sets it')


class Parts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        native = (ROOT / "examples" / "corpus" / "native.jsonl").read_bytes()
        (cls.folder / "rows.jsonl").write_bytes(native * 400)
        (cls.folder / "p").mkdir()
        (cls.folder / "p" / "p.hcl").write_text(PIPELINE)
        cls.whole = cls.folder / "whole"
        sluice.run("p/p.hcl", vars={"input": "rows.jsonl", "out": "whole"}, cwd=cls.folder)
        cls.start()
        cls.addClassCleanup(lambda: cls.cluster.shutdown())

    @classmethod
    def start(cls):
        """Starts a cluster, which takes as long as most tests in it."""
        cls.cluster = ray.cluster_utils.Cluster(initialize_head=True, head_node_args={
            "num_cpus": 0, "include_dashboard": False,
            "_system_config": {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 1000, "health_check_failure_threshold": 10},
        })
        for _ in range(2):
            cls.cluster.add_node(num_cpus=1, memory=4 << 30, object_store_memory=200 << 20)

    def setUp(self):
        self.addCleanup(ray.shutdown)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        self.out = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        self.trouble = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        self.real = program.path()
        self.said = []

    def befalls(self, part, *what):
        """Says what befalls the tries of a part, one after the other."""
        (self.trouble / str(part)).write_text("".join(w + "\n" for w in what))

    def tries(self, part):
        return (self.trouble / "tries").read_text().splitlines().count(str(part))

    def run_parts(self, n, **options):
        troubled = self.trouble / "sluice"
        troubled.write_text(TROUBLED % (sys.executable, self.real, str(self.trouble)))
        troubled.chmod(0o700)
        vars = {"input": "rows.jsonl", "out": self.out, **options.pop("vars", {})}
        with mock.patch.object(program, "path", lambda: str(troubled)), mock.patch.dict(os.environ, {"OUT": str(self.out), "PARTS": str(n)}):
            return sluice.ray.run(
                "p/p.hcl", n, vars=vars, address=self.cluster.address, join=True, env=["OUT", "PARTS"], say=self.said.append, **options,
            )

    def assert_whole(self, receipt):
        """The files are those of the whole run, and so is the account."""
        want = sluice.running.Receipt.read(self.whole / "receipt.json").totals
        for key in ("read", "written", "dropped", "rejected", "bytes_read", "bytes_written"):
            self.assertEqual(receipt.totals[key], want[key], key)
        for name in ("train.jsonl", "ledger.jsonl", "rejects.jsonl"):
            self.assertEqual((self.out / name).read_bytes(), (self.whole / name).read_bytes(), name)
        subprocess.run([self.real, "verify", self.out], check=True, capture_output=True)

    def test_fails_twice(self):
        self.befalls(1, "fail", "fail")
        self.assert_whole(self.run_parts(4, retries=2))
        self.assertEqual([self.tries(i) for i in range(4)], [1, 3, 1, 1])
        again = r"(part 1 on \S+ \([0-9a-f]{8}\): want luck; it starts again\n){2}"
        self.assertRegex("\n".join(self.said), rf"^{again}4 of 4 parts, 22,000 rows, .* MB/s; merging$")

    def test_fails_for_good(self):
        """The other parts are done, the error names part and node, and the same call does the rest."""
        self.befalls(1, "fail", "fail")
        with self.assertRaisesRegex(sluice.Failed, r"^part 1 on \S+ \([0-9a-f]{8}\): want luck$") as failed:
            self.run_parts(3, retries=1)
        self.assertEqual(failed.exception.exit_code, 1)
        self.assertEqual(len(list(self.out.glob("receipt-*-of-00003.json"))), 2)
        self.assert_whole(self.run_parts(3))

    def test_store(self):
        """With a store the same call runs nothing again: after a failure, and when all is done."""
        store = tempfile.mkdtemp(dir=self.folder)
        self.befalls(1, "fail", "fail")
        with self.assertRaises(sluice.Failed):
            self.run_parts(3, retries=1, store=store)
        for reused in (2, 3):
            receipt = self.run_parts(3, store=store)
            self.assert_whole(receipt)
            self.assertEqual((receipt["reused"]["files"], receipt["reused"]["of"]), (reused, 3))
        self.assertEqual(self.run_parts(3, store=store, fresh=True)["reused"]["files"], 0)

    def test_node_dies(self):
        """A node that dies in the middle of a part: the part goes on elsewhere, from its checkpoint."""
        self.addCleanup(self.start)
        self.addCleanup(self.cluster.shutdown)
        self.befalls(2, "kill node")
        self.assert_whole(self.run_parts(5))
        self.assertEqual((self.trouble / "seen").read_text(), "True")
        self.assertIn("went away; it starts again", "\n".join(self.said))
        self.assertEqual(self.tries(2), 2)

    def test_interrupted(self):
        """Ctrl-C interrupts the parts, which keep their states, and the same call goes on."""
        self.befalls(0, "interrupt")

        def interrupt(now):
            if (self.trouble / "seen").exists():
                signal.raise_signal(signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt):
            self.run_parts(4, progress=interrupt)
        ended = (self.trouble / "ended").read_text() == "0"  # all was done when the interrupt came
        self.assertNotEqual(ended, (self.out / ".sluice" / "receipt-00000-of-00004.json.resume").exists())
        self.assert_whole(self.run_parts(4))

    def test_mistakes(self):
        """A pipeline with mistakes is tried once, and says where they are and no secret."""
        with self.assertRaisesRegex(sluice.Failed, r"(?s)part \d on \S+ \(\w+\): .*nosuch") as failed:
            self.run_parts(3, vars={"nosuch": "1", "secret": "hunter2"})
        self.assertEqual(failed.exception.exit_code, 2)
        self.assertNotIn("hunter2", str(failed.exception))

    def test_changed_pack(self):
        """A node runs nothing that is not as it was packed."""
        pack = sluice.ray.node.Pack
        with mock.patch.object(sluice.ray.node, "Pack", lambda sha256, *rest: pack("0" * 64, *rest)):
            with self.assertRaisesRegex(sluice.Failed, "want a pack with SHA-256 0000"):
                self.run_parts(2)

    def test_command(self):
        """The command line, with exit codes and the receipt on stdout."""
        self.assertEqual([sluice.ray._size(text) for text in ("7", "1.5K", "512M", "2G")], [7, 1536, 512 << 20, 2 << 30])
        written, said = io.StringIO(), io.StringIO()
        line = ["run", "p/p.hcl", "--parts", "2", "--address", self.cluster.address, "--join", "--json"]
        line += ["--var", "input=rows.jsonl", "--var", f"out={self.out}"]
        with contextlib.redirect_stdout(written), contextlib.redirect_stderr(said):
            code = sluice.ray.main(line)
        self.assertEqual(code, 0, said.getvalue())
        receipt = sluice.running.Receipt(json.loads(written.getvalue()))
        self.assert_whole(receipt)
        self.assertEqual(dict(receipt), dict(sluice.running.Receipt.read(self.out / "receipt.json")))
        self.assertIn("done: 2 parts, read 22,000 records", said.getvalue())
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(sluice.ray.main(["run", "none.hcl", "--parts", "2", "--address", self.cluster.address]), 2)
        self.assertIn("none.hcl: want a pipeline", said.getvalue())


class Datasets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        cls.addClassCleanup(ray.shutdown)
        ray.data.DataContext.get_current().enable_progress_bars = False

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_rows(self):
        """The rows of a file go through as those of a run, in order, and rejects are there too."""
        corpus, pipeline = ROOT / "examples" / "corpus" / "native.jsonl", ROOT / "pipelines" / "eliza-sft.hcl"
        whole = sluice.run(pipeline, vars={"input": corpus, "out": self.folder / "out", "tools": "string"})
        lines = ray.data.read_text(str(corpus), override_num_blocks=5)
        sent = sluice.ray.transform(lines, pipeline, column="text", batch_size=7, vars={"tools": "string"}, actors=2).materialize()
        for sink in ("train", "ledger"):
            have = [r["row"] for r in sent.take_all() if r["sink"] == sink]
            self.assertEqual([json.loads(r).get("messages") for r in have], [r.get("messages") for r in whole.rows(sink)])
        rejects = sluice.ray.rows(sent, "rejects").take_all()
        self.assertEqual([r["code"] for r in rejects], [r["code"] for r in whole.rows("rejects")])
        self.assertEqual(sluice.ray.rows(sent, "train").take(1)[0]["messages"], next(whole.rows("train"))["messages"])

    def test_columns(self):
        (self.folder / "p.hcl").write_text('source "jsonl" "a" {\n  paths = ["x"]\n}\nsink "jsonl" "o" {\n  path = "o.jsonl"\n}\n')
        rows = ray.data.from_items([{"n": n, "m": [{"t": str(n)}]} for n in range(3000)], override_num_blocks=7)
        sent = sluice.ray.rows(sluice.ray.transform(rows, self.folder / "p.hcl", batch_size=200), "o")
        self.assertEqual(sent.take_all(), [{"n": n, "m": [{"t": str(n)}]} for n in range(3000)])

    def test_state(self):
        """A step that has to see all records is refused, since it would see a batch."""
        (self.folder / "p.hcl").write_text(
            'source "jsonl" "a" {\n  paths = ["x"]\n}\nstep "dedup" "twice" {}\nsink "jsonl" "o" {\n  path = "o.jsonl"\n}\n'
        )
        with self.assertRaisesRegex(sluice.Failed, "step dedup.twice: want steps without state"):
            sluice.ray.transform(ray.data.from_items([{"n": 1}]), self.folder / "p.hcl")
        tool = self.folder / "tool"
        tool.write_text(f"#!{sys.executable}\n" + (HERE.parents[1] / "plugins" / "first.py").read_text())
        tool.chmod(0o700)
        (self.folder / "p.hcl").write_text(
            'plugin "first" {\n  path = "tool"\n  env  = ["PYTHONPATH"]\n}\n'
            'source "jsonl" "a" {\n  paths = ["x"]\n}\nstep "first" "f" {\n  key = "n"\n}\nsink "jsonl" "o" {\n  path = "o.jsonl"\n}\n'
        )
        with mock.patch.dict(os.environ, {"PYTHONPATH": str(HERE.parents[2])}):
            with self.assertRaisesRegex(sluice.Failed, "step first.f: want steps without state"):
                sluice.ray.transform(ray.data.from_items([{"n": 1}]), self.folder / "p.hcl")

    def test_types(self):
        """Columns that JSON has no type for are as the program reads them from Parquet."""
        (self.folder / "p.hcl").write_text('source "jsonl" "a" {\n  paths = ["x"]\n}\nsink "jsonl" "o" {\n  path = "o.jsonl"\n}\n')
        rows = ray.data.from_items([{"b": b"ab", "t": datetime.datetime(2024, 1, 2, 3, 4, 5), "d": decimal.Decimal("1.50")}])
        sent = sluice.ray.transform(rows, self.folder / "p.hcl").take_all()
        self.assertEqual([r["row"] for r in sent], ['{"b":"YWI=","t":"2024-01-02T03:04:05","d":1.50}'])


if __name__ == "__main__":
    unittest.main()
