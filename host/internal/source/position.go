package source

import (
	"fmt"
	"slices"
	"time"

	"github.com/sluicehq/sluice/host/receipt"
)

// A Position is how far a source has come: what Next has returned so far.
type Position struct {
	Files []Stamp         // all that there are to read, in order
	Done  []receipt.Input // the account of the first of these, which were read to their end
	Taken int64           // records of the file behind them
}

// A Stamp is what a file looks like from outside.
type Stamp struct {
	Name     string
	Size     int64
	Modified time.Time
}

// String returns size and time.
func (s Stamp) String() string {
	return fmt.Sprintf("%d bytes of %s", s.Size, s.Modified.UTC().Format(time.RFC3339Nano))
}

// Position returns how far the source has come. No Next may be under way. Every file of the source is a regular one.
func (s *Source) Position() Position {
	return Position{Files: s.stamps(), Done: slices.Clone(s.done), Taken: s.taken}
}

func (in *inputs) stamps() (all []Stamp) {
	for _, e := range in.files {
		s := Stamp{Name: e.name}
		if e.regular() {
			s.Size, s.Modified = e.info.Size(), e.info.ModTime()
		}
		all = append(all, s)
	}
	return all
}

// GoOn has the source go on from a position, before its first Next. Files that were read to their end are not opened; the one behind
// them is read from its start, and its records that were taken are passed over. show returns the form in which names of files stand in
// the position. The files must be as they were: otherwise GoOn returns what changed, and does nothing.
func (s *Source) GoOn(p Position, show func(string) string) (changes []string) {
	if changes = s.changesSince(p, show); len(changes) > 0 {
		return changes
	}
	s.begun, s.taken = len(p.Done), p.Taken
	for i, in := range p.Done {
		in.Name = s.files[i].name
		s.done = append(s.done, in)
		s.passed.Store(s.read.Add(in.Bytes))
	}
	if s.begun < len(s.files) {
		s.at = s.files[s.begun].name
	}
	return nil
}

func (s *Source) changesSince(p Position, show func(string) string) (changes []string) {
	have := s.stamps()
	for i := range have {
		have[i].Name = show(have[i].Name)
	}
	for i := range have {
		if i < len(p.Files) && have[i].Name == p.Files[i].Name && (have[i].Size != p.Files[i].Size || !have[i].Modified.Equal(p.Files[i].Modified)) {
			changes = append(changes, fmt.Sprintf("input %s: want %v, have %v", have[i].Name, p.Files[i], have[i]))
		}
	}
	was, is := namesOfStamps(p.Files), namesOfStamps(have)
	if slices.Equal(was, is) {
		return changes
	}
	for _, name := range without(was, is) {
		changes = append(changes, fmt.Sprintf("input %s: want it to be read, have no such input", name))
	}
	for _, name := range without(is, was) {
		changes = append(changes, fmt.Sprintf("input %s: want no further input, have this one", name))
	}
	if len(changes) == 0 {
		changes = append(changes, fmt.Sprintf("inputs: want them in the order %q, have %q", was, is))
	}
	return changes
}

func namesOfStamps(all []Stamp) (names []string) {
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

// without returns the names that are not among others.
func without(names, others []string) []string {
	among := map[string]bool{}
	for _, name := range others {
		among[name] = true
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return among[name] })
}
