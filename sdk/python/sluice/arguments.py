"""The attributes of a step, as a dataclass declares them."""

from __future__ import annotations

import dataclasses
import inspect
import json
import textwrap
import types
import typing
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints


class Mistake(Exception):
    """A mistake in the attributes of a step: the attribute's name, which may lead into the value, and what is wrong with it."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name, self.message = name, message


@dataclasses.dataclass(frozen=True)
class Attribute:
    """An attribute as the documentation shows it. Defaults are JSON, "" for none."""

    name: str
    type: str
    doc: str
    default: str
    required: bool
    words: tuple[str, ...]


_none = type(None)


def _plain(hint: Any) -> tuple[Any, str, bool]:
    """Returns a type without Annotated and Optional, the text in Annotated, and whether None is allowed."""
    doc, optional = "", False
    while True:
        if get_origin(hint) is Annotated:
            hint, *notes = get_args(hint)
            doc = doc or next((n for n in notes if isinstance(n, str)), "")
        elif get_origin(hint) in (Union, types.UnionType) and _none in get_args(hint):
            rest = [a for a in get_args(hint) if a is not _none]
            if len(rest) != 1:
                return hint, doc, True
            hint, optional = rest[0], True
        else:
            return hint, doc, optional


def _wanted(hint: Any) -> str:
    """Names the values that a type takes, as messages do; "" for a type that attributes cannot have."""
    hint, _, _ = _plain(hint)
    origin = get_origin(hint)
    if hint is str or origin is Literal and all(isinstance(w, str) for w in get_args(hint)):
        return "a string"
    if hint is bool:
        return "a boolean"
    if hint is int:
        return "a whole number"
    if hint is float:
        return "a number"
    given = get_args(hint)
    if origin is list or origin is tuple and given[1:] == (...,):
        return _several("a list of ", given[0])
    if hint is list:
        return "a list"
    if origin is dict and given[0] is str and given[1] is not Any:
        return _several("a map of ", given[1])
    if dataclasses.is_dataclass(hint) or hint is dict or origin is dict and given[0] is str:
        return "an object"
    return ""


def _several(all: str, hint: Any) -> str:
    """Names some values of a type behind what has them all, as in "a list of lists of strings"; "" for a type that attributes cannot have."""
    kind, of, rest = _wanted(hint).removeprefix("a ").removeprefix("an ").partition(" of ")
    return kind and f"{all}{kind}s{of}{rest}"


def _words(hint: Any) -> tuple[str, ...]:
    hint, _, _ = _plain(hint)
    if get_origin(hint) is Literal:
        return typing.cast("tuple[str, ...]", get_args(hint))
    return _words(get_args(hint)[0]) if get_origin(hint) in (list, tuple) else ()


def _field_docs(declared: type) -> dict[str, str]:
    """Returns the strings that stand behind the fields of a class and of those that it inherits from."""
    docs: dict[str, str] = {}
    for cls in reversed(declared.__mro__):
        if dataclasses.is_dataclass(cls):
            docs.update(_own_docs(cls))
    return docs


def _own_docs(declared: type) -> dict[str, str]:
    import ast

    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(declared)))
    except (OSError, TypeError, SyntaxError):
        return {}
    body = getattr(tree.body[0], "body", [])
    docs: dict[str, str] = {}
    for field, text in zip(body, body[1:]):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            if isinstance(text.value, ast.Constant) and isinstance(text.value.value, str):
                docs[field.target.id] = " ".join(text.value.value.split())
    return docs


def _hints(declared: type) -> dict[str, Any]:
    return get_type_hints(declared, include_extras=True)


def describe(declared: type, under: str = "") -> Iterator[Attribute]:
    """Yields the attributes that a dataclass takes, those of its members included. It raises TypeError for a type that none can have."""
    hints, docs = _hints(declared), _field_docs(declared)
    for field in dataclasses.fields(declared):
        if not field.init:
            continue
        hint, doc, _ = _plain(hints[field.name])
        wanted, required, default = _wanted(hint), False, ""
        if not wanted:
            raise TypeError(f"{declared.__name__}.{field.name}: want a str, bool, int, float, list, dict or dataclass, have {hint}")
        if field.default is not dataclasses.MISSING:
            default = _written(field.default)
        elif field.default_factory is not dataclasses.MISSING:
            default = _written(field.default_factory())
        else:
            required = True
        name = f"{under}.{field.name}" if under else field.name
        yield Attribute(name, wanted, doc or field.metadata.get("doc", "") or docs.get(field.name, ""), default, required, _words(hint))
        inner = hint
        while get_origin(inner) in (list, tuple, dict):
            inner = _plain(get_args(inner)[-1] if get_origin(inner) is dict else get_args(inner)[0])[0]
        if dataclasses.is_dataclass(inner):
            yield from describe(inner, name)  # type: ignore[arg-type]


def _written(value: Any) -> str:
    """Returns a default as JSON; "" for an empty one, and for an object, whose members have their own."""
    if value is None or dataclasses.is_dataclass(value) or value in ("", [], {}, ()):
        return ""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=dataclasses.asdict)
    except ValueError:  # such as infinity
        return ""


def decode(declared: type | None, args: bytes) -> tuple[Any, list[Mistake]]:
    """Returns the dataclass with the attributes of a step, a JSON object, or all mistakes in them."""
    bad: list[Mistake] = []
    given = json.loads(args or b"{}")
    made = _object(declared, given, "", bad)
    if not bad and declared is not None:
        made = _made(declared, made, "", bad)
    return made, bad


def _made(declared: Any, members: dict[str, Any], under: str, bad: list[Mistake]) -> Any:
    """Returns the dataclass with members, whose __post_init__ may refuse them."""
    try:
        return declared(**members)
    except Mistake as e:
        bad.append(Mistake(".".join(filter(None, (under, e.name))), e.message))
    except (ValueError, TypeError) as e:
        bad.append(Mistake(under, str(e)))
    return None


def _object(declared: type | None, given: Any, under: str, bad: list[Mistake]) -> dict[str, Any]:
    fields = [f for f in dataclasses.fields(declared) if f.init] if declared else []
    hints = _hints(declared) if declared else {}
    made = {}
    for field in fields:
        name = f"{under}.{field.name}" if under else field.name
        if field.name in given:
            made[field.name] = _value(hints[field.name], given[field.name], name, bad)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            bad.append(Mistake(name, f"want {_wanted(hints[field.name])}, have nothing"))
    known = [f.name for f in fields]
    for name in given:
        if name not in known:
            wanted = "one of " + ", ".join(known) if known else "no attributes"
            bad.append(Mistake(f"{under}.{name}" if under else name, f"want {wanted}, have {json.dumps(name)}{_meant(name, known)}"))
    return made


def _meant(word: str, words: list[str] | tuple[str, ...]) -> str:
    """Hints at the word that was probably meant, by the rule of nearest.Word in Go: fewer than three edits, at most half of the word."""
    best, near = 3, ""
    for known in words:
        edits = _edits(word.lower(), known.lower())
        if edits < best and 2 * edits <= max(len(word), len(known)) and word not in ("", known):
            best, near = edits, known
    return f"; did you mean {json.dumps(near)}?" if near else ""


def _edits(a: str, b: str) -> int:
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), None)
    if at is not None and len(a) == len(b) and a[at : at + 2] == b[at : at + 2][::-1] and a[at + 2 :] == b[at + 2 :]:
        return 1  # two neighbouring letters in each other's place
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def _value(hint: Any, value: Any, name: str, bad: list[Mistake]) -> Any:
    hint, _, optional = _plain(hint)
    origin, wanted = get_origin(hint), _wanted(hint)

    def mistake(have: str) -> None:
        bad.append(Mistake(name, f"want {wanted}, have {have}"))

    if value is None:
        if not optional:
            mistake("null")
        return None
    kind = _kind(value)
    if origin is Literal:
        words = get_args(hint)
        if kind != "a string":
            mistake(kind)
        elif value not in words:
            quoted = ", ".join(json.dumps(w) for w in words)
            bad.append(Mistake(name, f"want one of {quoted}, have {json.dumps(value)}{_meant(value, words)}"))
        return value
    if hint is int and kind == "a number":
        if isinstance(value, float) and not value.is_integer():
            mistake("a number with a fraction")
            return value
        return int(value)
    if hint is float and kind == "a number":
        return float(value)
    if kind != ("an object" if wanted.startswith("a map") else "a list" if wanted.startswith("a list") else wanted):
        mistake(kind)
        return value
    if origin in (list, tuple):
        return origin(_value(get_args(hint)[0], v, f"{name}.{i}", bad) for i, v in enumerate(value))
    if origin is dict and get_args(hint)[1] is not Any:
        return {k: _value(get_args(hint)[1], v, f"{name}.{k}", bad) for k, v in value.items()}
    if dataclasses.is_dataclass(hint):
        before = len(bad)
        made = _object(hint, value, name, bad)  # type: ignore[arg-type]
        return _made(hint, made, name, bad) if len(bad) == before else None
    return value


_kinds = {str: "a string", bool: "a boolean", int: "a number", float: "a number", list: "a list", dict: "an object", _none: "null"}


def _kind(value: Any) -> str:
    return _kinds[type(value)]


def of_function(function: Callable[..., Any]) -> tuple[type | None, bool]:
    """Returns the dataclass of a step's attributes as a function's or method's parameters behind the record declare it, and whether they
    are its keyword parameters: ``def step(record, args: Args)`` or ``def step(record, *, greeting: str = "hello")``."""
    hints = get_type_hints(function, include_extras=True)
    positional, keywords = [], []
    for p in inspect.signature(function).parameters.values():
        if p.kind is p.KEYWORD_ONLY:
            default = dataclasses.MISSING if p.default is p.empty else p.default
            if isinstance(default, (list, dict)):
                made = dataclasses.field(default_factory=lambda d=default: type(d)(d))  # type: ignore[misc]
            else:
                made = dataclasses.field(default=default)
            keywords.append((p.name, hints.get(p.name) or _hint_of(p.default), made))
        elif p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            positional.append(p.name)
    if not positional:
        raise TypeError(f"{function.__name__}: want a parameter for the record, have a function that takes no argument for it")
    if keywords:
        return dataclasses.make_dataclass(function.__name__, keywords, kw_only=True), True
    declared = hints.get(positional[1]) if len(positional) > 1 else None
    if len(positional) > 1 and not dataclasses.is_dataclass(declared):
        raise TypeError(f"{function.__name__}: want a dataclass for {positional[1]}, or keyword parameters behind *")
    return typing.cast("type | None", declared), False


def _hint_of(default: Any) -> Any:
    """Returns the type of a parameter without one, as its default has it."""
    return type(default) if isinstance(default, (bool, int, float, list, dict)) else str
