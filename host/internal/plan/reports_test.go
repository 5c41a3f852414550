package plan

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk"
)

type takeArgs struct {
	Word string `hcl:"word"`
	Set  string `hcl:"set,optional"`
}

// take declines records without its word, rejects those that say bad, and marks the others.
var take = sdk.Plugin{
	Name: "take", Doc: "takes records with a word", Args: takeArgs{},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg takeArgs
		return sdk.Map(func(r *sdk.Record) error {
			switch text := string(r.JSON()); {
			case !strings.Contains(text, cfg.Word):
				return sdk.Decline("no " + cfg.Word)
			case strings.Contains(text, "bad"):
				return sdk.Reject("bad", "", "as asked")
			}
			return r.Set("by", cfg.Set)
		}), a.Decode(&cfg)
	},
}

// run moves the records of a plan, with its plugins in this process, up to the point where it could be committed.
func run(t *testing.T, p *Plan) {
	t.Helper()
	if err := p.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	fleet, problems, err := launch.Start(t.Context(), launch.Options{
		BuiltIns: sdk.Host(take), InProcess: true, RecordLimit: 1 << 20, Depth: 100, Log: func(string, string) {},
	}, p.Requests())
	if err != nil || len(problems) > 0 {
		t.Fatalf("want plugins, have %v %v", problems, err)
	}
	defer fleet.Abort()
	if err := flow.Run(t.Context(), p.Flow(fleet)); err != nil {
		t.Fatal(err)
	}
	if err := fleet.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

const reported = `
source "jsonl" "in" { paths = ["in.jsonl"] }

first "f" {
  report = "f.json"
  step "take" "a" {
    word = "a"
  }
  shadow "s" {
    values = true
    current {
      step "take" "b" {
        word = "b"
        set  = "now"
      }
    }
    candidate {
      step "take" "next" {
        word = "b"
        set  = "next"
      }
    }
  }
  step "take" "never" {
    word = "never"
    host {
      deprecated = "nothing is left of it"
    }
  }
}

sink "jsonl" "out" { path = "out.jsonl" }
`

// TestReports holds what the reports of a run tell: what each member of a first took, its own declines left out, and how
// the two steps of a shadow differ. They get their names with the outputs.
func TestReports(t *testing.T) {
	tree := parse(t, reported)
	put(t, "in.jsonl", `{"n":"a"}
{"n":"b"}
{"n":"a bad"}
{"n":"c"}
{"n":"b"}
`)
	p, diags := planned(t, tree, Options{NoReceipt: true})
	wantDiags(t, "", diags)
	run(t, p)
	compared, ranked, err := p.WriteReports()
	if err != nil {
		t.Fatal(err)
	}
	at := func(line int64) *receipt.Position { return &receipt.Position{File: "in.jsonl", Line: line} }
	want := []receipt.FirstReport{{First: "f", Records: 5, Declined: 1, Path: "f.json", Steps: []receipt.FirstMember{
		{Step: "take.a", Rows: 2, Rejected: 1, Share: 0.4, First: at(1), Last: at(3)},
		{Step: "take.b", Rows: 2, Share: 0.4, First: at(2), Last: at(5)},
		{Step: "take.never", CanGo: true, Deprecated: "nothing is left of it"},
	}}}
	if diff := cmp.Diff(want, ranked); diff != "" {
		t.Error(diff)
	}
	if len(compared) != 1 || compared[0].Current != "take.b" || compared[0].Candidate != "take.next" || compared[0].Path != "shadow-s.json" {
		t.Errorf("want one comparison of take.b and take.next in shadow-s.json, have %+v", compared)
	}
	for _, name := range []string{"f.json", "shadow-s.json", "out.jsonl"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("want no %s before the commit", name)
		}
	}
	if _, err := p.Set.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := p.Commit(nil); err != nil {
		t.Fatal(err)
	}
	var onDisk receipt.FirstReport
	data, err := os.ReadFile("f.json")
	if err == nil {
		err = json.Unmarshal(data, &onDisk)
	}
	want[0].Path = ""
	if diff := cmp.Diff(want[0], onDisk); err != nil || diff != "" {
		t.Errorf("%v%s", err, diff)
	}
	if data, err := os.ReadFile("shadow-s.json"); err != nil || !strings.Contains(string(data), `"\"next\""`) {
		t.Errorf("want the value that differs in the report, have %s (%v)", data, err)
	}
}

// TestMaskedNames holds that records and the account of the inputs have the names that may be shown, and no others.
func TestMaskedNames(t *testing.T) {
	tree := parse(t, `
source "jsonl" "in" { paths = ["*.jsonl"] }
sink "jsonl" "out" { path = "out/out.jsonl" }
`)
	put(t, "jane.jsonl", "{}\nnone\n")
	put(t, "john.jsonl", "none\n")
	shown := map[string]string{"jane.jsonl": "first.jsonl", "john.jsonl": "second.jsonl"}
	p, _ := planned(t, tree, Options{NoReceipt: true, Mask: func(name string) string { return shown[name] }})
	run(t, p)
	var inputs []string
	for _, in := range p.Sources[0].Inputs() {
		inputs = append(inputs, in.Name)
	}
	if diff := cmp.Diff([]string{"first.jsonl", "second.jsonl"}, inputs); diff != "" {
		t.Error(diff)
	}
	if _, err := p.Set.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := p.Commit(nil); err != nil {
		t.Fatal(err)
	}
	rejects, err := os.ReadFile("out/rejects.jsonl")
	text := string(rejects)
	if err != nil || !strings.Contains(text, `"file":"first.jsonl","line":2`) || !strings.Contains(text, `"file":"second.jsonl","line":1`) ||
		strings.Contains(text, "jane") || strings.Contains(text, "john") {
		t.Errorf("want the shown names in the rejects, have %s (%v)", text, err)
	}
}

// TestKeep holds that a run which fails for its rejects keeps them, and nothing else, under names that are not the real
// ones.
func TestKeep(t *testing.T) {
	tree := parse(t, inOut)
	put(t, "in.jsonl", "{}\nnone\n")
	p, _ := planned(t, tree, Options{})
	run(t, p)
	kept, err := p.Set.KeepFailed()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Abort(); err != nil {
		t.Fatal(err)
	}
	if len(kept) != 1 || kept[0].Path != "rejects.failed.jsonl" || kept[0].Records != 1 {
		t.Errorf("want rejects.failed.jsonl with its one row, have %v", kept)
	}
	if diff := cmp.Diff([]string{"in.jsonl", "p.hcl", "rejects.failed.jsonl"}, folder(t, ".")); diff != "" {
		t.Error(diff)
	}
}

func folder(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestShare holds that shares are of the whole, to a millionth, and that nothing has no share of nothing.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		part, whole int64
		want        float64
	}{{0, 0, 0}, {1, 3, 0.333333}, {2, 3, 0.666667}, {3, 3, 1}} {
		if have := receipt.ShareOf(c.part, c.whole); have != c.want {
			t.Errorf("%d of %d: want %v, have %v", c.part, c.whole, c.want, have)
		}
	}
}
