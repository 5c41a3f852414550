package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/sluicehq/sluice/host/internal/config"
)

// A Named is a sink by its name in the file, with the path that it writes.
type Named struct{ Name, Path string }

// Crossed finds sinks with each other's paths, two or more around a circle: the name of each is more like the path of the next than
// like its own path, and that path is less like the name of the sink that has it. It returns for the index of a sink that of the
// sink whose name is like its path.
func Crossed(sinks []Named) map[int]int {
	after := make([][]int, len(sinks)) // the sinks whose path is more like the name of this one than its own path is
	for i, a := range sinks {
		for j, b := range sinks {
			if i != j && wants(a, b) {
				after[i] = append(after[i], j)
			}
		}
	}
	crossed := map[int]int{}
	for i, all := range after {
		for _, j := range all {
			if reaches(after, j, i, nil) {
				crossed[j] = i
			}
		}
	}
	return crossed
}

// reaches reports whether a way along after leads from one sink to another.
func reaches(after [][]int, from, to int, seen []int) bool {
	if from == to {
		return true
	}
	if slices.Contains(seen, from) {
		return false
	}
	return slices.ContainsFunc(after[from], func(next int) bool { return reaches(after, next, to, append(seen, from)) })
}

// wants reports whether the path of b is more like the name of a than the path of a is, and than it is like the name of b.
func wants(a, b Named) bool {
	own, other := apart(a.Path, b.Path)
	fit := alike(a.Name, other)
	return fit > alike(a.Name, own) && fit > alike(b.Name, other)
}

// apart returns the paths behind the folders that both begin with.
func apart(a, b string) (string, string) {
	as, bs := strings.Split(filepath.ToSlash(a), "/"), strings.Split(filepath.ToSlash(b), "/")
	for len(as) > 1 && len(bs) > 1 && as[0] == bs[0] {
		as, bs = as[1:], bs[1:]
	}
	return strings.Join(as, "/"), strings.Join(bs, "/")
}

// alike counts the words of a name that a path has.
func alike(name, path string) (n int) {
	has := words(path)
	for _, w := range words(name) {
		if slices.Contains(has, w) {
			n++
		}
	}
	return n
}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// checkCrossed warns of sinks that seem to have each other's paths.
func (p *Plan) checkCrossed() (diags config.Diagnostics) {
	var sinks []Named
	var of []*Sink
	for _, sink := range p.Sinks {
		if sink.config != nil && sink.path != "" {
			sinks, of = append(sinks, Named{sink.config.Name, sink.path}), append(of, sink)
		}
	}
	crossed := Crossed(sinks)
	for i, sink := range of {
		if j, ok := crossed[i]; ok {
			diags = append(diags, p.tree.At(sink.config.Args, "path", fmt.Sprintf("sink %s has a path named like sink %s", sink.Name, of[j].Name),
				"exchange their paths, or name the sinks like their files").AsWarning())
		}
	}
	return diags
}
