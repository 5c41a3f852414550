package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// Numbers of records: of the rows that most checks send, and of the largest batch.
const (
	ordinary = 50
	few      = 5 // when the check is to be quick
	most     = 100_000
)

func (s *subject) records() (rows [][]byte) {
	n := ordinary
	if s.Quick {
		n = few
	}
	if len(s.Rows) > 0 {
		if s.Quick {
			return s.Rows[:min(len(s.Rows), n)]
		}
		return s.Rows
	}
	for i := range n {
		rows = append(rows, fmt.Appendf(nil, `{"id": %d, "name": "row %d", "tags": ["a", "b"], "nested": {"n": %d.50}}`, i, i, i))
	}
	return rows
}

func rows(ctx context.Context, s *subject) (err error) {
	s.baseline, err = s.run(ctx, s.records(), mode{})
	s.pace = s.took / time.Duration(len(s.records()))
	return err
}

// slow is the time for a record from which on a person wonders whether anything goes on.
const slow = 20 * time.Millisecond

// expected says how long the other checks take a slow plugin: they send its rows five times over, and some 400 records of their own.
func (s *subject) expected() string {
	if s.pace < slow || s.Quick {
		return ""
	}
	rest := s.pace * time.Duration(5*len(s.records())+400)
	return fmt.Sprintf("%v a record: the other checks take about %v; --quick sends fewer records", s.pace.Round(time.Millisecond), rest.Round(time.Second))
}

// answersRecords returns a check that n records of about size bytes are answered.
func answersRecords(n, size int, m mode) func(context.Context, *subject) error {
	return func(ctx context.Context, s *subject) error {
		var records [][]byte
		if s.Quick {
			n = min(n, 40)
		}
		pad := bytes.Repeat([]byte("x"), size)
		for i := range n {
			records = append(records, fmt.Appendf(nil, `{"id": %d, "name": "%s"}`, i, pad))
		}
		_, err := s.run(ctx, records, m)
		return err
	}
}

// sameAnswers returns a check that records get the same answers in another mode.
func sameAnswers(m mode) func(context.Context, *subject) error {
	return func(ctx context.Context, s *subject) error {
		if s.baseline == nil {
			if err := rows(ctx, s); err != nil {
				return err
			}
		}
		have, err := s.run(ctx, s.records(), m)
		if err != nil {
			return err
		}
		for i := range s.baseline {
			if have[i] == s.baseline[i] {
				continue
			}
			name := "record " + strconv.Itoa(i+1)
			if i == len(s.records()) {
				name = "the answer after the last record"
			}
			return fmt.Errorf("%s: want the same answer as before, of %d bytes, have one of %d", name, len(s.baseline[i]), len(have[i]))
		}
		return nil
	}
}

func workers(ctx context.Context, s *subject) error {
	d, err := s.describe(ctx)
	if err != nil {
		return err
	}
	if d.Ordered {
		return notApplicable("an ordered plugin has one worker")
	}
	return sameAnswers(mode{workers: 3, batch: 5})(ctx, s)
}

// hugeBatch leaves out what would take a plugin longer than it may take for an answer.
func hugeBatch(ctx context.Context, s *subject) error {
	if s.Quick {
		return notTried("--quick sends no such batch")
	}
	if s.baseline == nil || s.pace >= slow { // which may have been the loading of something
		if err := rows(ctx, s); err != nil {
			return err
		}
	}
	if whole := s.pace * most; s.pace >= slow && whole > s.Timeout {
		return notTried(fmt.Sprintf("at %v a record it takes %v, and --timeout is %v", s.pace.Round(time.Millisecond), whole.Round(time.Minute), s.Timeout))
	}
	all := s.records()
	var many [][]byte
	for len(many) < most {
		many = append(many, all...)
		if size := len(slices.Concat(all...)); size*len(many)/len(all) > 48<<20 { // one batch never holds more
			break
		}
	}
	_, err := s.run(ctx, many[:min(len(many), most)], mode{})
	return err
}

// large is how many bytes pad a record of 64 MiB.
const large = 64<<20 - 100

func declared(ctx context.Context, s *subject) error {
	d, err := s.describe(ctx)
	if err != nil {
		return err
	}
	var bad []error
	undeclared := func(what string, have map[string]bool, known []string) {
		for name := range have {
			if !slices.Contains(known, name) && !slices.Contains(known, "*") {
				bad = append(bad, fmt.Errorf("want it to declare %s %q, which it wrote", what, name))
			}
		}
	}
	undeclared("output", s.outputs, d.Outputs)
	undeclared("label", s.labels, d.Labels)
	for label := range s.values {
		if known := d.LabelValues[label.Name]; len(known) > 0 && label.Value != "" && !slices.Contains(known, label.Value) {
			bad = append(bad, fmt.Errorf("want it to declare value %q of label %q, which it set", label.Value, label.Name))
		}
	}
	if s.declined && d.TakesAll {
		bad = append(bad, errors.New("want no decline, since it declares that it takes all records, have a decline"))
	}
	if len(d.Codes) > 0 {
		for code := range s.codes {
			if _, ok := d.Codes[code]; !ok && !wire.IsHostCode(code) {
				bad = append(bad, fmt.Errorf("want it to declare code %q, which it rejected with", code))
			}
		}
	}
	return errors.Join(bad...)
}
