package plugins

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
)

// TestPrograms holds that Programs names what every built-in plugin starts: packages that start programs are known by name, and the
// attributes are ones that the plugins take. Without this, a look at somebody's pipeline could start what it names.
func TestPrograms(t *testing.T) {
	var starting []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			if i.Path.Value == `"os/exec"` {
				starting = append(starting, filepath.ToSlash(filepath.Dir(path)))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	known := []string{"chatml/template", "chatml/template/templatetest", "privacy/backend"} // the second one for tests alone
	if diff := cmp.Diff(known, slices.Compact(starting)); diff != "" {
		t.Errorf("packages that start programs; attributes that name these belong into Programs (-want +have):\n%s", diff)
	}
	host := sdk.Host(All...)
	for name, attrs := range Programs {
		info, ok := host.Plugin(name)
		for _, attr := range attrs {
			if !ok || !slices.ContainsFunc(info.Args, func(a wire.Arg) bool { return a.Name == attr }) {
				t.Errorf("want an attribute of plugin %s, have %s", name, attr)
			}
		}
	}
}
