package viewer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/host/rundiff"
)

// TestMatrix holds that every record is in the list of its cell, in the order of the input, and in no other.
func TestMatrix(t *testing.T) {
	m, err := newMatrix()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := m.close(); err != nil {
			t.Error(err)
		}
	}()
	kept, dropped := rundiff.Fate{Kind: rundiff.Kept}, rundiff.Fate{Kind: rundiff.Dropped, Step: "dedup.near"}
	const records = 10_000
	for i := range int64(records) {
		b := kept
		if i%3 == 0 {
			b = dropped
		}
		of := rundiff.Origin{File: fmt.Sprintf("%d.jsonl", i/4000), Line: i + 1, OfLine: uint32(i % 2)}
		if err := m.add(of, kept, b); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.to.Flush(); err != nil {
		t.Fatal(err)
	}
	at := fatePair{0, 0} // dropped came first
	if n := m.counts[at]; m.fates[1][0] != dropped || n != records/3+1 {
		t.Fatalf("want a third dropped by B, have %d and %v", n, m.fates)
	}
	have, err := m.records(at, 3000, 3)
	want := []host.Origin{{File: "2.jsonl", Line: 9001, OfLine: 0}, {File: "2.jsonl", Line: 9004, OfLine: 1}, {File: "2.jsonl", Line: 9007, OfLine: 0}}
	if err != nil || fmt.Sprint(have) != fmt.Sprint(want) {
		t.Errorf("want %v, have %v (%v)", want, have, err)
	}
	if v := m.view(&state{}); len(v.Columns) != 2 || v.Columns[0] != "kept" || v.Rows[0].Cells[1].N != records/3+1 {
		t.Errorf("want kept before dropped, have %+v", v)
	}
}

// TestMatrixOfManyCodes holds that the words of plugins make no table that nobody can read.
func TestMatrixOfManyCodes(t *testing.T) {
	m, err := newMatrix()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.close() }()
	for i := range int64(1000) {
		a := rundiff.Fate{Kind: rundiff.Rejected, Step: "act.a", Code: fmt.Sprintf("code_%d", i)}
		if err := m.add(rundiff.Origin{File: "in", Line: i + 1}, a, rundiff.Fate{Kind: rundiff.Kept}); err != nil {
			t.Fatal(err)
		}
	}
	v := m.view(&state{})
	var sum int64
	for _, row := range v.Rows {
		sum += row.Cells[0].N
	}
	if len(v.Rows) != mostFates+1 || sum != 1000 {
		t.Errorf("want %d rows of 1000 records, have %d of %d", mostFates+1, len(v.Rows), sum)
	}
}

// TestBothDropped holds when it is known how many records both runs dropped without a trace.
func TestBothDropped(t *testing.T) {
	dropped := receipt.Totals{Dropped: receipt.Breakdown{Total: 4}}
	m := &matrix{seen: map[string]int64{"a": 7, "only": 1}}
	run := func(inputs ...receipt.Input) *receipt.Receipt {
		return &receipt.Receipt{Inputs: inputs, Graph: &receipt.Graph{}, Totals: dropped}
	}
	a, b := receipt.Input{Name: "a", Records: 10}, receipt.Input{Name: "only", Records: 5}
	if n, why := m.both(run(a, b), run(a)); n != 3 || why != "" {
		t.Errorf("want the 3 records of the file that both have read, have %d", n)
	}
	part := run(a)
	part.Partial = &receipt.Partial{}
	if n, why := m.both(run(a), part); n != 0 || !strings.HasPrefix(why, "B has not read") {
		t.Errorf("want it said that a run did not read everything, have %d and %q", n, why)
	}
}
