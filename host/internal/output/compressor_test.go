package output

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// What was written comes out in order, whatever the sizes of the writes.
func TestPressKeepsOrder(t *testing.T) {
	for _, name := range []string{"a.jsonl.gz", "a.jsonl.zst"} {
		t.Chdir(t.TempDir())
		var lines []string
		for i := range 3000 {
			lines = append(lines, fmt.Sprintf(`"%d%s"`, i, strings.Repeat("x", i%977)))
		}
		lines = append(lines, `"`+strings.Repeat("y", 3*outputBuffer)+`"`, "1")
		files := run(t, name, records(lines[:7]...), records(lines[7:]...))
		if have := unzip(t, name); have != strings.Join(lines, "\n")+"\n" {
			t.Errorf("%s: have %d bytes, or not the ones that were written", name, len(have))
		}
		if files[0].Records != int64(len(lines)) {
			t.Errorf("%s: have %+v", name, files[0])
		}
	}
}

type failing struct{ left int }

var errDiskFull = errors.New("disk full")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errDiskFull
	}
	return len(p), nil
}

// A writer behind a compressor that fails ends the writing, soon or at the end, and keeps nobody waiting.
func TestPressTellsWhatFailed(t *testing.T) {
	for _, left := range []int{0, outputBuffer, 100 * outputBuffer} {
		p := newCompressor(&failing{left})
		var err error
		for n := 0; n < 50 && err == nil; n++ {
			_, err = p.Write(make([]byte, outputBuffer))
		}
		want := errDiskFull
		if left > 50*outputBuffer {
			want = nil
		} else if err == nil {
			t.Errorf("%d bytes of room: nothing was told while writing", left)
		}
		if again := p.close(); again != want {
			t.Errorf("%d bytes of room: have %v at the end, want %v", left, again, want)
		}
		if again := p.close(); again != want {
			t.Errorf("%d bytes of room: have %v when closed again", left, again)
		}
	}
}

// A run that fails leaves no compressor behind: TestMain looks for goroutines.
func TestAbortEndsPresses(t *testing.T) {
	inFolder(t, nil, nil)
	s := newSet(t)
	sink := addSink(t, s, "a", "{split}.jsonl.gz")
	addSink(t, s, "b", "b.jsonl.zst")
	prepare(t, s)
	for _, value := range []string{"x", "y", "z"} {
		must(t, sink.Write(append(records(), split(value, strings.Repeat("1", 300_000)))))
	}
	must(t, s.Abort())
	wantTree(t, map[string]string{})
}
