"""Puts the program sluice into the wheel: the one that SLUICE_PROGRAM names, or else one that Go builds from the checkout around this folder."""

import os
import subprocess
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Program(BuildHookInterface):
    def initialize(self, version, build_data):
        if self.target_name != "wheel" or version == "editable":
            return
        name = "sluice.exe" if os.name == "nt" else "sluice"
        top = os.path.abspath(os.path.join(self.root, "..", ".."))
        if os.environ.get("SLUICE_PROGRAM"):
            program = _named(os.environ["SLUICE_PROGRAM"])
        elif os.path.exists(os.path.join(top, "cmd", "sluice")):
            program = os.path.join(self.root, "build", name)
            link = f"-s -w -X main.release={self.metadata.version}"
            subprocess.run(["go", "build", "-trimpath", "-ldflags", link, "-o", program, "./cmd/sluice"], cwd=top, check=True)
        else:
            return
        build_data["force_include"][program] = "sluice/bin/" + name
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _named(path):
    """Returns the path of a program that runs here, and is no script, as the command is that an installed package has for its own program."""
    with open(path, "rb") as f:
        if f.read(2) == b"#!":
            raise ValueError(f"SLUICE_PROGRAM: want the program sluice, have a script: {path}")
    path = os.path.realpath(path)
    subprocess.run([path, "version"], stdout=subprocess.DEVNULL, check=True)
    return path
