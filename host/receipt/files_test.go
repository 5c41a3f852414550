package receipt

import (
	"os"
	"reflect"
	"slices"
	"testing"
)

// written is a receipt that names a file of each kind.
func written() *Receipt {
	return &Receipt{
		Pipeline: Pipeline{Path: "p.hcl"}, Inputs: []Input{{Name: "in.jsonl"}}, Timeline: &Sidecar{Path: "out/.sluice/receipt.json.timeline.jsonl"},
		Outputs: []Output{{Path: "out/train.jsonl", Origins: &Sidecar{Path: "out/.sluice/train.jsonl.origins"}}},
		Reports: []Report{{ManifestReport, Sidecar{Path: "out/manifest.json"}}, {"first shape", Sidecar{Path: "out/first.json"}}},
	}
}

// TestFiles holds that Files has every file that a receipt can name as written: each Output and Sidecar, wherever they are in it.
func TestFiles(t *testing.T) {
	r := written()
	var want []string
	kinds := map[string]bool{} // of fields with such files, all of which the receipt of this test has to fill
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			switch x := v.Interface().(type) {
			case Output:
				want = append(want, x.Path)
			case Sidecar:
				want = append(want, x.Path)
			}
			for i := range v.NumField() {
				if of := v.Type().Field(i).Type; of == reflect.TypeFor[*Sidecar]() || of == reflect.TypeFor[[]Report]() || of == reflect.TypeFor[[]Output]() {
					kinds[v.Type().Name()+"."+v.Type().Field(i).Name] = !v.Field(i).IsZero()
				}
				walk(v.Field(i))
			}
		}
	}
	walk(reflect.ValueOf(*r))
	for kind, filled := range kinds {
		if !filled {
			t.Errorf("want a file in %s, have 0", kind)
		}
	}
	var have []string
	for _, f := range r.Files() {
		have = append(have, f.Path)
	}
	slices.Sort(want)
	slices.Sort(have)
	if !slices.Equal(want, have) {
		t.Errorf("want %v, have %v", want, have)
	}
}

// TestUses holds that a file of a run is known by whatever path leads to it, and what it is.
func TestUses(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"out/.sluice", "elsewhere"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	r := written()
	all := []string{"p.hcl", "in.jsonl", "out/receipt.json", "elsewhere/other.jsonl"}
	for _, f := range r.Files() {
		all = append(all, f.Path)
	}
	for _, path := range all {
		if err := os.WriteFile(path, []byte(path), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../out/first.json", "elsewhere/link.json"); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ reason, path, want string }{
		{"the receipt itself", "out/receipt.json", "the receipt"},
		{"what the run read", "in.jsonl", "an input"},
		{"what the run did", "p.hcl", "the pipeline"},
		{"what the run wrote", "out/train.jsonl", "an output"},
		{"beside that", "out/.sluice/train.jsonl.origins", "the origins of an output's rows"},
		{"about the run", "out/.sluice/receipt.json.timeline.jsonl", "the timeline"},
		{"the manifest, spelled otherwise", "elsewhere/../out/manifest.json", "the manifest"},
		{"a report by a link", "elsewhere/link.json", "the report of first shape"},
		{"a file of nobody", "elsewhere/other.jsonl", ""},
		{"no file", "out/new.jsonl", ""},
		{"in a bucket, no file of this run", "s3://b/out/train.jsonl", ""},
	} {
		if have := r.Uses("out/receipt.json", c.path); have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
	far := &Receipt{Timeline: &Sidecar{Path: "s3://b/run/.sluice/receipt.json.timeline.jsonl"}, Reports: []Report{{ManifestReport, Sidecar{Path: "s3://b/run/manifest.json"}}}}
	if have := far.Uses("s3://b/run/receipt.json", "s3://b/run/manifest.json"); have != "the manifest" {
		t.Errorf("want the manifest of a run in a bucket, have %q", have)
	}
}
