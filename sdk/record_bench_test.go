package sdk

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/tidwall/sjson"
)

// benchRow is a row in the manner of a recorded model call: a few long strings, then small values. A corpus given in
// SLUICE_BENCH_CORPUS takes its place.
func benchRow(b *testing.B) string {
	words := strings.Repeat(`calendar \"quote\" café replies `, 60)
	message := `{"content":"` + words + `","role":"user"}`
	row := `{"agentId":"agent-1","callId":"call-0","format":"eliza_native_v1","metadata":{"split":"train","task_type":"planner"},` +
		`"request":{"messages":[` + message + `,` + message + `,` + message + `],"settings":{"temperature":0.7},"toolChoice":"auto"},` +
		`"response":{"finishReason":"stop","text":"` + words + `","usage":{"totalTokens":9163}},"stepId":"step-0","timestamp":1760000000000}`
	if name := os.Getenv("SLUICE_BENCH_CORPUS"); name != "" {
		f, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		if row, err = bufio.NewReader(f).ReadString('\n'); err != nil {
			b.Fatal(err)
		}
	}
	return row
}

type benchEdit struct{ path, raw string }

var (
	benchEdits = []benchEdit{
		{"response.finishReason", `"tool-calls"`},
		{"metadata.split", `"test"`},
		{"request.messages.0.role", `"assistant"`},
		{"stepId", `"step-1"`},
	}
	benchCreations = []benchEdit{
		{"response.toolCalls.-1", `{"toolName":"A"}`},
		{"metadata.source.dataset", `"support"`},
		{"request.settings.top.p", `0.9`},
		{"quality", `{}`},
	}
)

// BenchmarkSet compares a Record, which finds with gjson and lets sjson make only what does not exist, with sjson on the whole
// record: README.md says what came of it.
func BenchmarkSet(b *testing.B) {
	row := benchRow(b)
	for name, edits := range map[string][]benchEdit{"replace/1": benchEdits[:1], "replace/4": benchEdits, "create/4": benchCreations} {
		b.Run(name+"/record", func(b *testing.B) {
			b.SetBytes(int64(len(row)))
			r := newRecord(row)
			s := r.step
			var dst []byte
			for b.Loop() {
				*r.document = document{data: row, step: s}
				for _, e := range edits {
					if err := r.SetRaw(e.path, []byte(e.raw)); err != nil {
						b.Fatal(err)
					}
				}
				dst = r.appendTo(dst[:0])
			}
		})
		b.Run(name+"/sjson", func(b *testing.B) {
			b.SetBytes(int64(len(row)))
			for b.Loop() {
				out := row
				for _, e := range edits {
					var err error
					if out, err = sjson.SetRaw(out, e.path, e.raw); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkSplice measures a thousand splices of one record.
func BenchmarkSplice(b *testing.B) {
	row := benchRow(b)
	stride := len(row) / 1000
	for name, place := range map[string]func(i int) int{
		"ascending":  func(i int) int { return i },
		"descending": func(i int) int { return 999 - i },
		"scattered":  func(i int) int { return i * 617 % 1000 },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(row)))
			r := newRecord(row)
			s := r.step
			var dst []byte
			for b.Loop() {
				*r.document = document{data: row, step: s}
				r.JSON()
				for i := range 1000 {
					at := place(i) * stride
					if err := r.Splice(at, at+1, []byte("<SECRET>")); err != nil {
						b.Fatal(err)
					}
				}
				dst = r.appendTo(dst[:0])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/splice")
		})
	}
}
