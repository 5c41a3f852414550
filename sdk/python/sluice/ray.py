"""Pipelines on a Ray cluster: ``python -m sluice.ray run p.hcl --parts 64``, and a step of Ray Data."""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

try:
    import ray
except ImportError as e:
    raise ImportError('want Ray: pip install "sluice[ray]"') from e
from ray import cloudpickle, exceptions
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from . import node, program, running
from .pack import packed

cloudpickle.register_pickle_by_value(node)  # type: ignore[no-untyped-call]  # so that nodes need no package sluice

LOSSES = 20
"""How often a part starts again because its node or its worker went away, which says nothing about the part."""


def run(
    pipeline: str | os.PathLike[str],
    parts: int,
    *,
    vars: Mapping[str, Any] | None = None,
    address: str | None = None,
    cpus: int = 1,
    memory: int = 512 << 20,
    retries: int = 3,
    fresh: bool = False,
    store: str | os.PathLike[str] | None = None,
    join: bool = False,
    strict: bool = False,
    env: Sequence[str] = (),
    files: Sequence[str] | None = None,
    say: Callable[[str], None] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> running.Receipt:
    """Runs a pipeline as parts, each a task of a Ray cluster, merges their accounts and returns the receipt of the whole.

    vars are as in sluice.run. address is that of the cluster; without it, that of RAY_ADDRESS or a cluster on this machine. cpus and memory, in bytes,
    are what each part is scheduled with; the program uses as many cores, and is not held to the memory. A part that fails is tried again,
    retries times, and goes on from its last checkpoint where the folder of its outputs is shared; one that fails for mistakes in the
    pipeline ends the run. fresh does not go on with what an earlier run has left. store is a folder that all nodes share, or s3://bucket/prefix:
    what parts make of each file is kept there and not made again, by this run or a later one; with fresh it is replaced. Parts make no
    checkpoints then. join also writes the files of the parts as one. env
    names variables of the environment that the nodes get. files are patterns of what beside the pipeline goes to the nodes; without
    it, all does but hidden files and the outputs of runs. say is called with each line for people, such as why a part starts again,
    and progress about every second.

    Raises running.Failed. KeyboardInterrupt interrupts the parts and waits for their checkpoints, from which the same call goes on.
    """
    if parts < 1:
        raise ValueError(f"want 1 part or more, have {parts}")
    with _connected(address):
        pack = packed(pipeline, files)
        flags = [f for n, v in (vars or {}).items() for f in ("--var", f"{n}={running.text(v)}")]
        kept = ["--store", os.fspath(store)] if store is not None else []
        driver = _Driver(
            pack, parts, flags + ["--strict"] * strict, kept, _handed(env), cpus, memory, retries, say or _ignore, progress or _ignore,
        )
        return driver.merge(driver.run(fresh), join)


def transform(
    dataset: ray.data.Dataset,
    pipeline: str | os.PathLike[str],
    *,
    source: str | None = None,
    vars: Mapping[str, Any] | None = None,
    column: str | None = None,
    batch_size: int = 4096,
    cpus: int = 1,
    memory: int = 512 << 20,
    actors: int | tuple[int, int] = (1, 64),
    env: Sequence[str] = (),
    files: Sequence[str] | None = None,
) -> ray.data.Dataset:
    """Sends the rows of a dataset through a pipeline. Returns a dataset with a row for each that a sink or the dead letter gets, in order: its sink,
    and row, the JSON text. rows picks those of one sink.

    With column, that column holds the records as JSON text, as read_text makes them, and their bytes stay as they are; otherwise a record
    has all columns, as the program reads them from Parquet, and a key that a row lacks is null in it, since Arrow knows no difference. Each batch
    is a run of its own, by one of so many actors, or of the least and the most. The lines in rejects count from the start of a batch.
    Raises running.Failed for a pipeline with mistakes, and for one with a step that keeps state from record to record. A batch that fails
    later, for which Ray raises a RayTaskError where the rows are asked for, is not tried again.
    """
    from . import batches

    pack = packed(pipeline, files)
    return batches.transform(
        dataset, pack, source=source, vars=vars, column=column, batch_size=batch_size, cpus=cpus, memory=memory, actors=actors, env=_handed(env),
    )


def rows(dataset: ray.data.Dataset, sink: str) -> ray.data.Dataset:
    """Returns the rows of one sink of what transform returned, or of the dead letter, which is ``rejects`` where the pipeline names none."""
    from . import batches

    return batches.parsed(dataset, sink)


def _handed(names: Sequence[str]) -> dict[str, str]:
    """Returns the variables of the environment that the nodes get."""
    return {n: v for n, v in os.environ.items() if n.startswith("SLUICE_VAR_") or n in names}


def _ignore(_: Any) -> None:
    pass


@contextlib.contextmanager
def _connected(address: str | None) -> Iterator[None]:
    """Connects to a cluster, unless this process is connected to one."""
    if ray.is_initialized():
        yield
        return
    elsewhere = bool(address or os.environ.get("RAY_ADDRESS"))
    ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, include_dashboard=None if elsewhere else False)
    try:
        yield
    finally:
        ray.shutdown()


@dataclass
class Progress:
    """How far a run is."""

    done: int
    """how many parts are done"""
    parts: int
    seconds: float
    read: int = 0
    """records"""
    bytes: int = 0

    def __str__(self) -> str:
        speed = self.bytes / max(self.seconds, 1e-9) / 1e6
        return f"{self.done} of {self.parts} parts, {self.read:,} rows, {speed:.1f} MB/s"


@dataclass
class _Part:
    """A part, or the merge behind the last one, and its tries."""

    number: int
    failures: int = 0
    losses: int = 0
    after: float = 0
    """when it may start again"""


@dataclass
class _Driver:
    """Sees that all parts run."""

    pack: node.Pack
    n: int
    flags: list[str]
    store: list[str]
    """the flags that name it, none without one"""
    env: dict[str, str]
    cpus: int
    memory: int
    retries: int
    say: Callable[[str], None]
    progress: Callable[[Progress], None]
    board: Any = None
    done: dict[int, node.Outcome] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    """why parts are given up"""
    began: float = field(default_factory=time.monotonic)

    def run(self, fresh: bool) -> str:
        """Runs the parts and returns the folder of their receipts."""
        self._warn()
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
        self.board = ray.remote(node.Board).options(num_cpus=0, max_restarts=-1, scheduling_strategy=here).remote()
        waiting, running_ = [_Part(i) for i in range(self.n)], dict[Any, _Part]()
        try:
            while waiting or running_:
                now = time.monotonic()
                for p in [p for p in waiting if p.after <= now]:
                    waiting.remove(p)
                    running_[self._start(p, fresh)] = p
                if not running_:
                    time.sleep(0.1)
                    continue
                ready, _ = ray.wait(list(running_), timeout=1)
                for task in ready:
                    p = running_.pop(task)
                    if self._end(p, task):
                        waiting.append(p)
                self._show()
        except BaseException:
            self._cancel(list(running_))
            raise
        if self.failed:
            raise running.Failed("\n".join(self.failed[i] for i in sorted(self.failed)), 1, [])
        return os.path.dirname(next(o.done["receipt"] for o in self.done.values() if o.done)) or "."

    def merge(self, folder: str, join: bool) -> running.Receipt:
        """Merges the accounts of the parts, on a node."""
        self.say(f"{Progress(len(self.done), self.n, time.monotonic() - self.began, *self._sums())}; merging")
        task = ray.remote(node.merge).options(num_cpus=self.cpus, memory=self.memory, max_retries=0, name="sluice merge")
        tries = _Part(self.n)
        while True:
            outcome, again = self._outcome(task.remote(self.pack, folder, join, self.env, self.cpus), tries, "merge")
            if outcome.exit == 0:
                return running.Receipt(json.loads(outcome.written))
            message = f"merge on {outcome.node}: {outcome.message}"
            if not again or self._given_up(tries):
                raise running.Failed(message, outcome.exit, [])
            self.say(message + "; it starts again")
            time.sleep(max(0, tries.after - time.monotonic()))

    def _start(self, p: _Part, fresh: bool) -> Any:
        again = not fresh or p.failures or p.losses
        if self.store:  # a later try has what the first has stored
            how = self.store + ["--fresh"] * (not again)
        else:
            how = ["--resume"] * bool(again)
        arguments = ["run", "", *self.flags, "--part", f"{p.number}/{self.n}", "--progress", "plain", *how]
        task = ray.remote(node.part).options(
            num_cpus=self.cpus, memory=self.memory, max_retries=0, scheduling_strategy="SPREAD", name=f"sluice part {p.number}/{self.n}",
        )
        return task.remote(self.pack, arguments, self.env, self.cpus, p.number, self.board)

    def _end(self, p: _Part, task: Any) -> bool:
        """Takes the result of a try, and reports whether there is to be another. Raises Failed where all parts would fail alike."""
        outcome, _ = self._outcome(task, p, f"part {p.number}")
        if outcome.exit == 0:
            self.done[p.number] = outcome
            return False
        message = f"part {p.number} on {outcome.node}: {outcome.message or f'exit code {outcome.exit}'}"
        if outcome.exit == 2:
            raise running.Failed(message, 2, [])
        if self._given_up(p):
            self.failed[p.number] = message
            self.say(message + "; given up")
            return False
        self.say(message + "; it starts again")
        return True

    def _outcome(self, task: Any, p: _Part, what: str) -> tuple[node.Outcome, bool]:
        """Returns the result of a try, which it counts, and whether it says nothing about what was tried. Raises Failed where every try would
        fail alike."""
        lost = False
        try:
            outcome: node.Outcome = ray.get(task)
            ended = True
        except exceptions.RayTaskError as e:
            if isinstance(e.cause, ValueError):  # such as a file of the pack that has changed on the node
                raise running.Failed(f"{what} on {self._where(p)}: {e.cause}", 1, []) from e
            outcome, ended = node.Outcome(self._where(p), 1, f"{type(e.cause).__name__}: {e.cause}"), False
        except exceptions.OutOfMemoryError:
            outcome = node.Outcome(self._where(p), 1, "Ray ended it to save memory of the node; --memory-per-part keeps more for each")
            ended = False
        except exceptions.RayError:
            lost, ended = True, False
            outcome = node.Outcome(self._where(p), 1, "the node or its worker went away")
        if outcome.exit:
            p.losses, p.failures = p.losses + lost, p.failures + (not lost)
            p.after = time.monotonic() + min(30, 2.0 ** (p.failures + p.losses - 1) - 1)
        return outcome, not ended

    def _given_up(self, p: _Part) -> bool:
        return p.failures > self.retries or p.losses > LOSSES

    def _where(self, p: _Part) -> str:
        with contextlib.suppress(exceptions.RayError):
            return str(ray.get(self.board.read.remote(), timeout=10).get(p.number, {}).get("node", "a node"))
        return "a node"

    def _cancel(self, tasks: list[Any]) -> None:
        """Interrupts parts and waits for their checkpoints. Those that have not started have nothing to wait for."""
        for task in tasks:
            ray.cancel(task)
        if tasks:
            ray.wait(tasks, num_returns=len(tasks), timeout=node.PATIENCE + 10)

    def _show(self) -> None:
        """Tells how far the run is."""
        with contextlib.suppress(exceptions.RayError):
            read, size = self._sums()
            for i, state in ray.get(self.board.read.remote(), timeout=10).items():
                if i not in self.done:
                    read, size = read + state["read"], size + state["bytes"]
            self.progress(Progress(len(self.done), self.n, time.monotonic() - self.began, read, size))

    def _sums(self) -> tuple[int, int]:
        """Returns how many records and bytes the parts that are done have read."""
        done = [o.done for o in self.done.values() if o.done]
        return sum(d["records_read"] for d in done), sum(d["bytes_read"] for d in done)

    def _warn(self) -> None:
        """Says when no node has what a part needs: Ray waits for one then, since a cluster may grow."""
        alive = [n["Resources"] for n in ray.nodes() if n["Alive"]]  # type: ignore[no-untyped-call]
        if not any(n.get("CPU", 0) >= self.cpus and n.get("memory", 0) >= self.memory for n in alive):
            most: dict[str, float] = max(alive, key=lambda n: (n.get("CPU", 0), n.get("memory", 0)), default={})
            self.say(
                f"want a node with {self.cpus} cores and {self.memory >> 20} MiB for each part, "
                f"have one with {most.get('CPU', 0):g} and {int(most.get('memory', 0)) >> 20} at most; waiting")


class _Terminal:
    """Writes to stderr: progress as one line that is drawn anew in a terminal, and as a line every ten seconds elsewhere."""

    def __init__(self) -> None:
        self._live, self._next, self._drawn = sys.stderr.isatty(), 0.0, False

    def say(self, line: str) -> None:
        """Writes a line."""
        if self._drawn:
            print("\r\033[K", end="", file=sys.stderr)
            self._drawn = False
        print(line, file=sys.stderr, flush=True)

    def progress(self, now: Progress) -> None:
        """Shows how far the run is."""
        if self._live:
            print(f"\r\033[K{now}", end="", file=sys.stderr, flush=True)
            self._drawn = True
        elif now.seconds >= self._next:
            self._next = now.seconds + 10
            self.say(str(now))


def main(args: Sequence[str] | None = None) -> int:
    """Is the command ``python -m sluice.ray``. Returns the exit code, as that of sluice."""
    parser = argparse.ArgumentParser(prog="python -m sluice.ray", description="Runs pipelines on a Ray cluster.")
    command = parser.add_subparsers(required=True, metavar="run").add_parser(
        "run", help="run a pipeline as parts, each a task, and merge their receipts",
        description="Runs a pipeline as parts, each a task of the cluster, and merges their receipts. Sources and sinks are in folders that all "
        "nodes share, or in object storage. After Ctrl-C the same command goes on from the checkpoints of the parts.",
    )
    for name, options in {
        "pipeline": {"metavar": "FILE"},
        "--parts": {"type": int, "required": True, "metavar": "N", "help": "how many parts to cut the input into"},
        "--var": {"action": "append", "default": [], "metavar": "NAME=VALUE", "help": "set a variable of the pipeline; may be repeated"},
        "--address": {"help": "of the cluster; without it RAY_ADDRESS, or a cluster on this machine"},
        "--cpus-per-part": {"type": int, "default": 1, "metavar": "N", "help": "how many cores a part uses (default 1)"},
        "--memory-per-part": {"type": _size, "default": 512 << 20, "metavar": "SIZE", "help": "what Ray keeps for a part, such as 2G (default 512M)"},
        "--retries": {"type": int, "default": 3, "metavar": "N", "help": "how often a part that fails is tried again (default 3)"},
        "--fresh": {"action": "store_true", "help": "begin anew where an earlier run was interrupted, and replace what the store has"},
        "--store": {"metavar": "DIR", "help": "keep what parts make of each file in a folder that all nodes share, or s3://bucket/prefix, and make "
                    "nothing again that lies there"},
        "--join": {"action": "store_true", "help": "also write the files of the parts as one"},
        "--strict": {"action": "store_true", "help": "treat warnings as errors"},
        "--env": {"action": "append", "default": [], "metavar": "NAME", "help": "hand a variable of the environment to the nodes; may be repeated"},
        "--files": {"action": "append", "metavar": "PATTERN", "help": "which files beside the pipeline go to the nodes (default: all but hidden "
                    "files and outputs of runs); may be repeated"},
        "--json": {"action": "store_true", "help": "write the receipt to stdout"},
    }.items():
        command.add_argument(name, **options)  # type: ignore[arg-type]
    given = parser.parse_args(args)
    shown = _Terminal()
    vars = dict(v.partition("=")[::2] for v in given.var)
    try:
        receipt = run(
            given.pipeline, given.parts, vars=vars, address=given.address, cpus=given.cpus_per_part, memory=given.memory_per_part,
            retries=given.retries, fresh=given.fresh, store=given.store, join=given.join, strict=given.strict, env=given.env, files=given.files,
            say=shown.say, progress=shown.progress,
        )
    except running.Failed as e:
        shown.say(f"sluice: {e}")
        return e.exit_code
    except (ValueError, program.Missing, ConnectionError) as e:
        shown.say(f"sluice: {e}")
        return 2
    except KeyboardInterrupt:
        shown.say("interrupted; the same command goes on")
        return 130
    totals = receipt.totals
    shown.say(
        f"done: {given.parts} parts, read {totals['read']:,} records, wrote {totals['written']:,}, dropped {totals['dropped']['total']:,}, "
        f"rejected {totals['rejected']['total']:,}"
    )
    if given.json:
        print(json.dumps(dict(receipt)))
    return 0


def _size(text: str) -> int:
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    try:
        return int(float(text[:-1]) * units[text[-1]]) if text[-1:] in units else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"want a size such as 512M or 2G, have {text!r}") from None


if __name__ == "__main__":
    sys.exit(main())
