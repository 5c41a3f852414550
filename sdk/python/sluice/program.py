"""The program sluice: of the wheel, or from PATH."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from importlib import resources

from . import __version__


class Missing(RuntimeError):
    """The program is not there, or of another version."""


@functools.cache
def path() -> str:
    """Returns the path of the program: what SLUICE_PROGRAM names, that of the wheel, or the one on PATH.

    Raises Missing when there is none, or when it is of another release than this package.
    """
    name = "sluice.exe" if os.name == "nt" else "sluice"
    packaged = str(resources.files(__package__).joinpath("bin", name))
    found = os.environ.get("SLUICE_PROGRAM") or (packaged if os.path.exists(packaged) else _on_path(name))
    if not found:
        raise Missing("want the program sluice on PATH or in the wheel")
    said = subprocess.run([found, "version"], capture_output=True, text=True, check=True).stdout
    release = re.match(r"sluice v?(\d+\.\d+\.\d+)(?=[ +-])", said)
    if release and release[1] != __version__:  # a build of a checkout has no release
        raise Missing(f"{found}: want sluice {__version__}, as this package is, have {release[1]}")
    return found


def _on_path(name: str) -> str | None:
    """Returns the program on PATH that is not this package's own script."""
    own = os.path.realpath(sys.argv[0])
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        found = shutil.which(name, path=folder)
        if found and os.path.realpath(found) != own and not _is_script(found):
            return found
    return None


def _is_script(found: str) -> bool:
    with open(found, "rb") as f:
        return f.read(2) == b"#!"


def main() -> None:
    """Is the command sluice of the wheel: the program itself."""
    try:
        program = path()
    except Missing as e:
        sys.exit(f"sluice: {e}")
    os.execv(program, [program, *sys.argv[1:]])
