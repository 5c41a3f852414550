package merge

import (
	"testing"

	"github.com/sluicehq/sluice/host/receipt"
)

// TestCover holds that each file of the inputs is read once, also one without a byte.
func TestCover(t *testing.T) {
	a, empty := receipt.Input{Name: "a", Share: &receipt.Share{To: 2, Size: 2}}, receipt.Input{Name: "e", Share: &receipt.Share{File: 1}}
	sum := receipt.HashInputs([]receipt.Input{a, empty})
	for _, c := range []struct {
		why           string
		first, second []receipt.Input
		want          string // empty: they fit
	}{
		{"each once", []receipt.Input{a}, []receipt.Input{empty}, ""},
		{"a file without a byte twice", []receipt.Input{a, empty}, []receipt.Input{empty}, "1.json: share: want e of 0 bytes in one part once, have it again"},
		{"a file twice", []receipt.Input{a}, []receipt.Input{a, empty}, "a: share: want byte 2 on in part 00001-of-00002, have byte 0 on"},
		{"another order", []receipt.Input{empty}, []receipt.Input{a}, "receipt.json: inputs: want the 2 files of the whole run, have 2 files, or others"},
		{"a file less", []receipt.Input{a}, nil, "receipt.json: inputs: want the 2 files of the whole run, have 1 file, or others"},
		{"no share", []receipt.Input{{Name: "a"}}, []receipt.Input{empty}, "0.json: share: want one of a, have no share"},
	} {
		m := &merging{path: "receipt.json", Options: Options{MaskName: func(path string) string { return path }}}
		for i, inputs := range [][]receipt.Input{c.first, c.second} {
			about := &receipt.PartAccount{Part: receipt.Part{Index: i, Of: 2}, Files: 2, SHA256: sum}
			m.parts = append(m.parts, &part{&receipt.Receipt{Part: about, Inputs: inputs}, string(rune('0'+i)) + ".json"})
		}
		m.cover()
		have := ""
		if d := m.result.Differing; len(d) > 0 {
			have = d[0].String()
		}
		if have != c.want {
			t.Errorf("%s: want %q, have %q", c.why, c.want, have)
		}
	}
}
