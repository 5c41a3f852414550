"""A worker of a step: batches in, answers out. It knows the messages of the protocol, not how they travel."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
import traceback
from collections import deque
from collections.abc import Iterable, Iterator
from types import AsyncGeneratorType, GeneratorType
from typing import Any

from . import jsontext
from . import wire as pb
from .declare import Processor, is_code
from .record import Place, Record
from .reply import SOON, Answers, Outcome, Reply
from .verdict import Decline, Fatal, Reject, Verdict

_piece = 1 << 20  # of a state


class Arena:
    """A memory that records lie in, as a mapping of the whole."""

    __slots__ = ("memory", "note")

    def __init__(self, memory: Any, note: int | None) -> None:
        self.memory, self.note = memory, note


class Worker:
    """Runs one processor on the batches of one stream."""

    def __init__(self, processor: Processor, request: pb.OpenRequest, arenas: dict[int, Arena], own: Arena | None, runs: bool) -> None:
        self.processor, self.plugin = processor, processor.plugin
        self._arenas, self.own, self.runs = arenas, own, runs
        self.capacity = request.capacity or 1 << 62
        self._poison = request.poison
        self.most_emitted = min(max(request.capacity >> 9, 1 << 17), 1 << 19)
        self.most_rows = max(request.capacity >> 11, 1 << 16)
        self._told: set[tuple[str, tuple[str, int]]] = set()
        self._notes: Any = [0]  # of one element, the number of the record from 1
        if own and own.note is not None:
            self._notes = memoryview(own.memory)[own.note : own.note + 8].cast("Q")
        self._loop = asyncio.new_event_loop() if processor.waits else None

    def close(self) -> None:
        """Closes the processor."""
        loop = self._loop
        try:
            if self.processor.close:
                closed = self.processor.close()
                if loop and asyncio.iscoroutine(closed):
                    loop.run_until_complete(closed)
        finally:
            if loop and not loop.is_closed():
                _end(loop, asyncio.all_tasks(loop))
                loop.run_until_complete(loop.shutdown_asyncgens())
                loop.close()

    def answer(self, batch: pb.Batch) -> Answers:
        """Yields the answers to a batch. Behind one that states a need it wants the grant."""
        reply = Reply(self, batch)
        if not batch.lengths and self.plugin.ordered:
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
        assert self.processor.save
        state = jsontext.dumps(self.processor.save())
        for at in range(0, len(state), _piece):
            yield pb.FromWorker(state=state[at : at + _piece])
        yield pb.FromWorker(done=True)

    def restore(self, state: bytes) -> None:
        """Goes on from a state."""
        assert self.processor.restore
        try:
            jsontext.check(state)
            value = jsontext.loads(state)
        except (ValueError, IndexError):
            raise Fatal(f"plugin {self.plugin.name}: want a state that it has saved, have {len(state)} bytes that are not") from None
        self.processor.restore(value)

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

    def _outcomes(self, records: Iterator[Record], lethal: dict[int, str], reply: Reply) -> Iterator[Outcome | None]:
        """Yields what becomes of records, except for those that it answers itself, since the step has set no more than their bytes: then
        it yields None when the answer should be sent."""
        process, poison, note = self.processor.process, self._poison, self._notes
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
                    outcome = Outcome(record, _emitted(record, made, self.most_emitted), None)
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
        loop, process, limit = self._loop, self.processor.process, self.plugin.concurrent
        under_way: deque[tuple[int, Record, asyncio.Task[Outcome] | None, str]] = deque()
        each = enumerate(records)
        more, leaving = True, False

        async def run(record: Record) -> Outcome:
            try:
                made = process(record)
                if isinstance(made, AsyncGeneratorType):
                    emitted: list[Record] = []
                    async for one in made:
                        _emit(record, one, emitted, self.most_emitted)
                    return Outcome(record, emitted, None)
                made = await made
                return Outcome(record, [record] if made is None else _emitted(record, made, self.most_emitted), None)
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
                        under_way.append((i, record, None, lethal[i]))
                    else:
                        under_way.append((i, record, loop.create_task(run(record)), ""))
                if not under_way:
                    return
                i, record, task, message = under_way.popleft()
                if task is None:
                    yield Outcome(record, [], Reject("plugin_crash", message))
                    continue
                try:
                    outcome = loop.run_until_complete(task)
                except Fatal:
                    self._note(i + 1)
                    raise
                yield outcome
                if self._poison:
                    record._data = b"\xff" * len(record._data)
        finally:  # the batch has failed, or the host has left
            leaving = True
            _end(loop, [task for _, _, task, _ in under_way if task])

    def _refused(self, record: Record, e: BaseException) -> Outcome:
        if isinstance(e, Fatal):
            raise e
        if not isinstance(e, Verdict):
            self.tell(e, "of which the reject has the text")
            e = Reject("error", type(e).__name__ if self.plugin.private else described(e))
        elif isinstance(e, Reject) and not is_code(e.code):
            e = Reject("error", f"{e.message} (code {json.dumps(e.code)}, which is not snake_case)", e.path, keep=e.keeps)
        elif isinstance(e, Decline) and self.plugin.takes_all:
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
        whose = "whose text is left out, since the plugin is private" if self.plugin.private else where
        print(f"{at[0]}, {whose}:\n{lines}", end="", file=sys.stderr, flush=True)

    def _note(self, index: int) -> None:
        self._notes[0] = index

    def _last(self, reply: Reply) -> Answers:
        """Answers after the last record."""
        self._note(0)
        if self.processor.flush:
            for made in _each(self.processor.flush()):
                if not made._origins:
                    raise Fatal(f"plugin {self.plugin.name}: want records of flush that say by made_of what they were made of")
                made._edited = True  # what it holds is bytes of this process, also of a record that was kept
                outcome = Outcome(made, [made], None)
                room = reply.fits(outcome)
                reply.check(outcome)
                if outcome.refused:
                    raise Fatal(f"plugin {self.plugin.name}: flush: {outcome.refused.message}")
                if not room:
                    yield from reply.more_room(outcome)
                yield from reply.add_last(made)
        if self.processor.finish:
            record = Record(b"null", Place("", 0))
            self.processor.finish(record)
            outcome = Outcome(record, [], None)
            reply.check(outcome, behind=True)
            if outcome.refused:
                raise Fatal(f"plugin {self.plugin.name}: finish: {outcome.refused.message}")
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
        loop.run_until_complete(asyncio.wait(left, timeout=SOON))
