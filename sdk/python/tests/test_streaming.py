"""Rows that go through real pipelines, and what comes back."""

import gc
import itertools
import os
import pathlib
import signal
import sys
import tempfile
import threading
import unittest
from unittest import mock

from sluice import Failed, Rejected, stream, streaming

HERE = pathlib.Path(__file__).parent

PIPELINE = """
plugin "greet" {
  path = "${pipeline.dir}/sluice-plugin-greet"
}
variable "greeting" {
  default = "hello"
}
source "jsonl" "in" {
  paths = ["missing.jsonl"]
}
step "greet" "who" {
  greeting = var.greeting
}
tee "copy" {
  sink "jsonl" "copy" {
    path = "copy.jsonl.gz"
  }
}
sink "jsonl" "out" {
  path = "out/out.jsonl"
}
"""

PLAIN = """
source "jsonl" "in" {
  paths = ["missing.jsonl"]
}
sink "jsonl" "out" {
  path = "out.jsonl"
}
"""

TWO = 'source "csv" "more" {\n  paths = ["missing.csv"]\n}\n' + PLAIN


@unittest.skipUnless("SLUICE_PROGRAM" in os.environ, "want SLUICE_PROGRAM, the path of sluice; go test sets it")
class Streams(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in [("greet.hcl", PIPELINE), ("plain.hcl", PLAIN), ("two.hcl", TWO), ("wrong.hcl", PLAIN.replace("path ", "pth "))]:
            (self.folder / name).write_text(text)
        script = self.folder / "sluice-plugin-greet"
        script.write_text(f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(HERE.parent)!r})\n" + (HERE / "plugins" / "greet.py").read_text())
        script.chmod(0o700)

    def stream(self, pipeline, rows, **options):
        return stream(pipeline, rows, cwd=self.folder, **options)

    def test_rows_and_rejects(self):
        rows = [{"name": "Ada"}, b'{"name": "G",  "n": 1.50}\r\n', "", '{"nobody": 1}', "not json", {"name": "\ud800", "n": 2**70}]
        with self.stream("greet.hcl", rows, vars={"greeting": "ahoy"}) as results:
            got = list(results)
        out = [r for r in got if r.sink == "out"]
        self.assertEqual([r.json() for r in out], [
            b'{"name":"Ada","greeting":"ahoy Ada"}', b'{"name": "G",  "n": 1.50,"greeting":"ahoy G"}',
            b'{"name":"\\ud800","n":1180591620717411303424,"greeting":"ahoy \\ud800"}',
        ])
        self.assertEqual([r.line for r in out], [1, 2, 6])
        self.assertEqual(out[2].parse(), {"name": "\ud800", "n": 2**70, "greeting": "ahoy \ud800"})
        self.assertEqual([r.json() for r in got if r.sink == "copy"], [r.json() for r in out])
        bad = [r for r in got if isinstance(r, Rejected)]
        self.assertEqual([(r.sink, r.line, r.step, r.code, r.path) for r in bad], [
            ("rejects", 4, "greet.who", "missing", "name"), ("rejects", 5, "jsonl.in", "invalid_json", ""),
        ])
        self.assertEqual([r.record for r in bad], [b'{"nobody": 1}', b'"not json"'])
        self.assertEqual(results.receipt.totals["read"], 5)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["greet.hcl", "plain.hcl", "sluice-plugin-greet", "two.hcl", "wrong.hcl"])

    def test_many(self):
        """All come, in order, and what waits on both sides is bounded."""
        most = []
        wait = streaming._Pipe.wait

        def watched(pipe, feeding):
            most.append(max(pipe._size, pipe._waiting))
            return wait(pipe, feeding)

        with mock.patch.object(streaming, "AHEAD", 1000), mock.patch.object(streaming._Pipe, "wait", watched):
            got = [r.parse()["n"] for r in self.stream("plain.hcl", ({"n": n} for n in range(100_000)))]
        self.assertEqual(got, list(range(100_000)))
        self.assertLess(max(most), 1000 + (1 << 16) + 100)

    def test_endless(self):
        """Results come while there is more to send, to a thread that may take rows from where only it may."""
        here = threading.get_ident()

        def rows():
            for n in itertools.count():
                self.assertEqual(threading.get_ident(), here)
                yield {"n": n}

        results = self.stream("plain.hcl", rows())
        got = [r.parse()["n"] for r in itertools.islice(results, 1000)]
        self.assertEqual(got, list(range(1000)))
        results.close()
        self.assertEqual(list(results), [])
        self.assertIsNone(results.receipt)

    def test_break(self):
        """Nothing is left of a loop that was left."""
        started = []
        start = streaming.running.start
        with mock.patch.object(streaming.running, "start", lambda *a: started.append(start(*a)) or started[-1]):
            for row in self.stream("greet.hcl", ({"name": str(n)} for n in itertools.count())):
                self.assertEqual(row.line, 1)
                break
            gc.collect()
        self.assertEqual(started[0].returncode, 130)
        self.assertEqual([t.name for t in threading.enumerate() if t is not threading.main_thread()], [])

    def test_exception_of_the_rows(self):
        """What became of the rows before it comes first."""
        def rows():
            yield from ({"n": n} for n in range(500))
            raise LookupError("gone")

        got = []
        with self.assertRaisesRegex(LookupError, "gone"):
            for row in self.stream("plain.hcl", rows()):
                got.append(row.parse()["n"])
        self.assertEqual(got, list(range(500)))

    def test_interrupted(self):
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))

        def rows():
            yield {"n": 1}
            signal.raise_signal(signal.SIGINT)
            yield {"n": 2}

        with self.assertRaises(KeyboardInterrupt):
            list(self.stream("plain.hcl", rows()))
        self.assertEqual([t.name for t in threading.enumerate() if t is not threading.main_thread()], [])

    def test_bad_rows(self):
        for row, error, message in [
            (b'{"n":\n1}', ValueError, "row 2: want one line of JSON, have 2"), ({"n": float("nan")}, ValueError, "row 2: "), ({1, 2}, TypeError, "row 2: "),
        ]:
            got = []
            with self.subTest(row), self.assertRaisesRegex(error, message):
                for r in self.stream("plain.hcl", [{"n": 1}, row]):
                    got.append(r.line)
            self.assertEqual(got, [1])

    def test_sources(self):
        with self.assertRaises(Failed) as failed:
            list(self.stream("two.hcl", [{"n": 1}]))
        self.assertEqual(failed.exception.exit_code, 2)
        self.assertEqual([d.detail for d in failed.exception.diagnostics], ["want the name of one of csv.more, jsonl.in"])
        self.assertEqual([r.json() for r in self.stream("two.hcl", [{"n": 1}], source="more")], [b'{"n":1}'])

    def test_mistakes(self):
        with self.assertRaises(Failed) as failed:
            list(self.stream("wrong.hcl", itertools.repeat({"n": 1})))
        self.assertEqual(failed.exception.exit_code, 2)
        self.assertIn(6, [d.line for d in failed.exception.diagnostics])

    def test_fails_in_the_middle(self):
        """The rows that came are yielded before the error is raised."""
        (self.folder / "limit.hcl").write_text(PLAIN + "dead_letter {\n  limit = 0\n}\n")
        rows = itertools.chain(({"n": n} for n in range(50_000)), ["not json"], itertools.repeat("{}"))
        got = []
        with self.assertRaisesRegex(Failed, "want at most 0 rejects, have 1: -:50001: ") as failed:
            for row in self.stream("limit.hcl", rows):
                if isinstance(row, Rejected):
                    self.assertEqual(row.code, "invalid_json")
                elif row.line <= 50_000:
                    got.append(row.line)
        self.assertEqual(failed.exception.exit_code, 1)
        self.assertEqual(got, list(range(1, len(got) + 1)))
        self.assertGreater(len(got), 0)


if __name__ == "__main__":
    unittest.main()
