"""Runs a plugin against text cases, without a process: ``python -m sluice.test greet.py testdata``.

A case is a txtar archive, the same as sdktest of the Go SDK reads: what the case is about, ``args.json`` with the attributes, ``in.jsonl``
with the records, and ``want``, in the order of the records: ``emit JSON [label=value ...]``, ``drop REASON``, ``decline REASON``,
``reject CODE [at PATH]: MESSAGE``, and before the record that they belong to ``side OUTPUT JSON``; at the end ``flush JSON``,
``last OUTPUT JSON`` for rows of flush and finish, and ``count NAME N``. A record that was made of others ends in ``(from LINE, LINE)``. A
plugin that refuses its attributes wants ``bad NAME: MESSAGE``.

Each case runs with its records in memory that is granted in small pieces, inside messages, and, for a plugin with ``save``, with a new
processor that goes on from a state behind each record. The answers must be the same. Every record is overwritten when its call has
returned, so one that was kept shows here.
"""

from __future__ import annotations

import argparse
import difflib
import importlib.util
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from . import arguments, wire as pb
from .declare import Plugin, registered
from .record import CODES
from .reply import DECLINED, DROPPED, EMITTED, REJECTED, SAME, UNCHANGED
from .verdict import Fatal
from .worker import Arena, Worker

_section = re.compile(r"^-- (.+?) --\n?", re.M)
_words = {"emit", "drop", "decline", "reject", "side", "flush", "last", "count", "bad"}
_host_codes = {"error", "too_large", "plugin_crash", *CODES}
_capacity = 64 << 20


class Case:
    """A text case, read from a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        comment, *rest = _section.split(path.read_bytes().decode())
        sections = dict(zip(rest[::2], rest[1::2]))
        self._comment = comment
        for name in sections:
            if name not in ("args.json", "in.jsonl", "want"):
                raise ValueError(f"{path}: want the sections args.json, in.jsonl and want, have {name!r}")
        self.args = sections.get("args.json", "")
        self.inputs = [line.encode() for line in sections.get("in.jsonl", "").split("\n") if line]
        self.want = sections.get("want", "")
        try:
            args = json.loads(self.args.strip() or "{}")
            if not isinstance(args, dict):
                raise ValueError(f"have a {type(args).__name__}")
        except ValueError as e:
            raise ValueError(f"{path}: args.json: want a JSON object: {e}") from None
        for i, data in enumerate(self.inputs, 1):
            try:
                json.loads(data)
            except ValueError as e:
                raise ValueError(f"{path}: record {i}: want JSON: {e}") from None
        for i, line in enumerate(self.want.splitlines(), 1):
            if line and line.split(" ")[0] not in _words:
                raise ValueError(f"{path}: line {i} of want: want one of {', '.join(sorted(_words))}, have {line.split(' ')[0]!r}")

    def write(self, want: str) -> None:
        """Writes the case with another want."""
        parts = [self._comment]
        if self.args:
            parts += ["-- args.json --\n", self.args]
        parts += ["-- in.jsonl --\n", *(data.decode() + "\n" for data in self.inputs), "-- want --\n", want]
        self.path.write_bytes("".join(parts).encode())


class _Host:
    """The other end of the protocol, without a process."""

    def __init__(self, plugin: Plugin, case: Case, inline: bool, saves: bool) -> None:
        self._plugin, self._inputs, self._inline, self._saves = plugin, case.inputs, inline, saves
        self._args = case.args.strip().encode() or b"{}"
        self._records: list[str] = []
        self._sides: dict[int, list[str]] = {}
        self._flushed: list[str] = []
        self._last: list[str] = []
        self._counts: dict[str, int] = {}
        self._memory = bytearray(8)
        self._source = b"".join(case.inputs)

    def run(self) -> str:
        """Returns the text that want should be."""
        args, bad = arguments.decode(self._plugin.args, self._args)
        if bad:
            return "".join(f"bad {m.name}: {m.message}\n" for m in bad)
        step = 1 if self._saves else len(self._inputs) or 1
        worker = self._open(args)
        try:
            return self._answers(worker, args, step)
        finally:
            self._worker.close()

    def _answers(self, worker: Worker, args: object, step: int) -> str:
        for at in range(0, len(self._inputs), step):
            if at and self._saves:
                state = b"".join(m.state for m in worker.save())
                worker.close()
                worker = self._open(args)
                worker.restore(state)
            self._batch(worker, at, min(at + step, len(self._inputs)))
        if self._plugin.ordered:
            self._batch(worker, len(self._inputs), len(self._inputs))
        lines = []
        for i, record in enumerate(self._records):
            lines += [*sorted(self._sides.get(i, ()), key=lambda s: s.split(" ")[1]), record]
        counts = [f"count {name} {n}" for name, n in sorted(self._counts.items())]
        return "".join(line + "\n" for line in [*lines, *self._flushed, *self._last, *counts])

    def _open(self, args: object) -> Worker:
        processor = self._plugin.open(args)
        mistake = processor.check()
        if mistake:
            raise AssertionError(mistake)
        request = pb.OpenRequest(capacity=_capacity, poison=True)
        arenas = {} if self._inline else {0: Arena(self._source, None), 1: Arena(self._memory, None)}
        self._worker = Worker(processor, request, arenas, arenas.get(1), runs=not self._inline)
        return self._worker

    def _batch(self, worker: Worker, at: int, to: int) -> None:
        inputs = self._inputs[at:to]
        batch = pb.Batch(files=["in.jsonl"], lengths=map(len, inputs), file=[0] * len(inputs), lines=range(at + 1, to + 1))
        if self._inline:
            batch.inline = b"".join(inputs)
        elif inputs:
            batch.arenas.extend([0] * len(inputs))
            batch.offsets.extend(sum(map(len, self._inputs[:i])) for i in range(at, to))
        answers = worker.answer(batch)
        message = next(answers)
        while True:
            self._take(message, at)
            try:
                if message.need:
                    begin = len(self._memory)
                    self._memory.extend(bytes(message.need))
                    message = answers.send(pb.Grant(arena=1, offset=begin, length=message.need))
                else:
                    message = next(answers)
            except StopIteration:
                return

    def _take(self, m: pb.FromWorker, begin: int) -> None:
        behind = begin == len(self._inputs)
        for side in m.sides:
            text = f"{side.output} {side.json.decode()}"
            if behind:
                self._last.append("last " + text)
            else:
                self._sides.setdefault(begin + side.index, []).append("side " + text)
        for count in m.counts:
            self._counts[count.name] = self._counts.get(count.name, 0) + count.n
        emitted, faults = self._emitted(m), self._faults(m)
        each = iter(m.emitted)
        for verdict in m.verdicts:
            i = len(self._records)
            if verdict == UNCHANGED:
                self._records.append("emit " + self._inputs[i].decode())
            elif verdict == EMITTED:
                self._records.append("\n".join("emit " + (text or self._inputs[i].decode()) + more for text, more in (next(emitted) for _ in range(next(each)))))
            else:
                fault = next(faults)
                at = f" at {fault.path}" if fault.path else ""
                word = {DROPPED: "drop ", DECLINED: "decline ", REJECTED: f"reject {fault.code}{at}: "}[verdict]
                self._records.append(word + fault.message)
                codes = self._plugin.codes
                if verdict == REJECTED and codes and fault.code not in codes and fault.code not in _host_codes:
                    raise AssertionError(f"record {i + 1}: want a code that the plugin declares, have {fault.code!r}")
        self._flushed += ["flush " + text + more for text, more in emitted]

    def _emitted(self, m: pb.FromWorker) -> Iterator[tuple[str, str]]:
        labels = {x.index: "".join(f" {n}={v}" for n, v in sorted(zip(x.names, x.values))) for x in m.labels}
        origins = {x.index: f" (from {', '.join(map(str, x.lines))})" for x in m.origins}
        for i, (offset, length) in enumerate(zip(m.offsets, m.lengths)):
            text = ""
            if not (m.same and m.same[i] == SAME):
                data = m.inline if self._inline else self._memory
                text = bytes(data[offset : offset + length]).decode()
                try:
                    json.loads(text)
                except ValueError:
                    raise AssertionError(f"record {i + 1} of an answer: want JSON, have {len(text)} characters that are not") from None
            yield text, labels.get(i, "") + origins.get(i, "")

    def _faults(self, m: pb.FromWorker) -> Iterator[pb.Fault]:
        if not m.runs:
            yield from m.faults
        for number, n in zip(m.runs[::2], m.runs[1::2]):
            for _ in range(n):
                yield m.faults[number]


def answer(plugin: Plugin, case: Case) -> str:
    """Returns what the plugin answers to a case, as the text of its want. It raises AssertionError for an answer that differs by the way
    that the records come, and for a mistake of the plugin."""
    text = _Host(plugin, case, inline=False, saves=False).run()
    ways = [("with records inside messages", True, False)]
    if hasattr(plugin.made_by, "save"):
        ways.append(("with a processor that goes on from a state", False, True))
    for way, inline, saves in ways:
        other = _Host(plugin, case, inline, saves).run()
        if other != text:
            raise AssertionError(f"{case.path}: want the same answers {way}:\n{_diff(text, other)}")
    return text


def check(plugin: Plugin, *paths: str | Path, update: bool = False) -> int:
    """Runs the cases of files and folders and returns how many they are. It raises AssertionError with the differences."""
    found = sorted(f for p in map(Path, paths) for f in (p.glob("*.txtar") if p.is_dir() else [p]))
    if not found:
        raise AssertionError(f"want cases in {', '.join(map(str, paths))}, have 0 files *.txtar")
    wrong = []
    for path in found:
        case = Case(path)
        have = answer(plugin, case)
        if have != case.want and update:
            case.write(have)
        elif have != case.want:
            wrong.append(f"{path}:\n{_diff(case.want, have)}")
    if wrong:
        raise AssertionError("\n".join(wrong))
    return len(found)


def _diff(want: str, have: str) -> str:
    return "\n".join(difflib.unified_diff(want.splitlines(), have.splitlines(), "want", "have", lineterm=""))


def main(args: Sequence[str] | None = None) -> None:
    """Is the command ``python -m sluice.test``."""
    parser = argparse.ArgumentParser(prog="python -m sluice.test", description="Runs a plugin against text cases.")
    parser.add_argument("program", help="the plugin's file or module")
    parser.add_argument("cases", nargs="*", default=["testdata"], help="files of cases and folders with some; testdata unless named")
    parser.add_argument("--plugin", help="the name of the plugin, where the program has several")
    parser.add_argument("--update", action="store_true", help="write what the plugin answers into the cases")
    given = parser.parse_args(args)
    try:
        _load(given.program)
    except (ImportError, OSError) as e:
        sys.exit(f"{given.program}: want the file or the module of a plugin: {e}")
    named = [p for p in registered if given.plugin in (None, p.name)]
    if not registered:
        sys.exit(f"{given.program}: want a plugin, declared by @sluice.plugin, have 0")
    if len(named) != 1:
        sys.exit(f"want one of the plugins {', '.join(p.name for p in registered)} by --plugin, have {given.plugin or 'several'}")
    try:
        n = check(named[0], *given.cases, update=given.update)
    except (AssertionError, ValueError, OSError, Fatal) as e:
        sys.exit(str(e))
    print(f"{named[0].name}: {n} {'case' if n == 1 else 'cases'} passed")


def _load(program: str) -> None:
    if not Path(program).exists():
        importlib.import_module(program)
        return
    from importlib.machinery import SourceFileLoader

    loader = SourceFileLoader("program_under_test", program)
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    sys.modules[loader.name] = module
    sys.path.insert(0, str(Path(program).resolve().parent))
    loader.exec_module(module)


if __name__ == "__main__":
    main()
