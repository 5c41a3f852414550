"""Which program the wheel gets."""

import importlib.util
import os
import stat
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

HOOK = Path(__file__).resolve().parent.parent / "hatch_build.py"


def hook():
    """Loads the hook as hatchling does, which need not be here."""
    interface = types.ModuleType("hatchling.builders.hooks.plugin.interface")
    interface.BuildHookInterface = object
    with mock.patch.dict(sys.modules, {interface.__name__: interface}):
        spec = importlib.util.spec_from_file_location("hatch_build", HOOK)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


@unittest.skipIf(os.name == "nt", "want a system whose programs need no ending")
class Wheel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.hook = hook()

    def built(self, program, target="wheel", version="standard"):
        """Returns what the hook puts into a wheel, and the commands that it runs."""
        build = self.hook.Program()
        build.root, build.target_name, build.metadata = str(HOOK.parent), target, types.SimpleNamespace(version="1.2.3")
        data, ran = {"force_include": {}}, []
        with mock.patch.dict(os.environ, {"SLUICE_PROGRAM": program}), mock.patch.object(self.hook.subprocess, "run", lambda words, **_: ran.append(words)):
            build.initialize(version, data)
        return data["force_include"], [words[:2] for words in ran]

    def test_named(self):
        """A named program goes in as it is, and nothing is built."""
        program = self.folder / "own"
        program.write_bytes(b"\x7fELF")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        path = os.path.realpath(program)
        self.assertEqual(self.built(str(program)), ({path: "sluice/bin/sluice"}, [[path, "version"]]))

    def test_built(self):
        """Without a name Go builds it."""
        self.assertEqual(self.built(""), ({str(HOOK.parent / "build" / "sluice"): "sluice/bin/sluice"}, [["go", "build"]]))

    def test_none(self):
        """What is no wheel for others gets no program."""
        self.assertEqual(self.built("", target="sdist"), ({}, []))
        self.assertEqual(self.built("", version="editable"), ({}, []))

    def test_script(self):
        """The command of an installed package would start itself for ever."""
        script = self.folder / "script"
        script.write_text("#!/usr/bin/env python3\n")
        with self.assertRaisesRegex(ValueError, "want the program sluice, have a script"):
            self.built(str(script))

    def test_missing(self):
        with self.assertRaises(FileNotFoundError):
            self.built(str(self.folder / "nowhere"))


if __name__ == "__main__":
    unittest.main()
