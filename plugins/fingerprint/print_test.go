package fingerprint

import (
	"encoding/base64"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/canonical"
)

// TestLabel holds that a label gives the print back that it was made of, and nothing for another record.
func TestLabel(t *testing.T) {
	p := Print{Native: true, Content: canonical.Digest{Hi: 1, Lo: 2}, Trajectory: 3, End: 4, Inner: make([]uint64, maxInner), Sketched: true, Asked: []byte("q"), Answered: []byte("answer")}
	p.Sketch.Whole[Bins-1], p.Sketch.answer[answers-1], p.Inner[maxInner-1] = 5, 6, 7
	p.Sketch.Exact, p.Sketch.asked.sums[cells-1], p.Sketch.words, p.Sketch.last, p.Sketch.others = 9, 10, 11, 12, true
	const stamp, limit = 8, 200
	_, text := p.text(stamp, true, limit, nil)
	var have Print
	if !have.parse(text, stamp, true, limit) {
		t.Fatal("want a print, have none")
	}
	if diff := cmp.Diff(p, have, cmp.AllowUnexported(Sketch{}, wording{})); diff != "" {
		t.Error(diff)
	}
	if have.parse(text, stamp, true, limit+1) {
		t.Error("texts of another length: want no print, have one")
	}
	_, plain := p.text(stamp, false, limit, nil)
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reason, text string
		stamp        uint64
		sketches     bool
	}{
		{"of another record", text, stamp + 1, true},
		{"without the sketch that is asked for", plain, stamp, true},
		{"nothing", "", stamp, false},
		{"no base64", "?" + text[1:], stamp, false},
		{"of another layout", base64.RawStdEncoding.EncodeToString(append([]byte{data[0] ^ version}, data[1:]...)), stamp, false},
		{"cut in a number", base64.RawStdEncoding.EncodeToString(data[:20]), stamp, false},
		{"cut in the sketch", base64.RawStdEncoding.EncodeToString(data[:60]), stamp, false},
		{"too long", base64.RawStdEncoding.EncodeToString(append(data[:len(data):len(data)], data[:8]...)), stamp, true},
		{"cut in a text", base64.RawStdEncoding.EncodeToString(data[:len(data)-maxInner*8-1]), stamp, true},
	} {
		if have.parse(c.text, c.stamp, c.sketches, limit) {
			t.Errorf("%s: want no print, have one", c.reason)
		}
	}
}
