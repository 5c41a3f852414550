"""The answer to a batch as it is put together, and what the host would refuse in it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Generator
from itertools import accumulate
from typing import TYPE_CHECKING

from . import wire as pb
from .declare import Processor
from .record import MOST_COUNT, SIDE_BYTES, Place, Record
from .verdict import Drop, Reject, Verdict

if TYPE_CHECKING:
    from .worker import Worker

UNCHANGED, EMITTED, DROPPED, REJECTED, DECLINED = range(5)
SAME = 1

Answers = Generator[pb.FromWorker, "pb.Grant | None", None]

SOON = 1.0  # seconds after which what is answered is sent, so that the host sees that the step goes on
_most_bytes = 16 << 20  # of a message besides records, which the host bounds by 128 MiB; of records that travel in it as well
_most_of_one = 32 << 20  # of faults, counts and origins of one record
_most_origins = 1000  # named of one record; others are counted
_longest = 1 << 16  # characters of a message


class Outcome:
    """What became of one record."""

    __slots__ = ("verdict", "emitted", "refused", "record")

    def __init__(self, record: Record, emitted: list[Record], refused: Verdict | None) -> None:
        self.record, self.emitted, self.refused = record, emitted, refused


class Reply:
    """An answer that is being put together."""

    def __init__(self, worker: Worker, batch: pb.Batch) -> None:
        self._worker, self._plugin = worker, worker.plugin
        self._inline = worker.own is None
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
        self.due = time.monotonic() + SOON

    def fits(self, outcome: Outcome) -> bool:
        """Reports whether what the record became lies in the grant. What is larger than any grant is rejected."""
        size = 0
        for e in outcome.emitted:
            if e._edited:
                size += len(e._data)
        if not size:
            return True
        if size > self._worker.capacity:
            outcome.refused = Reject("too_large", f"want at most {self._worker.capacity} bytes, have {size}")
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
        if self._used + size > self._room and not self._inline or size > self._worker.capacity or not size:
            return False
        self._plain += 1
        self._new.append(data)
        self._used += size
        if self._inline and self._used > _most_bytes or len(self._new) > self._worker.most_emitted:
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
                mistake = _label_mistake(self._worker.processor, e._labels or {}, record._given or {})
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
        if not behind and record._sides and len(record._sides) > self._worker.most_rows:
            return Reject("too_large", f"want at most {self._worker.most_rows} side rows of one record, have {len(record._sides)}")
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
        number = None if shown or not self._worker.runs else self._faults.get(key)
        if number is None:
            number = len(self._reply.faults)
            code, path, message = (_clean(_short(text)) for text in key)
            self._reply.faults.add(code=code, path=path, message=message, record=shown)
            self._besides += len(code) + len(path) + len(message) + len(shown)
            if not shown:
                self._faults[key] = number
        if not self._worker.runs:
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
            or len(self._new) > self._worker.most_emitted
            or len(self._reply.sides) > self._worker.most_rows
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
            self._worker.own.memory[at : at + len(new)] = new  # type: ignore[union-attr]
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
