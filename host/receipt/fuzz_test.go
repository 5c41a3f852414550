package receipt

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzReceipt holds that any text that is taken for a receipt can be written and read again as it is, checked whatever its counts are, and
// leads to no file outside of its folder that it takes for one inside.
func FuzzReceipt(f *testing.F) {
	x := sample()
	for _, change := range []func(){
		func() {},
		func() { x.Partial = &Partial{Limit: 3, Taken: []PartialInput{{"a.jsonl", 3}}} },
		func() { x.Timeline = &Sidecar{Path: "out/.sluice/receipt.json.timeline.jsonl"} },
		func() { x.Outputs[0].Path, x.Outputs[1].Path = "../../etc/passwd", "/etc/passwd" },
		func() { x.Timeline = &Sidecar{Path: ".sluice/x"} },
	} {
		change()
		text, err := x.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"graph":{"body":[{"kind":"first","ways":[{"stops":[]}]}]},"routes":[{}],"totals":{"read":9223372036854775807,"extra":1}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var r Receipt
		if json.Unmarshal(text, &r) != nil {
			return
		}
		for _, o := range r.Outputs {
			if at, inside := r.Place("dir", o.Path); inside {
				if below, err := filepath.Rel("dir", at); err != nil || !filepath.IsLocal(below) {
					t.Errorf("want %q in its folder, have %q", o.Path, at)
				}
			}
		}
		_ = r.Recheck()
		_ = r.Manifest("out")
		first, err := r.Encode()
		if err != nil {
			return // a time that no text holds
		}
		var again Receipt
		if err := json.Unmarshal(first, &again); err != nil {
			t.Fatalf("want what was written read again: %v", err)
		}
		second, err := again.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, second) {
			t.Errorf("want the same receipt read and written again (-first +second):\n%s", cmp.Diff(string(first), string(second)))
		}
	})
}

// FuzzTimeline holds that a timeline that can be read is written as one that reads the same.
func FuzzTimeline(f *testing.F) {
	f.Add([]byte("{\"schema\":\"sluice.timeline.v1\",\"steps\":[\"a.x\"],\"columns\":[\"in\",\"out\",\"bytes_in\",\"busy_seconds\",\"queue\"]}\n{\"seconds\":1.5,\"records\":2,\"steps\":[[1,2,3,0.5,1]]}\n"))
	f.Add([]byte("{\"schema\":\"sluice.timeline.v1\",\"columns\":[\"in\",\"out\",\"bytes_in\",\"busy_seconds\",\"queue\"]}\n{\"steps\":null}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		x, err := ReadTimeline(bytes.NewReader(text))
		if err != nil {
			return
		}
		written, err := x.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReadTimeline(bytes.NewReader(written))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(x, again); diff != "" {
			t.Errorf("want the same timeline read again (-want +have):\n%s", diff)
		}
	})
}
