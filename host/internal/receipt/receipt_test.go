package receipt

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/internal/jsonl"
)

var update = flag.Bool("update", false, "write the golden files")

func sample() Receipt {
	return Receipt{
		Run:       "5b0c",
		Started:   time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("", 3600)),
		Finished:  time.Date(2026, 3, 1, 12, 0, 2, 5e8, time.FixedZone("", 3600)),
		Sluice:    "1.2.3",
		Pipeline:  Pipeline{Path: "pipelines/eliza.hcl", SHA256: "aa"},
		Variables: map[string]string{"out": "out", "input": "<corpus>/*.jsonl"},
		Inputs:    []jsonl.Input{{Name: "a.jsonl", Bytes: 900, Records: 10, SHA256: "bb"}},
		Plugins:   []Plugin{{Step: "native.canonical", Name: "native", Version: "1.2.3", Path: BuiltIn, SHA256: "cc"}},
		Steps: []Step{{
			Name: "native.canonical", Plugin: "native", In: 9, Extra: 2, Out: 5,
			Dropped:  Sum(map[string]int64{"empty": 2}),
			Rejected: Sum(map[string]int64{"no_request": 1}),
			Declined: Sum(map[string]int64{"another format": 3}),
			BytesIn:  800, BytesOut: 500, BusySeconds: 0.25, Counts: map[string]int64{"renamed": 4},
		}},
		Totals: Totals{
			Read: 10, Extra: 2, Teed: 5, Written: 10, BytesRead: 900, BytesWritten: 1000, Seconds: 2.5,
			Dropped:  Sum(map[string]int64{"empty": 2}),
			Rejected: Sum(map[string]int64{"no_request": 1, "invalid_json": 1, "declined": 3}),
		},
		Outputs: []jsonl.Output{{Path: "out/train.jsonl", Records: 10, Bytes: 1000, SHA256: "dd"}},
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		reason string
		change func(*Receipt)
		want   string
	}{
		{"as it should be", func(*Receipt) {}, ""},
		{"an empty run", func(r *Receipt) { *r = Receipt{} }, ""},
		{"a step loses a record", func(r *Receipt) { r.Steps[0].Out-- },
			"step native.canonical: 9 in + 2 extra = 11, but 4 out + 2 dropped + 1 rejected + 3 declined = 10"},
		{"the run loses a record", func(r *Receipt) { r.Totals.Written-- },
			"run: 10 read + 2 extra + 5 teed = 17, but 9 written + 2 dropped + 5 rejected = 16"},
		{"a sink writes a record twice", func(r *Receipt) { r.Totals.Written++ },
			"run: 10 read + 2 extra + 5 teed = 17, but 11 written + 2 dropped + 5 rejected = 18"},
		{"a record gets lost behind the source", func(r *Receipt) { r.Inputs[0].Records++ },
			"inputs hold 11 records, the run read 10"},
		{"a drop without a reason", func(r *Receipt) { r.Totals.Dropped = Tally{Total: 2} },
			"run: dropped 2, but one by one 0"},
		{"two mistakes", func(r *Receipt) { r.Steps[0].Out--; r.Totals.Written-- },
			"step native.canonical: 9 in + 2 extra = 11, but 4 out + 2 dropped + 1 rejected + 3 declined = 10 (and 1 more)"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			r := sample()
			tt.change(&r)
			have := ""
			if err := r.Check(); err != nil {
				have = err.Error()
			}
			if have != tt.want {
				t.Errorf("have %q, want %q", have, tt.want)
			}
			if r.Balanced != (tt.want == "") || r.Balanced != (len(r.Unbalanced) == 0) {
				t.Errorf("balanced %v, unbalanced %q", r.Balanced, r.Unbalanced)
			}
		})
	}
}

func TestWriteAndRead(t *testing.T) {
	tests := []struct {
		golden string
		r      Receipt
	}{{"full.json", sample()}, {"empty.json", Receipt{}}}
	for _, tt := range tests {
		t.Run(tt.golden, func(t *testing.T) {
			if err := tt.r.Check(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "new", "receipt.json")
			if err := tt.r.Write(path); err != nil {
				t.Fatal(err)
			}
			have, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", tt.golden)
			if *update {
				if err := os.WriteFile(golden, have, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(have)); diff != "" {
				t.Error(diff)
			}
			again, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := again.Write(path); err != nil {
				t.Fatal(err)
			}
			if second, _ := os.ReadFile(path); string(second) != string(have) {
				t.Error("what is read and written again differs")
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "receipt.json")
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("have %v for no file", err)
	}
	if err := os.WriteFile(path, []byte("[]"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.HasPrefix(err.Error(), path+": want a receipt: ") {
		t.Errorf("have %v for another file", err)
	}
}

func TestComparable(t *testing.T) {
	a, b := sample(), sample()
	b.Run, b.Started, b.Finished = "77", b.Started.Add(time.Hour), b.Finished.Add(time.Hour)
	b.Totals.Seconds, b.Steps[0].BusySeconds = 3, 1
	if diff := cmp.Diff(a.Comparable(), b.Comparable()); diff != "" {
		t.Error(diff)
	}
	if b.Run != "77" || b.Steps[0].BusySeconds != 1 {
		t.Error("the receipt itself has changed")
	}
	b.Outputs[0].SHA256 = "ee"
	if cmp.Equal(a.Comparable(), b.Comparable()) {
		t.Error("another output compares as equal")
	}
}
