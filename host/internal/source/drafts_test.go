package source

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"

	"github.com/sluicehq/sluice/sdk/wire"
)

// However many goroutines check the records of a draft, each has the fault that it has alone, and what the reader found
// stays.
func TestChecksBesideEachOther(t *testing.T) {
	make100 := func() *draft {
		d := &draft{}
		for i := range 100 {
			data, fault := fmt.Sprintf(`{"n":%d}`, i), (*wire.Fault)(nil)
			switch {
			case i%7 == 3:
				data = "{" + strings.Repeat(" ", i)
			case i%31 == 30:
				data = "[[[[1]]]]"
			case i == 50:
				data, fault = "", &wire.Fault{Code: TooLarge}
			}
			d.chunk.Add(wire.Record{Data: []byte(data)}, fault)
		}
		return d
	}
	alone := make100()
	alone.checkRun(0, 100, 3)
	alone.place()
	for _, most := range []int{1, 20, 300, 1 << 20} {
		d := make100()
		d.check(3, most)
		d.pending.Wait()
		d.place()
		if diff := cmp.Diff(alone.chunk.Faults, d.chunk.Faults); diff != "" || len(d.chunk.Faults) != 100 {
			t.Errorf("%d bytes a goroutine: %s", most, diff)
		}
	}
}

// What comes behind the source can begin before a whole batch is read.
func TestFirstChunkIsSmall(t *testing.T) {
	dir := write(t, map[string]string{"a": strings.Repeat("[1,2,3]\n", 1<<20)})
	s, err := open(t, "jsonl", options(Options{Paths: []string{filepath.Join(dir, "a")}}))
	if err != nil {
		t.Fatal(err)
	}
	mem := newArena(16 << 20)
	rows, err := next(t, t.Context(), s, mem)
	if err != nil || len(rows) > firstSize/len("[1,2,3]\n") {
		t.Errorf("have %d records, %v", len(rows), err)
	}
	more, err := drain(t, s, mem)
	if err != nil || len(rows)+len(more) != 1<<20 {
		t.Errorf("have %d records, %v", len(rows)+len(more), err)
	}
}

// A source that is left in the middle of its files touches no memory any more, and nothing of it goes on: TestMain looks
// for goroutines.
func TestLeftInTheMiddle(t *testing.T) {
	text := strings.Repeat("[1,2,3]\n", 1<<16)
	ways := map[string]func(timed, *wire.Arena, context.CancelFunc) error{
		"closed": func(s timed, _ *wire.Arena, _ context.CancelFunc) error { return s.Close() },
		"cancelled": func(s timed, _ *wire.Arena, cancel context.CancelFunc) error {
			cancel()
			return s.Close()
		},
		"closed after Next was cancelled": func(s timed, mem *wire.Arena, cancel context.CancelFunc) error {
			ctx, stop := context.WithCancel(context.Background())
			stop()
			if _, err := s.Next(ctx, mem); !errors.Is(err, context.Canceled) {
				return fmt.Errorf("want it cancelled, have %w", err)
			}
			return errors.Join(s.Close(), s.Close())
		},
	}
	for name, packed := range map[string]string{"a": text, "a.gz": gzipped(text, text), "b.gz": bgzf(text, text), "a.zst": zstded(text, text)} {
		dir := write(t, map[string]string{"1" + name: packed, "2" + name: packed, "3" + name: packed})
		for how, leave := range ways {
			for _, taken := range []int{0, 1, 3} {
				s, err := open(t, "jsonl", options(Options{Paths: []string{filepath.Join(dir, "*")}, Batch: 1 << 12}))
				if err != nil {
					t.Fatal(err)
				}
				mem := newArena(1 << 14)
				ctx, cancel := context.WithCancel(t.Context())
				for range taken {
					if _, err := next(t, ctx, s, mem); err != nil {
						t.Fatal(err)
					}
				}
				if err := leave(s, mem, cancel); err != nil {
					t.Errorf("%s, %s: %v", name, how, err)
				}
				cancel()
				if n := mem.InUse(); n != 0 {
					t.Errorf("%s, %s after %d chunks: %d bytes are still out", name, how, taken, n)
				}
			}
		}
	}
}

// Records cost memory however small, so a chunk of tiny ones behind large ones ends at a number of them, and none is lost there.
func TestChunksOfTinyRecords(t *testing.T) {
	const large, tiny = 300, 200_000
	text := "\"head\"\n" + strings.Repeat(`"`+strings.Repeat("x", 10_000)+"\"\n", large) + strings.Repeat("1\n", tiny)
	for kind, line := range map[string]int64{"jsonl": 0, "csv": 1} { // of what is before the first record
		dir := write(t, map[string]string{"a": text})
		s, err := open(t, kind, options(Options{Paths: []string{filepath.Join(dir, "a")}}))
		if err != nil {
			t.Fatal(err)
		}
		mem := newArena(16 << 20)
		for line < 1+large+tiny {
			chunk, err := s.Next(t.Context(), mem)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(chunk.Records); n > mostRecords {
				t.Errorf("%s: want at most %d records in a chunk, have %d", kind, mostRecords, n)
			}
			for _, r := range chunk.Records {
				if line++; r.Line != line {
					t.Fatalf("%s: want line %d, have %d", kind, line, r.Line)
				}
			}
			wire.ReleaseAll(chunk.Records)
		}
		if _, err := next(t, t.Context(), s, mem); !errors.Is(err, io.EOF) {
			t.Errorf("%s: want the end, have %v", kind, err)
		}
	}
}

// bgzf packs each part as one member with its size in the header.
func bgzf(parts ...string) string {
	var all bytes.Buffer
	for _, part := range parts {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Extra = []byte("BC\x02\x00\x00\x00")
		io.WriteString(z, part)
		z.Close()
		binary.LittleEndian.PutUint16(b.Bytes()[16:], uint16(b.Len()-1))
		all.Write(b.Bytes())
	}
	return all.String()
}
