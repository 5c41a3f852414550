"""Pipelines as a step of Ray Data. Workers get the package with the step, so that they need not have it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import ray.data
from ray import cloudpickle

from . import program, running
from .node import Pack, environment, name, settle, unpack
from .streaming import stream

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]


def transform(
    dataset: ray.data.Dataset, pack: Pack, *, source: str | None, vars: Mapping[str, Any] | None, column: str | None, batch_size: int, cpus: int,
    memory: int, actors: int | tuple[int, int], env: Mapping[str, str],
) -> ray.data.Dataset:
    """Does what sluice.ray.transform says, with a pack that is made."""
    _refuse_state(pack.pipeline, source, vars)
    least, most = (actors, actors) if isinstance(actors, int) else actors
    made = dataset.map_batches(
        Step, fn_constructor_args=(pack, source, vars, column, env, cpus), batch_size=batch_size, batch_format="pyarrow", num_cpus=cpus, memory=memory,
        compute=ray.data.ActorPoolStrategy(min_size=least, max_size=most),
    )
    made.context.execution_options.preserve_order = True
    return made


def _refuse_state(pipeline: str, source: str | None, vars: Mapping[str, Any] | None) -> None:
    """Raises Failed for a pipeline with mistakes, or with a step that has to see all records: each batch is a run of its own."""
    empty = stream(pipeline, [], source=source, vars=vars, env={**os.environ, "GOMAXPROCS": "2"})
    for _ in empty:
        pass
    for step in (empty.receipt["steps"] or ()) if empty.receipt else ():
        if step.get("workers") != 1:
            continue
        plugin = step["plugin"]
        said = subprocess.run([program.path(), "docs", plugin, "--json", "--pipeline", pipeline, "--trust"], capture_output=True, text=True)
        if said.returncode:
            raise running.Failed(f"step {step['name']}: {said.stderr.strip()}", 2, [])
        if any(d.get("ordered") for d in json.loads(said.stdout)):
            why = "want steps without state from record to record, since batches run by themselves"
            raise running.Failed(f"step {step['name']}: {why}, have {plugin}", 2, [])


class Step:
    """Sends batches of rows through a pipeline. It is an actor."""

    def __init__(self, pack: Pack, source: str | None, vars: Mapping[str, Any] | None, column: str | None, env: Mapping[str, str], cpus: int) -> None:
        folder = unpack(pack)
        self._pipeline, cwd = settle(pack, folder)
        self._column = column
        self._options = {"source": source, "vars": vars, "cwd": cwd, "env": environment(folder, cpus, env)}
        os.environ["SLUICE_PROGRAM"] = str(folder / "bin" / "sluice")
        sys.path.insert(0, str(folder / "python"))

    def __call__(self, batch: Any) -> dict[str, list[str]]:
        import sluice
        from sluice import arrow

        rows = batch.column(self._column).to_pylist() if self._column else arrow.lines(batch)
        try:
            results = list(sluice.stream(self._pipeline, rows, **self._options))  # type: ignore[arg-type]
        except sluice.Failed as e:
            raise RuntimeError(f"{name()}: {e}") from None
        return {"sink": [r.sink for r in results], "row": [r.json().decode() for r in results]}


def parsed(dataset: ray.data.Dataset, sink: str) -> ray.data.Dataset:
    """Does what sluice.ray.rows says."""
    of_sink = dataset.filter(lambda row: row["sink"] == sink)
    return of_sink.map(lambda row: json.loads(row["row"]))
