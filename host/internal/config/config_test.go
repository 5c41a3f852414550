package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden reads testdata/*.txtar: why the case is there, pipeline.hcl, what is set (vars and env, a NAME=VALUE a
// line), files beside it, and at the end the tree or the diagnostics.
func TestGolden(t *testing.T) {
	folder, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("want golden files, have %d (%v)", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(bytes.TrimSpace(archive.Comment)) == 0 {
				t.Error("want the reason of the case at the top of the file")
			}
			inputs, want := archive.Files, ""
			if last := archive.Files[len(archive.Files)-1]; last.Name == "tree" || last.Name == "diagnostics" {
				inputs, want = archive.Files[:len(archive.Files)-1], string(last.Data)
			}
			name, have := runCase(t, inputs)
			if *update {
				archive.Files = append(inputs[:len(inputs):len(inputs)], txtar.File{Name: name, Data: []byte(have)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("%s (-want +have):\n%s", name, diff)
			}
		})
	}
}

// runCase loads pipeline.hcl in a folder of its own, with the folder written as $DIR in what comes out.
func runCase(t *testing.T, inputs []txtar.File) (name, out string) {
	dir := t.TempDir()
	t.Chdir(dir)
	set := map[string]map[string]string{"vars": {}, "env": {}}
	for _, f := range inputs {
		if settings, ok := set[f.Name]; ok {
			for line := range strings.Lines(string(f.Data)) {
				k, v, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
				settings[k] = v
			}
			continue
		}
		if err := os.WriteFile(f.Name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := func(name string) (string, bool) { v, ok := set["env"][name]; return v, ok }
	p, diags := Load("pipeline.hcl", Given{Vars: set["vars"], Env: env})
	name, out = "diagnostics", diags.Snippets()
	if p != nil {
		name, out = "tree", out+dump(p)
	}
	return name, strings.ReplaceAll(out, dir, "$DIR")
}

func TestLoadOfWhatIsNotAPipeline(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"pipeline.hcl": "source \"jsonl\" \"in\" {\n  paths = [\"-\"]\n}\nsink \"jsonl\" \"out\" {\n  path = \"out\"\n}\n",
		"old.json":     "{}",
		"empty":        "",
		"comment":      "# nothing yet\n",
		"large":        strings.Repeat("# long\n", maxSize),
		"deep":         "x = " + strings.Repeat("[", maxSize-10),
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ path, want, reason string }{
		{"pipelin.hcl", `pipelin.hcl: no such file; want the path of an .hcl file; did you mean "pipeline.hcl"?`, "a typo on the command line"},
		{"nowhere/p.hcl", `nowhere/p.hcl: no such file; want the path of an .hcl file`, "nothing near it to suggest"},
		{".", `.: a pipeline is a file, this is a directory; want the path of an .hcl file; did you mean "pipeline.hcl"?`, "the folder instead of the file"},
		{"old.json", `old.json: JSON is not supported; want HCL in its native syntax, in an .hcl file`, "HCL has a JSON syntax, this has not"},
		{"empty", `empty: the pipeline is empty; want at least a source and a sink`, "one mistake, not one for each missing part"},
		{"comment", `comment: the pipeline is empty; want at least a source and a sink`, "comments alone are nothing"},
		{"large", `large: the pipeline is too large; want at most 131072 bytes, have 917504; long lists belong in a file of their own`, "the parser recurses"},
		{"deep", `deep:1:105: nested too deep; want at most 100 brackets inside each other`, "a stack overflow cannot be caught"},
	} {
		p, diags := Load(test.path, Given{})
		if p != nil || diags.Error() != test.want {
			t.Errorf("%s (%s):\nwant %s\nhave %s", test.path, test.reason, test.want, diags)
		}
	}
}

// FuzzParse holds that no text makes Parse panic, that there is a pipeline exactly when there is no error, and that
// what it holds is well formed.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, input := range archive.Files {
			if input.Name == "pipeline.hcl" {
				f.Add(input.Data)
			}
		}
	}
	path := filepath.Join(f.TempDir(), "pipeline.hcl")
	f.Fuzz(func(t *testing.T, src []byte) {
		p, diags := Parse(path, src, Given{Vars: map[string]string{"input": "[1"}})
		if (p == nil) != diags.HasErrors() {
			t.Fatalf("pipeline %v with %d diagnostics", p != nil, len(diags))
		}
		_ = diags.Snippets()
		if p != nil {
			checkNodes(t, p.Body)
			_ = dump(p)
		}
	})
}

func checkNodes(t *testing.T, nodes []Node) {
	for _, n := range nodes {
		switch n := n.(type) {
		case *Step:
			if !json.Valid(n.Args.JSON) {
				t.Fatalf("step %q: invalid JSON: %s", n.Name, n.Args.JSON)
			}
		case *First:
			if len(n.Members) == 0 {
				t.Fatalf("first %q is empty", n.Name)
			}
			checkNodes(t, n.Members)
		case *Route:
			if n.On == "" || len(n.Cases) == 0 {
				t.Fatalf("route %q is empty", n.Name)
			}
			for _, c := range n.Cases {
				checkNodes(t, c.Body)
			}
			checkNodes(t, n.Default)
		case *Tee:
			checkNodes(t, n.Body)
		case *Shadow:
			checkNodes(t, []Node{n.Current, n.Candidate})
		case *Sink:
			if !json.Valid(n.Args.JSON) {
				t.Fatalf("sink %q: invalid JSON: %s", n.Name, n.Args.JSON)
			}
		default:
			t.Fatalf("unexpected node %T", n)
		}
	}
}

func TestParseSize(t *testing.T) {
	for _, test := range []struct {
		text   string
		want   int64
		reason string
	}{
		{"4096", 4096, "bytes without a unit"},
		{"1GB", 1e9, "decimal"},
		{"1.5 GiB", 3 << 29, "binary, with a fraction and a space"},
		{"0", 0, "whoever asks decides whether nothing is enough"},
		{"1.5B", -1, "half a byte"},
		{"8388608TiB", -1, "one more than 64 bits hold"},
		{"512mb", -1, "a unit in the wrong case could be bits"},
		{"-1", -1, "less than nothing"},
		{"", -1, "nothing"},
	} {
		have, err := ParseSize(test.text)
		if err != nil {
			have = -1
		}
		if have != test.want {
			t.Errorf("%q (%s): want %d, have %d (%v)", test.text, test.reason, test.want, have, err)
		}
	}
}
