"""Pipelines that are run from Python, by the program sluice."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import logging
import os
import signal
import subprocess
import sys
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

    @property
    def report(self) -> Path | None:
        """The page about the run, None when it has none."""
        for folder in dict.fromkeys(Path(self._folder, o["path"]).absolute().parent for o in self["outputs"]):
            if (page := folder / "report.html").exists():
                return page
        return None

    def facts(self) -> dict[str, str | int | float]:
        """Returns what an orchestrator shows of a run: sums, hashes and the address of the report, each a text or a number."""
        totals = self["totals"]
        facts: dict[str, str | int | float] = {
            "run": self["run"], "pipeline": self["pipeline"]["path"], "pipeline_sha256": self["pipeline"]["sha256"], "sluice": self["sluice"],
            "read": totals["read"], "written": totals["written"], "dropped": totals["dropped"]["total"], "rejected": totals["rejected"]["total"],
            "bytes_read": totals["bytes_read"], "bytes_written": totals["bytes_written"], "seconds": totals["seconds"],
            "warnings": len(self.get("warnings", ())),
        }
        if page := self.report:
            facts["report"] = page.as_uri()
        return facts

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
                raise ValueError(f"{path}: want a sink of JSON lines, have Parquet, which the methods pandas and polars read")
            with _opened(path) as f:
                for line in f:
                    if line.strip():
                        yield json.loads(line)

    def pandas(self, sink: str) -> Any:
        """Returns the rows of a sink as a pandas DataFrame; of a sink of Parquet as pandas reads it."""
        import pandas

        if _is_parquet(paths := self.paths(sink)):
            return pandas.concat([pandas.read_parquet(path) for path in paths], ignore_index=True)
        return pandas.DataFrame(self.rows(sink))

    def polars(self, sink: str) -> Any:
        """Returns the rows of a sink as a polars DataFrame; of a sink of Parquet as polars reads it."""
        import polars

        if _is_parquet(paths := self.paths(sink)):
            return polars.read_parquet(paths)
        return polars.DataFrame(list(self.rows(sink)), infer_schema_length=None)

    def _repr_html_(self) -> str:
        """Shows the report in a notebook, or the totals where the run has none."""
        import html

        if page := self.report:
            text = html.escape(page.read_text(encoding="utf-8"), quote=True)
            return f'<iframe srcdoc="{text}" style="width:100%;height:40em;border:0" sandbox="allow-scripts"></iframe>'
        rows = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(str(v))}</td></tr>" for k, v in self.totals.items())
        return f"<table>{rows}</table>"


def _is_parquet(paths: list[Path]) -> bool:
    return paths[0].suffix == ".parquet"  # as are all files of such a sink


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
    raise ModuleNotFoundError(f"{path}: want Python 3.14 or the package zstandard to unpack it, have Python {sys.version.split()[0]} alone: pip install zstandard")


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
    flags = ["--progress", "plain" if progress else "off"]
    for flag, n in (("--limit", limit), ("--sample", sample)):
        if n is not None:
            flags += [flag, str(n)]
    flags += [flag for flag, on in (("--resume", resume), ("--strict", strict)) if on]
    process = start("run", pipeline, vars, flags, cwd, env, subprocess.DEVNULL)
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
    return result(text, process.returncode, list(child.said), cwd)


def start(
    verb: str,
    pipeline: str | os.PathLike[str],
    vars: Mapping[str, Any] | None,
    flags: list[str],
    cwd: str | os.PathLike[str],
    env: Mapping[str, str] | None,
    stdin: int,
) -> subprocess.Popen[bytes]:
    """Starts the program on a pipeline, with JSON on its stdout and stderr."""
    command = [os.path.abspath(program.path()), verb, os.fspath(pipeline), "--json", "--log-format", "json", *flags]
    for name, value in (vars or {}).items():
        command += ["--var", f"{name}={text(value)}"]
    return subprocess.Popen(
        command, cwd=cwd, env=None if env is None else dict(env), stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C reaches it through this process alone, once
    )


def text(value: Any) -> str:
    """Returns the value of a variable as the program takes it."""
    return os.fspath(value) if isinstance(value, (str, os.PathLike)) else json.dumps(value)


class Log:
    """What a program says on stderr. A thread reads it from follow on, so that the program never waits for a reader."""

    def __init__(self, process: subprocess.Popen[bytes], progress: Progress | None = None) -> None:
        assert process.stderr
        self._from, self._progress = process.stderr, progress
        self.said: deque[str] = deque(maxlen=100)
        self.quiet = False  # the program was told to end, and says so
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def follow(self) -> None:
        """Begins to read. Another call, after one that was interrupted, changes nothing."""
        if self._thread.ident is None:
            self._thread.start()

    def close(self) -> None:
        """Waits for the end of what is said."""
        self._thread.join()
        self._from.close()

    def _follow(self) -> None:
        """Passes on the lines that are about progress, and logs the others."""
        for line in self._from:
            try:
                message = json.loads(line)
            except ValueError:
                message = None
            plain = line.decode(errors="replace").rstrip()
            if not isinstance(message, dict):
                message = {"msg": plain}
            if message.get("msg") == "progress":
                if self._progress:
                    self._progress(message)
                continue
            text = str(message.get("msg", plain))
            self.said.append(text)
            level = logging.DEBUG if self.quiet else getattr(logging, str(message.get("level")), logging.INFO)
            _log.log(level, "%s", _logged(text, message))


class _Child:
    """The program at work, whose output and log threads read while it is waited for."""

    def __init__(self, process: subprocess.Popen[bytes], progress: Progress | None) -> None:
        self._process, self._progress = process, progress
        self._written: list[bytes] = []
        self.failed: BaseException | None = None  # of progress
        self._log = Log(process, self._report)
        self.said = self._log.said
        self._reader = threading.Thread(target=self._read, daemon=True)

    def wait(self) -> bytes:
        """Returns what the program has written to stdout when it has ended. An interrupted call may be made again."""
        if self._reader.ident is None:
            self._reader.start()
        self._log.follow()  # last, since what it reports may interrupt this thread
        self._process.wait()
        self._reader.join()
        self._log.close()
        return b"".join(self._written)

    def interrupt(self) -> None:
        """Has the program stop with a checkpoint."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)

    def _read(self) -> None:
        assert self._process.stdout
        with self._process.stdout as out:
            self._written.append(out.read())

    def _report(self, message: dict[str, Any]) -> None:
        if self._progress and not self.failed:
            try:
                self._progress(message)
            except BaseException as e:
                self.failed = e
                self.interrupt()


_log = logging.getLogger("sluice")


def _logged(text: str, message: dict[str, Any]) -> str:
    about = " ".join(f"{k}={v}" for k, v in message.items() if k not in ("msg", "level", "time"))
    return f"{text} {about}" if about else text


def result(text: bytes, code: int, said: list[str], cwd: str | os.PathLike[str]) -> Receipt:
    """Returns the receipt that a program has written in the end, or raises Failed."""
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

    paths = run(pipeline, **options).paths(sink)
    if paths[0].suffix == ".zst" and importlib.util.find_spec("zstandard") is None:
        raise ModuleNotFoundError(f"{paths[0]}: want the package zstandard, with which datasets unpacks it: pip install zstandard")
    kind = "parquet" if _is_parquet(paths) else "json"
    return datasets.load_dataset(kind, data_files=[str(p) for p in paths], split="train", streaming=streaming)
