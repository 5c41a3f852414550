"""The page for readers of Python is true: its files are written down and run as it says."""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAGE = Path(__file__).parent.parent / "README.md"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.S)


class Page(unittest.TestCase):
    def run_in(self, folder, *command):
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(PAGE.parent), "HF_HOME": str(Path(folder, "cache"))},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_adapter(self):
        desk, script, classes, _, dataset, streaming = blocks("python")
        case, printed, loaded, streamed = blocks("text")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "testdata").mkdir()
            for file, text in [
                ("tickets.jsonl", blocks("json")[0]), ("desk.py", desk), ("testdata/desk.txtar", case), ("desk.hcl", blocks("hcl")[0]), ("script.py", script),
                ("dataset.py", dataset), ("streaming.py", streaming),
                ("sluice-plugin-desk", f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(PAGE.parent)!r})\n{desk}"),
            ]:
                (folder / file).write_text(text)
            (folder / "sluice-plugin-desk").chmod(0o700)
            self.assertEqual(self.run_in(folder, sys.executable, "-m", "sluice.test", "desk.py"), "desk: 1 case passed\n")
            if "SLUICE_PROGRAM" not in os.environ:
                self.skipTest("want SLUICE_PROGRAM, the path of sluice; go test sets it")
            self.assertEqual(self.run_in(folder, sys.executable, "script.py"), printed)
            self.assertEqual(self.run_in(folder, sys.executable, "streaming.py"), streamed)
            if importlib.util.find_spec("datasets"):
                self.assertEqual(self.run_in(folder, sys.executable, "dataset.py"), loaded)
        self.assertIn("class first:", classes)

    def test_class(self):
        source = "from dataclasses import dataclass\nimport sluice\n" + blocks("python")[2]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "first.py").write_text(source)
            (folder / "first.txtar").write_text(
                '-- args.json --\n{"key": "k"}\n-- in.jsonl --\n{"k": 1}\n{"k": 1}\n-- want --\n'
                'emit {"k": 1}\ndrop enough of this key\nlast keys {"keys":1}\n'
            )
            self.run_in(folder, sys.executable, "-m", "sluice.test", "first.py", "first.txtar")

    def test_join(self):
        """What the class joins is the same with one that goes on from its state."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "join.py").write_text("import sluice\n" + blocks("python")[3])
            (folder / "join.txtar").write_text(
                '-- in.jsonl --\n{"k":"a","v":1}\n{"k":"b","v":2}\n{"k":"a","v":3}\n-- want --\ndrop joined\ndrop joined\ndrop joined\n'
                'flush {"k":"a","all":[1,3]} (from 1, 3)\nflush {"k":"b","all":[2]} (from 2)\n'
            )
            self.run_in(folder, sys.executable, "-m", "sluice.test", "join.py", "join.txtar")


if __name__ == "__main__":
    unittest.main()
