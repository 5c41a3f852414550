package config

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// fileFunc is file(path): the text of a file, found from the folder of the pipeline.
func (l *loader) fileFunc() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			name := args[0].AsString()
			read := Reading{Kind: ReadFile, Name: name, Inside: l.isInside(name)}
			if !read.Inside && !l.trusted() {
				l.withheld = append(l.withheld, read)
				return cty.UnknownVal(cty.String), nil
			}
			text, err := os.ReadFile(l.fromDir(name))
			if err != nil {
				return cty.NilVal, err
			}
			read.SHA256 = hexSHA256(text)
			l.reads = append(l.reads, read)
			if !utf8.Valid(text) {
				return cty.NilVal, fmt.Errorf("want UTF-8 in %s, have invalid bytes", l.fromDir(name))
			}
			return cty.StringVal(string(text)), nil
		},
	})
}

// isInside reports whether a path that the file names leads into the folder of the pipeline, links included.
func (l *loader) isInside(name string) bool {
	folder, path := l.dir, l.fromDir(name)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			return false
		}
	}
	near, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(near)
}

// Outside returns the readings that are of no file in the folder of the pipeline.
func Outside(all []Reading) []Reading {
	return slices.DeleteFunc(slices.Clone(all), func(r Reading) bool { return r.Inside })
}

// String names what is read, for people.
func (r Reading) String() string {
	if r.Kind == ReadEnv {
		return "the environment variable " + r.Name
	}
	return "the file " + r.Name
}

// tellWithheld warns of what was withheld from an expression, after the first n of all.
func (l *loader) tellWithheld(at hcl.Range, context string, n int) {
	if len(l.withheld) == n {
		return
	}
	var names []string
	for _, r := range l.sorted(l.withheld[n:]) {
		names = append(names, r.String())
	}
	are := " is not read"
	if len(names) > 1 {
		are = " are not read"
	}
	l.report(at, context, strings.Join(names, " and ")+are, NotTrusted(l.main.file.path), "")
	last := &l.diags[len(l.diags)-1]
	*last = last.AsUntrusted()
}

// NotTrusted says what to do about something that is not done for a pipeline that the user does not trust.
func NotTrusted(path string) string {
	return fmt.Sprintf("%s is not trusted: read it, then run \"sluice trust %s\", or pass --trust for this command only", path, path)
}

// ProgramNotTrusted says what to do about a program that is not started. It may be new, or have changed since it was trusted.
func ProgramNotTrusted(plugin, program, path string) string {
	return fmt.Sprintf("plugin %s is %s, which is not trusted as it is now: read %s and look at the program, then run \"sluice trust %[3]s\", or pass --trust for this command only",
		plugin, program, path)
}

// sorted returns readings each once, by kind and name.
func (l *loader) sorted(all []Reading) []Reading {
	all = slices.Clone(all)
	for i := range all {
		all[i].Name = l.file.masked(all[i].Name)
	}
	slices.SortFunc(all, func(a, b Reading) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.SHA256, b.SHA256))
	})
	return slices.Compact(all)
}
