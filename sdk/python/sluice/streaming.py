"""Records that go through a pipeline as they come, without files."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from . import jsontext, running

AHEAD = 1 << 20
"""About how many bytes of rows are taken from the iterable before the program reads them, and of its answers before they are asked for."""


class Row:
    """A row that a pipeline has written to a sink or a side output."""

    __slots__ = ("_data", "line", "sink")

    def __init__(self, sink: str, line: int, data: bytes) -> None:
        self.sink = sink
        """the name of the sink"""
        self.line = line
        """which of the rows that went in it comes from, counted from 1; 0 when it comes from none, such as a sum at the end"""
        self._data = data

    def json(self) -> bytes:
        """Returns the row as the pipeline wrote it."""
        return self._data

    def parse(self) -> Any:
        """Returns the row as Python objects. Raises ValueError for an object with a key twice, of which a dict would lose one."""
        return jsontext.loads(self._data)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.line} of {self.sink}: {len(self._data)} bytes>"


class Rejected(Row):
    """A row of the dead letter: a record that a step did not accept."""

    __slots__ = ()

    def _text(self, name: str) -> str:
        at = jsontext.find(self._data, (name,))
        return str(jsontext.loads(self._data[at : jsontext.end(self._data, at)]))

    @property
    def code(self) -> str:
        """The short reason."""
        return self._text("code")

    @property
    def message(self) -> str:
        """What was wanted, and what was there."""
        return self._text("message")

    @property
    def step(self) -> str:
        """The TYPE.NAME of the step, sink or source that rejected it."""
        return self._text("step")

    @property
    def path(self) -> str:
        """Where in the record, or empty."""
        return self._text("path")

    @property
    def record(self) -> bytes:
        """The record as it reached the step; a JSON string of text that is no JSON, and null where it may not be shown."""
        at = jsontext.find(self._data, ("record",))
        return self._data[at : jsontext.end(self._data, at)]


class Stream(Iterator[Row]):
    """Yields what becomes of rows. To leave it before its end, as a ``break`` does, ends the run."""

    receipt: running.Receipt | None = None
    """The account of the run, once all rows have come."""

    def __init__(self, rows: Iterator[Row], receipts: list[running.Receipt]) -> None:
        self._rows, self._receipts = rows, receipts

    def __next__(self) -> Row:
        try:
            return next(self._rows)
        except StopIteration:
            self.receipt = self._receipts[0] if self._receipts else None
            raise

    def close(self) -> None:
        """Ends the run, if it is not over."""
        self._rows.close()  # type: ignore[attr-defined]

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def stream(
    pipeline: str | os.PathLike[str],
    rows: Iterable[Any],
    *,
    source: str | None = None,
    vars: Mapping[str, Any] | None = None,
    strict: bool = False,
    cwd: str | os.PathLike[str] = ".",
    env: Mapping[str, str] | None = None,
) -> Stream:
    """Sends rows through a pipeline and yields what becomes of them: a Row for each row of a sink, a Rejected for each reject.

    rows are values that JSON has, or lines of JSON as str or bytes. They are taken from the iterable as the pipeline needs them, by the thread that
    asks for results, so neither they nor the results need an end. The rows of each sink come in the order of what went in; rejects come a
    little later than the rows around them. The pipeline reads and writes no file: its source, named by source if it has several, is replaced.
    The program starts when the first result is asked for.

    An exception of the iterable is raised again after the results of the rows before it. Raises running.Failed, with the mistakes in
    diagnostics, after the results that came before.
    """
    receipts: list[running.Receipt] = []
    flags = ["--source", source] if source is not None else []
    if strict:
        flags.append("--strict")
    return Stream(_results(lambda: running.start("stream", pipeline, vars, flags, cwd, env, subprocess.PIPE), rows, receipts, cwd), receipts)


def _results(start: Any, rows: Iterable[Any], receipts: list[running.Receipt], cwd: str | os.PathLike[str]) -> Iterator[Row]:
    lines = _lines(rows)
    pipe = _Pipe(start())
    failed: Exception | None = None
    feeding = True
    try:
        while (arrived := pipe.wait(feeding)) is not None:
            for line in arrived:
                if row := _row(line):
                    yield row
                else:
                    pipe.last = line
            if arrived:
                continue
            try:
                pipe.give(next(lines))
            except StopIteration:
                feeding = False
            except Exception as e:
                failed, feeding = e, False
            if not feeding:
                pipe.finish()
        code = pipe.process.wait()
    finally:
        pipe.end()
    if failed:
        raise failed
    receipts.append(running.result(pipe.last, code, list(pipe.said), cwd))


def _lines(rows: Iterable[Any]) -> Iterator[bytes]:
    """Yields each row as a line."""
    for n, row in zip(itertools.count(1), rows):
        if isinstance(row, str):
            row = row.encode()
        if isinstance(row, (bytes, bytearray, memoryview)):
            line = bytes(row).rstrip(b"\r\n")
            if b"\n" in line:
                raise ValueError(f"row {n}: want one line of JSON, have {line.count(bytes([10])) + 1}")
        else:
            try:
                line = jsontext.dumps(row)
            except TypeError as e:
                raise TypeError(f"row {n}: {e}") from None
            except ValueError as e:
                raise ValueError(f"row {n}: {e}") from None
        yield line + b"\n"


_envelope = re.compile(rb'\{"sink":("(?:[^"\\]|\\.)*"),"line":(\d+),"(record|reject)":')


def _row(line: bytes) -> Row | None:
    head = _envelope.match(line)
    if not head:
        return None
    kind = Row if head[3] == b"record" else Rejected
    return kind(jsontext.loads_string(head[1]), int(head[2]), line[head.end() : -1])


class _Pipe:
    """The program at work. Threads write what it reads and read what it writes, at most about AHEAD before it is needed."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process, self.last = process, b""
        self._change = threading.Condition()
        self._given: list[bytes] = []  # to the program
        self._size = 0  # of what is given
        self._arrived: list[bytes] = []  # lines from it
        self._waiting = 0  # bytes of them
        self._all = self._over = self._left = False  # all is given; the program has ended; nobody asks any more
        self._log = running.Log(process)
        self._log.follow()
        self.said = self._log.said
        self._threads = [threading.Thread(target=t, daemon=True) for t in (self._write, self._read)]
        for t in self._threads:
            t.start()

    def wait(self, feeding: bool) -> list[bytes] | None:
        """Returns lines that have arrived; none when there is room for another row; and None at the end."""
        with self._change:
            while True:
                if self._arrived:
                    arrived, self._arrived, self._waiting = self._arrived, [], 0
                    self._change.notify_all()
                    return arrived
                if self._over:
                    return None
                if feeding and self._size < AHEAD:
                    return []
                self._change.wait()

    def give(self, line: bytes) -> None:
        """Passes a line to the program."""
        with self._change:
            self._given.append(line)
            self._size += len(line)
            self._change.notify_all()

    def finish(self) -> None:
        """Says that there are no more lines."""
        with self._change:
            self._all = True
            self._change.notify_all()

    def end(self) -> None:
        """Ends the program, if it has not ended, and the threads."""
        with self._change:
            over, self._left = self._over, True
            self._change.notify_all()
        if not over:
            self._log.quiet = True
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGINT) if os.name != "nt" else self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        except BaseException:
            self.process.kill()
            raise
        finally:
            self.process.wait()
            for t in self._threads:
                t.join()
            self._log.close()

    def _write(self) -> None:
        assert self.process.stdin
        with contextlib.suppress(OSError):  # the program reads no more, and will say why
            while text := self._take():
                self.process.stdin.write(text)
                self.process.stdin.flush()
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def _take(self) -> bytes:
        with self._change:
            while not (self._given or self._all or self._left):
                self._change.wait()
            if self._left:
                return b""
            text = b"".join(self._given)
            self._given, self._size = [], 0
            self._change.notify_all()
            return text

    def _read(self) -> None:
        out = self.process.stdout
        assert out
        begun: list[bytes] = []  # of a line, which counts when it is whole
        while text := out.read1(1 << 16):  # type: ignore[attr-defined]
            *lines, rest = text.split(b"\n")
            if lines:
                lines[0] = b"".join((*begun, lines[0]))
                begun = []
                self._bring(lines, sum(map(len, lines)))
            begun.append(rest)
        out.close()
        with self._change:
            self._over = True
            self._change.notify_all()

    def _bring(self, lines: list[bytes], size: int) -> None:
        with self._change:
            while self._waiting > AHEAD and not self._left:
                self._change.wait()
            if not self._left:
                self._arrived += lines
                self._waiting += size
                self._change.notify_all()
