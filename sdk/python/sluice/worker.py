"""A worker of a step: batches in, answers out. It knows the messages of the protocol, not how they travel."""

from __future__ import annotations

import asyncio
import json
import os
import re
import struct
import sys
import time
import traceback
from collections.abc import Generator, Iterator
from types import GeneratorType
from typing import Any

from . import jsontext
from . import wire as pb
from .declare import Processor
from .record import MOST_COUNT, SIDE_BYTES, Place, Record
from .verdict import Decline, Drop, Fatal, Reject, Verdict

UNCHANGED, EMITTED, DROPPED, REJECTED, DECLINED = range(5)
SAME = 1

Answers = Generator[pb.FromWorker, "pb.Grant | None", None]

_soon = 1.0  # seconds after which what is answered is sent, so that the host sees that the step goes on
_most_bytes = 16 << 20  # of side rows in a message
_piece = 1 << 20  # of a state


class Arena:
    """A memory that records lie in, as a mapping of the whole."""

    __slots__ = ("memory", "note")

    def __init__(self, memory: Any, note: int | None) -> None:
        self.memory, self.note = memory, note


class Outcome:
    """What became of one record."""

    __slots__ = ("verdict", "emitted", "refused", "record")

    def __init__(self, record: Record, emitted: list[Record], refused: Verdict | None) -> None:
        self.record, self.emitted, self.refused = record, emitted, refused


class Worker:
    """Runs one processor on the batches of one stream."""

    def __init__(self, processor: Processor, request: pb.OpenRequest, arenas: dict[int, Arena], own: Arena | None, runs: bool) -> None:
        self._processor, self._plugin = processor, processor.plugin
        self._arenas, self._own, self._runs = arenas, own, runs
        self._capacity = request.capacity or 1 << 62
        self._poison = request.poison
        self._most_emitted = max(request.capacity >> 9, 1 << 17)
        self._most_rows = max(request.capacity >> 11, 1 << 16)
        self._told: set[tuple[str, str]] = set()
        self._loop = asyncio.new_event_loop() if processor.waits else None

    def close(self) -> None:
        """Closes the processor."""
        try:
            if self._processor.close:
                closed = self._processor.close()
                if asyncio.iscoroutine(closed):
                    (self._loop or asyncio.new_event_loop()).run_until_complete(closed)
        finally:
            if self._loop:
                self._loop.close()

    def answer(self, batch: pb.Batch) -> Answers:
        """Yields the answers to a batch. Behind one that states a need it wants the grant."""
        reply = _Reply(self, batch)
        if not batch.lengths and self._plugin.ordered:
            yield from self._last(reply)
            return
        records = self._records(batch)
        lethal = {x.index: x.message for x in batch.lethal if x.step == 0 and x.nth == 0}
        outcomes = self._waiting(records, lethal) if self._loop else self._outcomes(records, lethal)
        monotonic = time.monotonic
        since = monotonic()
        for outcome in outcomes:
            if not reply.fits(outcome):
                yield from reply.more_room(outcome)
            reply.add(outcome)
            if reply.is_large() or monotonic() - since > _soon:
                yield reply.message()
                since = monotonic()
        self._note(0)
        yield reply.message(done=True)

    def save(self) -> Iterator[pb.FromWorker]:
        """Yields the state in pieces."""
        assert self._processor.save
        state = jsontext.dumps(self._processor.save())
        for at in range(0, len(state), _piece):
            yield pb.FromWorker(state=state[at : at + _piece])
        yield pb.FromWorker(done=True)

    def restore(self, state: bytes) -> None:
        """Goes on from a state."""
        assert self._processor.restore
        try:
            value = json.loads(state)
        except ValueError:
            raise Fatal(f"plugin {self._plugin.name}: want a state that it has saved, have {len(state)} bytes that are none") from None
        self._processor.restore(value)

    def _records(self, batch: pb.Batch) -> Iterator[Record]:
        files, labels = batch.files, _labels(batch)
        origins = {o.index: _places(o) for o in batch.origins}
        data: bytes
        if batch.arenas:
            arenas = {n: self._arenas[n].memory for n in set(batch.arenas)}
            places = zip(batch.arenas, batch.offsets, batch.lengths, batch.file, batch.lines)
            for i, (arena, offset, length, file, line) in enumerate(places):
                data = arenas[arena][offset : offset + length]
                record = Record(data, Place(files[file], line), labels.get(i))
                if i in origins:
                    record.made_of(origins[i])
                yield record
            return
        inline, at = batch.inline, 0
        for i, (length, file, line) in enumerate(zip(batch.lengths, batch.file, batch.lines)):
            record = Record(inline[at : at + length], Place(files[file], line), labels.get(i))
            if i in origins:
                record.made_of(origins[i])
            yield record
            at += length

    def _outcomes(self, records: Iterator[Record], lethal: dict[int, str]) -> Iterator[Outcome]:
        process, poison = self._processor.process, self._poison
        own = self._own.memory if self._own and self._own.note is not None else None
        note = self._own.note if self._own else 0
        pack = struct.Struct("<Q").pack_into
        for i, record in enumerate(records):
            if own is not None:
                pack(own, note, i + 1)
            if i in lethal:
                yield Outcome(record, [], Reject("plugin_crash", lethal[i]))
                continue
            before = record._data
            try:
                made = process(record)
                if made is None:
                    outcome = Outcome(record, [record], None)
                else:
                    outcome = Outcome(record, _emitted(record, made, self._most_emitted), None)
            except Exception as e:
                outcome = self._refused(record, e)
            yield outcome
            if poison:
                record._data = b"\xff" * len(before)

    def _waiting(self, records: Iterator[Record], lethal: dict[int, str]) -> Iterator[Outcome]:
        """Has several records under way at once and yields what becomes of them in their order."""
        assert self._loop
        loop, process, limit = self._loop, self._processor.process, self._plugin.concurrent
        under_way: list[tuple[Record, asyncio.Task[Any] | None, str]] = []
        each = enumerate(records)
        more = True

        async def run(record: Record) -> list[Record]:
            made = await process(record)
            return [record] if made is None else _emitted(record, made, self._most_emitted)

        try:
            while True:
                while more and len(under_way) < limit:
                    i, record = next(each, (0, None))
                    if record is None:
                        more = False
                    elif i in lethal:
                        under_way.append((record, None, lethal[i]))
                    else:
                        under_way.append((record, loop.create_task(run(record)), ""))
                if not under_way:
                    return
                record, task, message = under_way.pop(0)
                if task is None:
                    yield Outcome(record, [], Reject("plugin_crash", message))
                    continue
                try:
                    yield Outcome(record, loop.run_until_complete(task), None)
                except Exception as e:
                    yield self._refused(record, e)
        finally:
            for _, task, _ in under_way:
                if task:
                    task.cancel()

    def _refused(self, record: Record, e: Exception) -> Outcome:
        if isinstance(e, Fatal):
            raise e
        if not isinstance(e, Verdict):
            self._tell(e)
            e = Reject("error", f"{type(e).__name__}: {e}")
        if isinstance(e, Decline) and self._plugin.takes_all:
            e = Reject("error", "want no decline from a plugin that takes all records, have one")
        return Outcome(record, [], e)

    def _tell(self, e: Exception) -> None:
        """Writes where an exception came from to the log, once for each place: without its text, which may quote a record."""
        frames = traceback.extract_tb(e.__traceback__)
        frames = [f for f in frames if os.path.dirname(f.filename) != _own_folder] or frames
        at = (type(e).__name__, "".join(f"{f.filename}:{f.lineno}" for f in frames))
        if at not in self._told and len(self._told) < 100:
            self._told.add(at)
            lines = "".join(traceback.format_list(frames))
            print(f"{at[0]}, of which the reject has the text:\n{lines}", end="", file=sys.stderr, flush=True)

    def _note(self, index: int) -> None:
        if self._own and self._own.note is not None:
            struct.pack_into("<Q", self._own.memory, self._own.note, index)

    def _last(self, reply: _Reply) -> Answers:
        """Answers after the last record."""
        self._note(0)
        if self._processor.flush:
            for made in _each(self._processor.flush()):
                outcome = Outcome(made, [made], None)
                if not made._origins:
                    raise Fatal(f"plugin {self._plugin.name}: want records of flush that say by made_of what they were made of")
                if not reply.fits(outcome):
                    yield from reply.more_room(outcome)
                reply.add_last(made)
                if reply.is_large():
                    yield reply.message()
        if self._processor.finish:
            record = Record(b"null", Place("", 0))
            self._processor.finish(record)
            for side in record._sides or ():
                reply.add_side(0, *side)
                if reply.is_large():
                    yield reply.message()
            reply.add_counts(record)
        yield reply.message(done=True)


_own_folder = os.path.dirname(os.path.abspath(__file__))


def _labels(batch: pb.Batch) -> dict[int, dict[str, str]]:
    all_labels: dict[int, dict[str, str]] = {}
    for labels in batch.labels:
        pairs = dict(zip(labels.names, labels.values))
        for i in range(labels.index, labels.index + (labels.n or 1)):
            all_labels[i] = pairs  # shared: a record that gets a label gets a copy
    return all_labels


def _places(o: pb.Origins) -> list[Place]:
    return [Place(o.files[file], line) for file, line in zip(o.file, o.lines)]


def _each(made: Any) -> Iterator[Record]:
    for record in made or ():
        if not isinstance(record, Record):
            raise Fatal(f"want records, have {type(record).__name__}")
        yield record


def _emitted(record: Record, made: Any, most: int) -> list[Record]:
    """Returns the records that a step has made of one."""
    if isinstance(made, Record):
        return [made]
    if isinstance(made, GeneratorType):
        emitted = []
        for one in made:
            emitted.append(one if isinstance(one, Record) else record.derive(one))
            if len(emitted) > most:
                raise Reject("too_large", f"want at most {most} records of one, have more")
        return emitted
    if isinstance(made, bool):
        raise TypeError("want None, a record or a value to go on, have a boolean; sluice.drop leaves a record out")
    return [record.derive(made)]


class _Reply:
    """An answer that is being put together."""

    def __init__(self, worker: Worker, batch: pb.Batch) -> None:
        self._worker, self._plugin = worker, worker._plugin
        self._inline = worker._own is None
        self._at, self._room = batch.grant.offset, batch.grant.length
        self._used = 0  # bytes of the grant
        self._index = 0  # of the record
        self._faults: dict[tuple[str, str, str], int] = {}
        self._clear()

    def _clear(self) -> None:
        self._reply = pb.FromWorker()
        self.verdicts = bytearray()
        self._emitted: list[int] = []
        self._same = bytearray()
        self._offsets: list[int] = []
        self._lengths: list[int] = []
        self._new: list[bytes] = []
        self._begin = self._used
        self._runs: list[int] = []
        self._rows = 0
        self._faults.clear()
        self._counts: dict[str, int] = {}

    def fits(self, outcome: Outcome) -> bool:
        """Reports whether what the record became lies in the grant. What is larger than any grant is rejected."""
        size = 0
        for e in outcome.emitted:
            if e._edited:
                size += len(e._data)
        if not size:
            return True
        if size > self._worker._capacity:
            outcome.refused = Reject("too_large", f"want at most {self._worker._capacity} bytes, have {size}")
            outcome.emitted = []
            return True
        return self._inline or self._used + size <= self._room

    def more_room(self, outcome: Outcome) -> Answers:
        """Sends what is finished and waits for the memory that a record needs."""
        message = self.message()
        message.need = sum(len(e._data) for e in outcome.emitted if e._edited)
        grant = yield message
        assert grant
        self._at, self._room, self._used, self._begin = grant.offset, grant.length, 0, 0

    def add(self, outcome: Outcome) -> None:
        """Adds the answer to the next record."""
        record, emitted = outcome.record, outcome.emitted
        if outcome.refused is None and (record._sides or len(emitted) != 1 or emitted[0]._labels is not record._given or emitted[0] is not record):
            self._check(outcome)
        refused = outcome.refused
        if refused is None or refused.keeps:
            if record._sides:
                for side in record._sides:
                    self.add_side(self._index, *side)
            if record._counts:
                self.add_counts(record)
        if refused is not None:
            self._add_fault(record, refused)
        elif not emitted:
            self._add_fault(record, Drop("nothing emitted"))
        elif len(emitted) == 1 and emitted[0] is record and not record._edited and record._labels is record._given:
            self.verdicts.append(UNCHANGED)
        else:
            self.verdicts.append(EMITTED)
            self._emitted.append(len(emitted))
            for e in emitted:
                self._add_record(e, record)
        self._index += 1

    def add_last(self, made: Record) -> None:
        """Adds a record behind the last one of the input."""
        made._edited = True
        self._add_record(made, made)

    def _check(self, outcome: Outcome) -> None:
        plugin, worker, record = self._plugin, self._worker, outcome.record
        for e in outcome.emitted:
            if e is not record and not e._edited and e._data is not record._data:
                outcome.refused = Reject("error", "want records that were derived from this one, have another's")
            if e._labels is not record._given:
                mistake = _label_mistake(plugin, e._labels or {}, record._given or {})
                if mistake:
                    outcome.refused = Reject("error", mistake)
        if record._sides:
            size = 0
            for output, row in record._sides:
                size += len(row)
                if output not in plugin.outputs:
                    declared = ", ".join(sorted(plugin.outputs)) or "it declares no output"
                    outcome.refused = Reject("error", f"want an output that it declares ({declared}), have {json.dumps(output)}")
            if size > SIDE_BYTES or len(record._sides) > worker._most_rows:
                outcome.refused = Reject("too_large", f"want at most {SIDE_BYTES} bytes of side rows of one record, have {size}")
        if outcome.refused is not None:
            outcome.emitted = []

    def _add_record(self, e: Record, record: Record) -> None:
        number = len(self._lengths)
        if e._edited:
            size = len(e._data)
            self._same.append(0)
            self._offsets.append(self._at + self._used)
            self._lengths.append(size)
            self._new.append(e._data)
            self._used += size
        else:
            self._same.append(SAME)
            self._offsets.append(0)
            self._lengths.append(0)
        if e._labels is not record._given and e._labels != record._given:
            labels = self._reply.labels.add(index=number)
            for name, value in sorted((e._labels or {}).items()):
                labels.names.append(name)
                labels.values.append(value)
        if e._origins is not None and (e is record or e._origins is not record._origins):
            self._add_origins(number, e._origins)

    def _add_origins(self, number: int, places: list[Place]) -> None:
        origins = self._reply.origins.add(index=number, more=max(len(places) - 1000, 0))
        files: dict[str, int] = {}
        for place in places[:1000]:
            origins.file.append(files.setdefault(place.file, len(files)))
            origins.lines.append(place.line)
        origins.files.extend(files)

    def _add_fault(self, record: Record, refused: Verdict) -> None:
        if isinstance(refused, Reject):
            verdict, key = REJECTED, (refused.code, refused.path, refused.message)
        else:
            verdict, key = (DROPPED if isinstance(refused, Drop) else DECLINED), ("", "", refused.message)
        self.verdicts.append(verdict)
        shown = record._shown if verdict == REJECTED else b""
        number = None if shown or not self._worker._runs else self._faults.get(key)
        if number is None:
            number = len(self._reply.faults)
            self._reply.faults.add(code=_clean(key[0]), path=_clean(key[1]), message=_clean(key[2]), record=shown)
            if not shown:
                self._faults[key] = number
        if not self._worker._runs:
            return
        if self._runs and self._runs[-2] == number:
            self._runs[-1] += 1
        else:
            self._runs += (number, 1)

    def add_side(self, index: int, output: str, row: bytes) -> None:
        """Adds a side row of a record, or one behind the last."""
        self._reply.sides.add(index=index, output=output, json=row)
        self._rows += len(row)

    def add_counts(self, record: Record) -> None:
        """Adds what a record counts."""
        for name, n in (record._counts or {}).items():
            self._counts[name] = min(self._counts.get(name, 0) + n, MOST_COUNT)

    def is_large(self) -> bool:
        """Reports whether the message should be sent before more comes into it."""
        return self._rows > _most_bytes or len(self._lengths) > self._worker._most_emitted or len(self._reply.sides) > self._worker._most_rows

    def message(self, done: bool = False) -> pb.FromWorker:
        """Returns the message so far and begins another."""
        reply = self._reply
        reply.verdicts = bytes(self.verdicts)
        reply.emitted.extend(self._emitted)
        if any(self._same):
            reply.same = bytes(self._same)
        reply.offsets.extend(self._offsets)
        reply.lengths.extend(self._lengths)
        reply.runs.extend(self._runs)
        for name, n in sorted(self._counts.items()):
            reply.counts.add(name=_clean(name), n=n)
        reply.done = done
        new = b"".join(self._new)
        if self._inline:
            reply.inline = new
            self._used = 0
        elif new:
            at = self._at + self._begin
            self._worker._own.memory[at : at + len(new)] = new  # type: ignore[union-attr]
        self._clear()
        return reply


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _seen(value: str) -> str:
    """Returns a value as a message may show it: one that is no short word may be personal."""
    return json.dumps(value) if re.fullmatch(r"[A-Za-z_-]{1,20}", value) else f"a text of {len(value)} characters"


def _label_mistake(plugin: Any, labels: dict[str, str], given: dict[str, str]) -> str:
    for name, value in labels.items():
        if given.get(name) == value:
            continue
        if name not in plugin.labels and "*" not in plugin.labels:
            declared = ", ".join(sorted(plugin.labels)) or "it declares no label"
            return f"plugin {plugin.name}: want a label that it declares ({declared}), have {json.dumps(name)}"
        values = plugin.label_values.get(name)
        if values is not None and value not in values:
            return f"plugin {plugin.name}: want a value of label {name} that it declares ({', '.join(values)}), have {_seen(value)}"
    return ""
