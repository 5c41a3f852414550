package sdk

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// summer passes records on and ends with what last does.
type summer struct {
	last func(r *Record) error
}

func (summer) Process(_ context.Context, r *Record, emit func(*Record)) error {
	emit(r)
	return nil
}

func (s summer) Finish(r *Record) error { return s.last(r) }

// finishing opens a worker whose last word is last, and answers a record with it.
func finishing(t *testing.T, s *space, last func(*Record) error) wire.Worker {
	t.Helper()
	p := tester(summer{last})
	p.Ordered = true
	w := open(t, p, true)
	if err := s.run(t, w, input(`{}`)); err != nil {
		t.Fatal(err)
	}
	s.log = nil
	return w
}

// TestFinish holds that rows and counts of no record reach the host, and once only.
func TestFinish(t *testing.T) {
	s := &space{grant: 64}
	w := finishing(t, s, func(r *Record) error {
		r.Side("rows", []byte(`{"n":1}`))
		r.Count("records", 1)
		r.Count("none", 0)
		return nil
	})
	s.validator = wire.Validator{}
	if err := s.run(t, w, nil); err != nil {
		t.Fatal(err)
	}
	want := []string{"note -1", `side 0 rows {"n":1}; count records 1; count none 0`}
	if diff := cmp.Diff(want, s.log); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}

// TestFinishInParts holds that a last word of any length is said in messages of bounded size.
func TestFinishInParts(t *testing.T) {
	row := []byte(`{"text":"` + strings.Repeat("a", maxRows/4) + `"}`)
	s := &space{grant: 64}
	w := finishing(t, s, func(r *Record) error {
		for range 10 {
			r.Side("rows", row)
		}
		return nil
	})
	var rows []int
	done := false
	if err := w.Process(t.Context(), nil, s, func(r *wire.Reply) error {
		rows, done = append(rows, len(r.Sides)), r.Done
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{4, 4, 2}, rows); diff != "" || !done {
		t.Errorf("want the rows in parts and an end, have end %v and (-want +have):\n%s", done, diff)
	}
}

// TestFinishFails holds that what is wrong with a last word ends the run: there is no record to reject.
func TestFinishFails(t *testing.T) {
	cases := []struct {
		reason string
		last   func(*Record) error
		want   string
	}{
		{"an error of its own", func(*Record) error { return errors.New("disk full") }, "disk full"},
		{"an output that it does not declare", func(r *Record) error { r.Side("other", []byte("{}")); return nil }, "want an output that it declares"},
		{"a row that is none", func(r *Record) error { r.Side("rows", []byte("[]")); return nil }, "after the last record, want a JSON object for output rows"},
		{"an edit of what is not there", func(r *Record) error { return r.Set("a", 1) }, "set"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			s := &space{grant: 64}
			w := finishing(t, s, c.last)
			s.validator = wire.Validator{}
			if err := s.run(t, w, nil); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want %q, have %v", c.want, err)
			}
		})
	}
}

// TestFinishWantsOrder holds that a last word is about all records: of two workers neither has seen them.
func TestFinishWantsOrder(t *testing.T) {
	p := tester(summer{})
	_, bad := Host(p).Open(wire.OpenRequest{Plugin: p.Name})
	if len(bad) != 1 || !strings.Contains(bad[0].Message, "want plugin test Ordered") {
		t.Errorf("want the plugin refused, have %v", bad)
	}
}
