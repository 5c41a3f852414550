package privacy_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/sdk/batch"
)

// BenchmarkProfiles runs over records of a chat log with tools, or over the JSON Lines file that
// SLUICE_BENCH_CORPUS names.
func BenchmarkProfiles(b *testing.B) {
	for _, profile := range []string{"standard", "reference"} {
		for _, hits := range []int{10, 0} { // one row in so many holds something
			b.Run(fmt.Sprintf("%s/hits=%d", profile, hits), func(b *testing.B) {
				records, size := benchRecords(b, hits)
				w, err := privacy.Plugin.Open(fmt.Appendf(nil, `{"profile": %q}`, profile), 0)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(size)
				before := cpuTime(b)
				for b.Loop() {
					if err := w.Process(context.Background(), records, heap{}, func(batch.Answer) error { return nil }); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(size)*float64(b.N)/1e6/(cpuTime(b)-before), "cpu-MB/s") // what a busy machine does not spoil
			})
		}
	}
}

// cpuTime gives the seconds that this process has worked.
func cpuTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func benchRecords(b *testing.B, hits int) (records []batch.Record, size int64) {
	if name := os.Getenv("SLUICE_BENCH_CORPUS"); name != "" {
		file, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			records = append(records, batch.Record{Data: []byte(lines.Text())})
			size += int64(len(lines.Bytes()))
		}
		return records, size
	}
	text := strings.Repeat("please read the calendar and draft a reply \\\"by noon\\\", then book a table near the station ", 20)
	for i := range 200 {
		say := text
		if hits > 0 && i%hits == 0 {
			say += " my address is user@example.com and the key sk-0123456789abcdef0123456789abcdef"
		}
		row := fmt.Sprintf(`{"format":"eliza_native_v1","request":{"system":%q,"messages":[{"role":"user","content":"%s"}],"tools":[{"name":"MAIL","inputSchema":{"type":"object","properties":{"to":{"type":"string"}}}}]},"response":{"text":"%s","usage":{"totalTokens":%d}},"stepId":"step-%d"}`,
			"You are an agent.", say, text, 900+i, i)
		records = append(records, batch.Record{Data: []byte(row)})
		size += int64(len(row))
	}
	return records, size
}

type heap struct{}

func (heap) Take(n int) []byte               { return make([]byte, n) }
func (heap) Grow(context.Context, int) error { return nil }
