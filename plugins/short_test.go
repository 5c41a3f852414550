package plugins_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A ring is the memory of a worker, which is used again for every batch.
type ring struct {
	memory []byte
	used   int
}

func (s *ring) Take(n int) (uint64, []byte) {
	if s.used+n > len(s.memory) {
		return 0, nil
	}
	s.used += n
	return uint64(s.used - n), s.memory[s.used-n : s.used : s.used]
}
func (s *ring) Untake(n int)                        { s.used -= n }
func (s *ring) Grow(_ context.Context, n int) error { return fmt.Errorf("want room for %d bytes", n) }
func (s *ring) Limit() int                          { return math.MaxInt32 }
func (s *ring) Note(wire.Spot)                      {}
func discarded(*wire.Reply) error                   { return nil }
func shortRow(i int) string {
	return fmt.Sprintf(`{"messages": [{"role": "user", "content": "question %d about something"}, {"role": "assistant", "content": "answer %[1]d, and a bit more of it. %s"}], "id": %[1]d, "source": "x"}`,
		i, "What it says is plain text of the length that short answers in a corpus have, without anything that a rule finds.")
}

// shortRows opens the chain of eliza-sft.hcl and returns what takes a batch of n short chats through it.
func shortRows(t testing.TB, n int) func() {
	steps := []wire.Step{}
	for _, name := range []string{"bootstrap", "modelspec-thread", "bedrock", "anthropic", "gemini", "openhands", "session", "atif", "oasst", "trajectory", "chat-text", "messages", "react", "eliza-record", "pair"} {
		args := "{}"
		if name == "chat-text" {
			args = `{"preset":"rendered"}`
		}
		steps = append(steps, wire.Step{Plugin: name, Args: []byte(args), Or: true})
	}
	for _, s := range [][2]string{{"alias", `{"aliases":{"OLD_NAME":"NEW_NAME"}}`}, {"privacy", "{}"}, {"quality", "{}"}, {"split", `{"val":0,"test":0}`}, {"chatml", "{}"}} {
		steps = append(steps, wire.Step{Plugin: s[0], Args: []byte(s[1])})
	}
	w, bad := sdk.Host(plugins.All...).Open(wire.OpenRequest{Plugin: "native", Args: []byte("{}"), Behind: steps, Trust: true, Depth: 1000})
	if bad != nil {
		t.Fatal(bad)
	}
	var in []wire.Record
	for i := range n {
		in = append(in, wire.Record{Data: []byte(shortRow(i)), File: "in", Line: int64(i + 1)})
	}
	space := &ring{memory: make([]byte, n<<10)}
	emitted := 0
	batch := func(reply func(*wire.Reply) error) {
		space.used = 0
		if err := w.Process(t.Context(), in, space, reply); err != nil {
			t.Fatal(err)
		}
	}
	batch(func(r *wire.Reply) error { emitted += len(r.Behind[len(r.Behind)-1].Emitted); return nil })
	if emitted != n {
		t.Fatalf("want %d rows, have %d", n, emitted)
	}
	return func() { batch(discarded) }
}

// TestShortRowsAllocate bounds what the chain of eliza-sft.hcl allocates for a short chat, which more than ten adapters decline: what
// is made for a step that a record does not reach shows here.
func TestShortRowsAllocate(t *testing.T) {
	const rows, runs, most = 1000, 5, 500
	batch := shortRows(t, rows)
	size, pieces := uint64(math.MaxUint64), uint64(0)
	for range runs { // of which the least counts: pools are emptied by the collector, and at random by the race detector
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		batch()
		runtime.ReadMemStats(&after)
		if have := after.TotalAlloc - before.TotalAlloc; have < size {
			size, pieces = have, after.Mallocs-before.Mallocs
		}
	}
	if size /= rows; size > most {
		t.Errorf("want at most %d bytes allocated for a row of %d bytes, have %d in %d pieces", most, len(shortRow(0)), size, pieces/rows)
	} else {
		t.Logf("%d bytes in %d pieces", size, pieces/rows)
	}
}

// BenchmarkShortRows measures the chain of eliza-sft.hcl on short chats.
func BenchmarkShortRows(b *testing.B) {
	const rows = 1000
	batch := shortRows(b, rows)
	b.ReportAllocs()
	for b.Loop() {
		batch()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
}
