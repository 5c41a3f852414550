"""What a plugin declares of itself."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import arguments
from .record import Record

Process = Callable[[Record], Any]

_name = re.compile(r"[a-z0-9][a-z0-9_-]*")
_code = re.compile(r"[a-z][a-z0-9_]{0,63}")


def is_code(text: str) -> bool:
    """Reports whether a text may be the code of a reject."""
    return _code.fullmatch(text) is not None


@dataclasses.dataclass(frozen=True)
class Plugin:
    """A plugin: a function or a class with what it declares. ``sluice.plugin`` makes one."""

    name: str
    doc: str
    made_by: Callable[..., Any]
    args: type | None = None
    spread: bool = False  # the attributes are keyword parameters of the function
    ordered: bool = False
    private: bool = False
    outputs: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    label_values: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    codes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    drops: Mapping[str, str] = dataclasses.field(default_factory=dict)
    takes_all: bool = False
    concurrent: int = 0
    threads: bool = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls what was decorated, for tests of one's own."""
        return self.made_by(*args, **kwargs)

    def open(self, args: Any) -> Processor:
        """Returns a running instance with attributes that ``arguments.decode`` has made."""
        function: Any = self.made_by
        if inspect.isclass(self.made_by):
            instance = function(args) if self.args else function()
            return Processor(self, instance.process, _waits(function.process), instance)
        process: Process = function
        if self.spread:
            given = {f.name: getattr(args, f.name) for f in dataclasses.fields(args)}
            process = functools.partial(function, **given)
        elif self.args:
            process = lambda record: function(record, args)  # noqa: E731
        return Processor(self, process, _waits(function))


_given = {"flush": (), "finish": ("record",), "save": (), "restore": ("state",)}  # what these methods are called with


def _takes(method: Callable[..., Any], given: tuple[str, ...]) -> bool:
    try:
        inspect.signature(method).bind(*given)
    except TypeError:
        return False
    except ValueError:  # it has no signature, as some that are written in C
        pass
    return True


def _waits(step: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(step) or inspect.isasyncgenfunction(step)


class Processor:
    """The running instance of a plugin inside one worker of a step."""

    def __init__(self, plugin: Plugin, process: Process, waits: bool, instance: Any = None) -> None:
        self.plugin, self.process, self.waits = plugin, process, waits
        self.flush: Callable[[], Any] | None = getattr(instance, "flush", None)
        self.finish: Callable[[Record], Any] | None = getattr(instance, "finish", None)
        self.save: Callable[[], Any] | None = getattr(instance, "save", None)
        self.restore: Callable[[Any], None] | None = getattr(instance, "restore", None)
        self.close: Callable[[], Any] | None = getattr(instance, "close", None)
        own = getattr(instance, "label_values", None)
        self.narrowed: dict[str, tuple[str, ...]] = {label: tuple(values) for label, values in own().items()} if own else {}
        self.label_values = {**plugin.label_values, **self.narrowed}

    def check(self) -> str:
        """Returns what the declaration and the instance contradict each other in, or ""."""
        for name in ("flush", "finish", "save", "restore"):
            method = getattr(self, name)
            if method and not self.plugin.ordered:
                return f"want plugin {self.plugin.name} ordered, since it has {name}, which one worker calls"
            if method and _waits(method):
                return f"want {name} of plugin {self.plugin.name} without async, have one with"
            if method and not _takes(method, _given[name]):
                given = ", ".join(_given[name])
                return f"want {name}({given}) in plugin {self.plugin.name}, have {name}{inspect.signature(method)}"
        if bool(self.save) != bool(self.restore):
            return f"want save and restore in plugin {self.plugin.name}, have one of them"
        if self.waits and self.plugin.ordered:
            return f"want plugin {self.plugin.name} ordered or with an async step, have both"
        if self.waits != bool(self.plugin.concurrent):
            return f"want plugin {self.plugin.name} concurrent exactly when its step is async"
        for label, values in self.narrowed.items():
            if label not in self.plugin.labels:
                return f"want label_values of plugin {self.plugin.name} for labels that it declares, have {label!r}"
            known = self.plugin.label_values.get(label, values)
            if other := [v for v in values if v not in known]:
                return f"want values of label {label} that plugin {self.plugin.name} declares ({', '.join(known)}), have {other[0]!r}"
        return ""


registered: list[Plugin] = []


def plugin(
    made_by: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    doc: str | None = None,
    ordered: bool = False,
    private: bool = False,
    outputs: Iterable[str] = (),
    labels: Iterable[str] = (),
    label_values: Mapping[str, Iterable[str]] | None = None,
    codes: Mapping[str, str] | None = None,
    drops: Mapping[str, str] | None = None,
    takes_all: bool = False,
    concurrent: int | None = None,
    threads: bool = False,
) -> Any:
    """Declares a plugin: a function of a record, or a class with a method ``process`` of one. It serves as a decorator, with or without
    parentheses.

    The name is that of the function with ``-`` for ``_``, and the doc is the first line of its docstring, unless they are given. The attributes of a
    step are the function's keyword parameters, or the fields of a dataclass that its second parameter, or the class's first, is
    annotated with. What ``process`` returns goes on: ``None`` for the record with its edits, a record or a value in its place, or
    several by ``yield``.

    ordered: it keeps state, so one worker gets all records in order. Then the class may have ``flush()``, which yields records after the last
    one, ``finish(record)``, whose argument takes side rows and counts, and ``save()`` and ``restore(state)``, by which an interrupted run goes on.
    private: the dead letter shows null for its rejects. outputs, labels, label_values, codes: what it may write, set and reject with.
    codes and drops say what each code of a reject and each reason of a drop means to a reader of the report. A class may have ``label_values()``, which returns the values that labels have with the attributes of the step.
    takes_all: it declines no record. concurrent: how many records an ``async`` step has under way, 16 unless said otherwise. threads: the
    workers of a step are threads of one process, for what lets other threads run or is too large to have twice; otherwise each is a process,
    forked where the system has that, once the module is loaded.

    It raises TypeError or ValueError for a declaration that no host would take.
    """
    if made_by is None:
        return lambda given: plugin(
            given, name=name, doc=doc, ordered=ordered, private=private, outputs=outputs, labels=labels, label_values=label_values,
            codes=codes, drops=drops, takes_all=takes_all, concurrent=concurrent, threads=threads,
        )
    for given in (outputs, labels, *(label_values or {}).values()):
        if isinstance(given, str):
            raise TypeError(f"{made_by.__name__}: want outputs, labels and their values as lists, have a string")
    step: Any = getattr(made_by, "process", None) if inspect.isclass(made_by) else made_by
    if inspect.isclass(made_by):
        if step is None:
            raise TypeError(f"{made_by.__name__}: want a method process of a record, have a class without it")
        init = made_by.__init__ if made_by.__init__ is not object.__init__ else None
        declared, spread = arguments.of_function(init) if init else (None, False)
        if spread:
            raise TypeError(f"{made_by.__name__}: want a dataclass, with the attributes, as the one parameter of __init__, have keyword parameters, which a function has")
    else:
        declared, spread = arguments.of_function(made_by)
    first_line = (inspect.getdoc(made_by) or "").partition("\n\n")[0]
    made = Plugin(
        name=name or made_by.__name__.replace("_", "-"), doc=doc or " ".join(first_line.split()), made_by=made_by, args=declared, spread=spread,
        ordered=ordered, private=private, outputs=tuple(outputs), labels=tuple(labels),
        label_values={k: tuple(v) for k, v in (label_values or {}).items()}, codes=dict(codes or {}), drops=dict(drops or {}), takes_all=takes_all,
        concurrent=(concurrent or 16) if _waits(step) else concurrent or 0, threads=threads,
    )
    _check(made)
    registered.append(made)
    return made


def _check(made: Plugin) -> None:
    if not _name.fullmatch(made.name):
        raise ValueError(f"want a name of lower-case letters, digits, _ and -, have {made.name!r}")
    if not made.doc:
        raise ValueError(f"plugin {made.name}: want a sentence about it as its docstring, have nothing")
    for code in made.codes:
        if not is_code(code):
            raise ValueError(f"plugin {made.name}: want codes in snake_case, have {code!r}")
    for reason, meaning in made.drops.items():
        if not reason or not meaning:
            raise ValueError(f"plugin {made.name}: want drops with what each means, have {reason!r}: {meaning!r}")
    for label in made.label_values:
        if label not in made.labels:
            raise ValueError(f"plugin {made.name}: want values of labels that it declares, have {label!r}")
    same = [p for p in registered if p.name == made.name]
    if same and same[0].made_by.__qualname__ == made.made_by.__qualname__ and same[0].made_by.__module__ == made.made_by.__module__:
        registered.remove(same[0])  # a cell of a notebook, run again
    elif same:
        raise ValueError(f"plugin {made.name}: want one of that name, have two")
    if made.args:
        for _ in arguments.describe(made.args):
            pass
