package output

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluicehq/sluice/sdk/wire"
)

// BenchmarkSerial gives the CPU time of the goroutine that writes one file, and of one that reads it back alone, in
// seconds for a gigabyte of records.
func BenchmarkSerial(b *testing.B) {
	for _, size := range []int{200, 8600, 1 << 20} {
		row := []byte(`{"role":"user","content":"` + strings.Repeat("Which meetings does it quote? \\n", 1+size/33) + `"}`)
		batch := make([]wire.Record, 1+(4<<20)/len(row))
		for i := range batch {
			batch[i].Data = append([]byte(nil), row...)
		}
		n := len(batch) * (len(row) + 1)
		for _, name := range []string{"a.jsonl", "a.jsonl.gz", "a.jsonl.zst"} {
			b.Run(fmt.Sprintf("write/%s/%d", name, len(row)), func(b *testing.B) {
				b.Chdir(b.TempDir())
				s := New(Options{Run: testRun})
				sink, err := s.Sink("jsonl", Claim{Path: name})
				if err == nil {
					err = s.Prepare(b.Context())
				}
				if err != nil {
					b.Fatal(err)
				}
				defer s.Abort()
				measure(b, n, func() {
					if err := sink.Write(batch); err != nil {
						b.Fatal(err)
					}
				})
			})
		}
	}
	b.Run("read back", func(b *testing.B) {
		b.Chdir(b.TempDir())
		s := New(Options{Run: testRun})
		report, err := s.Report(Claim{Path: "a"})
		if err == nil {
			err = s.prepare(b.Context(), report.claim, nil)
		}
		if err != nil {
			b.Fatal(err)
		}
		defer s.Abort()
		f, row := report.claim.file, make([]byte, 8600)
		row[len(row)-1] = '\n'
		for range 4000 {
			if _, err := f.Write(row); err != nil {
				b.Fatal(err)
			}
		}
		buf := make([]byte, auditStep)
		measure(b, 4000*len(row), func() {
			f.digest = newDigest("")
			for f.readBack(buf) {
			}
		})
	})
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
