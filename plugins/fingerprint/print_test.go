package fingerprint

import (
	"encoding/base64"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/canonical"
)

// TestLabel holds that a label gives the print back that it was made of, and nothing for another record.
func TestLabel(t *testing.T) {
	p := Print{Native: true, Content: canonical.Digest{Hi: 1, Lo: 2}, Trajectory: 3, End: 4, Inner: make([]uint64, maxInner), Sketched: true}
	p.Sketch.Whole[Bins-1], p.Sketch.answer[answers-1], p.Inner[maxInner-1] = 5, 6, 7
	const stamp = 8
	_, text := p.text(stamp, true, nil)
	var have Print
	if !have.parse(text, stamp, true) {
		t.Fatal("want a print, have none")
	}
	if diff := cmp.Diff(p, have, cmp.AllowUnexported(Sketch{})); diff != "" {
		t.Error(diff)
	}
	_, plain := p.text(stamp, false, nil)
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
		{"too long", text + text, stamp, false},
	} {
		if have.parse(c.text, c.stamp, c.sketches) {
			t.Errorf("%s: want no print, have one", c.reason)
		}
	}
}
