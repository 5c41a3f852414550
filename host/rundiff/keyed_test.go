package rundiff

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// twoFiles is a place of two files with these lines.
func twoFiles(t *testing.T, a, b []string) outputPair {
	t.Helper()
	dir := t.TempDir()
	p := outputPair{Name: "rows", A: []*outputFile{{Path: filepath.Join(dir, "a")}}, B: []*outputFile{{Path: filepath.Join(dir, "b")}}}
	for path, lines := range map[string][]string{p.A[0].Path: a, p.B[0].Path: b} {
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// TestKeyed holds how files are aligned that no run has written.
func TestKeyed(t *testing.T) {
	for _, c := range []struct {
		reason string
		a, b   []string
		want   string
	}{
		{"in another order", []string{`{"id":1,"x":1}`, `{"id":2}`}, []string{`{"id":2}`, `{"id":1,"x":2}`},
			"1 changed | rows | x | a number | another number | :0 (1 2)\n1 differ\n"},
		{"a string and a number are not one value", []string{`{"id":1}`}, []string{`{"id":"1"}`},
			"1 only_a | rows | :0 (1 0)\n1 only_b | rows | :0 (0 1)\n2 differ\n"},
		{"however a string is spelled", []string{`{"id":"\u0061"}`}, []string{`{"id":"a"}`}, "1 spelling | rows | :0 (1 1)\n0 differ\n"},
		{"however a number is spelled", []string{`{"id":10.0}`}, []string{`{"id":1e1}`}, "1 spelling | rows | :0 (1 1)\n0 differ\n"},
		{"rows with one value belong together in their order", []string{`{"id":1,"n":0}`, `{"id":1,"n":1}`}, []string{`{"id":1,"n":0}`, `{"id":1,"n":2}`},
			"1 changed | rows | n | a number | another number | :0 (2 2)\n1 differ\n"},
		{"rows without the value", []string{`{"id":1}`, `{"x":1}`, `none`}, []string{`{}`, `{"id":1}`},
			"2 only_a | rows | id | nothing to align it by | :0 (2 0) | :0 (3 0)\n1 only_b | rows | id | nothing to align it by | :0 (0 1)\n3 differ\n"},
		{"empty lines and ends of lines", []string{`{"id":1}`, "", `{"id":2}`, ""}, []string{"\uFEFF" + `{"id":1}`, `{"id":2}` + "\r"}, "1 spelling | rows | :0 (3 2)\n0 differ\n"},
	} {
		r, err := compareKeyed(t.Context(), twoFiles(t, c.a, c.b), "id", settings{})
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		wantTold(t, c.reason, c.want, r)
	}
	if _, err := compareKeyed(t.Context(), twoFiles(t, []string{`{}`}, []string{`{}`}), "id", settings{}); err == nil || !strings.Contains(err.Error(), "want a value at id") {
		t.Errorf("want an error about a key that no row has, have %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	many := make([]string, 2000)
	if _, err := compareKeyed(stopped, twoFiles(t, many, many), "id", settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("want an end when nobody waits any more, have %v", err)
	}
}

// TestKeyedOnDisk holds that it makes no difference how many rows fit into memory, and that nothing stays on disk.
func TestKeyedOnDisk(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var a, b []string
	for i := range 3000 {
		id := i / (1 + i%3) // some several times
		a = append(a, fmt.Sprintf(`{"id":%d,"n":%d}`, id, i))
		if i%7 > 0 {
			b = append(b, fmt.Sprintf(`{"id":%d,"n":%d}`, id, i+random.IntN(2)))
		}
	}
	random.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
	p := twoFiles(t, a, b)
	want, err := compareKeyed(t.Context(), p, "id", settings{MaxHeld: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	balance(t, want)
	temp := t.TempDir()
	for _, keep := range []int64{100_000, 5_000, 2_000} { // from one level of partitions to several
		have, err := compareKeyed(t.Context(), p, "id", settings{MaxHeld: keep, Temp: temp})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, have, cmpopts.IgnoreFields(Group{}, "Examples")); diff != "" {
			t.Errorf("%d bytes (-want +have):\n%s", keep, diff)
		}
	}
	same := make([]string, 1000)
	for i := range same {
		same[i] = `{"id":1}`
	}
	if _, err := compareKeyed(t.Context(), twoFiles(t, same, nil), "id", settings{MaxHeld: 10_000, Temp: temp}); err == nil || !strings.Contains(err.Error(), "want a value that differs from row to row") {
		t.Errorf("want an error about too many rows with one value, have %v", err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("want nothing left, have %v, %v", left, err)
	}
}
