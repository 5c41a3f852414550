package host_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/sluicehq/sluice"

// What packages may import of this module, by the folder they are in; the most specific folder counts. A name ending
// in /... means everything below it.
var mayImport = map[string][]string{
	"cmd": {
		"cmd/sluice/internal/...", "host", "host/conformance", "host/editor", "host/fetch", "host/filehash", "host/filestate", "host/merge", "host/percent", "host/pipetest", "host/plural", "host/privatefolder", "host/receipt", "host/registry", "host/rundiff",
		"host/survey", "host/table", "host/trace", "host/verify", "host/wholefile", "plugins", "plugins/alias", "plugins/chatml", "plugins/chatml/template", "plugins/check", "plugins/dedup", "plugins/mix", "plugins/modelspec/notation",
		"plugins/privacy", "plugins/privacy/redact", "plugins/privacy/report", "plugins/stats", "sdk", "sdk/canonical", "sdk/compression", "sdk/jsontext", "sdk/nearest", "sdk/schema", "sdk/wire",
	},
	// Its plugin serves the protocol of programs without features, too.
	"cmd/sluice/internal/chaos": {"host/filehash", "host/receipt", "sdk", "sdk/wire/rpc"},
	// Some of these plugins break the protocol.
	"cmd/sluice/internal/testplugins": {"cmd/sluice/internal/chaos", "sdk", "sdk/wire/rpc", "sdk/wire/rpc/rpctest"},

	"host":                  {"host/filehash", "host/plural", "host/receipt", "host/trace", "host/internal/...", "sdk", "sdk/wire", "sdk/nearest"},
	"host/filehash":         {},
	"host/filestate":        {},
	"host/percent":          {},
	"host/plural":           {},
	"host/privatefolder":    {},
	"host/wholefile":        {},
	"host/receipt":          {"host/filehash", "host/internal/oserr", "host/internal/output", "host/internal/places", "host/plural"},
	"host/trace":            {"sdk/wire"},
	"host/conformance":      {"host", "host/internal/plan", "host/internal/launch", "host/internal/flow", "host/plural", "sdk/wire"},
	"host/editor":           {"host", "host/internal/config", "host/internal/launch", "host/internal/plan", "sdk/wire", "sdk/nearest"},
	"host/pipetest":         {"host", "host/plural", "host/receipt", "host/internal/...", "sdk", "sdk/wire", "sdk/jsontext"},
	"host/registry":         {"host", "host/receipt", "host/wholefile", "host/internal/...", "sdk", "sdk/wire", "sdk/jsontext", "sdk/nearest"},
	"host/rundiff":          {"host/filehash", "host/receipt", "host/internal/compare", "host/internal/ignore", "host/internal/limit", "host/internal/oserr", "host/internal/output", "host/internal/places", "host/plural", "host/internal/source", "sdk/jsontext", "sdk/wire"},
	"host/verify":           {"host", "host/filehash", "host/receipt", "host/internal/oserr", "host/internal/output", "host/internal/parquet", "host/internal/places", "host/plural", "host/internal/source"},
	"host/fetch":            {"host/receipt", "host/wholefile", "host/internal/places"},
	"host/merge":            {"host", "host/filehash", "host/receipt", "host/internal/limit", "host/internal/oserr", "host/internal/output", "host/internal/parquet", "host/internal/places", "host/plural", "host/internal/plan", "host/internal/source", "sdk/wire"},
	"host/table":            {"host/internal/parquet"},
	"host/survey":           {"host", "host/receipt", "host/internal/...", "sdk/wire"},
	"host/internal/config":  {"host/filehash", "host/internal/ignore", "host/internal/limit", "host/internal/oserr", "host/plural", "sdk/nearest"},
	"host/internal/plan":    {"host/filehash", "host/receipt", "host/internal/...", "sdk", "sdk/wire", "sdk/jsontext", "sdk/nearest"},
	"host/internal/oserr":   {},
	"host/internal/places":  {},
	"host/internal/source":  {"host/filehash", "host/receipt", "host/internal/filelock", "host/internal/oserr", "host/internal/parquet", "host/internal/places", "host/plural", "host/wholefile", "sdk/compression", "sdk/wire", "sdk/jsontext"},
	"host/internal/output":  {"host/filehash", "host/internal/filelock", "host/internal/oserr", "host/internal/parquet", "host/internal/places", "host/wholefile", "sdk/wire", "sdk/jsontext"},
	"host/internal/parquet": {"sdk/jsontext"},
	"host/internal/compare": {"host/internal/ignore", "sdk/jsontext"},
	"host/internal/ignore":  {},
	"host/internal/limit":   {"host/percent"},
	"host/internal/flow":    {"host/internal/compare", "host/internal/ignore", "host/internal/limit", "host/plural", "host/receipt", "sdk/wire", "sdk/jsontext", "sdk/nearest"},
	"host/internal/launch":  {"host/filestate", "host/internal/filelock", "host/internal/flow", "host/privatefolder", "host/wholefile", "sdk/wire", "sdk/wire/rpc"},
	"host/internal/store":   {"host/filehash", "host/filestate", "host/internal/filelock", "host/internal/oserr", "host/internal/places", "host/wholefile", "sdk/wire"},
	"host/internal/subset":  {"host/receipt", "host/internal/...", "sdk/wire"},
	"host/internal/tracer":  {"host/plural", "host/receipt", "host/trace", "host/internal/...", "sdk/wire"},

	"sdk":                         {"sdk/wire", "sdk/wire/rpc", "sdk/jsontext", "sdk/nearest"},
	"sdk/internal/pb":             {},
	"sdk/cache":                   {},
	"sdk/compression":             {},
	"sdk/nearest":                 {},
	"sdk/retry":                   {},
	"sdk/canonical":               {"sdk", "sdk/jsontext"},
	"sdk/canonical/build":         {"sdk", "sdk/jsontext", "sdk/canonical", "sdk/canonical/build/calls"},
	"sdk/canonical/build/blocks":  {"sdk", "sdk/jsontext", "sdk/canonical", "sdk/canonical/build"},
	"sdk/canonical/build/calls":   {"sdk/jsontext", "sdk/canonical"},
	"sdk/canonical/canonicaltest": {"sdk", "sdk/jsontext", "sdk/canonical"},
	"sdk/jsontext":                {},
	"sdk/schema":                  {"sdk/jsontext"},
	"sdk/sdktest":                 {"sdk", "sdk/wire", "sdk/wire/rpc", "sdk/jsontext"},
	"sdk/wire":                    {"sdk/jsontext"},
	"sdk/wire/rpc":                {"sdk/wire", "sdk/internal/pb"},
	"sdk/wire/rpc/rpctest":        {"sdk/wire", "sdk/wire/rpc", "sdk/internal/pb"},

	"plugins":                       {"plugins/...", "sdk", "sdk/compression", "sdk/jsontext", "sdk/canonical", "sdk/canonical/build/...", "sdk/schema"},
	"plugins/modelspec/notation":    {"plugins/modelspec/toolschema", "sdk", "sdk/jsontext", "sdk/canonical/build/calls"},
	"plugins/modelspec/instruction": {"plugins/modelspec/notation", "sdk/jsontext"},
	"plugins/modelspec/toolschema":  {"sdk/jsontext", "sdk/canonical/build/calls"},
	"plugins/modelspec/dice":        {},
	"plugins/reference": {"plugins/reference/...", "plugins/internal/profile", "plugins/internal/pyjson", "plugins/eliza-record/prompt",
		"plugins/privacy", "plugins/privacy/recognise", "plugins/privacy/redact",
		"plugins/privacy/rules", "sdk", "sdk/jsontext", "sdk/canonical"},
	"pipelines": {},
	"examples":  {"sdk", "sdk/cache", "sdk/retry", "sdk/jsontext", "sdk/canonical", "sdk/canonical/build"},
}

// What tests, and packages that serve tests, may import beside.
var testsMayImport = map[string][]string{
	"cmd":  {"plugins/chatml/template/templatetest"},
	"host": {"sdk", "sdk/wire", "sdk/wire/rpc/rpctest", "sdk/jsontext"},

	"plugins":   {"sdk/schema", "sdk/wire", "sdk/sdktest", "sdk/canonical/canonicaltest", "plugins/..."},
	"pipelines": {"host", "host/pipetest", "host/receipt", "host/registry", "plugins"},
	"examples":  {"sdk/sdktest", "sdk/canonical/canonicaltest"},

	"sdk": {"sdk", "sdk/sdktest"},
}

// Modules and folders that only some may import; everybody else does without.
var keptTo = map[string][]string{
	"github.com/hashicorp/go-plugin":      {"host/internal/launch", "sdk/wire/rpc"},
	"github.com/hashicorp/hcl/v2":         {"host/internal/config"},
	"github.com/zclconf/go-cty":           {"host/internal/config"},
	"google.golang.org/grpc":              {"host/internal/launch", "sdk/wire/rpc", "sdk/internal/pb"},
	"google.golang.org/protobuf":          {"sdk/internal/pb"},
	"github.com/spf13/cobra":              {"cmd"},
	"github.com/zeebo/blake3":             {"host/filehash"},
	"github.com/klauspost/cpuid":          {"cmd/sluice/internal/bench"},
	"github.com/charmbracelet":            {"cmd/sluice/internal/terminal"},
	"github.com/prometheus/client_golang": {"cmd"},
	"github.com/parquet-go/parquet-go":    {"host/internal/parquet"},
	"github.com/prometheus/procfs":        {"cmd/sluice/internal/bench", "host/internal/launch"},
	// JSON in YAML is read by one reader, which bounds how deep it nests.
	"go.yaml.in/yaml/v3":  {"plugins/modelspec/notation"},
	"go.opentelemetry.io": {"cmd/sluice/internal/traces"},
	// It decodes the plans of all countries before main.
	"github.com/nyaruka/phonenumbers": {},
	// What a plugin links that asks no service has no need of them.
	"go.etcd.io/bbolt":            {"sdk/cache"},
	"github.com/cenkalti/backoff": {"sdk/retry", "host/internal/places"},
	// A name of this machine costs nothing of it.
	"github.com/minio/minio-go":         {"host/internal/places"},
	"github.com/johannesboyne/gofakes3": {"cmd/sluice/internal/bucket"},

	// jsontext exports what the other packages need of it: views of bytes, and where these lie. Generated code has its own.
	"unsafe": {"sdk/jsontext", "sdk/internal/pb", "cmd/sluice/internal/chaos"}, // which hands a filter to the system
}

type pkg struct {
	folder               string // in the repository
	imports, testImports []string
}

// servesTests reports whether only tests have a use for the package.
func (p *pkg) servesTests() bool { return slices.Contains(p.imports, "testing") }

// A table has the rules of one kind, by the folders or modules that they are about.
type table struct {
	rules  map[string][]string
	needed map[[2]string]bool // those that some import needs
}

// allows reports whether a rule about a folder or module covers a name.
func (x *table) allows(about, name string, covers func(rule, name string) bool) (allowed bool) {
	for _, rule := range x.rules[about] {
		if covers(rule, name) {
			x.needed[[2]string{about, rule}], allowed = true, true
		}
	}
	return allowed
}

// TestImports holds that packages import what the rules allow, and that every rule allows something.
func TestImports(t *testing.T) {
	may, tests, kept := &table{mayImport, map[[2]string]bool{}}, &table{testsMayImport, map[[2]string]bool{}}, &table{keptTo, map[[2]string]bool{}}
	for _, p := range read(t) {
		folder, testFolder := closest(mayImport, p.folder), closest(testsMayImport, p.folder)
		if folder == "" {
			t.Errorf("%s: want a folder with a rule in this test", p.folder)
		}
		byTest := func(path string) bool { return path == p.folder || tests.allows(testFolder, path, covers) }
		for _, path := range p.imports {
			if inner, ours := strings.CutPrefix(path, module+"/"); ours && !may.allows(folder, inner, covers) && (!p.servesTests() || !byTest(inner)) {
				t.Errorf("%s imports %s; want only %v of this module", p.folder, inner, mayImport[folder])
			}
			for name := range keptTo {
				if within(path, name) && !kept.allows(name, p.folder, func(rule, folder string) bool { return within(folder, rule) }) {
					t.Errorf("%s imports %s; want it only in %v, or the folder in keptTo of this test", p.folder, path, keptTo[name])
				}
			}
		}
		for _, path := range p.testImports {
			inner, ours := strings.CutPrefix(path, module+"/")
			if ours && !slices.ContainsFunc(mayImport[folder], func(rule string) bool { return covers(rule, inner) }) && !byTest(inner) {
				t.Errorf("tests of %s import %s; want only %v and %v of this module", p.folder, inner, mayImport[folder], testsMayImport[testFolder])
			}
		}
	}
	for what, x := range map[string]*table{"mayImport": may, "testsMayImport": tests, "keptTo": kept} {
		for about, rules := range x.rules {
			for _, rule := range rules {
				if !x.needed[[2]string{about, rule}] {
					t.Errorf("%s, %s: want rules that some import needs, have %s", what, about, rule)
				}
			}
		}
	}
}

// TestReferenceIsRemovable holds that deleting plugins/reference takes one line of plugins/plugins.go and nothing else, tests
// included.
func TestReferenceIsRemovable(t *testing.T) {
	const reference = module + "/plugins/reference"
	for _, p := range read(t) {
		for _, path := range slices.Concat(p.imports, p.testImports) {
			if within(path, reference) && !within(module+"/"+p.folder, reference) && (p.folder != "plugins" || path != reference) {
				t.Errorf("%s imports %s; want only plugins/plugins.go to import %s", p.folder, path, reference)
			}
		}
	}
}

// TestDependencies holds what imports through other packages of this module must not bring in either.
func TestDependencies(t *testing.T) {
	never := map[string][]string{
		"sdk":                  {module + "/host", "github.com/hashicorp/hcl", "github.com/zclconf/go-cty"},
		"plugins":              {module + "/host", "github.com/hashicorp/hcl", "github.com/zclconf/go-cty"},
		"host/internal/flow":   {"github.com/hashicorp", "github.com/zclconf/go-cty", "google.golang.org"},
		"host/internal/source": {"github.com/hashicorp", "github.com/zclconf/go-cty", "google.golang.org"},
		"host/internal/output": {"github.com/hashicorp", "github.com/zclconf/go-cty", "google.golang.org"},
		"sdk/wire":             {"github.com/hashicorp", "google.golang.org"},
		"sdk/wire/rpc":         {},
		"host/internal/config": {"github.com/hashicorp/go-plugin", "google.golang.org", module + "/sdk"},
	}
	const words = module + "/sdk/nearest" // is about words alone
	packages := read(t)
	for _, p := range packages {
		for _, name := range never[closest(never, p.folder)] {
			for path := range p.deps(packages) {
				if within(path, name) && path != words {
					t.Errorf("%s depends on %s; want nothing of %s", p.folder, path, name)
				}
			}
		}
	}
}

// TestOneRecordReader holds that records are read as views: encoding/json decodes only what people and the
// host write, such as receipts and attestations, or encodes what a step says at the end.
func TestOneRecordReader(t *testing.T) {
	reads := []string{"cmd/sluice/internal/eval", "cmd/sluice/internal/lsp", "cmd/sluice/internal/explain",
		"cmd/sluice/internal/cli", "cmd/sluice/internal/pluginrun", "cmd/sluice/internal/preview", "cmd/sluice/internal/rowstats", "cmd/sluice/internal/trust",
		"cmd/sluice/internal/testplugins", // as plugins of other people do
		"host", "host/internal/config", "host/internal/output", "host/internal/plan", "host/merge", "host/receipt", "host/verify", "plugins/privacy", "plugins/privacy/report", "plugins/stats"}
	for _, p := range read(t) {
		if !p.servesTests() && slices.Contains(p.imports, "encoding/json") && !slices.Contains(reads, p.folder) {
			t.Errorf("%s imports encoding/json; want records read through gjson or jsontext and written by jsontext", p.folder)
		}
	}
}

// TestOneCheckOfJSON holds that no text is checked by a reader that recurses, since what a string of a record holds may
// nest without end. jsontext.Check and jsontext.Embedded bound it.
func TestOneCheckOfJSON(t *testing.T) {
	recursing := regexp.MustCompile(`\bgjson\.Valid(Bytes)?\(|\bjson\.Valid\(`)
	for _, top := range []string{"../sdk", "../host", "../plugins"} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			if recursing.Match(source) && !bytes.Contains(source, []byte("\t\"testing\"\n")) {
				t.Errorf("%s: want jsontext.Check or jsontext.Embedded, have %s", path, recursing.Find(source))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestTopLevel(t *testing.T) {
	fixed := []string{
		"cmd", "host", "sdk", "plugins", "pipelines", "examples",
		"go.mod", "go.sum", "README.md", "LICENSE",
	}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		// Hidden entries configure tools; out is what the shipped pipelines write.
		if name := e.Name(); !slices.Contains(fixed, name) && !strings.HasPrefix(name, ".") && name != "out" {
			t.Errorf("want nothing at the top beside %v, have %s", fixed, name)
		}
	}
}

// closest returns the folder, or the nearest one above it, that there are rules about, "" for none.
func closest(rules map[string][]string, folder string) string {
	for {
		if _, ok := rules[folder]; ok {
			return folder
		}
		i := strings.LastIndexByte(folder, '/')
		if i < 0 {
			return ""
		}
		folder = folder[:i]
	}
}

// covers reports whether a rule is about a path.
func covers(rule, path string) bool {
	below, all := strings.CutSuffix(rule, "/...")
	return path == rule || all && within(path, below)
}

// within reports whether path is name or below it.
func within(path, name string) bool {
	return path == name || strings.HasPrefix(path, name+"/")
}

// read returns all packages of the module, by folder. It parses the files itself, so that the test runs again when one
// changes.
func read(t *testing.T) map[string]*pkg {
	t.Helper()
	packages := map[string]*pkg{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != ".." && (name == "testdata" || name[0] == '.'):
			return filepath.SkipDir
		case !strings.HasSuffix(name, ".go") || d.IsDir():
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		folder := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")
		p := packages[folder]
		if p == nil {
			p = &pkg{folder: folder}
			packages[folder] = p
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if strings.HasSuffix(path, "_test.go") {
				p.testImports = append(p.testImports, imported)
			} else {
				p.imports = append(p.imports, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// deps returns what a package imports, directly or through packages of this module.
func (p *pkg) deps(packages map[string]*pkg) map[string]bool {
	found := map[string]bool{}
	var visit func(*pkg)
	visit = func(p *pkg) {
		for _, path := range p.imports {
			if inner := packages[strings.TrimPrefix(path, module+"/")]; !found[path] {
				found[path] = true
				if inner != nil {
					visit(inner)
				}
			}
		}
	}
	visit(p)
	return found
}
