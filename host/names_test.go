package host_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNames keeps package host small: a new name belongs to one of the packages below it, or has a good reason to be here.
func TestNames(t *testing.T) {
	want := []string{
		"AtPath", "BatchSpan", "Claims", "Diagnostic", "Diagnostics", "EndProgress", "ErrNoFile", "ErrNoOrigins", "HeldBy", "Holder", "Load", "LoadGraph", "OpenOrigins", "Options", "Origin",
		"OriginReader", "Page", "Parse", "ParseSize", "Pipeline", "PipelineSHA256", "Program", "Progress", "Result", "Resumable", "Sensitive", "ServeArg", "Session", "SessionStep", "StartSpan",
		"StepFailure", "StepProgress", "StepSpan", "Store", "WritePage",
	}
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			have = append(have, exported(d)...)
		}
	}
	slices.Sort(have)
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("exported names of host (-want +have):\n%s", diff)
	}
}

// exported returns the exported names of a declaration, without methods.
func exported(d ast.Decl) (names []string) {
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			add(d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				add(spec.Name)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					add(id)
				}
			}
		}
	}
	return names
}
