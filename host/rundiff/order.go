package rundiff

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/sluicehq/sluice/host/internal/output"
)

// mergeOrder returns the files that two runs have read, in an order that agrees with both.
func mergeOrder(a, b *side, o settings) (all []string, err error) {
	left, right := o.FilesA, o.FilesB
	if left == nil {
		if left, err = a.files(); err != nil {
			return nil, err
		}
	}
	if right == nil {
		if right, err = b.files(); err != nil {
			return nil, err
		}
		b.renamed = sameBase(left, right)
		for i, name := range right {
			right[i] = cmp.Or(b.renamed[name], name)
		}
	}
	for len(left) > 0 && len(right) > 0 {
		switch x, y := left[0], right[0]; {
		case x == y:
			all, left, right = append(all, x), left[1:], right[1:]
		case !slices.Contains(right, x):
			all, left = append(all, x), left[1:]
		case !slices.Contains(left, y):
			all, right = append(all, y), right[1:]
		default:
			return nil, fmt.Errorf("want two runs that read their files in one order, have %s before %s in one run and after it in the other", x, y)
		}
	}
	return append(append(all, left...), right...), nil
}

// sameBase maps files of b to the file of a that has the same name in another folder.
func sameBase(a, b []string) map[string]string {
	renamed, taken := map[string]string{}, map[string]bool{}
	for _, name := range b {
		taken[name] = true
	}
	ours := map[string]string{} // by base; "" when several have it
	for _, name := range a {
		base := filepath.Base(name)
		if _, twice := ours[base]; twice {
			ours[base] = ""
		} else {
			ours[base] = name
		}
	}
	for _, name := range b {
		if same := ours[filepath.Base(name)]; !slices.Contains(a, name) && same != "" && !taken[same] {
			renamed[name], taken[same] = same, true
		}
	}
	return renamed
}

// files returns the files that the rows of the outputs come from, in their order.
func (s *side) files() (all []string, err error) {
	for _, r := range s.readers {
		if all, err = filesOf(r.file.Path, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func filesOf(path string, all []string) ([]string, error) {
	origins, err := output.OpenOrigins(path)
	if err != nil {
		return nil, err
	}
	defer origins.Close()
	var last output.Origin
	for begun := false; ; begun = true {
		next, more, err := origins.NextRun()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if next.Of != nil { // they are in any order
			continue
		}
		if next.File != "" && (!begun || next.File != last.File || next.Line < last.Line) {
			all = append(all, next.File)
		}
		last = next
		last.Line += more
	}
}
