package pipetest

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/receipt"
)

// invariants checks what never and always hold, of the test and of the file, on every row of the outputs that they mean.
func (k *checker) invariants() error {
	rows := map[string][]writtenRow{} // by path, read once
	outputs := slices.SortedFunc(slices.Values(k.result.Outputs), func(a, b receipt.Output) int { return cmp.Compare(a.Path, b.Path) })
	for _, v := range slices.Concat(k.file.Always, k.test.Always) {
		before, broken := len(k.failures), 0
		for _, o := range outputs {
			if !meant(&v, o) {
				continue
			}
			if rows[o.Path] == nil {
				var err error
				if rows[o.Path], err = readRows(o.Path); err != nil {
					return err
				}
			}
			k.checked[v.Range.Line] += int64(len(rows[o.Path]))
			for i, row := range rows[o.Path] {
				if message := violation(&v, o.Path, row.text); message != "" {
					if broken++; len(k.failures)-before < maxFailures {
						k.violated(&v, o, fmt.Sprintf("%s %q: row %d%s %s", v.Kind, v.Name, i+1, row.from, message))
					}
				}
			}
		}
		if broken > maxFailures {
			k.failures = append(k.failures, Failure{Line: v.Range.Line, Message: fmt.Sprintf("%s %q: and so on, %d rows", v.Kind, v.Name, broken)})
		}
	}
	return nil
}

func (k *checker) violated(v *config.Invariant, o receipt.Output, message string) {
	f := Failure{Line: v.Range.Line, Message: message}
	if p := k.block(o.Sink); p != nil {
		f.Where, f.Place = where(p)
	}
	k.failures = append(k.failures, f)
}

// meant reports whether an invariant is about the rows of an output.
func meant(v *config.Invariant, o receipt.Output) bool {
	switch {
	case v.Sink != nil:
		return o.Sink == label(v.Sink)
	case v.Rejects:
		return o.Side == receipt.DeadLetter
	}
	return o.Side == ""
}

// violation says how a row in a file breaks an invariant, or returns "".
func violation(v *config.Invariant, path, row string) string {
	if v.File != "" {
		return broken(v, strings.HasSuffix("/"+filepath.ToSlash(path), "/"+v.File), "is in "+filepath.Base(path), "is in "+filepath.Base(path))
	}
	if v.Path == "" {
		at, text, found := findText(v, "", gjson.Parse(row))
		return broken(v, found, fmt.Sprintf("has %s at %s", excerpt(strconv.Quote(text)), cmp.Or(at, "the top")), "has no such text")
	}
	value := gjson.Get(row, v.Path)
	if !value.Exists() {
		return broken(v, false, "", "has nothing at "+v.Path)
	}
	for at, one := range values(v.Path, value, row) {
		text := one.Raw
		if one.Type == gjson.String {
			text = one.Str
		}
		holds := v.Equals == "" || equalRows(v.Equals, one.Raw)
		holds = holds && (v.Matches == nil || v.Matches.MatchString(text))
		have := fmt.Sprintf("has %s at %s", excerpt(one.Raw), at)
		if message := broken(v, holds, have, have); message != "" {
			return message
		}
	}
	return ""
}

// broken returns what is wrong with a row that holds what an invariant is about, or does not.
func broken(v *config.Invariant, holds bool, held, lacked string) string {
	switch {
	case holds && v.Kind == config.Never:
		return held
	case !holds && v.Kind == config.Always:
		return lacked
	}
	return ""
}

// values returns the value at a path, or each element when # in the path means all, with its place in the row.
func values(path string, value gjson.Result, row string) func(func(string, gjson.Result) bool) {
	return func(yield func(string, gjson.Result) bool) {
		if !value.IsArray() || !slices.Contains(strings.Split(path, "."), "#") || strings.HasSuffix(path, ".#") {
			yield(path, value)
			return
		}
		paths := value.Paths(row)
		for i, one := range value.Array() {
			at := path
			if i < len(paths) {
				at = paths[i]
			}
			if !yield(at, one) {
				return
			}
		}
	}
}

// findText finds the first text in a value that matches, a string, the name of a member or a number, and returns the part that does.
func findText(v *config.Invariant, at string, value gjson.Result) (path, text string, found bool) {
	if !value.IsObject() && !value.IsArray() {
		text = value.String()
		return at, v.Matches.FindString(text), v.Matches.MatchString(text)
	}
	n := 0
	value.ForEach(func(key, inner gjson.Result) bool {
		name := strconv.Itoa(n)
		if n++; value.IsObject() {
			name = key.Str
		}
		path = strings.TrimPrefix(at+"."+name, ".")
		if value.IsObject() && v.Matches.MatchString(name) {
			text, found = v.Matches.FindString(name), true
		} else {
			path, text, found = findText(v, path, inner)
		}
		return !found
	})
	return path, text, found
}

// maxExcerpt is how many characters of a value are shown.
const maxExcerpt = 120

func excerpt(text string) string {
	if r := []rune(text); len(r) > maxExcerpt {
		text = string(r[:maxExcerpt]) + "..."
	}
	return text
}
