package native_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/sdk/batch"
)

// BenchmarkCheck checks a corpus of JSON Lines named by SLUICE_BENCH_CORPUS, or rows of its own.
func BenchmarkCheck(b *testing.B) {
	data, err := os.ReadFile(os.Getenv("SLUICE_BENCH_CORPUS"))
	if err != nil {
		data = bytes.Repeat([]byte(benchRow+"\n"), 100)
	}
	var records []batch.Record
	size := int64(0)
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 64<<20)
	for n := int64(1); lines.Scan() && size < 4<<20; n++ {
		line := bytes.Clone(lines.Bytes())
		records = append(records, batch.Record{Data: line, File: "bench.jsonl", Line: n})
		size += int64(len(line))
	}
	w, err := native.Plugin.Open(nil, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		err := w.Process(context.Background(), records, nil, func(a batch.Answer) error {
			for _, o := range a.Outcomes {
				if o.Verdict != batch.Unchanged {
					b.Fatalf("want rows unchanged, have %+v", o.Fault)
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

const benchRow = `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"system":"You are Eliza, an agent with a calendar. Answer briefly.","messages":[{"role":"user","content":"What is on my list for today, and is there \"anything\" urgent?\nTell me first."},{"role":"assistant","content":[{"type":"text","text":"I look it up."},{"type":"tool-call","toolCallId":"k1","toolName":"LIST","input":{"day":"today","limit":10}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"k1","toolName":"LIST","output":{"type":"json","value":[{"at":"09:00","what":"stand-up"}]}}]}]},"response":{"text":"Stand-up at nine; nothing is urgent.","toolCalls":[],"finishReason":"stop"},"trajectoryId":"t1","metadata":{"split":"train","quality":{"success":true}}}`
