package format

import (
	"testing"
	"time"

	"github.com/sluicehq/sluice/host/receipt"
)

// Figures are read by people: one form for each kind, and no share that says none or all of what is some.
func TestFigures(t *testing.T) {
	for _, x := range []struct{ have, want, why string }{
		{Size(999), "999 B", "bytes are whole"},
		{Size(1000), "1.0 kB", "the first unit"},
		{Size(999_949), "999.9 kB", "just below the next unit"},
		{Size(999_950), "1.0 MB", "rounding makes no 1000.0 kB"},
		{Short(0), "0", "nothing"},
		{Short(1234), "1.2 k", "a unit of thousands"},
		{Rate(3_000_000, 2*time.Second), "1.5 MB/s", "by the second"},
		{Rate(3, 0), "0 B/s", "no time"},
		{Share(0, 0), "0%", "a part of nothing"},
		{Share(1, 100_000), "<0.1%", "some is not none"},
		{Share(99_999, 100_000), ">99.9%", "not all is not all"},
		{Share(1, 8), "12.5%", "one decimal"},
		{Share(5, 5), "100%", "all"},
		{Seconds(0.414), "0.41 s", "a short time"},
		{Seconds(12.34), "12.3 s", "a longer one"},
		{Seconds(200), "3m20s", "minutes"},
		{Seconds(0.0001), "<1 ms", "some is not none"},
		{Seconds(0.0072), "7 ms", "a very short time"},
		{Printable("a\tb\n\x1b[31m\u202ec"), "a\tb\n\\x1b[31m\\u202ec", "controls and turns of direction are seen"},
		{Cut("abcdefghij", 5), "ab…ij", "the middle goes"},
		{Cut("short", 5), "short", "it fits"},
	} {
		if x.have != x.want {
			t.Errorf("%s: want %q, have %q", x.why, x.want, x.have)
		}
	}
}

// TestPlaces holds how the records that one was made of are named.
func TestPlaces(t *testing.T) {
	at := func(file string, lines ...int64) (all []receipt.Position) {
		for _, n := range lines {
			all = append(all, receipt.Position{File: file, Line: n})
		}
		return all
	}
	for _, c := range []struct {
		all  []receipt.Position
		more int64
		want string
	}{
		{at("a.jsonl", 3), 0, "a.jsonl:3"},
		{at("a.jsonl", 1, 4), 0, "a.jsonl:1 + 4"},
		{append(at("a.jsonl", 1), at("b.jsonl", 1, 2)...), 0, "a.jsonl:1 + b.jsonl:1 + 2"},
		{at("a", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 1000, "a:1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 1,002 more"},
		{at("a\x1b", 1), 0, Printable("a\x1b:1")},
	} {
		if have := Places(c.all, c.more); have != c.want {
			t.Errorf("want %q, have %q", c.want, have)
		}
	}
}
