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
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from itertools import accumulate
from types import AsyncGeneratorType, GeneratorType
from typing import Any

from . import jsontext
from . import wire as pb
from .declare import Processor, is_code
from .record import MOST_COUNT, SIDE_BYTES, Place, Record
from .verdict import Decline, Drop, Fatal, Reject, Verdict

UNCHANGED, EMITTED, DROPPED, REJECTED, DECLINED = range(5)
SAME = 1

Answers = Generator[pb.FromWorker, "pb.Grant | None", None]

_soon = 1.0  # seconds after which what is answered is sent, so that the host sees that the step goes on
_most_bytes = 16 << 20  # of a message besides records, which the host bounds by 128 MiB; of records that travel in it as well
_most_of_one = 32 << 20  # of faults, counts and origins of one record
_most_origins = 1000  # named of one record; others are counted
_longest = 1 << 16  # characters of a message
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
        self._most_emitted = min(max(request.capacity >> 9, 1 << 17), 1 << 19)
        self._most_rows = max(request.capacity >> 11, 1 << 16)
        self._told: set[tuple[str, tuple[str, int]]] = set()
        self._notes: Any = [0]  # of one element, the number of the record from 1
        if own and own.note is not None:
            self._notes = memoryview(own.memory)[own.note : own.note + 8].cast("Q")
        self._loop = asyncio.new_event_loop() if processor.waits else None

    def close(self) -> None:
        """Closes the processor."""
        loop = self._loop
        try:
            if self._processor.close:
                closed = self._processor.close()
                if loop and asyncio.iscoroutine(closed):
                    loop.run_until_complete(closed)
        finally:
            if loop and not loop.is_closed():
                _end(loop, asyncio.all_tasks(loop))
                loop.run_until_complete(loop.shutdown_asyncgens())
                loop.close()

    def answer(self, batch: pb.Batch) -> Answers:
        """Yields the answers to a batch. Behind one that states a need it wants the grant."""
        reply = _Reply(self, batch)
        if not batch.lengths and self._plugin.ordered:
            yield from self._last(reply)
            return
        records = self._records(batch)
        lethal = {x.index: x.message for x in batch.lethal if x.step == 0 and x.nth == 0}
        outcomes = self._waiting(records, lethal) if self._loop else self._outcomes(records, lethal, reply)
        for outcome in outcomes:
            if outcome:
                if not reply.fits(outcome):
                    yield from reply.more_room(outcome)
                reply.add(outcome)
            if reply.is_large() or time.monotonic() > reply.due:
                yield reply.message()
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
            jsontext.check(state)
            value = jsontext.loads(state)
        except (ValueError, IndexError):
            raise Fatal(f"plugin {self._plugin.name}: want a state that it has saved, have {len(state)} bytes that are none") from None
        self._processor.restore(value)

    def _records(self, batch: pb.Batch) -> Iterator[Record]:
        files, labels = batch.files[:], _labels(batch)
        origins = {o.index: _places(o) for o in batch.origins}
        given: dict[str, str] | None = None
        new = Record.__new__
        for i, (data, file, line) in enumerate(zip(self._data(batch), batch.file[:], batch.lines[:])):
            record = new(Record)  # as __init__ does: a call of it takes a tenth of the time of a short record
            record._data, record._place = data, (files[file], line)
            if labels:
                given = labels.get(i)
            record._labels = record._given = given
            record._edited = record._more = False
            record._origins = record._from = record._sides = record._counts = None
            record._shown = b""
            if i in origins:
                record._come_of(origins[i])
            yield record

    def _data(self, batch: pb.Batch) -> Iterator[bytes]:
        if batch.arenas:
            arenas = {n: self._arenas[n].memory for n in set(batch.arenas)}
            for arena, offset, length in zip(batch.arenas[:], batch.offsets[:], batch.lengths[:]):
                yield arenas[arena][offset : offset + length]
            return
        inline, at = batch.inline, 0
        for length in batch.lengths[:]:
            yield inline[at : at + length]
            at += length

    def _outcomes(self, records: Iterator[Record], lethal: dict[int, str], reply: _Reply) -> Iterator[Outcome | None]:
        """Yields what becomes of records, except for those that it answers itself, since the step has set no more than their bytes: then
        it yields None when the answer should be sent."""
        process, poison, note = self._processor.process, self._poison, self._notes
        monotonic = time.monotonic
        for i, record in enumerate(records):
            note[0] = i + 1
            if i in lethal:
                yield Outcome(record, [], Reject("plugin_crash", lethal[i]))
                continue
            outcome = None
            try:
                made = process(record)
                if made is not None:
                    outcome = Outcome(record, _emitted(record, made, self._most_emitted), None)
                elif record._more or not reply.add_plain(record):
                    outcome = Outcome(record, [record], None)
            except BaseException as e:  # such as SystemExit of a library: it concerns this record
                outcome = self._refused(record, e)
            if outcome or monotonic() > reply.due:
                yield outcome
            if poison:
                record._data = b"\xff" * len(record._data)

    def _waiting(self, records: Iterator[Record], lethal: dict[int, str]) -> Iterator[Outcome]:
        """Has several records under way at once and yields what becomes of them in their order."""
        assert self._loop
        loop, process, limit = self._loop, self._processor.process, self._plugin.concurrent
        under_way: deque[tuple[Record, asyncio.Task[Outcome] | None, str]] = deque()
        each = enumerate(records)
        more, leaving = True, False

        async def run(record: Record) -> Outcome:
            try:
                made = process(record)
                if isinstance(made, AsyncGeneratorType):
                    emitted: list[Record] = []
                    async for one in made:
                        _emit(record, one, emitted, self._most_emitted)
                    return Outcome(record, emitted, None)
                made = await made
                return Outcome(record, [record] if made is None else _emitted(record, made, self._most_emitted), None)
            except BaseException as e:
                if leaving:
                    raise
                return self._refused(record, e)

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
                record, task, message = under_way.popleft()
                if task is None:
                    yield Outcome(record, [], Reject("plugin_crash", message))
                    continue
                yield loop.run_until_complete(task)
                if self._poison:
                    record._data = b"\xff" * len(record._data)
        finally:  # the batch has failed, or the host has left
            leaving = True
            _end(loop, [task for _, task, _ in under_way if task])

    def _refused(self, record: Record, e: BaseException) -> Outcome:
        if isinstance(e, Fatal):
            raise e
        if not isinstance(e, Verdict):
            self.tell(e, "of which the reject has the text")
            e = Reject("error", type(e).__name__ if self._plugin.private else described(e))
        elif isinstance(e, Reject) and not is_code(e.code):
            e = Reject("error", f"{e.message} (code {json.dumps(e.code[:80])}, which is not snake_case)", e.path, keep=e.keeps)
        elif isinstance(e, Decline) and self._plugin.takes_all:
            e = Reject("error", "want no decline from a plugin that takes all records, have one")
        return Outcome(record, [], e)

    def tell(self, e: BaseException, where: str) -> None:
        """Writes where an exception came from to the log, once for each place: without its text, which may quote a record."""
        frames = [(f.f_code.co_filename, line) for f, line in traceback.walk_tb(e.__traceback__)]
        at = (type(e).__name__, frames[-1] if frames else ("", 0))
        if at in self._told or len(self._told) >= 100:
            return
        self._told.add(at)
        found = traceback.extract_tb(e.__traceback__)
        lines = "".join(traceback.format_list([f for f in found if os.path.dirname(f.filename) != _own_folder] or found))
        whose = "whose text is left out, since the plugin is private" if self._plugin.private else where
        print(f"{at[0]}, {whose}:\n{lines}", end="", file=sys.stderr, flush=True)

    def _note(self, index: int) -> None:
        self._notes[0] = index

    def _last(self, reply: _Reply) -> Answers:
        """Answers after the last record."""
        self._note(0)
        if self._processor.flush:
            for made in _each(self._processor.flush()):
                if not made._origins:
                    raise Fatal(f"plugin {self._plugin.name}: want records of flush that say by made_of what they were made of")
                made._edited = True  # what it holds is bytes of this process, also of a record that was kept
                outcome = Outcome(made, [made], None)
                room = reply.fits(outcome)
                reply.check(outcome)
                if outcome.refused:
                    raise Fatal(f"plugin {self._plugin.name}: flush: {outcome.refused.message}")
                if not room:
                    yield from reply.more_room(outcome)
                yield from reply.add_last(made)
        if self._processor.finish:
            record = Record(b"null", Place("", 0))
            self._processor.finish(record)
            outcome = Outcome(record, [], None)
            reply.check(outcome, behind=True)
            if outcome.refused:
                raise Fatal(f"plugin {self._plugin.name}: finish: {outcome.refused.message}")
            yield from reply.add_rows(record)
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
    emitted: list[Record] = []
    if isinstance(made, GeneratorType):
        for one in made:
            _emit(record, one, emitted, most)
        return emitted
    if isinstance(made, bool):
        raise TypeError("want None, a record or a value to go on, have a boolean; sluice.drop leaves a record out")
    if isinstance(made, (list, tuple)) and any(isinstance(one, Record) for one in made):
        raise TypeError("want several records by yield, have a list of them; a list of values is one record")
    if made is record:
        return [record]
    _emit(record, made, emitted, most)
    return emitted


def _emit(record: Record, one: Any, emitted: list[Record], most: int) -> None:
    """Adds a record as it is now: the step may edit it further and emit it again."""
    if not isinstance(one, Record):
        one = record.derive(one)
    elif one is record or one._edited:
        one = one._copy()
    else:
        raise TypeError("want this record or one that was derived from it, have a record that was kept")
    if len(emitted) >= most:
        raise Reject("too_large", f"want at most {most} records of one, have more")
    emitted.append(one)


def described(e: BaseException) -> str:
    """Returns the type and the text of an exception."""
    try:
        return f"{type(e).__name__}: {e}"
    except Exception:  # of its __str__
        return type(e).__name__


def _end(loop: asyncio.AbstractEventLoop, tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancels tasks and waits for what they do then, not for one that does not want to end."""
    left = [task for task in tasks if not task.done()]
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.wait(left, timeout=_soon))


class _Reply:
    """An answer that is being put together."""

    def __init__(self, worker: Worker, batch: pb.Batch) -> None:
        self._worker, self._plugin = worker, worker._plugin
        self._inline = worker._own is None
        self._at, self._room = batch.grant.offset, batch.grant.length
        self._used = 0  # bytes of the grant
        self._index = 0  # of the record
        self._behind = not batch.lengths  # what comes behind the last record
        self._faults: dict[tuple[str, str, str], int] = {}
        self._clear()

    def _clear(self) -> None:
        self._reply = pb.FromWorker()
        self.verdicts = bytearray()
        self._plain = 0  # records at the end that go on with other bytes and nothing else, which the fields below leave out
        self._emitted: list[int] = []
        self._same = bytearray()
        self._new: list[bytes] = []  # of each emitted record, nothing where it is the same
        self._begin = self._used
        self._runs: list[int] = []
        self._besides = 0  # bytes besides those of records
        self._faults.clear()
        self._counts: dict[str, int] = {}
        self.due = time.monotonic() + _soon

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

    def add_plain(self, record: Record) -> bool:
        """Adds the answer to a record that goes on with what it came with, and perhaps other bytes. It reports whether these have room."""
        if not record._edited:
            self._add_plains()
            self.verdicts.append(UNCHANGED)
            self._index += 1
            return True
        data = record._data
        size = len(data)
        if self._used + size > self._room and not self._inline or size > self._worker._capacity or not size:
            return False
        self._plain += 1
        self._new.append(data)
        self._used += size
        if self._inline and self._used > _most_bytes or len(self._new) > self._worker._most_emitted:
            self.due = 0
        return True

    def _add_plains(self) -> None:
        n = self._plain
        if n:
            self.verdicts += bytes((EMITTED,)) * n
            self._emitted += [1] * n
            self._same += bytes(n)
            self._index += n
            self._plain = 0

    def more_room(self, outcome: Outcome) -> Answers:
        """Sends what is finished and waits for the memory that a record needs."""
        message = self.message()
        message.need = sum(len(e._data) for e in outcome.emitted if e._edited)
        grant = yield message
        assert grant
        self._at, self._room, self._used, self._begin = grant.offset, grant.length, 0, 0

    def add(self, outcome: Outcome) -> None:
        """Adds the answer to the next record."""
        self._add_plains()
        record = outcome.record
        plain = len(outcome.emitted) == 1 and outcome.emitted[0] is record and record._labels is record._given and record._origins is record._from
        if (outcome.refused is None or outcome.refused.keeps) and (record._sides or record._counts or outcome.refused is None and not plain):
            self.check(outcome)
        emitted, refused = outcome.emitted, outcome.refused
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
        elif len(emitted) == 1 and emitted[0] is record and not record._edited and record._labels is record._given and record._origins is record._from:
            self.verdicts.append(UNCHANGED)
        else:
            self.verdicts.append(EMITTED)
            self._emitted.append(len(emitted))
            for e in emitted:
                self._add_record(e, record)
        self._index += 1

    def add_last(self, made: Record) -> Answers:
        """Adds a record behind the last one of the input, with its rows and counts."""
        given, made._given = made._given, None  # no input has given it labels
        self._add_record(made, made)
        made._given = given
        yield from self.add_rows(made)
        if self.is_large():
            yield self.message()

    def add_rows(self, record: Record) -> Answers:
        """Adds rows and counts that belong to no record."""
        for side in record._sides or ():
            self.add_side(0, *side)
            if self.is_large():
                yield self.message()
        self.add_counts(record)

    def check(self, outcome: Outcome, behind: bool = False) -> None:
        """Rejects a record whose step has not declared what it sets and writes, or that becomes more than the host takes. Rows behind
        the last record may be any number."""
        mistake = self._mistake(outcome, behind)
        if mistake:
            outcome.refused, outcome.emitted = mistake, []

    def _mistake(self, outcome: Outcome, behind: bool) -> Reject | None:
        plugin, record = self._plugin, outcome.record
        besides = 0
        for e in outcome.emitted:
            if e._labels is not record._given:
                mistake = _label_mistake(self._worker._processor, e._labels or {}, record._given or {})
                if mistake:
                    return Reject("error", mistake)
            if e._origins is not record._from:
                besides += 16 * min(len(e._origins or ()), _most_origins)
        size = 0
        for output, row in record._sides or ():
            size += len(row)
            if output not in plugin.outputs:
                declared = ", ".join(sorted(plugin.outputs)) or "it declares no output"
                return Reject("error", f"plugin {plugin.name}: want an output that it declares ({declared}), have {json.dumps(output)}")
        if size > SIDE_BYTES and not behind:
            return Reject("too_large", f"want at most {SIDE_BYTES} bytes of side rows of one record, have {size}")
        if not behind and record._sides and len(record._sides) > self._worker._most_rows:
            return Reject("too_large", f"want at most {self._worker._most_rows} side rows of one record, have {len(record._sides)}")
        for name in record._counts or ():
            besides += len(name) + 16
            code = name[5:].partition(".")[0]
            if name.startswith("warn.") and (not code or plugin.codes and code not in plugin.codes):
                return Reject("error", f"plugin {plugin.name}: want a warning with a code that the plugin declares, have {json.dumps(code)}")
        if besides > _most_of_one:
            return Reject("too_large", f"want at most {_most_of_one} bytes of counts and origins of one record, have {besides}")
        return None

    def _add_record(self, e: Record, record: Record) -> None:
        number = len(self._new)
        if e._edited:
            self._same.append(0)
            self._new.append(e._data)
            self._used += len(e._data)
        else:
            self._same.append(SAME)
            self._new.append(b"")
        if e._labels is not record._given and e._labels != record._given:
            labels = self._reply.labels.add(index=number)
            for name, value in sorted((e._labels or {}).items()):
                labels.names.append(_clean(name))
                labels.values.append(_clean(value))
                self._besides += len(name) + len(value) + 8
        if e._origins is not None and (e._origins is not record._from or self._behind):
            self._add_origins(number, e._origins)

    def _add_origins(self, number: int, places: list[Place]) -> None:
        origins = self._reply.origins.add(index=number, more=max(len(places) - _most_origins, 0))
        files: dict[str, int] = {}
        for place in places[:_most_origins]:
            origins.file.append(files.setdefault(_clean(place.file), len(files)))
            origins.lines.append(place.line)
        origins.files.extend(files)
        self._besides += 16 * len(origins.lines) + sum(map(len, files))

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
            code, path, message = (_clean(_short(text)) for text in key)
            self._reply.faults.add(code=code, path=path, message=message, record=shown)
            self._besides += len(code) + len(path) + len(message) + len(shown)
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
        self._besides += len(row) + 16

    def add_counts(self, record: Record) -> None:
        """Adds what a record counts."""
        for name, n in (record._counts or {}).items():
            if name not in self._counts:
                self._besides += len(name) + 16
            self._counts[name] = min(self._counts.get(name, 0) + n, MOST_COUNT)

    def is_large(self) -> bool:
        """Reports whether the message should be sent before more comes into it."""
        return (
            self._besides > _most_bytes
            or self._inline and self._used > _most_bytes
            or len(self._new) > self._worker._most_emitted
            or len(self._reply.sides) > self._worker._most_rows
        )

    def message(self, done: bool = False) -> pb.FromWorker:
        """Returns the message so far and begins another."""
        self._add_plains()
        reply = self._reply
        reply.verdicts = bytes(self.verdicts)
        reply.emitted.extend(self._emitted)
        lengths = [*map(len, self._new)]
        offsets = [*accumulate(lengths[:-1], initial=self._at + self._begin)] if lengths else []
        if any(self._same):
            reply.same = bytes(self._same)
            offsets = [0 if same else offset for same, offset in zip(self._same, offsets)]
        reply.offsets.extend(offsets)
        reply.lengths.extend(lengths)
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


def _short(text: str) -> str:
    """Returns a text of a fault: an exception may quote a whole record."""
    return text if len(text) <= _longest else text[:_longest] + "…"


def _seen(value: str) -> str:
    """Returns a value as a message may show it: one that is no short word may be personal."""
    return json.dumps(value) if re.fullmatch(r"[A-Za-z_-]{1,20}", value) else f"a text of {len(value)} characters"


def _label_mistake(processor: Processor, labels: dict[str, str], given: dict[str, str]) -> str:
    plugin = processor.plugin
    for name in {**given, **labels}:
        value = labels.get(name)
        if given.get(name) == value:
            continue
        if name not in plugin.labels and "*" not in plugin.labels:
            declared = ", ".join(sorted(plugin.labels)) or "it declares no label"
            return f"plugin {plugin.name}: want a label that it declares ({declared}), have {json.dumps(name)}"
        values = processor.label_values.get(name)
        if values is not None and value is not None and value not in values:
            return f"plugin {plugin.name}: want a value of label {name} that it declares ({', '.join(values)}), have {_seen(value)}"
    return ""
