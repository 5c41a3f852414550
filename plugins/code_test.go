package plugins_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/plugins"
)

// TestCode holds that code.txt says what the built-in plugins are made of. -update writes it.
func TestCode(t *testing.T) {
	listed := listCode(t, ".", "./...")
	var b strings.Builder
	b.WriteString("# What the built-in plugins are made of, for their hashes. TestCode with -update writes it.\n")
	needed := map[string]bool{}
	registered := registrations(t)
	for _, p := range plugins.All {
		folder := "plugins/" + p.Name
		if listed[folder] == nil {
			folder = "plugins/" + strings.Replace(p.Name, "-", "/", 1)
		}
		roots := append([]string{folder}, registered[p.Name]...)
		fmt.Fprintf(&b, "plugin %s %s\n", p.Name, strings.Join(roots, " "))
		for _, root := range roots {
			if listed[root] == nil {
				t.Fatalf("plugin %s: want a package in the folder of its name, %s, have none", p.Name, root)
			}
			need(listed, needed, root)
		}
	}
	for _, folder := range sortedKeys(needed) {
		fmt.Fprintln(&b, listed[folder].line())
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile("code.txt", []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile("code.txt")
	if err != nil {
		t.Fatal(err)
	}
	have = bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n"))
	if diff := cmp.Diff(strings.Split(string(have), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("want code.txt as go test ./plugins -run TestCode -update writes it (-have +want):\n%s", diff)
	}
}

// TestCodeOfPlugins holds that each plugin has hashes of its own, and that those of the SDK are shared by what imports the same of it.
func TestCodeOfPlugins(t *testing.T) {
	seen := map[string]string{}
	for _, p := range plugins.All {
		own, sdk := plugins.Code(p.Name)
		if len(own) != 64 || len(sdk) != 64 || seen[own] != "" {
			t.Errorf("plugin %s: want hashes of its own, have %q, %q, as %q has", p.Name, own, sdk, seen[own])
		}
		seen[own] = p.Name
	}
	if own, sdk := plugins.Code("of-others"); own != "" || sdk != "" {
		t.Errorf("want no hashes of a plugin that is not built in, have %q, %q", own, sdk)
	}
}

// TestCodeMoves holds what changes the hash of a package and what does not.
func TestCodeMoves(t *testing.T) {
	const code = "package p\n\nimport _ \"embed\"\n\n//go:embed rules.json\nvar rules string\n\nfunc Limit() int { return 3 }\n"
	write := func(t *testing.T, dir string, files map[string]string) {
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	base := map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "p.go": code, "rules.json": "{}\n", "p_windows.go": "package p\n"}
	lines := func(t *testing.T, files map[string]string) string {
		dir := t.TempDir()
		write(t, dir, base)
		write(t, dir, files)
		return listCode(t, dir, ".")["."].line()
	}
	want := lines(t, nil)
	for _, tt := range []struct {
		reason string
		files  map[string]string
		moves  bool
	}{
		{"nothing", nil, false},
		{"a comment", map[string]string{"p.go": strings.Replace(code, "func", "// Limit is the limit.\nfunc", 1)}, false},
		{"the layout", map[string]string{"p.go": strings.Replace(code, "{ return 3 }", "{\t return 3  }\n", 1)}, false},
		{"the ends of lines", map[string]string{"rules.json": "{}\r\n", "p.go": strings.ReplaceAll(code, "\n", "\r\n")}, false},
		{"a test", map[string]string{"p_test.go": "package p\n"}, false},
		{"a file that is not embedded", map[string]string{"other.json": "{}"}, false},
		{"code", map[string]string{"p.go": strings.Replace(code, "3", "4", 1)}, true},
		{"a text in the code", map[string]string{"p.go": code + "var doc = \"another\"\n"}, true},
		{"rules", map[string]string{"rules.json": `{"a":1}`}, true},
		{"what is embedded", map[string]string{"p.go": strings.Replace(code, "//go:embed rules", "//go:embed go.mod rules", 1)}, true},
		{"another file", map[string]string{"q.go": "package p\n"}, true},
		{"code of another system", map[string]string{"p_windows.go": "package p\n\nvar a int\n"}, true},
	} {
		if have := lines(t, tt.files); (have != want) != tt.moves {
			t.Errorf("%s: want the hash to move: %t, have %s and before %s", tt.reason, tt.moves, have, want)
		}
	}
}

// A codePackage is a package of a module, as go list describes it on one system, so that every system lists the same.
type codePackage struct {
	ImportPath, Dir                                                          string
	Standard                                                                 bool
	GoFiles, CgoFiles, SFiles, IgnoredGoFiles, IgnoredOtherFiles, EmbedFiles []string
	Imports                                                                  []string
	Module                                                                   *struct {
		Path, Version string
		Main          bool
	}

	folder string // in the module
	uses   []string
	sum    string
}

func (p *codePackage) line() string {
	return strings.Join(append([]string{p.folder, p.sum}, p.uses...), " ")
}

// listCode returns the packages of the module in a folder, by their folders, with hashes and all that they use.
func listCode(t *testing.T, dir, pattern string) map[string]*codePackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json", pattern)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOWORK=off")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &errs)
	}
	all, ours := map[string]*codePackage{}, map[string]*codePackage{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &codePackage{}
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all[p.ImportPath] = p
	}
	for path, p := range all {
		if p.Module == nil || !p.Module.Main {
			continue
		}
		p.folder = "."
		if inner, below := strings.CutPrefix(path, p.Module.Path+"/"); below {
			p.folder = inner
		}
		ours[p.folder] = p
	}
	for _, p := range ours {
		uses := map[string]bool{}
		for _, path := range p.Imports {
			if q := all[path]; q != nil && q.Module != nil && q.Module.Main {
				uses[strings.TrimPrefix(path, q.Module.Path+"/")] = true
			} else {
				useModules(all, uses, map[string]bool{}, path)
			}
		}
		p.uses, p.sum = sortedKeys(uses), p.hash(t)
	}
	return ours
}

// useModules adds the other modules that a package is of and imports.
func useModules(all map[string]*codePackage, uses, seen map[string]bool, path string) {
	p := all[path]
	if p == nil || p.Standard || seen[path] {
		return
	}
	seen[path] = true
	uses[p.Module.Path+"@"+p.Module.Version] = true
	for _, imported := range p.Imports {
		useModules(all, uses, seen, imported)
	}
}

// hash returns the hash of the files of a package, whatever system they are for.
func (p *codePackage) hash(t *testing.T) string {
	h := sha256.New()
	files := slices.Concat(p.GoFiles, p.CgoFiles, p.SFiles, p.IgnoredGoFiles, p.IgnoredOtherFiles, p.EmbedFiles)
	slices.Sort(files)
	for _, name := range slices.Compact(files) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) // of a checkout on Windows
		if strings.HasSuffix(name, ".go") {
			text = tokens(text)
		}
		fmt.Fprintf(h, "%q %d\n", filepath.ToSlash(name), len(text))
		h.Write(text)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// tokens returns code without layout and comments, except for those that the Go tool reads.
func tokens(src []byte) []byte {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, src, nil, scanner.ScanComments)
	var b bytes.Buffer
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return b.Bytes()
		case tok == token.COMMENT && !strings.HasPrefix(lit, "//go:"):
		case tok == token.SEMICOLON:
			b.WriteString(";\n")
		case lit != "":
			fmt.Fprintln(&b, lit)
		default:
			fmt.Fprintln(&b, tok)
		}
	}
}

// registrations returns the packages whose profile "reference" plugins/reference registers, by plugin.
func registrations(t *testing.T) map[string][]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "reference/reference.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{} // by the name of the package in the file
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		inner := strings.TrimPrefix(path, "github.com/sluicehq/sluice/")
		name := inner[strings.LastIndex(inner, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		folders[name] = inner
	}
	all := map[string][]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Register" {
			return true
		}
		plugin, _ := strconv.Unquote(call.Args[0].(*ast.BasicLit).Value)
		ast.Inspect(call.Args[1], func(n ast.Node) bool {
			if x, ok := n.(*ast.SelectorExpr); ok {
				if folder := folders[x.X.(*ast.Ident).Name]; strings.HasPrefix(folder, "plugins/reference/") && !slices.Contains(all[plugin], folder) {
					all[plugin] = append(all[plugin], folder)
				}
			}
			return true
		})
		return true
	})
	if len(all) == 0 {
		t.Fatal("want profiles that plugins/reference registers, have 0")
	}
	return all
}

func need(listed map[string]*codePackage, needed map[string]bool, folder string) {
	p := listed[folder]
	if p == nil || needed[folder] {
		return
	}
	needed[folder] = true
	for _, used := range p.uses {
		need(listed, needed, used)
	}
}

func sortedKeys(set map[string]bool) (all []string) {
	for name := range set {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
