package chatml_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/batch"
)

// BenchmarkRow renders a corpus of JSON Lines named by SLUICE_BENCH_CORPUS, or rows of its own.
func BenchmarkRow(b *testing.B)    { benchmark(b, chatml.Plugin, `{}`) }
func BenchmarkTarget(b *testing.B) { benchmark(b, chatml.Plugin, `{"target":"qwen2.5"}`) }

func benchmark(b *testing.B, p sdk.Plugin, args string) {
	records, size := corpus(b)
	w, err := p.Open([]byte(args), 0)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	b.SetBytes(size)
	b.ReportAllocs()
	space := &space{buf: make([]byte, 0, 2*size)}
	for b.Loop() {
		space.buf = space.buf[:0]
		err := w.Process(context.Background(), records, space, func(a batch.Answer) error {
			for _, o := range a.Outcomes {
				if o.Fault != nil {
					b.Fatalf("want rows, have %s at %s: %s", o.Fault.Code, o.Fault.Path, o.Fault.Message)
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func corpus(b *testing.B) (records []batch.Record, size int64) {
	data, err := os.ReadFile(os.Getenv("SLUICE_BENCH_CORPUS"))
	if err != nil {
		data = bytes.Repeat([]byte(benchRow+"\n"), 100)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 64<<20)
	for n := int64(1); lines.Scan() && size < 4<<20; n++ {
		line := bytes.Clone(lines.Bytes())
		records = append(records, batch.Record{Data: line, File: "bench.jsonl", Line: n})
		size += int64(len(line))
	}
	return records, size
}

// A space is memory given out from one buffer, as an arena does it.
type space struct{ buf []byte }

func (s *space) Take(n int) []byte {
	from := len(s.buf)
	s.buf = s.buf[:from+n]
	return s.buf[from:]
}

func (s *space) Grow(context.Context, int) error { return batch.ErrTooLarge }

const benchRow = `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"system":"You are Eliza, an agent with a calendar. Answer briefly.","messages":[{"role":"user","content":"What is on my list for today, and is there \"anything\" urgent?\nTell me first."},{"role":"assistant","content":[{"type":"text","text":"I look it up."},{"type":"tool-call","toolCallId":"k1","toolName":"LIST","input":{"day":"today","limit":10}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"k1","toolName":"LIST","output":{"type":"json","value":[{"at":"09:00","what":"stand-up"},{"at":"11:30","what":"dentist"}]}}]}],"tools":[{"type":"function","name":"LIST","description":"lists what is planned","inputSchema":{"type":"object","properties":{"day":{"type":"string"},"limit":{"type":"number"}},"required":["day"]}}]},"response":{"text":"Stand-up at nine and the dentist at half past eleven; nothing is urgent.","toolCalls":[],"finishReason":"stop","usage":{"promptTokens":120,"completionTokens":20}},"trajectoryId":"t1","metadata":{"task_type":"planner","split":"train","quality":{"success":true}}}`
