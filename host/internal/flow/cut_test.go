package flow

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestCut holds what parts a batch has: as large as they may be, and a record that is larger alone. Each part counts in the chunk,
// and the last one is what the batch was.
func TestCut(t *testing.T) {
	cases := []struct {
		reason  string
		size    BatchSize
		records string // a letter for each byte
		want    []string
	}{
		{"nothing is cut without a size", BatchSize{}, "a b c", []string{"a b c"}},
		{"records are counted", BatchSize{Records: 2}, "a b c d e", []string{"a b", "c d", "e"}},
		{"a batch of the size stays whole", BatchSize{Records: 3}, "a b c", []string{"a b c"}},
		{"bytes are counted", BatchSize{Bytes: 4}, "aa bb c dddd e", []string{"aa bb", "c", "dddd", "e"}},
		{"a larger record is alone", BatchSize{Bytes: 2}, "a bbbb c d", []string{"a", "bbbb", "c d"}},
		{"whichever is less", BatchSize{Records: 2, Bytes: 3}, "a b c ddd e", []string{"a b", "c", "ddd", "e"}},
		{"an empty batch goes on, for it may be the last", BatchSize{Records: 1}, "", []string{""}},
	}
	for _, c := range cases {
		chunk := &pendingChunk{batches: 1, done: make(chan struct{})}
		b := &batch{chunk: chunk, last: true}
		for text := range strings.FieldsSeq(c.records) {
			b.records = append(b.records, wire.Record{Data: []byte(text)})
		}
		var have []string
		parts := c.size.cut(b)
		for i, p := range parts {
			var texts []string
			for _, r := range p.records {
				texts = append(texts, string(r.Data))
			}
			have = append(have, strings.Join(texts, " "))
			if p.last != (i == len(parts)-1) {
				t.Errorf("%s: want only the last part to be last, have part %d: %t", c.reason, i, p.last)
			}
			p.chunk.release()
		}
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
		if chunk.batches != 0 {
			t.Errorf("%s: want a chunk that is done with its parts, have %d batches", c.reason, chunk.batches)
		}
	}
}
