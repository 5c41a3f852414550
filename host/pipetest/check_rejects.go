package pipetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/plural"
)

func (k *checker) rejected(e *config.Expect) {
	var n int64
	var others []string
	for _, r := range k.rejects {
		switch {
		case e.Code != "" && e.Code != r.code, e.Path != "" && e.Path != r.path, e.Line != 0 && e.Line != r.line, !ofStep(r.step, e.Step):
			others = append(others, r.String())
			continue
		}
		r.expected = true
		n++
	}
	k.counted(e, n, "reject", others)
}

func (k *checker) dropped(e *config.Expect) {
	var n int64
	var others []string
	for _, s := range k.result.Steps {
		if s.Candidate {
			continue
		}
		for _, reason := range slices.Sorted(maps.Keys(s.Dropped.By)) {
			if e.Reason != "" && e.Reason != reason || !ofStep(s.Name, e.Step) {
				others = append(others, fmt.Sprintf("step %s: %s %d", s.Name, reason, s.Dropped.By[reason]))
				continue
			}
			n += s.Dropped.By[reason]
		}
	}
	k.counted(e, n, "drop", others)
}

// ofStep reports whether TYPE.NAME has this name; "" is any.
func ofStep(label, name string) bool {
	return name == "" || label[strings.LastIndexByte(label, '.')+1:] == name
}

// counted fails when an expectation does not want n.
func (k *checker) counted(e *config.Expect, n int64, what string, others []string) {
	if e.Count == n || e.Count < 0 && n > 0 {
		return
	}
	want := "at least one such " + what
	if e.Count >= 0 {
		want = plural.Of(int(e.Count), "such "+what)
	}
	message := fmt.Sprintf("want %s, have %d", want, n)
	if len(others) > 0 {
		message += "; others: " + strings.Join(others[:min(len(others), maxFailures)], ", ")
	}
	k.fail(e, e.Range.Line, message)
}

// unexpected fails for a reject that the test does not expect.
func (k *checker) unexpected(r *reject) {
	f := Failure{Line: k.test.Range.Line, Message: fmt.Sprintf("%s: %s", r, r.message)}
	if p := k.block(r.step); p != nil {
		f.Where, f.Place = where(p)
	}
	for _, in := range k.test.Inputs {
		if in.Name == r.file && in.File == "" {
			f.Line = in.Range.Line
			if in.Rows != nil && r.line <= int64(len(in.Rows.All)) {
				f.Line = in.Rows.All[r.line-1].Line
			}
		}
	}
	f.Message = "rejected unexpectedly: " + f.Message
	k.failures = append(k.failures, f)
}

// block returns the block of the pipeline that a dead letter names: TYPE.NAME, route.NAME or first.NAME.
func (k *checker) block(label string) *config.Block {
	for _, p := range k.file.Layout.All("step", "source", "sink", "route", "first") {
		if strings.Join(p.Labels, ".") == label || p.Kind+"."+p.Name() == label {
			return p
		}
	}
	return nil
}
