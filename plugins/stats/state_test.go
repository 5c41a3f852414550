package stats

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/canonical"
)

// filled returns a step that has seen a row of every kind, and one of the largest lengths.
func filled() *sums {
	s := &sums{cfg: config{Tokens: "usage", Groups: 2, Actions: 2}}
	for _, name := range []string{"split", "source", TrainSource, "task"} {
		s.kinds = append(s.kinds, &kind{name: name, groups: map[string]*tally{}})
	}
	for i, name := range []string{"a", None, "b", "ü", "more"} {
		row := facts{shape: shape(i % 3), characters: int64(i) * 1000, tokens: int64(i) - 1}
		row.turns[canonical.User] = 2
		if i == 4 {
			row.characters = math.MaxInt64
		}
		s.shapes.add(row.shape)
		s.all.add(&row, s.cfg)
		for _, k := range s.kinds {
			named(k.groups, name, s.cfg.Groups).add(&row, s.cfg)
		}
	}
	s.all.actions = map[string]*Action{"SEARCH": {Calls: 3, Taught: 1}}
	return s
}

func empty() *sums {
	s := filled()
	fresh := &sums{cfg: s.cfg}
	for _, k := range s.kinds {
		fresh.kinds = append(fresh.kinds, &kind{name: k.name, groups: map[string]*tally{}})
	}
	return fresh
}

// TestState holds that a step that goes on from a state reports what the first would have.
func TestState(t *testing.T) {
	var state bytes.Buffer
	if err := filled().Save(&state); err != nil {
		t.Fatal(err)
	}
	have := empty()
	if err := have.Restore(bytes.NewReader(state.Bytes())); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(filled().report(), have.report()); diff != "" {
		t.Errorf("-want +have:\n%s", diff)
	}
	for n := 0; n < state.Len(); n += 1 + state.Len()/100 {
		if err := empty().Restore(bytes.NewReader(state.Bytes()[:n])); err == nil {
			t.Errorf("want an error for the first %d bytes of %d, have none", n, state.Len())
		}
	}
	other := empty()
	other.cfg.Limit = 5
	if err := other.Restore(&state); err == nil {
		t.Error("want an error for a state of other attributes, have none")
	}
}

// FuzzRestore holds that a broken state is an error, or leaves a step that can go on and report.
func FuzzRestore(f *testing.F) {
	var state bytes.Buffer
	if err := filled().Save(&state); err != nil {
		f.Fatal(err)
	}
	f.Add(state.Bytes())
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		broken := bytes.Clone(state.Bytes())
		broken[r.IntN(len(broken))] ^= 1 << r.IntN(8)
		f.Add(broken)
	}
	f.Fuzz(func(t *testing.T, state []byte) {
		s := empty()
		if s.Restore(bytes.NewReader(state)) != nil {
			return
		}
		s.all.add(&facts{characters: math.MaxInt64}, s.cfg)
		s.report()
	})
}
