package sdk

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// TestExported holds what a plugin author has to know to what testdata/exported.txt lists, and to about 20 names.
func TestExported(t *testing.T) {
	names := exportedNames(t)
	const golden = "testdata/exported.txt"
	have := strings.Join(names, "\n") + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(have), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if have != string(want) {
		t.Errorf("want the names of %s, have\n%s", golden, have)
	}
	top := slices.DeleteFunc(names, func(name string) bool { return strings.Contains(name, ".") })
	if len(top) > 20 {
		t.Errorf("want at most 20 names at the top, have %d", len(top))
	}
}

func exportedNames(t *testing.T) []string {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	add := func(owner, name string) {
		if !ast.IsExported(name) || owner != "" && !ast.IsExported(owner) {
			return
		}
		if owner != "" {
			name = owner + "." + name
		}
		names = append(names, name)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				add(receiver(d), d.Name.Name)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					addSpec(add, spec)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

func addSpec(add func(owner, name string), spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			add("", name.Name)
		}
	case *ast.TypeSpec:
		add("", s.Name.Name)
		var fields *ast.FieldList
		switch body := s.Type.(type) {
		case *ast.StructType:
			fields = body.Fields
		case *ast.InterfaceType:
			fields = body.Methods
		default:
			return
		}
		for _, field := range fields.List {
			for _, name := range field.Names {
				add(s.Name.Name, name.Name)
			}
		}
	}
}

// receiver names the type that a method belongs to, or "".
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	of := d.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	return of.(*ast.Ident).Name
}
