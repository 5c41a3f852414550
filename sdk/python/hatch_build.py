"""Puts the program sluice into the wheel: built with Go from the checkout that holds this folder."""

import os
import subprocess
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Program(BuildHookInterface):
    def initialize(self, version, build_data):
        top = os.path.abspath(os.path.join(self.root, "..", ".."))
        if self.target_name != "wheel" or version == "editable" or not os.path.exists(os.path.join(top, "cmd", "sluice")):
            return
        name = "sluice.exe" if os.name == "nt" else "sluice"
        program = os.path.join(self.root, "build", name)
        link = f"-s -w -X main.release={self.metadata.version}"
        subprocess.run(["go", "build", "-trimpath", "-ldflags", link, "-o", program, "./cmd/sluice"], cwd=top, check=True)
        build_data["force_include"][program] = "sluice/bin/" + name
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
