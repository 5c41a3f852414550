package sdk

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// TestDeriveLong holds that long pieces stand where they were noted, for the next step and for what leaves the chain, and that a record
// that was edited first has them too.
func TestDeriveLong(t *testing.T) {
	a, b := strings.Repeat("a", jsontext.LongPiece), strings.Repeat("b", 5<<20)
	derive := process(func(r *Record, emit func(*Record)) error {
		var long jsontext.Longs
		text := long.Append([]byte(`{"x":"`), a)
		text = append(long.Append(append(text, `","y":"`...), b), `"}`...)
		emit(r.Derive(text, long...))
		d := r.Derive(text, long...)
		if err := d.Set("z", 1); err != nil {
			return err
		}
		emit(d)
		return nil
	})
	want := []string{`{"x":"` + a + `","y":"` + b + `"}`, `{"x":"` + a + `","y":"` + b + `","z":1}`}
	for _, c := range []struct {
		reason string
		links  []link
	}{
		{"leaves the chain", []link{{do: derive}}},
		{"for a step that reads and leaves it as it is", []link{{do: derive}, {do: Filter(func(r *Record) (bool, error) {
			return r.View("x").Str == a && r.View("y").Str == b, nil
		})}}},
		{"for a step that writes it anew", []link{{do: derive}, {do: process(func(r *Record, emit func(*Record)) error {
			emit(r.Derive(bytes.Clone(r.JSON())))
			return nil
		})}}},
	} {
		s := &space{grant: 100, most: 64 << 20}
		lines := through(t, s, input(`{}`)[0], c.links...)
		if len(lines) < 2 || lines[len(lines)-2] != "out "+want[0] || lines[len(lines)-1] != "out "+want[1] {
			t.Errorf("%s: want two records of %d and %d bytes, have %d lines", c.reason, len(want[0]), len(want[1]), len(lines))
		}
	}
}

// TestGrowsOnce holds that a large record that leaves a chain is written to space at once and not by way of the heap.
func TestGrowsOnce(t *testing.T) {
	large := `{"a":"` + strings.Repeat("x", 8<<20) + `"}`
	c := newChain([]*step{{plugin: tester(nil), proc: process(func(r *Record, emit func(*Record)) error {
		emit(r.Derive([]byte(large)))
		return nil
	})}}, wire.OpenRequest{})
	s := &space{grant: 100, most: 64 << 20}
	must(t, s.run(t, c, input(`{}`, `{}`, `{}`)))
	if n := cap(c.scratch); n > 0 {
		t.Errorf("want no memory for what leaves the chain, have %d bytes", n)
	}
	if have := strings.Count(strings.Join(s.log, "\n"), "emitted "+large); have != 3 {
		t.Errorf("want three records, have %d", have)
	}
}

// TestScratch holds that what one large record takes lies outside of the heap and is returned with it, and that an input never gets the
// memory of another piece.
func TestScratch(t *testing.T) {
	var s scratch
	defer s.close()
	const limit = 32 << 20
	var pieces [][]byte
	for i, n := range []int{10, 1 << 20, mostSmall, 5 << 20, 10, limit} { // the last has no room but on the heap
		piece := s.take(n, limit)
		if len(piece) != 0 || cap(piece) != n {
			t.Fatalf("want room for %d bytes, have %d and %d", n, len(piece), cap(piece))
		}
		pieces = append(pieces, append(piece, bytes.Repeat([]byte{byte('a' + i)}, n)...))
	}
	for i, piece := range pieces {
		if bytes.Count(piece, []byte{byte('a' + i)}) != len(piece) {
			t.Errorf("want piece %d as it was written", i)
		}
	}
	if s.isEmpty() || len(s.small) > mostSmall || wire.Trims && s.used != mostSmall+5<<20 {
		t.Errorf("want at most %d bytes on the heap, have %d, and %d elsewhere", mostSmall, len(s.small), s.used)
	}
	if s.reset(); !s.isEmpty() {
		t.Error("want nothing taken after a reset")
	}
	if runtime.GOOS == "linux" && pieces[3][0] != 0 { // a page that went back reads as zeros
		t.Errorf("want the pages of a large record returned, have %q", pieces[3][0])
	}
}
