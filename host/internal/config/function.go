package config

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// newScope has what an expression may use, all but the variables.
func (l *loader) newScope() *hcl.EvalContext {
	return &hcl.EvalContext{
		Variables: map[string]cty.Value{
			"pipeline": cty.ObjectVal(map[string]cty.Value{"dir": cty.StringVal(l.dir)}),
		},
		Functions: map[string]function.Function{
			"env":        l.envFunc(),
			"file":       l.fileFunc(),
			"basename":   textFunc(filepath.Base),
			"dirname":    textFunc(filepath.Dir),
			"lower":      stdlib.LowerFunc,
			"upper":      stdlib.UpperFunc,
			"trimspace":  stdlib.TrimSpaceFunc,
			"join":       stdlib.JoinFunc,
			"split":      stdlib.SplitFunc,
			"format":     stdlib.FormatFunc,
			"concat":     stdlib.ConcatFunc,
			"coalesce":   stdlib.CoalesceFunc,
			"jsonencode": stdlib.JSONEncodeFunc,
		},
	}
}

// envFunc is env(name) and env(name, default). A null default makes an attribute as if it were not written.
func (l *loader) envFunc() function.Function {
	return function.New(&function.Spec{
		Params:   []function.Parameter{{Name: "name", Type: cty.String}},
		VarParam: &function.Parameter{Name: "default", Type: cty.String, AllowNull: true},
		Type:     function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			name := args[0].AsString()
			value, set := l.in.Env(name)
			read := Reading{Kind: ReadEnv, Name: name}
			if set {
				read.SHA256 = hexSHA256([]byte(value))
			}
			l.reads = append(l.reads, read)
			switch {
			case len(args) > 2:
				return cty.NilVal, fmt.Errorf("want a name and at most one default, have %d values", len(args))
			case set && !utf8.ValidString(value):
				return cty.NilVal, fmt.Errorf("want UTF-8 in %s, have invalid bytes", name)
			case set:
				return cty.StringVal(value), nil
			case len(args) == 2:
				return args[1], nil
			case l.in.Draft:
				return cty.UnknownVal(cty.String), nil
			}
			return cty.NilVal, fmt.Errorf("%s is not set; set it, or write env(%q, \"...\") with a default", name, name)
		},
	})
}

// fileFunc is file(path): the text of a file, found from the folder of the pipeline.
func (l *loader) fileFunc() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			name := args[0].AsString()
			path := name
			if !filepath.IsAbs(path) {
				path = filepath.Join(l.dir, path)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return cty.NilVal, err
			}
			l.reads = append(l.reads, Reading{Kind: ReadFile, Name: name, SHA256: hexSHA256(text)})
			if !utf8.Valid(text) {
				return cty.NilVal, fmt.Errorf("want UTF-8 in %s, have invalid bytes", path)
			}
			return cty.StringVal(string(text)), nil
		},
	})
}

// sortedReads returns what env and file have read, each once, by kind and name.
func (l *loader) sortedReads() []Reading {
	for i := range l.reads {
		l.reads[i].Name = l.file.masked(l.reads[i].Name)
	}
	slices.SortFunc(l.reads, func(a, b Reading) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.SHA256, b.SHA256))
	})
	return slices.Compact(l.reads)
}

// textFunc makes a function of one string.
func textFunc(f func(string) string) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "text", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.StringVal(f(args[0].AsString())), nil
		},
	})
}
