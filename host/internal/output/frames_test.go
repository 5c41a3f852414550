package output

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/sluicehq/sluice/sdk/wire"
)

// letters are many bytes that compress about as text does.
var letters = sync.OnceValue(func() string {
	r := rand.New(rand.NewPCG(1, 1))
	b := make([]byte, 4*frameSize)
	for i := range b {
		b[i] = "etaoin shrdlu"[r.IntN(13)]
	}
	return string(b)
})

// text returns n bytes of letters in quotes, others for each seed.
func text(seed, n int) string { return `"` + letters()[seed*7:][:n] + `"` }

// What was written comes out in order, whatever the sizes of the rows.
func TestFramesKeepOrder(t *testing.T) {
	for _, name := range []string{"a.jsonl.gz", "a.jsonl.zst"} {
		t.Chdir(t.TempDir())
		var lines []string
		for i := range 3000 {
			lines = append(lines, fmt.Sprintf(`"%d%s"`, i, strings.Repeat("x", i%977)))
		}
		lines = append(lines, text(1, 3*frameSize), "1", text(2, frameSize-3), text(3, frameSize), "2")
		files := run(t, name, records(lines[:7]...), records(lines[7:]...))
		if have := unzip(t, name); have != strings.Join(lines, "\n")+"\n" {
			t.Errorf("%s: have %d bytes, or not the ones that were written", name, len(have))
		}
		if files[0].Records != int64(len(lines)) {
			t.Errorf("%s: have %+v", name, files[0])
		}
	}
}

// A frame holds at most frameSize of rows, a larger row has one to itself, and each can be read without the others. Frames of zstd
// say how large they are, which readers that work in parallel need.
func TestFrames(t *testing.T) {
	half := text(1, frameSize/2)
	tests := []struct {
		reason string
		rows   []string
		want   []int // bytes in each frame
	}{
		{"no rows", nil, []int{0}},
		{"one small row", []string{"1"}, []int{2}},
		{"rows that fill a frame", []string{half[:frameSize/2-1], half[:frameSize/2-1], "1"}, []int{frameSize, 2}},
		{"a row that has no room", []string{"1", half, half}, []int{2 + len(half) + 1, len(half) + 1}},
		{"a row larger than a frame", []string{"1", text(2, 3*frameSize), "2"}, []int{2, 3*frameSize + 3, 2}},
	}
	for _, tt := range tests {
		for _, name := range []string{"a.jsonl.zst", "a.jsonl.gz"} {
			t.Run(tt.reason+" "+name, func(t *testing.T) {
				t.Chdir(t.TempDir())
				run(t, name, records(tt.rows...))
				data, err := os.ReadFile(name)
				must(t, err)
				sizesOf := zstdFrames
				if strings.HasSuffix(name, "gz") {
					sizesOf = gzipMembers
				}
				have := sizesOf(t, data)
				if fmt.Sprint(have) != fmt.Sprint(tt.want) {
					t.Errorf("want %v, have %v", tt.want, have)
				}
			})
		}
	}
}

// zstdFrames returns the sizes that frames say they have.
func zstdFrames(t *testing.T, data []byte) (sizes []int) {
	t.Helper()
	d, err := zstd.NewReader(nil)
	must(t, err)
	defer d.Close()
	for len(data) > 0 {
		var h zstd.Header
		must(t, h.Decode(data))
		if !h.HasFCS {
			t.Fatal("a frame does not say its size")
		}
		n := len(data) // of the frame: what follows is another one, or nothing
		for next := 4; next < len(data); next++ {
			if bytes.HasPrefix(data[next:], []byte{0x28, 0xb5, 0x2f, 0xfd}) {
				n = next
				break
			}
		}
		text, err := d.DecodeAll(data[:n], nil)
		must(t, err)
		if len(text) != int(h.FrameContentSize) {
			t.Fatalf("want %d bytes, have %d", h.FrameContentSize, len(text))
		}
		sizes, data = append(sizes, len(text)), data[n:]
	}
	return sizes
}

func gzipMembers(t *testing.T, data []byte) (sizes []int) {
	t.Helper()
	from := bytes.NewReader(data)
	z, err := gzip.NewReader(from)
	for ; err == nil; err = z.Reset(from) {
		z.Multistream(false)
		var text bytes.Buffer
		_, err := text.ReadFrom(z)
		must(t, err)
		sizes = append(sizes, text.Len())
	}
	return sizes
}

type failing struct{ left int }

var errDiskFull = errors.New("disk full")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errDiskFull
	}
	return len(p), nil
}

// A file that cannot be written ends the writing, soon or at the end, and keeps nobody waiting.
func TestFramesTellWhatFailed(t *testing.T) {
	row := []byte(text(1, frameSize/2))
	for _, left := range []int{0, 1 << 20, 1 << 30} {
		e := &frames{to: &failing{left}, zip: zipGzip}
		var err error
		for n := 0; n < 20 && err == nil; n++ {
			err = e.write(row)
		}
		want := errDiskFull
		if left == 1<<30 {
			want = nil
		} else if err == nil {
			t.Errorf("%d bytes of room: nothing was told while writing", left)
		}
		for range 2 {
			if again := e.close(); again != want {
				t.Errorf("%d bytes of room: have %v at the end, want %v", left, again, want)
			}
		}
	}
}

// A run that fails leaves no compressor behind: TestMain looks for goroutines.
func TestAbortEndsCompressors(t *testing.T) {
	inFolder(t, nil, nil)
	s := newSet(t)
	sink := addSink(t, s, "a", "{split}.jsonl.gz")
	addSink(t, s, "b", "b.jsonl.zst")
	prepare(t, s)
	for _, value := range []string{"x", "y", "z"} {
		must(t, sink.Write(append(records(), split(value, text(1, 2*frameSize)))))
	}
	must(t, s.Abort())
	wantTree(t, map[string]string{})
}

// A label may take more values than files can be open: the one that was used least recently is shut and opened again for its next
// row. What is written is the same as with all of them open, the origins too.
func TestManyLabels(t *testing.T) {
	for _, ext := range []string{"", ".gz", ".zst"} {
		write := func(most int) map[string]string {
			defer func(n int) { maxOpen = n }(maxOpen)
			maxOpen = most
			inFolder(t, nil, nil)
			s := New(Options{Run: testRun, Origins: true})
			t.Cleanup(func() { must(t, s.Abort()) })
			sink := addSink(t, s, "a", "{split}.jsonl"+ext)
			prepare(t, s)
			r := rand.New(rand.NewPCG(1, 2))
			for i := range 100 {
				row := split(fmt.Sprint(r.IntN(4)), text(i, 60_000))
				row.Line = int64(i)
				must(t, sink.Write([]wire.Record{row}))
				if len(sink.open) > most {
					t.Fatalf("want at most %d files open, have %d", most, len(sink.open))
				}
			}
			finish(t, s)
			must(t, s.Commit())
			return tree(t)
		}
		want := write(100)
		if len(want) != 8 {
			t.Fatalf("have %d files", len(want))
		}
		for _, most := range []int{1, 3} {
			if have := write(most); fmt.Sprint(have) != fmt.Sprint(want) {
				t.Errorf("%s: %d files at a time give other bytes", ext, most)
			}
		}
	}
}

// A label of too many values rejects the records that are too many, and the run goes on.
func TestTooManyLabels(t *testing.T) {
	defer func(n int) { maxFiles = n }(maxFiles)
	maxFiles = 2
	inFolder(t, nil, nil)
	s := newSet(t)
	sink := addSink(t, s, "a", "{split}")
	prepare(t, s)
	for _, value := range []string{"x", "y", "x", "z", "y"} {
		r := split(value, "1")
		fault := sink.Accepts(&r)
		if value == "z" {
			if want := "want labels that lead to at most 2 files of one sink, have 3"; fault == nil || fault.Code != TooManyFiles || fault.Message != want {
				t.Errorf("have %+v", fault)
			}
			continue
		}
		if fault != nil {
			t.Fatal(fault)
		}
		must(t, sink.Write([]wire.Record{r}))
	}
	finish(t, s)
	must(t, s.Commit())
	wantTree(t, map[string]string{"x": "1\n1\n", "y": "1\n1\n"})
}
