package source

import (
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// BenchmarkSerial gives the CPU time of each goroutine that reads one file of records, in seconds for a gigabyte. The
// reader and the hash are what more cores cannot take; checks are shared by all.
func BenchmarkSerial(b *testing.B) {
	for _, size := range []int{200, 8600, 1 << 20} {
		row := `{"role":"user","content":"` + strings.Repeat("Which meetings does the café quote? \\n", 1+size/40) + "\"}\n"
		text := strings.Repeat(row, 1+(64<<20)/len(row))
		name := filepath.Join(write(b, map[string]string{"a": text}), "a")
		for kind, splits := range map[string]func(entry, Options) (splitter, error){"jsonl": newLineSplitter, "json": newValueSplitter} {
			b.Run(fmt.Sprintf("read/%s/%d", kind, len(row)), func(b *testing.B) {
				mem := newArena(16 << 20)
				measure(b, len(text), func() { readAlone(b, name, splits, mem) })
			})
		}
		b.Run(fmt.Sprintf("check/%d", len(row)), func(b *testing.B) {
			measure(b, len(text), func() {
				for line := range strings.Lines(text) {
					if bad := jsontext.Check(line, 10); bad != nil {
						b.Fatal(bad)
					}
				}
			})
		})
	}
	b.Run("hash", func(b *testing.B) {
		data := make([]byte, 4<<20)
		measure(b, len(data), func() { sha256.Sum256(data) })
	})
}

// readAlone does what the reader's goroutine does.
func readAlone(b *testing.B, name string, splits func(entry, Options) (splitter, error), mem *wire.Arena) {
	opts := options(Options{Paths: []string{name}})
	in, err := openInputs(opts, kind{})
	if err != nil {
		b.Fatal(err)
	}
	r := &reader{Source: &Source{inputs: in, opts: opts, splitter: splits}, mem: mem, size: firstSize}
	for {
		d, err := r.makeDraft(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		d.discard()
		if d.err == io.EOF {
			return
		}
	}
}

// measure runs fn in a thread of its own.
func measure(b *testing.B, n int, fn func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b.SetBytes(int64(n))
	before := threadTime(b)
	for b.Loop() {
		fn()
	}
	b.ReportMetric((threadTime(b)-before).Seconds()/float64(b.N)/float64(n)*1e9, "cpu-s/GB")
}

func threadTime(b *testing.B) time.Duration {
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
