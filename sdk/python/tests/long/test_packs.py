"""What goes to the nodes of a Ray cluster, and which ends of a task are tried again, without a cluster."""

import contextlib
import importlib.util
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[2]))

import sluice  # noqa: E402

READY = importlib.util.find_spec("ray") and "SLUICE_PROGRAM" in os.environ and sys.platform == "linux"
if READY:
    import sluice.pack
    import sluice.ray

PIPELINE = """
source "jsonl" "a" {
  paths = ["x.jsonl"]
}
sink "jsonl" "o" {
  path = "o.jsonl"
}
"""


def setUpModule():
    if not READY:
        raise unittest.SkipTest('want Linux, Ray and SLUICE_PROGRAM: pip install "ray[data]", and go test sets it')


class Packs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        (self.folder / "p").mkdir()
        self.pipeline = self.folder / "p" / "p.hcl"
        self.pipeline.write_text(PIPELINE)
        (self.folder / "tmp").mkdir()
        node, put = sluice.ray.node, []
        for patched in (
            mock.patch.object(sluice.pack.ray, "put", lambda data: put.append(data) or len(put) - 1), mock.patch.object(node.ray, "get", put.__getitem__),
            mock.patch.object(tempfile, "gettempdir", lambda: str(self.folder / "tmp")), mock.patch.object(node, "_held", {}),
        ):
            patched.start()
            self.addCleanup(patched.stop)
        self.packs = self.folder / "tmp" / f"sluice-{os.getuid()}"

    def packed(self, text="x"):
        (self.folder / "p" / "table.json").write_text(text)
        return sluice.ray.packed(self.pipeline, None)

    def test_files(self):
        """Pipes and links that lead nowhere stay where they are, and links to files are files on the nodes."""
        os.mkfifo(self.folder / "p" / "pipe")
        (self.folder / "p" / "nowhere").symlink_to("none")
        (self.folder / "p" / "link").symlink_to("table.json")
        folder = sluice.ray.node.unpack(self.packed())
        self.assertEqual(sorted(p.name for p in (folder / "pipeline").iterdir()), ["link", "p.hcl", "table.json"])
        self.assertEqual((folder / "pipeline" / "link").read_text(), "x")

    def test_plugins(self):
        """A plugin that the pipeline names by a path outside of its folder is the same on the node, or nothing runs."""
        tool = self.folder / "tool"
        tool.write_text(f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(HERE.parents[2])!r})\n" + (HERE.parents[1] / "plugins" / "greet.py").read_text())
        tool.chmod(0o700)
        self.pipeline.write_text(f'plugin "greet" {{\n  path = "../tool"\n}}\n{PIPELINE}')
        pack = self.packed()
        self.assertEqual(list(pack.pinned), [str(tool)])
        with contextlib.chdir(self.folder) if sys.version_info >= (3, 11) else contextlib.nullcontext():
            self.assertEqual(sluice.ray.node.settle(pack, self.folder / "none")[0], str(self.pipeline))
        tool.write_text(tool.read_text() + "# changed\n")
        with self.assertRaisesRegex(ValueError, f"^{tool}: want SHA-256 "):
            sluice.ray.node.settle(pack, self.folder / "none")
        tool.unlink()
        self.assertEqual(sluice.ray.node.settle(pack, self.folder / "none")[0], str(self.folder / "none" / "pipeline" / "p.hcl"))

    def test_cleaning(self):
        """A pack that nobody uses goes when another comes, a day after it was used last; so does what a killed task has left."""
        node = sluice.ray.node
        used, unused, fresh = (node.unpack(self.packed(text)) for text in ("a", "b", "c"))
        for folder in (unused, fresh):
            node._held.pop(folder.name).close()
        (self.packs / "tmpleft").mkdir()
        for path in (used.with_suffix(".lock"), unused.with_suffix(".lock"), self.packs / "tmpleft"):
            os.utime(path, (0, 0))
        last = node.unpack(self.packed("d"))
        self.assertEqual({p.name for p in self.packs.iterdir()}, {name for f in (used, fresh, last) for name in (f.name, f.name + ".lock")})

    def test_folder_of_another(self):
        """Nothing is taken from a folder in which others may write, and no link is followed."""
        self.packs.mkdir(mode=0o777)
        self.packs.chmod(0o777)
        with self.assertRaisesRegex(PermissionError, "want a folder that nobody else may use, have mode drwxrwxrwx"):
            sluice.ray.node.unpack(self.packed())
        self.packs.rmdir()
        self.packs.symlink_to(self.folder / "p")
        with self.assertRaises(PermissionError):
            sluice.ray.node.unpack(self.packed())


class Tries(unittest.TestCase):
    def driver(self, *ends):
        """Returns a driver whose tasks end so, one after the other, and the lines that it says."""
        said, left = [], list(ends)

        def get(task, timeout=None):
            end = left.pop(0) if timeout is None else {}
            if isinstance(end, Exception):
                raise end
            return end

        remote = mock.MagicMock()
        board = mock.MagicMock()
        for patched in (mock.patch.object(sluice.ray.ray, "get", get), mock.patch.object(sluice.ray.ray, "remote", remote),
                        mock.patch.object(sluice.ray.time, "sleep")):
            patched.start()
            self.addCleanup(patched.stop)
        pack = sluice.ray.node.Pack("", [], {}, {}, "p.hcl", ".", ".")
        return sluice.ray._Driver(pack, 1, [], [], {}, 1, 1, 2, said.append, lambda now: None, board), said

    def task_error(self, cause):
        return sluice.ray.exceptions.RayTaskError("part", "", cause).as_instanceof_cause()

    def test_part(self):
        full = OSError(28, "No space left on device")
        driver, said = self.driver(self.task_error(full), self.task_error(full), self.task_error(full))
        p = sluice.ray._Part(0)
        self.assertEqual([driver._end(p, None) for _ in range(3)], [True, True, False])
        self.assertEqual(said[0], "part 0 on a node: OSError: [Errno 28] No space left on device; it starts again")
        self.assertIn("given up", said[2])
        driver, said = self.driver(self.task_error(ValueError("want a pack")))
        with self.assertRaisesRegex(sluice.Failed, "^part 0 on a node: want a pack$"):
            driver._end(sluice.ray._Part(0), None)

    def test_merge(self):
        """The merge is tried again after its node went away, and not after it has said what is wrong."""
        node = sluice.ray.node
        merged = node.Outcome("a", 0, written="{}")
        driver, said = self.driver(sluice.ray.exceptions.WorkerCrashedError(), self.task_error(OSError(28, "full")), merged)
        self.assertEqual(dict(driver.merge("out", False)), {})
        self.assertEqual(said[1], "merge on a node: the node or its worker went away; it starts again")
        driver, said = self.driver(node.Outcome("a", 1, "want all parts"))
        with self.assertRaisesRegex(sluice.Failed, "^merge on a: want all parts$"):
            driver.merge("out", False)
        driver, said = self.driver(*[self.task_error(OSError(28, "full"))] * 3)
        with self.assertRaisesRegex(sluice.Failed, "full"):
            driver.merge("out", False)


if __name__ == "__main__":
    unittest.main()
