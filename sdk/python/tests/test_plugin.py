"""What a step may do with a record, and what a plugin may declare."""

import asyncio
import contextlib
import io
import tempfile
import typing
import unittest
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import sluice
from sluice import arguments, declare, serve, test, wire as pb


def answers(made, *records, args=""):
    """Returns what a plugin answers, as a case's want says it, over every transport."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "case.txtar")
        path.write_text("-- args.json --\n" + args + "\n-- in.jsonl --\n" + "".join(r + "\n" for r in records) + "-- want --\n")
        return test.answer(made, test.Case(path)).splitlines()


class Case(unittest.TestCase):
    def setUp(self):
        self.addCleanup(declare.registered.__setitem__, slice(None), list(declare.registered))


class Steps(Case):
    def test_what_goes_on(self):
        @sluice.plugin
        def step(record):
            """does what the record says"""
            match record["do"]:
                case "edit":
                    record["a.b"] = [1, "é", None]
                    del record["x"]
                case "value":
                    return {"n": 1}
                case "derive":
                    return record.derive(b'{"n": 2}')
                case "boolean":
                    return True
                case "object":
                    return object()
                case "replace":
                    row = record.parse()
                    row["n"] = 3
                    record.replace(row)

        self.assertEqual(answers(step, '{"do":"edit","x":1}', '{"do":"value"}', '{"do":"derive"}', '{"do":"replace"}', '{"do": "no",  "k":1,"k":2}'), [
            'emit {"do":"edit","a":{"b":[1,"é",null]}}', 'emit {"n":1}', 'emit {"n": 2}', 'emit {"do":"replace","n":3}', 'emit {"do": "no",  "k":1,"k":2}',
        ])
        log = io.StringIO()
        with contextlib.redirect_stderr(log):
            self.assertEqual(answers(step, '{"do":"boolean"}', '{"do":"object"}', '{"do":"replace","k":1,"k":2}', "{}", "1"), [
                "reject error: TypeError: want None, a record or a value to go on, have a boolean; sluice.drop leaves a record out",
                "reject error: TypeError: want a value that JSON has, have one of type object",
                'reject unsafe_json: want each key once in an object, have "k" twice',
                "reject missing at do: want a value, have nothing",
                "reject missing at do: want a value, have nothing",
            ])
        self.assertIn("TypeError, of which the reject has the text:\n", log.getvalue())

    def test_several_of_one(self):
        @sluice.plugin(outputs=["seen"], labels=["part"])
        def explode(record):
            """makes a record of each item"""
            for i, item in enumerate(record["items"]):
                made = record.derive({"item": item})
                made.label("part", str(i))
                record.count("items")
                yield made
            record.side("seen", {"n": i})

        self.assertEqual(answers(explode, '{"items":[1,2]}', '{"items":"ab"}'), [
            'side seen {"n":1}', 'emit {"item":1} part=0', 'emit {"item":2} part=1',
            'side seen {"n":1}', 'emit {"item":"a"} part=0', 'emit {"item":"b"} part=1', "count items 4",
        ])

        @sluice.plugin
        def nothing(record):
            """makes no record"""
            yield from ()

        self.assertEqual(answers(nothing, "{}"), ["drop nothing emitted"])

    def test_emitted_as_it_is_then(self):
        @sluice.plugin
        def step(record):
            """emits a record between its edits"""
            yield record
            for i in range(2):
                record["n"] = i
                yield record

        self.assertEqual(answers(step, '{"a":1}'), ['emit {"a":1}', 'emit {"a":1,"n":0}', 'emit {"a":1,"n":1}'])

        @sluice.plugin
        def listed(record):
            """returns a list"""
            return [record] if record["r"] else [1, 2]

        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(answers(listed, '{"r":1}', '{"r":0}'), [
                "reject error: TypeError: want several records by yield, have a list of them; a list of values is one record", "emit [1,2]",
            ])

    def test_whatever_a_step_raises(self):
        class Silent(Exception):
            def __str__(self):
                raise RuntimeError

        def fail(what):
            match what:
                case "exit":
                    raise SystemExit(3)
                case "interrupt":
                    raise KeyboardInterrupt
                case "cancelled":
                    raise asyncio.CancelledError
                case "silent":
                    raise Silent
                case "code":
                    sluice.reject("Bad Code", "want more", "a", keep=True)
                case "exception":
                    sluice.reject("bad", ValueError("x"), "\ud800")
                case "count":
                    raise KeyError(1)

        @sluice.plugin
        def step(record):
            """fails"""
            fail(record["do"])

        @sluice.plugin
        async def waits(record):
            """fails and waits"""
            await asyncio.sleep(0)
            fail(record["do"])

        kinds = ["exit", "interrupt", "cancelled", "silent", "code", "exception"]
        for made in (step, waits):
            with contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(answers(made, *('{"do":"%s"}' % k for k in kinds), '{"do":""}'), [
                    "reject error: SystemExit: 3", "reject error: KeyboardInterrupt: ", "reject error: CancelledError: ", "reject error: Silent",
                    'reject error at a: want more (code "Bad Code", which is not snake_case)', "reject bad at ?: x", 'emit {"do":""}',
                ])

    def test_private(self):
        @sluice.plugin(private=True)
        def step(record):
            """looks for a key that is a value"""
            {}[record["name"]]

        log = io.StringIO()
        with contextlib.redirect_stderr(log):
            self.assertEqual(answers(step, '{"name":"ada"}'), ["reject error: KeyError"])
        self.assertIn("since the plugin is private", log.getvalue())
        self.assertNotIn("ada", log.getvalue())

    def test_tasks_end_with_the_batch(self):
        ended = []

        @sluice.plugin
        async def step(record):
            """waits for ever, but for one"""
            if record["n"] == 0:
                sluice.fatal("want a service")
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(record["n"])

        with self.assertRaisesRegex(sluice.Fatal, "want a service"):
            answers(step, '{"n":0}', '{"n":1}', '{"n":2}')
        self.assertEqual(ended, [1, 2])

    def test_async_yield(self):
        @sluice.plugin
        async def step(record):
            """yields and waits"""
            for i in range(2):
                await asyncio.sleep(0)
                yield {"i": i}

        self.assertEqual(answers(step, "{}"), ['emit {"i":0}', 'emit {"i":1}'])

    def test_origins_of_what_is_not_edited(self):
        @sluice.plugin
        def step(record):
            """says what records were made of"""
            record.made_of([sluice.Place("f", 7), record.place])

        self.assertEqual(answers(step, "{}"), ["emit {} (from 7, 1)"])

        @sluice.plugin
        def empty(record):
            """says nothing"""
            record.made_of([])

        with contextlib.redirect_stderr(io.StringIO()):
            self.assertIn("want the places of records, have 0", answers(empty, "{}")[0])

    def test_undeclared_warnings_and_counts(self):
        @sluice.plugin(codes={"odd": "it is odd"})
        def step(record):
            """warns"""
            match record["do"]:
                case "well":
                    record.warn("odd", "n")
                case "bad":
                    record.warn("oddd")
                case "half":
                    record.count("n", 1.5)

        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(answers(step, *('{"do":"%s"}' % d for d in ("well", "bad", "half"))), [
                'emit {"do":"well"}', 'reject error: plugin step: want a warning with a code that the plugin declares, have "oddd"',
                "reject error: ValueError: want a count that is a whole number from 0 to 2^53, have 1.5", "count warn.odd.n 1",
            ])

    def test_flush_of_kept_records(self):
        @sluice.plugin(ordered=True, outputs=["o"], labels=["l"])
        class step:
            """keeps records to the end"""

            def __init__(self):
                self.kept = []

            def process(self, record):
                made = record.derive(record.json())
                made.label("l", "x")
                self.kept.append(made)
                sluice.drop("kept")

            def flush(self):
                for made in self.kept:
                    made.made_of(made.origins)
                    made.side("o", {"a": 1})
                    made.count("n")
                    yield made

        self.assertEqual(answers(step, "[1]", "[2]"), [
            "drop kept", "drop kept", "flush [1] l=x (from 1)", "flush [2] l=x (from 2)", 'last o {"a":1}', 'last o {"a":1}', "count n 2",
        ])

        @sluice.plugin(ordered=True)
        class bad:
            """writes what it does not declare"""

            def process(self, record):
                pass

            def finish(self, record):
                record.side("o", {})

        with self.assertRaisesRegex(sluice.Fatal, "finish: plugin bad: want an output that it declares"):
            answers(bad, "1")

    def test_methods_with_other_parameters(self):
        """They are told when the step is opened, not behind the last record."""
        for method, want in [
            ("flush(self, record)", "want flush() in plugin step, have flush(record)"),
            ("finish(self)", "want finish(record) in plugin step, have finish()"),
            ("save(self, state)", "want save() in plugin step, have save(state)"),
            ("restore(self)", "want restore(state) in plugin step, have restore()"),
            ("flush(self, most=9)", ""),
            ("finish(self, *records)", ""),
        ]:
            with self.subTest(method):
                scope = {}
                exec(f"class step:\n    'has a method'\n    def process(self, record): pass\n    def {method}: pass", scope)
                plugin = sluice.plugin(ordered=True)(scope["step"])
                self.assertEqual(plugin.open(None).check(), want)

    def test_verdicts(self):
        @sluice.plugin(outputs=["o"], codes={"bad": "x"})
        def step(record):
            """refuses"""
            record.side("o", {"a": 1})
            record.count("n")
            match record["do"]:
                case "reject":
                    sluice.reject("bad", "want more", "a.b")
                case "keep":
                    sluice.reject("bad", "want more", keep=True)
                case "drop":
                    sluice.drop("old")
                case "decline":
                    sluice.decline("not mine")

        self.assertEqual(answers(step, *('{"do":"%s"}' % w for w in ("reject", "keep", "drop", "decline"))), [
            "reject bad at a.b: want more", 'side o {"a":1}', "reject bad: want more", 'side o {"a":1}', "drop old", "decline not mine", "count n 2",
        ])

    def test_undeclared(self):
        @sluice.plugin(labels=["tier"], label_values={"tier": ["gold"]})
        def step(record):
            """uses what it does not declare"""
            match record["do"]:
                case "output":
                    record.side("o", {})
                case "label":
                    record.label("teir", "gold")
                case "value":
                    record.label("tier", "lead")
                case _:
                    record.label("tier", "gold")

        self.assertEqual(answers(step, *('{"do":"%s"}' % w for w in ("output", "label", "value", "well"))), [
            'reject error: plugin step: want an output that it declares (it declares no output), have "o"',
            'reject error: plugin step: want a label that it declares (tier), have "teir"',
            'reject error: plugin step: want a value of label tier that it declares (gold), have "lead"',
            'emit {"do":"well"} tier=gold',
        ])

    def test_waiting(self):
        """Several records are under way at once, and answered in their order."""
        under_way, most = 0, 0

        @sluice.plugin(concurrent=3)
        async def step(record, *, suffix: str = "!"):
            """waits"""
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            for _ in range(10 - record["n"]):
                await asyncio.sleep(0)
            under_way -= 1
            if record["n"] == 4:
                sluice.drop("four")
            record["s"] = suffix

        self.assertEqual(
            answers(step, *('{"n":%d}' % i for i in range(6))),
            ["drop four" if i == 4 else 'emit {"n":%d,"s":"!"}' % i for i in range(6)],
        )
        self.assertEqual(most, 3)

    def test_state(self):
        @sluice.plugin(ordered=True, outputs=["sums"])
        class join:
            """joins records of one key"""

            def __init__(self):
                self.open = {}

            def process(self, record):
                self.open.setdefault(record["k"], []).append((record.place, record["v"]))
                sluice.drop("joined")

            def flush(self):
                for key, parts in self.open.items():
                    made = sluice.Record(b"{}", parts[0][0])
                    made.replace({"k": key, "all": [v for _, v in parts]})
                    made.made_of(place for place, _ in parts)
                    yield made

            def finish(self, record):
                record.side("sums", {"keys": len(self.open)})
                record.count("keys", len(self.open))

            def save(self):
                return self.open

            def restore(self, state):
                self.open = {k: [(sluice.Place(*place), v) for place, v in parts] for k, parts in state.items()}

        self.assertEqual(answers(join, '{"k":"a","v":1}', '{"k":"b","v":2}', '{"k":"a","v":3}'), [
            "drop joined", "drop joined", "drop joined",
            'flush {"k":"a","all":[1,3]} (from 1, 3)', 'flush {"k":"b","all":[2]} (from 2)', 'last sums {"keys":2}', "count keys 2",
        ])

    def test_kept_records_show(self):
        @sluice.plugin(doc="keeps a record")
        class step:
            def __init__(self):
                self.kept = []

            def process(self, record):
                self.kept.append(record)
                record["first"] = self.kept[0].get("n")

        log = io.StringIO()
        with contextlib.redirect_stderr(log):
            have = answers(step, '{"n":1}', '{"n":2}')
        self.assertEqual(have[0], 'emit {"n":1,"first":1}')
        self.assertEqual(have[1], 'emit {"n":2,"first":null}')

    def test_logs_have_no_values(self):
        @sluice.plugin
        def step(record):
            """fails with a value"""
            raise ValueError(record["name"])

        log = io.StringIO()
        with contextlib.redirect_stderr(log):
            answers(step, '{"name":"ada@example.com"}', '{"name":"bob@example.com"}')
        self.assertIn("test_plugin.py", log.getvalue())
        self.assertNotIn("example.com", log.getvalue())


class LabelValues(Case):
    def test_of_the_attributes(self):
        """What a class says of its labels with the attributes of a step is told to the host, and holds."""

        @dataclass
        class Args:
            shares: dict[str, float]

        @sluice.plugin(labels=["split", "tier"], label_values={"tier": ["gold", "lead"]})
        class split:
            """labels records as they say"""

            def __init__(self, args: Args):
                self.args = args

            def label_values(self):
                return {"split": self.args.shares, **({"tier": []} if "gold" not in self.args.shares else {})}

            def process(self, record):
                for name in ("split", "tier"):
                    if name in record:
                        record.label(name, record[name])

        self.assertEqual(answers(split, '{"split":"train"}', '{"split":"tset"}', '{"tier":"gold"}', args='{"shares":{"train":1}}'), [
            'emit {"split":"train"} split=train',
            'reject error: plugin split: want a value of label split that it declares (train), have "tset"',
            'reject error: plugin split: want a value of label tier that it declares (), have "gold"',
        ])
        request = pb.OpenRequest(plugin="split", args=b'{"shares":{"train":0.9,"test":0.1}}', workers=1)
        reply = serve._Server((split,)).open(request, None)
        self.assertEqual([(v.label, list(v.values)) for v in reply.label_values], [("split", ["train", "test"]), ("tier", [])])

    def test_that_are_not_declared(self):
        @sluice.plugin(labels=["split"], label_values={"split": ["train"]})
        class step:
            """labels nothing"""

            values = {}

            def label_values(self):
                return self.values

            def process(self, record):
                pass

        for values, want in [
            ({"spilt": []}, "want label_values of plugin step for labels that it declares, have 'spilt'"),
            ({"split": ["train", "test"]}, "want values of label split that plugin step declares (train), have 'test'"),
            ({"split": ["train"]}, ""),
        ]:
            step.made_by.values = values
            self.assertEqual(step.open(None).check(), want)


@dataclass
class Rule:
    pattern: str
    """what it finds"""
    limit: int = 3


@dataclass
class Args:
    field: str
    """the path of
    the text"""
    mode: Annotated[Literal["fast", "exact"], "how it looks"] = "fast"
    rules: list[Rule] = field(default_factory=list)
    weights: dict[str, float] = field(default_factory=dict)
    share: float | None = None
    on: bool = False

    def __post_init__(self):
        if self.share is not None and self.share > 1:
            raise sluice.Mistake("share", "want a share of at most 1, have more")


class Attributes(Case):
    def test_documentation(self):
        have = [(a.name, a.type, a.doc, a.default, a.required, a.words) for a in arguments.describe(Args)]
        self.assertEqual(have, [
            ("field", "a string", "the path of the text", "", True, ()),
            ("mode", "a string", "how it looks", '"fast"', False, ("fast", "exact")),
            ("rules", "a list of objects", "", "", False, ()),
            ("rules.pattern", "a string", "what it finds", "", True, ()),
            ("rules.limit", "a whole number", "", "3", False, ()),
            ("weights", "a map of numbers", "", "", False, ()),
            ("share", "a number", "", "", False, ()),
            ("on", "a boolean", "", "false", False, ()),
        ])

    def test_nested_types(self):
        for hint, want in {
            list[list[str]]: "a list of lists of strings", dict[str, list[int]]: "a map of lists of whole numbers",
            list[dict[str, bool]]: "a list of maps of booleans", dict[str, typing.Any]: "an object", list[set]: "", dict[str, set]: "",
        }.items():
            self.assertEqual(arguments._wanted(hint), want)

    def test_values(self):
        made, bad = arguments.decode(Args, b'{"field":"a","rules":[{"pattern":"x"}],"weights":{"a":1},"share":1,"on":true}')
        self.assertEqual(bad, [])
        self.assertEqual(made, Args("a", rules=[Rule("x")], weights={"a": 1.0}, share=1.0, on=True))

    def test_mistakes(self):
        for args, want in {
            "{}": ["field: want a string, have nothing"],
            '{"field":1,"mode":"fats","on":"true","share":"1"}': [
                "field: want a string, have a number", 'mode: want one of "fast", "exact", have "fats"; did you mean "fast"?',
                "share: want a number, have a string", "on: want a boolean, have a string",
            ],
            '{"field":"a","rules":[{"pattern":"x","limit":1.5},{"patern":"y"}]}': [
                "rules.0.limit: want a whole number, have a number with a fraction", "rules.1.pattern: want a string, have nothing",
                'rules.1.patern: want one of pattern, limit, have "patern"; did you mean "pattern"?',
            ],
            '{"field":"a","feild":2,"weights":{"a":"x"},"rules":{}}': [
                "rules: want a list of objects, have an object", "weights.a: want a number, have a string",
                'feild: want one of field, mode, rules, weights, share, on, have "feild"; did you mean "field"?',
            ],
            '{"field":"a","no":true,"MODE":"","shape":1,"ule":1}': [
                'no: want one of field, mode, rules, weights, share, on, have "no"; did you mean "on"?',
                'MODE: want one of field, mode, rules, weights, share, on, have "MODE"; did you mean "mode"?',
                'shape: want one of field, mode, rules, weights, share, on, have "shape"; did you mean "share"?',
                'ule: want one of field, mode, rules, weights, share, on, have "ule"; did you mean "rules"?',
            ],
            '{"field":"a","share":2}': ["share: want a share of at most 1, have more"],
        }.items():
            _, bad = arguments.decode(Args, args.encode())
            self.assertEqual([f"{m.name}: {m.message}" for m in bad], want)

    def test_ways_to_declare(self):
        @sluice.plugin
        def none(record):
            """takes nothing"""

        @sluice.plugin
        def keywords(record, *, names: list[str] = ["a"], n: int):
            """takes keywords"""
            record["n"] = [n, names]

        @sluice.plugin
        def given(record, args: Rule):
            """takes a dataclass"""
            record["p"] = args.pattern

        self.assertEqual(answers(none, "1", args='{"a":1}'), ['bad a: want no attributes, have "a"'])
        self.assertEqual(answers(keywords, "{}", args='{"n":2}'), ['emit {"n":[2,["a"]]}'])
        self.assertEqual(answers(given, "{}", args='{"pattern":"x"}'), ['emit {"p":"x"}'])

    def test_what_dataclasses_hold(self):
        @dataclass
        class Inner:
            low: int = 0

            def __post_init__(self):
                if self.low < 0:
                    raise sluice.Mistake("low", "want 0 or more")

        @dataclass(kw_only=True)
        class More(Rule):
            """inherits"""

            many: list[Inner] = field(default_factory=lambda: [Inner(1)])
            most: float = float("inf")
            any: list = field(default_factory=list)

        have = {a.name: (a.doc, a.default) for a in arguments.describe(More)}
        self.assertEqual(have, {
            "pattern": ("what it finds", ""), "limit": ("", "3"), "many": ("", '[{"low": 1}]'), "many.low": ("", "0"), "most": ("", ""), "any": ("", ""),
        })
        made, bad = arguments.decode(More, b'{"pattern":"x","any":[1,"a"]}')
        self.assertEqual((made.any, bad), ([1, "a"], []))
        _, bad = arguments.decode(More, b'{"pattern":"x","many":[{"low":1},{"low":-1}]}')
        self.assertEqual([(m.name, m.message) for m in bad], [("many.1.low", "want 0 or more")])

        @sluice.plugin
        def untyped(record, *, n=3, on=False, s=None):
            """takes the types of its defaults"""
            record["n"] = [n, on, s]

        self.assertEqual(answers(untyped, "{}", args='{"n":5,"on":true,"s":"x"}'), ['emit {"n":[5,true,"x"]}'])

    def test_declared_again(self):
        """A cell of a notebook may be run again; another step of the same name may not."""
        def declare_step(name):
            def step(record):
                """x"""

            step.__qualname__ = name
            return sluice.plugin(step)

        first, again = declare_step("step"), declare_step("step")
        self.assertFalse(any(p is first for p in declare.registered))
        self.assertTrue(any(p is again for p in declare.registered))
        with self.assertRaisesRegex(ValueError, "have two"):
            declare_step("other")

    def test_wrong_declarations(self):
        def undocumented(record):
            pass

        def positional(record, greeting):
            """x"""

        def strange(record, *, when: complex = 1j):
            """x"""

        class spread:
            """x"""

            def __init__(self, *, greeting: str = "hello"):
                pass

            def process(self, record):
                pass

        for made, how, error in [
            (spread, {}, "spread: want a dataclass, with the attributes, as the one parameter of __init__, have keyword parameters, which a function has"),
            (undocumented, {}, "want a sentence about it"),
            (positional, {}, "want a dataclass for greeting, or keyword parameters"),
            (lambda *, n: None, {"doc": "x", "name": "n"}, "want a parameter for the record"),
            (undocumented, {"doc": "x", "outputs": "keys"}, "as lists, have a string"),
            (strange, {}, "want a str, bool, int, float, list, dict or dataclass"),
            (undocumented, {"doc": "x", "name": "Bad Name"}, "want a name of lower-case letters"),
            (undocumented, {"doc": "x", "codes": {"Bad": "x"}}, "want codes in snake_case"),
            (undocumented, {"doc": "x", "drops": {"old": ""}}, "want drops with what each means"),
            (undocumented, {"doc": "x", "label_values": {"a": ["b"]}}, "want values of labels that it declares"),
        ]:
            with self.assertRaisesRegex((TypeError, ValueError), error):
                sluice.plugin(**how)(made)

    def test_contradictions(self):
        @sluice.plugin(doc="saves without order")
        class unordered:
            def process(self, record):
                pass

            def save(self):
                pass

        self.assertIn("ordered, since it has save", unordered.open(None).check())


if __name__ == "__main__":
    unittest.main()
