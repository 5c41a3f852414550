package receipt

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/filehash"
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
		Inputs:    []Input{{Name: "a.jsonl", Bytes: 900, Records: 10, Sum: filehash.Of(filehash.SHA256, "bb")}},
		Plugins:   []Plugin{{Step: "native.canonical", Name: "native", Version: "1.2.3", Path: BuiltIn, SHA256: "cc"}},
		Steps: []StepAccount{{
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
		Outputs: []Output{
			{Path: "out/train.jsonl", Records: 7, Bytes: 700, Sum: filehash.Of(filehash.SHA256, "dd"), After: []string{"native.canonical"}, Sink: "jsonl.split"},
			{Path: "out/test.jsonl", Records: 3, Bytes: 300, Sum: filehash.Of(filehash.SHA256, "de"), After: []string{"native.canonical"}, Sink: "jsonl.split"},
			{Path: "out/ledger.jsonl", Records: 4, Bytes: 40, Sum: filehash.Of(filehash.SHA256, "ee"), Side: "native.canonical/ledger", Sink: "jsonl.ledger"},
			{Path: "out/rejects.jsonl", Records: 5, Bytes: 500, Sum: filehash.Of(filehash.SHA256, "ff"), Side: DeadLetter, Sink: "jsonl.rejects"},
		},
	}
}

// handed is what flow counts in the run of sample.
func handed() map[string]int64 {
	return map[string]int64{"jsonl.split": 10, "jsonl.ledger": 4, "jsonl.rejects": 5}
}

// Every rule of the balance has a case that breaks this rule alone, so a rule that is not enforced shows.
func TestCheck(t *testing.T) {
	type counts = map[string]int64
	tests := []struct {
		reason string
		change func(*Receipt, counts)
		want   string
	}{
		{"as it should be", func(*Receipt, counts) {}, ""},
		{"an empty run", func(r *Receipt, h counts) { *r = Receipt{}; clear(h) }, ""},
		{"a sink with labels that got nothing has no file", func(_ *Receipt, h counts) { h["jsonl.none"] = 0 }, ""},
		{"a candidate balances in itself", func(r *Receipt, _ counts) {
			r.Steps = append(r.Steps, StepAccount{Name: "new", In: 9, Out: 9, Candidate: true})
		}, ""},
		{"a candidate loses a record", func(r *Receipt, _ counts) {
			r.Steps = append(r.Steps, StepAccount{Name: "new", In: 9, Candidate: true})
		},
			"step new: 9 in + 0 extra = 9, but 0 out + 0 dropped + 0 rejected + 0 declined = 0"},
		{"a step loses a record", func(r *Receipt, _ counts) { r.Steps[0].Out-- },
			"step native.canonical: 9 in + 2 extra = 11, but 4 out + 2 dropped + 1 rejected + 3 declined = 10"},
		{"a step drops without a reason", func(r *Receipt, _ counts) { r.Steps[0].Dropped.By = nil },
			"step native.canonical: dropped 2, but one by one 0"},
		{"a step rejects without a code", func(r *Receipt, _ counts) { r.Steps[0].Rejected.By = nil },
			"step native.canonical: rejected 1, but one by one 0"},
		{"a step declines without a reason", func(r *Receipt, _ counts) { r.Steps[0].Declined.By = nil },
			"step native.canonical: declined 3, but one by one 0"},
		{"a record gets lost behind the source", func(r *Receipt, _ counts) { r.Inputs[0].Records++ },
			"inputs hold 11 records, the run read 10"},
		{"a record gets lost between source and sink", func(r *Receipt, _ counts) { r.Totals.Teed++ },
			"run: 10 read + 2 extra + 6 teed = 18, but 10 written + 2 dropped + 5 rejected = 17"},
		{"a record comes from nowhere", func(r *Receipt, _ counts) { r.Totals.Extra-- },
			"run: 10 read + 1 extra + 5 teed = 16, but 10 written + 2 dropped + 5 rejected = 17"},
		{"a drop without a reason", func(r *Receipt, _ counts) { r.Totals.Dropped.By = nil }, "run: dropped 2, but one by one 0"},
		{"a reject without a code", func(r *Receipt, _ counts) { r.Totals.Rejected.By = nil }, "run: rejected 5, but one by one 0"},
		{"a side row is missing on disk", func(r *Receipt, _ counts) { r.Outputs[2].Records-- },
			"sink jsonl.ledger: the run handed it 4 records, on disk are 3"},
		{"a sink has a record that the run did not pass to it", func(_ *Receipt, h counts) { h["jsonl.split"]-- },
			"sink jsonl.split: the run handed it 9 records, on disk are 10"},
		{"a sink has no file", func(_ *Receipt, h counts) { h["jsonl.lost"] = 2 },
			"sink jsonl.lost: the run handed it 2 records, on disk are 0"},
		{"a file of a sink without a count", func(r *Receipt, _ counts) { r.Outputs[2].Sink = "jsonl.other"; r.Outputs[2].Records = 0 },
			"sink jsonl.ledger: the run handed it 4 records, on disk are 0"},
		{"rows of one sink lie in the file of another", func(r *Receipt, _ counts) { r.Outputs[1].Records++; r.Outputs[2].Records-- },
			"sink jsonl.ledger: the run handed it 4 records, on disk are 3 (and 2 more)"},
		{"the stream counts what lies beside it", func(r *Receipt, _ counts) { r.Outputs[2].Side = "" },
			"run: 10 written, but 14 in the outputs of the stream"},
		{"a reject is in no dead letter", func(r *Receipt, h counts) { r.Outputs[3].Records--; h["jsonl.rejects"]-- },
			"run: 5 rejected, but 4 in the dead letter"},
		{"two mistakes", func(r *Receipt, _ counts) { r.Steps[0].Out--; r.Inputs[0].Records++ },
			"inputs hold 11 records, the run read 10 (and 1 more)"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			r, h := sample(), handed()
			tt.change(&r, h)
			have := ""
			if err := r.Check(h); err != nil {
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

// A second look does not keep what the first one found.
func TestCheckAgain(t *testing.T) {
	r := sample()
	if err := r.Check(nil); err == nil {
		t.Error("want an error about sinks with files that were handed nothing, have none")
	}
	if err := r.Check(handed()); err != nil || !r.Balanced || r.Unbalanced != nil {
		t.Errorf("have %v, %q", err, r.Unbalanced)
	}
}

// The JSON is what other programs read: fields may be added, none renamed.
func TestEncodeAndRead(t *testing.T) {
	full := sample()
	full.Dependencies = []Dependency{{"env", "PREFIX", "aa"}, {"file", "aliases.json", "bb"}}
	full.Warnings = []Warning{{Code: "unused_plugin", Message: "no step uses it", Place: "p.hcl:3:1"}}
	full.Inputs[0].Changed = true
	full.Steps[0].First, full.Steps[0].Last = &Position{"a.jsonl", 1}, &Position{"a.jsonl", 9}
	full.Steps = append(full.Steps, StepAccount{Name: "native.next", Plugin: "native", Candidate: true})
	tests := []struct {
		golden string
		r      Receipt
		handed map[string]int64
	}{{"full.json", full, handed()}, {"empty.json", Receipt{}, nil}}
	for _, tt := range tests {
		t.Run(tt.golden, func(t *testing.T) {
			if err := tt.r.Check(tt.handed); err != nil {
				t.Fatal(err)
			}
			have, err := tt.r.Encode()
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
			again, err := Read(golden)
			if err != nil {
				t.Fatal(err)
			}
			if second, err := again.Encode(); err != nil || string(second) != string(have) {
				t.Errorf("what is read and encoded again differs: %v", err)
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

// Values of records, and what plugins say about them, are in the report of a shadow and in no receipt.
func TestEncodeLeavesValuesOut(t *testing.T) {
	found := Comparison{
		Records: 9, Differing: 4, Stopped: &Cutoff{Why: "panic over carol"},
		Differences: []ShadowGroup{{
			ShadowDifference: ShadowDifference{Path: "name", Current: "string", Candidate: "null"}, Records: 4, Examples: []Example{{Current: `"carol"`}},
		}},
	}
	r := Receipt{Shadows: []ShadowReport{{Shadow: "s", Comparison: found}}}
	text, err := r.Encode()
	if err != nil || bytes.Contains(text, []byte("carol")) || !bytes.Contains(text, []byte(`"differing": 4`)) {
		t.Errorf("want the counts without values, have %s (%v)", text, err)
	}
	if len(found.Differences[0].Examples) != 1 || found.Stopped.Why == "" {
		t.Error("the receipt itself has changed")
	}
}
