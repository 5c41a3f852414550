package publish

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/sluicehq/sluice/sdk/canonical"
)

// part matches the end of the name of a part, or of a file of a sink that rotates.
var part = regexp.MustCompile(`-[0-9]+-of-[0-9]+$|-[0-9]{5,}$`)

// stem returns the name of a file without its folder, its endings and the number of a part.
func stem(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return part.ReplaceAllString(name, "")
}

// hubName is the name of a split on the Hub, where a validation set is loaded by that name.
func hubName(split string) string {
	if split == "val" {
		return "validation"
	}
	return split
}

// splitsIn returns the splits whose words a name has, between what are no letters: held-out-2 is one for testing.
func splitsIn(name string) (found []string) {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
	for i := 0; i < len(words); i++ {
		split := ""
		if i+1 < len(words) { // repair_eval is no eval
			if split = canonical.SplitOf(words[i] + "_" + words[i+1]); split != "" {
				i++
			}
		}
		if split == "" {
			split = canonical.SplitOf(words[i])
		}
		if split != "" && !slices.Contains(found, split) {
			found = append(found, split)
		}
	}
	return found
}

// nameSplits sets the split of each source: what Splits says, or the word in its name or in a folder that not all of them share. Where no
// name in a config has such a word, all are train. A file without one beside others that have one is refused: it may hold what these are held out of.
func (p *publication) nameSplits(all []source) error {
	given := map[string]string{}
	for name, split := range p.Splits {
		given[stem(name)] = canonical.SplitOf(split)
	}
	used := map[string]bool{}
	shared := sharedFolder(all)
	named := map[string]*source{} // the first of each config
	for i := range all {
		s := &all[i]
		name := stem(s.Path)
		if s.split = given[name]; s.split != "" {
			used[name] = true
		} else {
			found := splitsIn(name)
			for dir := filepath.Dir(s.Path); len(found) == 0 && dir != shared && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
				found = splitsIn(filepath.Base(dir))
			}
			if len(found) > 1 {
				return fmt.Errorf("%s: want a name with the word for one split, have %s; --split %s=SPLIT says which", s.Path, strings.Join(found, " and "), name)
			}
			s.split = strings.Join(found, "")
		}
		if s.split != "" && named[s.config] == nil {
			named[s.config] = s
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Splits)) {
		if !used[stem(name)] {
			return fmt.Errorf("--split: want the name of an output that is published, such as %s, have %q", stem(all[0].Path), name)
		}
	}
	for i := range all {
		s := &all[i]
		if other := named[s.config]; s.split == "" && other != nil {
			return fmt.Errorf("%s: want a name with the word for its split, as %s has, have %q; --split %[3]s=SPLIT says which", s.Path, filepath.Base(other.Path), stem(s.Path))
		}
		if s.split == "" {
			s.split = "train"
		}
	}
	return nil
}

// sharedFolder returns the deepest folder that all sources are in.
func sharedFolder(all []source) string {
	shared := filepath.Dir(all[0].Path)
	for _, s := range all[1:] {
		dir := filepath.Dir(s.Path)
		for shared != dir && shared != filepath.Dir(shared) && !strings.HasPrefix(dir, shared+"/") {
			shared = filepath.Dir(shared)
		}
	}
	return shared
}

// renamed returns a line for each output whose split has another name, in the order of the receipt.
func renamed(all []source) (lines []string) {
	for _, s := range all {
		name := stem(s.Path)
		if name == s.split || name == hubName(s.split) {
			continue
		}
		if line := fmt.Sprintf("%s is split %s", name, hubName(s.split)); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}
