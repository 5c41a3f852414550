package output

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/places"
)

// A Listed is a file that the receipt of an earlier run lists.
type Listed struct {
	Path  string // where it lies now
	Sink  string // empty: a report
	Bytes int64
	filehash.Sum
	Origins filehash.Sum // of its origins; zero: it has none
}

// A Further is a file that stays, though this run has not written it. Either it has the name of a sink that rotates, with a higher number
// than the run has come to, and no receipt says that an earlier run wrote it. Or the run whose place this one takes wrote it, and no
// receipt lists it any more.
type Further struct {
	Claim    Claim // the sink's
	Path     string
	Replaced bool // of the run whose place this one takes
}

// Further returns the files that stay, although a reader of all files with a sink's names will take them for this run's, or although no
// receipt will list them. The Set is finished.
func (s *Set) Further() []Further { return slices.Clone(s.further) }

// sortFurther decides which files behind the last ones of the sinks the commit removes. They are those that a longer run has left, if this
// run replaces its receipt and they are still what it wrote.
func (s *Set) sortFurther() {
	if len(s.numbers) == 0 {
		return
	}
	shards := s.shardsBefore()
	found := s.behindLast()
	old := make([][]move, len(found))
	_ = together(len(found), func(i int) error {
		if l, listed := shards[s.keyOf(found[i].real)]; listed {
			old[i] = s.leftBy(found[i].real, l)
		}
		return nil
	})
	for i, x := range found {
		s.leftover = append(s.leftover, old[i]...)
		if old[i] == nil {
			s.further = append(s.further, Further{x.by.Claim, places.Join(places.Dir(x.path), filepath.Base(x.real)), false})
		}
	}
	slices.SortStableFunc(s.further, func(a, b Further) int { return strings.Compare(a.Claim.What, b.Claim.What) })
}

// shardsBefore returns the shards in the receipt that this run replaces, by target.key. A file with a number is a shard only if the receipt
// lists all lower numbers of the same sink, too: one by itself is an output of its own.
func (s *Set) shardsBefore() map[string]Listed {
	if s.receipt == nil || s.opts.Listed == nil {
		return nil
	}
	byKey, shards := map[string]Listed{}, map[string]Listed{}
	numbers := map[family]map[int]string{}
	for _, l := range s.opts.Listed(s.receipt.Path) {
		t, err := s.locate(l.Path)
		if err != nil || t.inPlace() {
			continue
		}
		if of, number := familyOf(t.key); number > 0 {
			if numbers[of] == nil {
				numbers[of] = map[int]string{}
			}
			byKey[t.key], numbers[of][number] = l, t.key
		}
	}
	for _, keys := range numbers {
		for n := 1; keys[n] != "" && byKey[keys[n]].Sink == byKey[keys[1]].Sink; n++ {
			shards[keys[n]] = byKey[keys[n]]
		}
	}
	return shards
}

// A numberedFile is a file with a name of a numbering.
type numberedFile struct {
	*numbering
	real string
}

// behindLast returns the files that have a name of a sink with a higher number than this run has written.
func (s *Set) behindLast() (found []numberedFile) {
	seen := map[string]bool{}
	for _, n := range s.numbers {
		folder := n.folder.real
		if seen[folder] {
			continue
		}
		seen[folder] = true
		for _, name := range regular(s.final(folder)) {
			name = filepath.Join(folder, name)
			of, number := familyOf(s.keyOf(name))
			if own := s.families[of]; number > 0 && own != nil && own.series.begun() > 0 && number > own.series.begun() {
				found = append(found, numberedFile{own, name})
			}
		}
	}
	return found
}

// leftBy returns the removal of a file and its origins, nil unless both are as the receipt lists them.
func (s *Set) leftBy(real string, l Listed) []move {
	path, origins := s.statePath(), OriginsPath(real)
	info, err := places.Stat(s.final(origins))
	if origins == "" || err != nil {
		return nil
	}
	all := []move{{Real: near(path, real), Bytes: l.Bytes, Sum: l.Sum}, {Real: near(path, origins), Bytes: info.Size(), Sum: l.Origins}}
	if slices.ContainsFunc(all, func(m move) bool { return !s.isLeft(m) }) {
		return nil
	}
	return all
}

// isLeft reports whether a file that a longer run has left, or its origins, is still what that run wrote. Of an object only the size is
// compared, since reading it would download it; its origins are read.
func (s *Set) isLeft(m move) bool {
	real := far(s.statePath(), m.Real)
	rows := rowsOf(real)
	info, err := places.Stat(s.final(real))
	if err != nil || !info.Mode().IsRegular() || info.Size() != m.Bytes || m.Hex() == "" || !hasOrigins(s.final(rows)) {
		return false
	}
	if rows == real && s.isRemote(real) {
		return true
	}
	sum, err := sumOfFinal(s.final(real), m.Algorithm())
	return err == nil && sum == m.Sum
}

// sumOfFinal returns the hash of a file or an object.
func sumOfFinal(name, algorithm string) (filehash.Sum, error) {
	f, err := places.Open(name)
	if err != nil {
		return filehash.Sum{}, err
	}
	defer f.Close()
	return filehash.Reader(f, algorithm)
}

// hasOrigins reports whether a run has noted where the rows of a file come from.
func hasOrigins(path string) bool {
	head, err := headOf(OriginsPath(path), len(originsStart))
	return err == nil && string(head) == originsStart
}
