package registry

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestSourceCodes holds that every code with which package source rejects text is explained in Codes and listed in
// SourceFaults: reports and statistics tell by the list what was no record.
func TestSourceCodes(t *testing.T) {
	listed := map[string]map[string]bool{"Codes": {}, "SourceFaults": {}}
	inspect(t, "codes.go", func(n ast.Node) {
		v, ok := n.(*ast.ValueSpec)
		if !ok || listed[v.Names[0].Name] == nil {
			return
		}
		for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok {
				e = pair.Key
			}
			listed[v.Names[0].Name][spelled(e)] = true
		}
	})
	files, err := filepath.Glob("../internal/source/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("want the files of package source, have %d, %v", len(files), err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		inspect(t, file, func(n ast.Node) {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || spelled(lit.Type) != "wire.Fault" {
				return
			}
			for _, e := range lit.Elts {
				pair, ok := e.(*ast.KeyValueExpr)
				if !ok || spelled(pair.Key) != "Code" {
					continue
				}
				code := spelled(pair.Value)
				if ast.IsExported(code) {
					code = "source." + code
				} else if !strings.HasPrefix(code, "jsontext.") {
					continue // the code of a mistake that jsontext has found
				}
				if seen[code] {
					continue
				}
				seen[code] = true
				for name, codes := range listed {
					if !codes[code] {
						t.Errorf("%s rejects with %s; want it in %s of host/registry/codes.go", file, code, name)
					}
				}
			}
		})
	}
	if !seen["source.InvalidCSV"] {
		t.Errorf("want the codes of package source found, have %v", seen)
	}
}

// spelled returns a name as the source has it, with its package; "" for what is none.
func spelled(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return spelled(e.X) + "." + e.Sel.Name
	}
	return ""
}

func inspect(t *testing.T, file string, visit func(ast.Node)) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool { visit(n); return true })
}
