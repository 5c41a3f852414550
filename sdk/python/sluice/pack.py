"""What the nodes of a Ray cluster get: the program, a pipeline with the files beside it, its plugins, and this package."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import ray

from . import node, program, running

MOST = 400 << 20
"""How many bytes go to each node at most."""


def packed(pipeline: str | os.PathLike[str], patterns: Sequence[str] | None) -> node.Pack:
    """Puts what the nodes need into an object of the cluster. patterns are those of the files beside the pipeline, None for all. Raises
    running.Failed."""
    named = os.fspath(pipeline)
    folder = Path(named).absolute().parent
    if not Path(named).is_file():
        raise running.Failed(f"{named}: want a pipeline, have no such file", 2, [])
    found = {"bin/sluice": Path(program.path())}
    found |= {f"pipeline/{p.relative_to(folder).as_posix()}": p for p in _beside(folder, Path(named).absolute(), patterns)}
    pinned = {}
    listed = subprocess.run([program.path(), "plugin", "list", named, "--json", "--trust"], capture_output=True, text=True)
    for plugin in json.loads(listed.stdout) if listed.returncode == 0 else []:  # the first part says what is wrong otherwise
        path = Path(plugin.get("path", ""))  # none of one that cannot be started here
        if path.is_absolute() and not path.is_relative_to(folder):
            found[f"plugins/{path.name}"] = path
            if plugin.get("pinned"):
                pinned[str(path)] = node.sha256(path)
    found |= {f"python/sluice/{p.name}": p for p in Path(__file__).parent.iterdir() if p.is_file()}
    try:
        return _archived(found, pinned, named, folder)
    except OSError as e:
        raise running.Failed(f"{e.filename}: {e.strerror}", 2, []) from None


def _archived(found: dict[str, Path], pinned: dict[str, str], named: str, folder: Path) -> node.Pack:
    """Returns the pack of files by their names in it."""
    sizes = {path: path.stat().st_size for path in found.values()}
    if sum(sizes.values()) > MOST:
        largest = max(sizes, key=lambda p: sizes[p])
        raise running.Failed(
            f"want at most {MOST >> 20} MiB for each node, have {sum(sizes.values()) >> 20} MiB, of which {largest} is the largest: "
            "name what the pipeline needs beside it with --files", 2, [])
    archive, hashes = io.BytesIO(), {}
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for name, path in sorted(found.items()):
            text, about = path.read_bytes(), tarfile.TarInfo(name)
            about.size, about.mode = len(text), path.stat().st_mode & 0o755
            tar.addfile(about, io.BytesIO(text))
            hashes[name] = hashlib.sha256(text).hexdigest()
    data = archive.getvalue()
    return node.Pack(hashlib.sha256(data).hexdigest(), [ray.put(data)], hashes, pinned, named, str(folder), os.getcwd())


def _beside(folder: Path, pipeline: Path, patterns: Sequence[str] | None) -> Iterator[Path]:
    """Yields the pipeline and the files beside it that go to the nodes."""
    if patterns is not None:
        lock = folder / ".sluice.lock.hcl"
        named = {p for pattern in ("*.hcl", *patterns) for p in folder.glob(pattern) if p.is_file()}
        yield from named | {pipeline} | ({lock} if lock.exists() else set())
        return
    for at, folders, files in os.walk(folder):
        if at != str(folder) and any(f.startswith("receipt") and f.endswith(".json") for f in files):
            folders.clear()  # outputs of runs
            continue
        folders[:] = [f for f in folders if not f.startswith(".") and f != "__pycache__"]
        shown = (Path(at, f) for f in files if not f.startswith(".") or f == ".sluice.lock.hcl")
        yield from (p for p in shown if p.is_file())  # which pipes are not, nor links that lead nowhere
