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

// TestExported holds what the packages for plugin authors export to what testdata/exported.txt lists, so that a name comes,
// goes or is renamed on purpose only.
func TestExported(t *testing.T) {
	var names []string
	for _, folder := range []string{".", "canonical", "canonical/build", "canonical/build/calls", "cache", "canonical/canonicaltest", "jsontext", "retry", "schema", "sdktest"} {
		for _, name := range exportedNames(t, folder) {
			if folder != "." {
				name = folder + ": " + name
			}
			names = append(names, name)
		}
	}
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
	for folder, most := range map[string]int{".": 23, "canonical": 60} {
		top := slices.DeleteFunc(exportedNames(t, folder), func(name string) bool { return strings.Contains(name, ".") })
		if len(top) > most {
			t.Errorf("%s: want at most %d names at the top, have %d", folder, most, len(top))
		}
	}
}

func exportedNames(t *testing.T, folder string) []string {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
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
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	return of.(*ast.Ident).Name
}
