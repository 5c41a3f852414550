package output

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/sluicehq/sluice/host/internal/parquet"
)

// A Claim is a path that a run writes or reads, and who needs it.
type Claim struct {
	What        string // who, as in "sink jsonl.train"
	Path        string
	Fixed       bool   // the path may not name labels
	KeepFailed  bool   // Set.KeepFailed keeps what the file holds when the run fails; such a path may not name labels either
	Failed      bool   // of a report: a run that fails may write another, see Report.WriteFailed
	NotDurable  bool   // the file is not synced: whoever reads it checks its hash
	AfterFinish bool   // of a report: it describes what the sinks hold, so it is written after Finish
	Optional    bool   // the run succeeds without it, see Set.Optional
	Sidecar     bool   // its place is the hidden folder
	Mark        string // of an optional file: what one of an earlier run begins with, which a successful run removes
	Tag         any    // the caller's own, such as the claim's place in the pipeline file

	Rotate Rotate // of a sink: how much each of its files holds
	Table  Table  // of a sink of Parquet
}

// A Conflict is two claims on one file, or on paths that would lead to one. Claim writes it; With may read it.
type Conflict struct {
	Claim, With Claim
	Message     string // the mistake in Claim, naming With
}

// A claim is a Claim with its target.
type claim struct {
	Claim
	writes  bool
	pattern pattern
	target  *target    // of the first file; nil when the pattern has labels
	numbers *numbering // with Rotate, unless the pattern has labels
	folder  *target    // when the pattern has labels: what lies before the first of them
	failed  *target    // with KeepFailed: where it is kept; with Failed: where the other is written, nil when somebody else has the path
	sink    *Sink      // nil for a report and an input
	file    *file      // nil before it is staged, when the pattern has labels, and for an optional file that cannot be written
	failure error      // why an optional file was not written
}

// verb returns who claims the file and what for.
func (c *claim) verb() string {
	if c.writes {
		return c.What + " writes"
	}
	return c.What + " reads"
}

// An ownership is a target and the claim that has it.
type ownership struct {
	by     *claim
	target *target
}

// Sink claims the path of a sink. kind is one of Kinds. The path may name labels, as in "out/{split}.jsonl.gz", and "-" is
// standard output, which one sink can have. The error names a mistake in kind or path; Conflicts returns conflicts with
// other claims.
func (s *Set) Sink(kind string, c Claim) (*Sink, error) {
	format, ok := formats[kind]
	if !ok {
		return nil, fmt.Errorf("want one of %s, have %q", strings.Join(Kinds(), ", "), kind)
	}
	if err := format.check(c.Path); err != nil {
		return nil, err
	}
	own, err := s.claim(c)
	if err != nil {
		return nil, err
	}
	if format.table && own.target != nil && own.target.inPlace() {
		return nil, fmt.Errorf("want a file, since Parquet is written as a whole, have %q", c.Path)
	}
	own.sink = &Sink{set: s, claim: own, format: format, series: map[string]*series{}}
	if format.table {
		own.sink.check = parquet.NewCheck(c.Table.Columns)
	}
	own.sink.schema = s.schemaOf(own.sink)
	s.sinks = append(s.sinks, own.sink)
	if own.target != nil {
		own.sink.only = own.sink.newSeries(own.Path, own.numbers)
	}
	return own.sink, s.claimOrigins(own)
}

// Report claims the path of a file that is written at once. The path may not name labels or standard output.
func (s *Set) Report(c Claim) (*Report, error) {
	if c.Path == stdout {
		return nil, fmt.Errorf("want a file to write, have %q", c.Path)
	}
	c.Fixed = true
	own, err := s.claim(c)
	if err != nil {
		return nil, err
	}
	return &Report{set: s, claim: own}, nil
}

// Receipt claims the path of the run's receipt, as Report does. A Set has at most one.
func (s *Set) Receipt(c Claim) (*Report, error) {
	if s.receipt != nil {
		return nil, fmt.Errorf("want one receipt, have a second at %q", c.Path)
	}
	r, err := s.Report(c)
	if err == nil {
		s.receipt = r.claim
	}
	return r, err
}

// Reads claims a file that must not be written, such as an input or the pipeline file. Many may read one file, and "-" is
// standard input, which needs no claim.
func (s *Set) Reads(c Claim) error {
	if c.Path == stdout {
		return nil
	}
	t, err := s.locate(c.Path)
	if err != nil {
		return err
	}
	reader := ownership{&claim{Claim: c, target: t}, t}
	if h, taken := s.ownerOf(t, nil); taken {
		if h.by.writes {
			s.addConflict(h, reader)
		}
		return nil
	}
	s.own(reader)
	return nil
}

// Conflicts returns the claims that are on one file, in the order in which they were made. A path with labels is in conflict
// when it is that of another sink; where only some values lead to a claimed file, Sink.Accepts refuses their records.
func (s *Set) Conflicts() []Conflict { return slices.Clone(s.conflicts) }

func (s *Set) claim(c Claim) (*claim, error) {
	var err error
	if c.Path, err = s.inRoot(c.Path); err != nil {
		return nil, err
	}
	own := &claim{Claim: c, writes: true}
	if own.pattern, err = parsePattern(c.Path); err != nil {
		return nil, err
	}
	if labels := own.pattern.labels; len(labels) > 0 {
		if c.Fixed || c.KeepFailed {
			return nil, fmt.Errorf("want a path without labels, have {%s} in %q", labels[0], c.Path)
		}
		return own, s.claimPattern(own)
	}
	if c.Rotate != (Rotate{}) {
		if t, err := s.locate(c.Path); err != nil || t.inPlace() || c.KeepFailed {
			return nil, cmp.Or(err, fmt.Errorf("want a file without rotation, have %q with it: rejects, pipes and devices are written as one", c.Path))
		}
	}
	if own.target, err = s.locate(own.nth(c.Path, 1)); err != nil {
		return nil, err
	}
	if err := own.target.writable(); err != nil {
		return nil, err
	}
	if own.target.isSidecar() && !c.Sidecar {
		return nil, notBeside(c.Path)
	}
	s.claims = append(s.claims, own)
	if !s.tryOwn(ownership{own, own.target}) {
		return own, nil
	}
	if c.KeepFailed && !own.target.inPlace() {
		own.failed = s.failedTarget(own.target)
		s.tryOwn(ownership{own, own.failed})
	}
	if c.Failed && !own.target.inPlace() {
		if failed := s.failedTarget(own.target); !s.isOwned(failed, own) {
			own.failed = failed
			s.own(ownership{own, failed})
		}
	}
	var with ownership
	own.numbers, with, err = s.claimNumbers(own, c.Path)
	switch {
	case with.by != nil:
		s.addConflict(ownership{own, &target{path: Numbered(c.Path, 0)}}, with)
	case own.numbers != nil:
		s.addNumbers(own.numbers)
	}
	return own, err
}

func (s *Set) claimPattern(own *claim) (err error) {
	folder, _ := filepath.Split(own.pattern.fixed[0])
	if folder == "" {
		folder = "."
	}
	if own.folder, err = s.locate(folder); err != nil {
		return err
	}
	if filepath.Base(own.folder.key) == sidecarFolder {
		return notBeside(own.Path)
	}
	if !canBeFolder(own.folder.real) {
		return fmt.Errorf("%s: %w", folder, syscall.ENOTDIR)
	}
	s.claims = append(s.claims, own)
	held := ownership{own, &target{path: own.Path}}
	key := own.pattern.key(s, own.folder)
	if own.Rotate != (Rotate{}) {
		key += "\x00numbered"
	}
	if h, taken := s.patterns[key]; taken {
		s.addConflict(held, h)
		return nil
	}
	s.patterns[key] = held
	inside := filepath.Join(own.folder.key, "x") // any file of the sink needs the same folders
	if h, taken := s.fileAbove(inside); taken {
		s.addConflict(held, h)
		return nil
	}
	s.ownFolders(held, inside)
	return nil
}

// tryOwn makes a claim the owner of a target, or records the conflict and returns false.
func (s *Set) tryOwn(h ownership) bool {
	with, taken := s.ownerOf(h.target, h.by)
	if taken {
		s.addConflict(h, with)
	} else {
		s.own(h)
	}
	return !taken
}

func (s *Set) isOwned(t *target, by *claim) bool {
	_, taken := s.ownerOf(t, by)
	return taken
}

// ownerOf returns the owner that keeps a claim from a target, if there is one.
func (s *Set) ownerOf(t *target, by *claim) (h ownership, taken bool) {
	if h, taken = s.owned[t.key]; taken && t.key != "" {
		return h, true
	}
	if distinct(t.info) {
		for _, h := range s.existing[identify(t.info)] {
			if os.SameFile(h.target.info, t.info) {
				return h, true
			}
		}
	}
	if h, taken = s.inMessages(t); taken {
		return h, true
	}
	if t.inPlace() {
		return h, false
	}
	if h, taken = s.folders[t.key]; taken {
		return h, true
	}
	if h, taken = s.numbered(t, by); taken {
		return h, true
	}
	return s.fileAbove(t.key)
}

// fileAbove returns the claimed file that would have to be a folder for key to lie in it.
func (s *Set) fileAbove(key string) (h ownership, taken bool) {
	for above := filepath.Dir(key); above != key; key, above = above, filepath.Dir(above) {
		if h, taken = s.owned[above]; taken {
			return h, true
		}
	}
	return h, false
}

func (s *Set) own(h ownership) {
	if h.target.key != "" {
		s.owned[h.target.key] = h
	}
	if of, number := familyOf(h.target.key); number > 0 {
		s.counted[of] = append(s.counted[of], h)
	}
	if distinct(h.target.info) {
		id := identify(h.target.info)
		s.existing[id] = append(s.existing[id], h)
	}
	if h.by.writes && !h.target.inPlace() {
		s.ownFolders(h, h.target.key)
	}
}

func (s *Set) ownFolders(h ownership, key string) {
	for above := filepath.Dir(key); above != key; key, above = above, filepath.Dir(above) {
		if _, known := s.folders[above]; known {
			return // and all above it
		}
		s.folders[above] = h
	}
}

func (s *Set) addConflict(h, with ownership) {
	as := ""
	if with.target.path != h.target.path {
		as = fmt.Sprintf(" as %q", with.target.path)
	}
	message := fmt.Sprintf("want a path of its own, have %q, which %s%s", h.target.path, with.by.verb(), as)
	other := with.by.Claim
	other.Path = with.target.path
	s.conflicts = append(s.conflicts, Conflict{Claim: h.by.Claim, With: other, Message: message})
}
