"""What runs on the nodes of a Ray cluster. Nodes get this module with the task, so it needs nothing but Ray and the standard library."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import hashlib
import io
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray

PATIENCE = 60
"""How many seconds an interrupted part has for its checkpoint."""


@dataclass(frozen=True)
class Pack:
    """The program, the pipeline's files and its plugins, as they go to the nodes."""

    sha256: str
    """of the archive"""
    archive: list[Any]
    """the object that holds the archive, in a list so that Ray hands it over only where it is asked for"""
    files: dict[str, str]
    """the SHA-256 of each file in it"""
    pinned: dict[str, str]
    """the SHA-256 of each plugin that the pipeline names by a path outside of its folder"""
    pipeline: str
    """the pipeline as it was named where the run was started"""
    folder: str
    """the folder of the pipeline there"""
    cwd: str
    """the current folder there"""


@dataclass
class Outcome:
    """What became of one try of a part, or of the merge."""

    node: str
    exit: int
    """as the program exits; negative for a signal"""
    message: str = ""
    """the last error of the program"""
    done: dict[str, Any] | None = None
    """the program's account: records, bytes and where the receipt is"""
    written: str = ""
    """what the program wrote to stdout"""


def name() -> str:
    """Returns the address of this node, with as much of its id as tells it from others on one machine."""
    return f"{ray.util.get_node_ip_address()} ({ray.get_runtime_context().get_node_id()[:8]})"  # type: ignore[no-untyped-call]


def sha256(path: str | os.PathLike[str]) -> str:
    """Returns the SHA-256 of a file."""
    hashed = hashlib.sha256()
    with open(path, "rb") as f:
        while block := f.read(1 << 20):
            hashed.update(block)
    return hashed.hexdigest()


KEPT = 24 * 60 * 60
"""How many seconds a node keeps a pack that no process uses."""

_held: dict[str, Any] = {}  # the locks of the packs that this process uses, whose files it has checked


def unpack(pack: Pack) -> Path:
    """Returns the folder with the files of a pack, which the first task of a node makes. Each process checks every file once, and holds a lock
    on the pack from then on. Raises PermissionError where another user has the folder of the packs."""
    own = Path(tempfile.gettempdir(), f"sluice-{os.getuid()}")
    own.mkdir(mode=0o700, exist_ok=True)
    about = own.lstat()
    if about.st_uid != os.getuid() or not stat.S_ISDIR(about.st_mode) or about.st_mode & 0o077:
        mode = stat.filemode(about.st_mode)
        raise PermissionError(f"{own}: want a folder that nobody else may use, have mode {mode} of user {about.st_uid}")
    folder = own / pack.sha256
    if pack.sha256 in _held:
        return folder
    lock = _locked(own / (pack.sha256 + ".lock"), fcntl.LOCK_SH)
    assert lock
    if not folder.exists():
        _clean(own)
        data = ray.get(pack.archive[0])
        if (have := hashlib.sha256(data).hexdigest()) != pack.sha256:
            raise ValueError(f"want a pack with SHA-256 {pack.sha256}, have {have}")
        with tempfile.TemporaryDirectory(dir=own) as made:
            with tarfile.open(fileobj=io.BytesIO(data)) as tar:
                tar.extraction_filter = getattr(tarfile, "data_filter", None)  # which the first releases of Python 3.10 lack
                tar.extractall(made + "/pack")
            with contextlib.suppress(OSError):  # another task was faster
                os.rename(made + "/pack", folder)
    for path, want in pack.files.items():
        if (have := sha256(folder / path)) != want:
            raise ValueError(f"{folder / path}: want SHA-256 {want}, have {have}")
    _held[pack.sha256] = lock
    return folder


def _locked(path: Path, how: int) -> Any:
    """Returns a file with a lock on it, which lasts as long as the file is open; None when another process has one and how does not wait."""
    while True:
        file = open(path, "a")
        try:
            fcntl.flock(file, how)
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                os.utime(path)
                return file
        except BlockingIOError:
            file.close()
            return None
        except FileNotFoundError:  # removed with its pack
            pass
        file.close()


def _clean(own: Path) -> None:
    """Removes the packs that no process uses and none has used for a while, and what killed tasks have left."""
    for path in own.iterdir():
        with contextlib.suppress(OSError):
            if path.stat().st_mtime > time.time() - KEPT:
                continue
            if path.name.startswith("tmp"):
                shutil.rmtree(path, ignore_errors=True)
            elif path.suffix == ".lock" and (lock := _locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB)):
                with lock:
                    shutil.rmtree(path.with_suffix(""), ignore_errors=True)
                    path.unlink()


def settle(pack: Pack, folder: Path) -> tuple[str, str]:
    """Returns the pipeline to run and the folder to run it in: as where the run was started, if this node has the same files there. Raises
    ValueError for a plugin at a path that the pipeline names and which is another one on this node."""
    for path, want in pack.pinned.items():
        with contextlib.suppress(FileNotFoundError):  # the program says so, if the pipeline is not in the same place
            if (have := sha256(path)) != want:
                raise ValueError(f"{path}: want SHA-256 {want}, have {have}")
    cwd = pack.cwd
    if not os.path.isdir(cwd):
        cwd = str(folder / "cwd")
        os.makedirs(cwd, exist_ok=True)
    inside = {path.removeprefix("pipeline/"): want for path, want in pack.files.items() if path.startswith("pipeline/")}
    with contextlib.suppress(OSError):
        beside = {os.path.join(pack.folder, path): want for path, want in inside.items()}
        if cwd == pack.cwd and all(sha256(path) == want for path, want in {**beside, **pack.pinned}.items()):
            return pack.pipeline, cwd
    return str(folder / "pipeline" / os.path.basename(pack.pipeline)), cwd


def environment(folder: Path, cpus: int, handed: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment of the program: that of the node, with what the run hands over."""
    plugins = os.pathsep.join(filter(None, [str(folder / "plugins"), os.environ.get("SLUICE_PLUGIN_PATH")]))
    return {**os.environ, "SLUICE_PLUGIN_PATH": plugins, "GOMAXPROCS": str(cpus), **handed}


def run(pack: Pack, arguments: list[str], env: Mapping[str, str], cpus: int, report: Callable[[dict[str, Any]], None]) -> Outcome:
    """Runs the program of a pack. In arguments, an empty one stands for the pipeline. An interrupt interrupts the program, which makes
    a checkpoint."""
    folder = unpack(pack)
    pipeline, cwd = settle(pack, folder)
    command = [str(folder / "bin" / "sluice"), *(a or pipeline for a in arguments), "--log-format", "json"]
    process = subprocess.Popen(
        command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        preexec_fn=_end_with_parent, env=environment(folder, cpus, env),
    )
    outcome = Outcome(name(), 0)
    threads = [
        threading.Thread(target=_follow, args=(process, outcome, report), daemon=True),
        threading.Thread(target=_read, args=(process, outcome), daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        _wait(process)
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGINT)
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()
        raise
    for thread in threads:
        thread.join()
    outcome.exit = process.returncode
    if outcome.exit < 0:
        outcome.message = f"ended by signal {-outcome.exit}"
    elif cwd != pack.cwd and outcome.done and not all(os.path.isabs(o["path"]) or "://" in o["path"] for o in outcome.done["outputs"]):
        outcome.exit = 2
        outcome.message = f"want outputs in a folder that all nodes share, or in object storage: {pack.cwd} is not on this node"
    return outcome


def _wait(process: subprocess.Popen[bytes]) -> None:
    """Waits, and lets Ray interrupt this thread meanwhile."""
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.2)
            return


def _end_with_parent() -> None:
    """Has the system kill the program with the worker that started it: another node may have its part then."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _follow(process: subprocess.Popen[bytes], outcome: Outcome, report: Callable[[dict[str, Any]], None]) -> None:
    """Reads what the program logs."""
    assert process.stderr
    for line in process.stderr:
        try:
            message = json.loads(line)
            text = message["msg"]
        except (ValueError, TypeError, KeyError):
            message, text = {"level": "ERROR"}, line.decode(errors="replace").rstrip()
        if text == "progress":
            report(message)
        elif text == "done":
            outcome.done = message
        elif message.get("level") == "ERROR":
            detail = "".join(f": {message[k]}" for k in ("detail",) if k in message)
            place = f"{message['place']}: " if "place" in message and "exit" not in message else ""
            outcome.message = "\n".join(filter(None, [outcome.message, place + text + detail]))[-4000:]


def _read(process: subprocess.Popen[bytes], outcome: Outcome) -> None:
    assert process.stdout
    outcome.written = process.stdout.read().decode()


class Board:
    """How far the parts are. It is an actor, to which they report."""

    def __init__(self) -> None:
        self._parts: dict[int, dict[str, Any]] = {}

    def report(self, part: int, state: dict[str, Any]) -> None:
        """Takes what a part says of itself."""
        self._parts[part] = state

    def read(self) -> dict[int, dict[str, Any]]:
        """Returns what all parts have said last."""
        return self._parts


def part(pack: Pack, arguments: list[str], env: Mapping[str, str], cpus: int, number: int, board: Any) -> Outcome:
    """Runs one part and tells the board how far it is."""
    node = name()

    def report(said: dict[str, Any]) -> None:
        board.report.remote(number, {"node": node, "read": said.get("records_read", 0), "bytes": said.get("bytes_read", 0)})

    report({})
    return run(pack, arguments, env, cpus, report)


def merge(pack: Pack, folder: str, join: bool, env: Mapping[str, str], cpus: int) -> Outcome:
    """Merges the accounts of the parts in a folder or in object storage. The outcome holds the receipt."""
    outcome = run(pack, ["merge", folder, "--json", *["--join"] * join], env, cpus, lambda said: None)
    if outcome.exit == 0:
        outcome.written = json.dumps(json.loads(outcome.written)["merged"])
    return outcome
