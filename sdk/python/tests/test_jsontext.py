"""Edits of bytes, held against what the json module makes of the same values."""

import json
import random
import unittest
from decimal import Decimal

from sluice import brackets, edits, jsontext

KEYS = ["a", "b", "ab", "x", '"', "\\", "{", "}", ":", ",", "é", "\u2028", "", " a", "a.b", "k]", "ud"]
LEAVES = ["", "a", "b:", "{", "}", "]", "\\", '"', '":', 'a":1,"b', 1, -2.5, True, None, "é", "\\u0041", 12345678901234567890123, '",']


def made(r, depth):
    pick = r.random()
    if depth <= 0 or pick < 0.35:
        return r.choice(LEAVES)
    if pick < 0.7:
        return {r.choice(KEYS): made(r, depth - 1) for _ in range(r.randint(0, 5))}
    return [made(r, depth - 1) for _ in range(r.randint(0, 4))]


def paths(value, before=()):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*before, str(key))
        yield from paths(inner, (*before, str(key)))


def changed(value, parts, by):
    value = json.loads(json.dumps(value))
    inner = value
    for part in parts[:-1]:
        inner = inner[part] if isinstance(inner, dict) else inner[int(part)]
    by(inner, parts[-1] if isinstance(inner, dict) else int(parts[-1]))
    return value


def at(value, parts):
    for part in parts:
        value = value[part] if isinstance(value, dict) else value[int(part)]
    return value


def take(inner, key):
    del inner[key]


def put(inner, key):
    inner[key] = "new"


class Edits(unittest.TestCase):
    def test_random_values(self):
        r = random.Random(1)
        for _ in range(800):
            value = {r.choice(KEYS): made(r, 4) for _ in range(r.randint(0, 5))}
            spaced = r.choice([{}, {"separators": (",", ":")}, {"indent": 1}])
            data = json.dumps(value, ensure_ascii=r.random() < 0.7, **spaced).encode()
            for parts in list(paths(value))[:8]:
                begin = jsontext.find(data, parts)
                self.assertEqual(json.loads(data[begin : jsontext.end(data, begin)]), at(value, parts), (data, parts))
                self.assertEqual(json.loads(edits.put(data, parts, b'"new"')), changed(value, parts, put))
                self.assertEqual(json.loads(edits.cut(data, parts)), changed(value, parts, take))
            key = r.choice(KEYS)
            if key not in value:
                self.assertEqual(jsontext.find(data, (key,)), -1)
                self.assertEqual(edits.cut(data, (key,)), data)
            self.assertEqual(json.loads(edits.put(data, (key,), b'"new"')), {**value, key: "new"})
            self.assertEqual(json.loads(jsontext.dumps(jsontext.loads(data))), value)

    def passes(self, call):
        """Returns what a call returns, and how many bytes the passes over brackets went over meanwhile, those done again too."""
        sizes, at = [], brackets.Level.at

        def counted(level, place):
            sizes.append(place - level.place)
            return at(level, place)

        brackets.Level.at = counted
        try:
            return call(), sum(sizes)
        finally:
            brackets.Level.at = at

    def test_time_grows_with_size(self):
        """A key that stands nested many times is not searched for from the beginning each time."""
        data = b'{"m":[' + b",".join([b'{"k":1}'] * 20_000) + b'],"k":2}'
        begin, passed = self.passes(lambda: jsontext.find(data, ("k",)))
        self.assertEqual(data[begin:], b"2}")
        self.assertLess(passed, 2 * len(data))

    def test_rest_stays_as_written(self):
        for data, path, want in [
            (b'{"a": 1.0,  "b":"\\u0041\\/"}', "c", b'{"a": 1.0,  "b":"\\u0041\\/","c":7}'),
            (b'{"a":1e400,"a":2}', "b.c", b'{"a":1e400,"a":2,"b":{"c":7}}'),
            (b"{ }", "a", b'{"a":7 }'),
            (b'{"a":[]}', "a.0", b'{"a":[7]}'),
            (b'{"a":[1, 2 ]}', "a.-1", b'{"a":[1, 2,7 ]}'),
            (b'{"a.b":1}', "a\\.b", b'{"a.b":7}'),
            (b'{"\\u0061":1}', "a", b'{"\\u0061":7}'),
            (b'{"a":[1]}', "a.3", b'{"a":[1,null,null,7]}'),
            (b"{}", "a.1.b", b'{"a":[null,{"b":7}]}'),
            (b"{}", "a.-1", b'{"a":[7]}'),
            (b"{}", "a.:1.\\0", b'{"a":{"1":{"0":7}}}'),
            (b'{"a": null }', "a.b", b'{"a": {"b":7} }'),
            (b'{"a":1,"a":2}', "a", b'{"a":7,"a":7}'),
            (b'{"a":{"b":1},"a":{"c":2}}', "a.b", b'{"a":{"b":7},"a":{"c":2,"b":7}}'),
            (b'{"a":"\\"a\\":","\\u0061":2}', "a", b'{"a":7,"\\u0061":7}'),
            (b'{"u@h":1}', "u@h", b'{"u@h":7}'),
        ]:
            self.assertEqual(edits.put(data, jsontext.split(path), b"7"), want)

    def test_keys_that_stand_twice(self):
        """Edits reach all members of a key, since the last one is what most readers take, and a deleted value must be gone."""
        r = random.Random(2)
        for _ in range(800):
            pairs = [(r.choice(["a", "b", "\\u0061", "ab"]), json.dumps(made(r, 2))) for _ in range(r.randint(0, 6))]
            comma, colon = r.choice([(",", ":"), (" ,\n", " : "), (", ", ":")])
            data = ("{" + comma.join(f'"{k}"{colon}{v}' for k, v in pairs) + r.choice(["}", " }"])).encode()
            plain = [(k.replace("\\u0061", "a"), json.loads(v)) for k, v in pairs]
            again = json.loads(edits.cut(data, ("a",)), object_pairs_hook=lambda p: p)
            self.assertEqual([k for k, _ in again], [k for k, _ in plain if k != "a"], data)
            put = json.loads(edits.put(data, ("a",), b"7"), object_pairs_hook=lambda p: p)
            self.assertEqual([v for k, v in put if k == "a"], [7] * max(1, sum(k == "a" for k, _ in plain)), data)

    def test_deep_values(self):
        """What is deep, long, or full of escapes and of a key that stands twice costs its size, not its size for each key that is
        searched for."""
        deep = b"[" * 20_000 + b'{"k":1},' * 20_000 + b"0" + b"]" * 20_000
        long = b'["' + b'","'.join([b"a{\\n\\\"]"] * 40_000) + b'"]'
        twice = b'{"k":1' + b',"\\u006b":[1]' * 20_000 + b"}"
        for data, path, want in [
            (b'{"m":' + deep + b',"k":2}', ("k",), b'{"m":' + deep + b"}"),
            (b'{"m":' + long + b',"k":2}', ("k",), b'{"m":' + long + b"}"),
            (b'{"m":1,"k":' + deep + b"}", ("k",), b'{"m":1}'),
            (b'{"m":1,"k":' + long + b',"l":2}', ("k",), b'{"m":1,"l":2}'),
            (twice, ("k",), b"{}"),
            (b'{"m":' + twice + b"}", ("m", "k"), b'{"m":{}}'),
        ]:
            cut, passed = self.passes(lambda: edits.cut(data, path))
            self.assertEqual(cut, want)
            self.assertLess(passed, 6 * len(data), data[:40])

    def test_places_that_cannot_be(self):
        for data, path in [(b'{"a":1}', "a.b"), (b'{"a":[1]}', "a.99999"), (b'{"a":[1]}', "a.01"), (b'{"a":[1]}', "a.x"), (b"1", "a")]:
            with self.assertRaises(jsontext.Unsafe):
                edits.put(data, jsontext.split(path), b"7")
        for path in ["", "a.*", "a|b", "#", "@x", "{a", "a.!b"]:
            with self.assertRaises(ValueError):
                jsontext.split(path)


class Values(unittest.TestCase):
    def test_nothing_is_lost(self):
        for text in [
            "0.1", "1e400", "-1e-400", "0." + "123456789" * 44, "1234567890" * 4, "1" * 5000, "1.0", "-0.0", '"\\ud800"', '["\\udc00",1e400]',
            '{"a":{"b":0.12345678901234567890}}', '"\\u0000\\u001f"', "[[[]]]", "null", "true",
        ]:
            value = jsontext.loads(text.encode())
            again = jsontext.loads(jsontext.dumps(value))
            self.assertEqual(value, again, text)
            exact = json.loads(text, parse_float=Decimal, parse_int=Decimal)
            self.assertEqual(json.loads(jsontext.dumps(value), parse_float=Decimal, parse_int=Decimal), exact, text)

    def test_what_would_be_lost_is_refused(self):
        with self.assertRaisesRegex(jsontext.Unsafe, 'want each key once in an object, have "a" twice'):
            jsontext.loads(b'{"x":[{"a":1,"a":2}]}')
        with self.assertRaisesRegex(jsontext.Unsafe, "nests less deep"):
            jsontext.loads(b"[" * 100_000 + b"]" * 100_000)
        with self.assertRaisesRegex(jsontext.Unsafe, "smaller exponent"):
            jsontext.loads(b'[1e99999999999999999999999]')
        deep = Decimal(1)
        for _ in range(100_000):
            deep = [deep]
        with self.assertRaisesRegex(ValueError, "nests less deep"):
            jsontext.dumps(deep)
        for bad in [b"", b"1,2", b"NaN", b"{", b"\xff", b"[" * 100_000]:
            with self.assertRaisesRegex(ValueError, "want JSON"):
                jsontext.check(bad)
        for bad in [float("nan"), float("inf"), Decimal("NaN"), [Decimal("Infinity")]]:
            with self.assertRaises(ValueError):
                jsontext.dumps(bad)
        for bad in [{1, 2}, b"bytes", {"a": object()}, {1: Decimal("1e400")}]:
            with self.assertRaises(TypeError):
                jsontext.dumps(bad)


if __name__ == "__main__":
    unittest.main()
