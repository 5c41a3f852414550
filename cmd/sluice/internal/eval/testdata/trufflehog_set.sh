#!/bin/sh
# Writes a labelled set for `sluice privacy eval` out of the tests of trufflehog's detectors (AGPL 3, so nothing of it is kept here):
# tests with an `input` and the secrets in it that they `want`, every copy labelled; where they want none there is no label.
# An entity is the name of a detector's package.
#
#     sh trufflehog_set.sh [FOLDER] >trufflehog.jsonl
#
# It needs Go and, without the folder of a checkout, the module proxy, which does not serve this module everywhere.
set -eu
module=github.com/trufflesecurity/trufflehog/v3
version=v3.90.8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=${1:-}
[ -z "$source" ] || source=$(cd "$source" && pwd)
cd "$work"
if [ -z "$source" ]; then
  source=$(go mod download -json "$module@$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  [ -n "$source" ] || { echo "the module proxy serves no $module@$version" >&2; exit 1; }
fi
cat >main.go <<'END'
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

type span struct {
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Entity string `json:"entity"`
}

// values are the expressions that the names of a file have.
type values map[string]ast.Expr

// text returns the value of an expression of strings.
func (v values) text(e ast.Expr, depth int) (string, bool) {
	if depth > 20 {
		return "", false
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.ParenExpr:
		return v.text(e.X, depth+1)
	case *ast.Ident:
		if v[e.Name] == nil {
			return "", false
		}
		return v.text(v[e.Name], depth+1)
	case *ast.BinaryExpr:
		a, ok := v.text(e.X, depth+1)
		b, too := v.text(e.Y, depth+1)
		return a + b, ok && too && e.Op == token.ADD
	case *ast.CallExpr:
		return v.sprintf(e, depth)
	}
	return "", false
}

func (v values) sprintf(call *ast.CallExpr, depth int) (string, bool) {
	name, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || name.Sel.Name != "Sprintf" {
		return "", false
	}
	var parts []any
	for _, arg := range call.Args {
		s, ok := v.text(arg, depth+1)
		if !ok {
			return "", false
		}
		parts = append(parts, s)
	}
	return fmt.Sprintf(parts[0].(string), parts[1:]...), true
}

// collect notes what each name of the file is set to.
func collect(file *ast.File) values {
	v := values{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if i < len(n.Values) {
					v[name.Name] = n.Values[i]
				}
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if name, ok := left.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) && v[name.Name] == nil {
					v[name.Name] = n.Rhs[i]
				}
			}
		}
		return true
	})
	return v
}

// test returns the input of a test and what it wants.
func (v values) test(c *ast.CompositeLit) (input string, want []string, ok bool) {
	var hasInput, hasWant bool
	for _, element := range c.Elts {
		pair, isPair := element.(*ast.KeyValueExpr)
		if !isPair {
			return "", nil, false
		}
		switch key, _ := pair.Key.(*ast.Ident); {
		case key == nil:
		case key.Name == "input":
			input, hasInput = v.text(pair.Value, 0)
		case key.Name == "want":
			hasWant = true
			list, isList := pair.Value.(*ast.CompositeLit)
			if name, isName := pair.Value.(*ast.Ident); !isList && (!isName || name.Name != "nil") {
				return "", nil, false
			}
			for i := 0; isList && i < len(list.Elts); i++ {
				s, known := v.text(list.Elts[i], 0)
				if !known {
					return "", nil, false
				}
				want = append(want, s)
			}
		}
	}
	return input, want, hasInput && hasWant && utf8.ValidString(input)
}

// copies labels every place of a secret. Some tests want a pair as one text: then its two parts are labelled.
func copies(text, secret, entity string) (spans []span) {
	if secret == "" {
		return nil
	}
	if !strings.Contains(text, secret) {
		for cut := len(secret) - 6; cut >= 6; cut-- {
			first, second := secret[:cut], strings.TrimLeft(secret[cut:], ":;|")
			if len(second) >= 6 && strings.Contains(text, first) && strings.Contains(text, second) {
				return append(copies(text, first, entity), copies(text, second, entity)...)
			}
		}
		return nil
	}
	for at := 0; ; {
		next := strings.Index(text[at:], secret)
		if next < 0 {
			return spans
		}
		start := utf8.RuneCountInString(text[:at+next])
		spans = append(spans, span{start, start + utf8.RuneCountInString(secret), entity})
		at += next + len(secret)
	}
}

func main() {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	err := filepath.WalkDir(filepath.Join(os.Args[1], "pkg", "detectors"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		v, entity := collect(file), filepath.Base(filepath.Dir(path))
		ast.Inspect(file, func(n ast.Node) bool {
			c, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			input, want, ok := v.test(c)
			if !ok {
				return true
			}
			spans := []span{}
			for _, secret := range want {
				spans = append(spans, copies(input, secret, entity)...)
			}
			if len(want) == 0 || len(spans) > 0 { // a secret that is built of parts elsewhere cannot be placed
				err = out.Encode(map[string]any{"text": input, "spans": spans})
			}
			return err == nil
		})
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
END
go run main.go "$source"
