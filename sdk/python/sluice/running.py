"""Pipelines that are run from Python, by the program sluice."""

from __future__ import annotations

import contextlib
import importlib
import json
import logging
import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from . import program

Progress = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Diagnostic:
    """A mistake in a pipeline, or a warning about one: what is wrong, where, and what was wanted."""

    severity: str
    summary: str
    detail: str = ""
    path: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        at = f"{self.path}:{self.line}:{self.column}: " if self.line else f"{self.path}: " if self.path else ""
        return at + self.summary + (f": {self.detail}" if self.detail else "")


class Failed(RuntimeError):
    """A run that has failed, or a pipeline with mistakes."""

    def __init__(self, message: str, exit_code: int, diagnostics: list[Diagnostic]) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        """1 for a run that failed, 2 for a pipeline with mistakes or wrong use, 130 for an interrupted run"""
        self.diagnostics = diagnostics


class Receipt(Mapping[str, Any]):
    """The account of a run: what receipt.json holds, as a mapping, and the rows that it is about."""

    def __init__(self, content: dict[str, Any], folder: str | os.PathLike[str] = ".") -> None:
        self._content, self._folder = content, Path(folder)

    @classmethod
    def read(cls, path: str | os.PathLike[str], folder: str | os.PathLike[str] = ".") -> Receipt:
        """Returns the receipt in a file. Relative paths in it start from a folder, the one that the run was started in."""
        return cls(json.loads(Path(path).read_bytes()), folder)

    def __getitem__(self, key: str) -> Any:
        return self._content[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    def __repr__(self) -> str:
        totals = self["totals"]
        return f"<receipt of {self['pipeline']['path']}: read {totals['read']}, wrote {totals['written']}>"

    @property
    def totals(self) -> dict[str, Any]:
        """The sums of the run: records read, written, dropped, rejected and so on."""
        return dict(self["totals"])

    def paths(self, sink: str) -> list[Path]:
        """Returns the files of a sink, by its name or TYPE.NAME, or of the dead letter, which is ``rejects`` where the file has none."""
        wanted = [o for o in self["outputs"] if o.get("sink") == sink or o.get("sink", "").partition(".")[2] == sink]
        if not wanted:
            known = ", ".join(sorted({o.get("sink", "") for o in self["outputs"]}))
            raise KeyError(f"want a sink of the run ({known}), have {sink!r}")
        return [self._folder / o["path"] for o in wanted]

    def rows(self, sink: str) -> Iterator[Any]:
        """Yields the rows of a sink of JSON lines as Python objects."""
        for path in self.paths(sink):
            if path.suffix == ".parquet":
                raise ValueError(f"{path}: want a sink of JSON lines, have Parquet, which pandas.read_parquet reads")
            with _opened(path) as f:
                for line in f:
                    if line.strip():
                        yield json.loads(line)

    def pandas(self, sink: str) -> Any:
        """Returns the rows of a sink as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows(sink))

    def polars(self, sink: str) -> Any:
        """Returns the rows of a sink as a polars DataFrame."""
        import polars

        return polars.DataFrame(list(self.rows(sink)), infer_schema_length=None)

    def _repr_html_(self) -> str:
        """Shows the report in a notebook, or the totals where the run has none."""
        import html

        folders = [self._folder / o["path"] for o in self["outputs"]]
        for folder in {p.parent for p in folders}:
            page = folder / "report.html"
            if page.exists():
                text = html.escape(page.read_text(encoding="utf-8"), quote=True)
                return f'<iframe srcdoc="{text}" style="width:100%;height:40em;border:0" sandbox="allow-scripts"></iframe>'
        rows = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(str(v))}</td></tr>" for k, v in self.totals.items())
        return f"<table>{rows}</table>"


def _opened(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        import gzip

        return gzip.open(path)  # type: ignore[return-value]
    if path.suffix == ".zst":
        return _unpacked(path)
    return path.open("rb")


def _unpacked(path: Path) -> IO[bytes]:
    for module in ("compression.zstd", "zstandard"):  # of Python 3.14, and of the package for older ones
        with contextlib.suppress(ImportError):
            opened: IO[bytes] = importlib.import_module(module).open(path, "rb")
            return opened
    raise ModuleNotFoundError(f"{path}: want Python 3.14 or the package zstandard to unpack it, have neither: pip install zstandard")


def run(
    pipeline: str | os.PathLike[str],
    *,
    vars: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    resume: bool = False,
    limit: int | None = None,
    sample: int | None = None,
    strict: bool = False,
    cwd: str | os.PathLike[str] = ".",
    env: Mapping[str, str] | None = None,
) -> Receipt:
    """Runs a pipeline and returns its receipt.

    vars are its variables; a value that is no string and no path is written as JSON. progress is called about every five seconds with
    the counts so far; an exception of it interrupts the run. What the run logs goes to the logger ``sluice``. resume goes on with an interrupted run. limit and sample run a part of the records. cwd is the folder that relative paths are in.

    Raises Failed, with the mistakes in diagnostics, and program.Missing where the program sluice is not there. KeyboardInterrupt
    interrupts the run and waits for its checkpoint, so that it can be resumed; a second one ends it at once.
    """
    command = [os.path.abspath(program.path()), "run", os.fspath(pipeline), "--json", "--log-format", "json", "--progress", "plain" if progress else "off"]
    for name, value in (vars or {}).items():
        command += ["--var", f"{name}={os.fspath(value) if isinstance(value, (str, os.PathLike)) else json.dumps(value)}"]
    for flag, n in (("--limit", limit), ("--sample", sample)):
        if n is not None:
            command += [flag, str(n)]
    command += [flag for flag, on in (("--resume", resume), ("--strict", strict)) if on]
    process = subprocess.Popen(
        command, cwd=cwd, env=None if env is None else dict(env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        encoding="utf-8", errors="replace", start_new_session=True,  # Ctrl-C reaches it through this process alone, once
    )
    child = _Child(process, progress)
    try:
        text = child.wait()
    except BaseException:
        child.interrupt()
        try:
            child.wait()
        except BaseException:
            process.kill()
            raise
        raise
    if child.failed:
        raise child.failed
    return _result(text, process.returncode, list(child.said), cwd)


class _Child:
    """The program at work: threads read what it writes, so that it never waits for a reader."""

    def __init__(self, process: subprocess.Popen[str], progress: Progress | None) -> None:
        self._process, self._progress = process, progress
        self._written: list[str] = []
        self.said: deque[str] = deque(maxlen=100)
        self.failed: BaseException | None = None  # of progress
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read, self._follow)]
        for reader in self._readers:
            reader.start()

    def wait(self) -> str:
        """Returns what the program has written to stdout when it has ended."""
        self._process.wait()
        for reader in self._readers:
            reader.join()
        for stream in (self._process.stdout, self._process.stderr):
            if stream:
                stream.close()
        return "".join(self._written)

    def interrupt(self) -> None:
        """Has the program stop with a checkpoint."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)

    def _read(self) -> None:
        assert self._process.stdout
        self._written.append(self._process.stdout.read())

    def _follow(self) -> None:
        """Passes on the lines that are about progress, and logs the others."""
        assert self._process.stderr
        for line in self._process.stderr:
            try:
                message = json.loads(line)
            except ValueError:
                message = None
            if not isinstance(message, dict):
                message = {"msg": line.rstrip()}
            if message.get("msg") != "progress":
                text = str(message.get("msg", line.rstrip()))
                self.said.append(text)
                _log.log(getattr(logging, str(message.get("level")), logging.INFO), "%s", _logged(text, message))
            elif self._progress and not self.failed:
                try:
                    self._progress(message)
                except BaseException as e:
                    self.failed = e
                    self.interrupt()


_log = logging.getLogger("sluice")


def _logged(text: str, message: dict[str, Any]) -> str:
    about = " ".join(f"{k}={v}" for k, v in message.items() if k not in ("msg", "level", "time"))
    return f"{text} {about}" if about else text


def _result(text: str, code: int, said: list[str], cwd: str | os.PathLike[str]) -> Receipt:
    try:
        content = json.loads(text) if text.strip() else {}
    except ValueError:
        content = {}
    if code == 0:
        return Receipt(content, cwd)
    fields = Diagnostic.__dataclass_fields__
    diagnostics = [Diagnostic(**{k: v for k, v in d.items() if k in fields}) for d in content.get("diagnostics", ())]
    message = content.get("error") or "\n".join(map(str, diagnostics)) or "\n".join(said[-5:]) or f"exit code {code}"
    raise Failed(message, code, diagnostics)


def dataset(pipeline: str | os.PathLike[str], sink: str = "train", *, streaming: bool = False, **options: Any) -> Any:
    """Runs a pipeline as ``run`` does and returns the rows of a sink as a Hugging Face Dataset; streaming, as an IterableDataset."""
    import datasets

    paths = [str(p) for p in run(pipeline, **options).paths(sink)]
    return datasets.load_dataset("json", data_files=paths, split="train", streaming=streaming)
