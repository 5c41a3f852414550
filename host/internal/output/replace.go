package output

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/places"
)

// mayReplace returns why a run must not write a file that is there: another run has written it, and the receipt of that one, which this run
// does not replace, would no longer describe it. That the file has origins shows that a run wrote it, wherever the receipt of that one is.
// The caller holds the Set's lock.
func (s *Set) mayReplace(t *target) error {
	if s.opts.Listed == nil || s.opts.Replace || s.from != nil || t.inPlace() || !s.hasFinal(t.real) || s.before().has(s, t) {
		return nil
	}
	receipt := ""
	if s.receipt != nil {
		receipt = s.receipt.Path
	}
	for _, folder := range []string{places.Dir(t.path), places.Dir(cmp.Or(receipt, t.path))} {
		for _, other := range s.receiptsIn(folder) {
			switch {
			case other.path == places.Clean(receipt):
			case s.opts.Apart && (other.is(s, t) || other.files.has(s, t)):
				return fmt.Errorf("%s: want no file of a run, have one of the run with the receipt %s: write to another path", t.path, other.path)
			case other.is(s, t):
				return fmt.Errorf("%s: want no file of another run, have its receipt: write to another path, or run with --replace", t.path)
			case other.files.has(s, t):
				return fmt.Errorf("%s: want no file of another run, have one that %s lists: write into another folder, or run with --replace", t.path, other.path)
			}
		}
	}
	switch {
	case !hasOrigins(s.final(t.real)):
		return nil
	case s.opts.Apart:
		return fmt.Errorf("%s: want no file of a run, have rows of one: write to another path", t.path)
	case receipt == "":
		return fmt.Errorf("%s: want no file of another run, have rows of one that has a receipt: write to another path, or run with --replace", t.path)
	}
	return fmt.Errorf("%s: want no file of another run, have rows of one whose receipt is not %s: write to another path, or run with --replace", t.path, receipt)
}

// keys are the files that a receipt lists, by target.key, as it shows them.
type keys map[string]bool

// has reports whether a file is among them. Receipts list files in the form that may be shown.
func (k keys) has(s *Set, t *target) bool {
	if k[t.key] {
		return true
	}
	shown := s.opts.Shown(t.path)
	if shown == t.path {
		return false
	}
	as, err := s.locate(shown)
	return err == nil && k[as.key]
}

func (s *Set) keysOf(receipt string) keys {
	all := keys{}
	for _, l := range s.opts.Listed(receipt) {
		if t, err := s.locate(l.Path); err == nil && !t.inPlace() {
			all[t.key] = true
		}
	}
	return all
}

// before returns the files of the run whose place this one takes: those that its receipt lists, and those that it was giving their names
// when it ended, when there was no receipt.
func (s *Set) before() keys {
	if s.replaced != nil {
		return s.replaced
	}
	s.replaced = keys{}
	if s.receipt == nil {
		return s.replaced
	}
	s.replaced = s.keysOf(s.receipt.Path)
	path := s.statePath()
	if path == "" {
		return s.replaced
	}
	if x, err := readState(path); err == nil {
		for _, m := range x.Commit {
			s.replaced[s.keyOf(far(path, m.Real))] = true
		}
	}
	return s.replaced
}

// A foreign is the receipt of another run, with its files.
type foreign struct {
	path  string
	files keys
}

// is reports whether a target is the receipt.
func (f foreign) is(s *Set, t *target) bool {
	own, err := s.locate(f.path)
	return err == nil && own.key == t.key
}

var receiptStart = regexp.MustCompile(`^\s*\{\s*"run"\s*:`)

// receiptsIn returns the receipts in a folder.
func (s *Set) receiptsIn(folder string) []foreign {
	if all, known := s.foreign[folder]; known {
		return all
	}
	var all []foreign
	for _, name := range regular(folder) {
		at := places.Join(folder, name)
		if filepath.Ext(name) != ".json" {
			continue
		}
		if head, err := headOf(at, 64); err == nil && receiptStart.Match(bytes.TrimRight(head, "\x00")) {
			all = append(all, foreign{at, s.keysOf(at)})
		}
	}
	s.foreign[folder] = all
	return all
}

// sortReplaced decides what becomes of the files of the run whose place this one takes that this one has not written. Whoever reads all
// files of a sink with labels takes those of labels that no longer come for this run's: the commit removes them if they are still what the
// other run wrote. Any other file stays: a path that is new may be one that somebody has chosen to keep both.
func (s *Set) sortReplaced() {
	if s.receipt == nil || s.opts.Listed == nil || s.opts.Replace {
		return
	}
	written := keys{}
	for _, f := range s.files {
		written[f.target.key] = true
	}
	for _, m := range s.leftover {
		written[s.keyOf(far(s.statePath(), m.Real))] = true
	}
	for _, x := range s.further {
		if t, err := s.locate(x.Path); err == nil {
			written[t.key] = true
		}
	}
	for _, l := range s.opts.Listed(s.receipt.Path) {
		t, err := s.locate(l.Path)
		if err != nil || t.inPlace() || written[t.key] || !s.hasFinal(t.real) {
			continue
		}
		if old := s.leftBy(t.real, l); old != nil && s.isLabelled(t.real, l.Sink) {
			s.leftover = append(s.leftover, old...)
			continue
		}
		what := "the run before"
		if l.Sink != "" {
			what = "sink " + l.Sink
		}
		s.further = append(s.further, Further{Claim{What: what}, l.Path, true})
	}
	slices.SortStableFunc(s.further, func(a, b Further) int { return strings.Compare(a.Claim.What, b.Claim.What) })
}

// isLabelled reports whether a sink with this name, whose path names labels, would write a file for some of them.
func (s *Set) isLabelled(real, sink string) bool {
	return slices.ContainsFunc(s.claims, func(c *claim) bool {
		return c.sink != nil && c.folder != nil && c.What == "sink "+sink && c.labelled(real)
	})
}
