package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// infos are what the plugins of these tests say of themselves.
var infos = map[string]wire.Info{
	"plain":   {},
	"split":   {Labels: []string{"split", "kind"}},
	"any":     {Labels: []string{"*"}},
	"parts":   {Labels: []string{"part", "id"}, LabelValues: map[string][]string{"part": {"train", "val", "test"}}},
	"more":    {Labels: []string{"part"}, LabelValues: map[string][]string{"part": {"extra"}}},
	"free":    {Labels: []string{"part"}},
	"all":     {TakesAll: true},
	"some":    {Labels: []string{"part"}, LabelValues: map[string][]string{"part": {"train", "val", "test"}}},
	"named":   {Labels: []string{"part"}},
	"ledger":  {Outputs: []string{"ledger", "log"}},
	"ordered": {Ordered: true},
	"hidden":  {},
	"chatml":  {},
	"openly":  {Private: true},
	"privacy": {Private: true, Outputs: []string{"log"}},
	"hides":   {Private: true},
}

// decided are the values of labels that the plugins of these tests set with the arguments that they have.
var decided = map[string]map[string][]string{"some": {"part": {"train", "test"}}, "named": {"part": {"gold"}}}

// running is the fleet of a plan, as if every plugin had started.
func running(p *Plan) *launch.Fleet {
	f := &launch.Fleet{}
	for _, step := range p.Steps {
		s := &launch.Step{Request: launch.Request{Timeout: step.Host.Timeout, Args: step.Args.JSON}, Info: infos[step.Type], LabelValues: decided[step.Type], Chain: &launch.Chain{}}
		s.Info.Name = step.Type
		s.Location.BuiltIn, s.Location.Name, s.Location.Path = step.Type == "chatml" || step.Type == "privacy" || step.Type == "openly", step.Type, "bin/"+step.Type
		if step.Type == "hidden" {
			s.Location.BuiltIn, s.Location.Hides = true, "/lib/sluice-plugin-hidden"
		}
		f.Steps = append(f.Steps, s)
	}
	return f
}

// TestLabels holds that a label which no step before can set is a mistake where it is asked for, and that one which a
// step may set, on whatever way a record came, is none.
func TestLabels(t *testing.T) {
	const labelled = `sink "jsonl" "s" { path = "out/{split}.jsonl" }`
	for _, c := range []struct{ reason, text, want string }{
		{"set by a step before", "step \"split\" \"a\" {}\n" + labelled, ""},
		{"set by a plugin that may set any", "step \"any\" \"a\" {}\n" + labelled, ""},
		{"set by nobody", "step \"plain\" \"a\" {}\n" + labelled,
			"p.hcl:3:20: the path of sink jsonl.s names a label that nothing sets; want a label that a step before it sets, have \"split\"; none does\n"},
		{"misspelled", "step \"split\" \"a\" {}\nsink \"jsonl\" \"s\" { path = \"{spilt}.jsonl\" }",
			"p.hcl:3:20: the path of sink jsonl.s names a label that nothing sets; want one of kind, split, have \"spilt\"; did you mean \"split\"?\n"},
		{"set by one member of a first", `first "f" {
  step "plain" "a" {}
  step "split" "b" {}
}
` + labelled, ""},
		{"set by the current step of a shadow", shadowOf("split", "plain") + labelled, ""},
		{"set by a candidate only, whose records do not go on", shadowOf("plain", "split") + labelled,
			"p.hcl:10:20: the path of sink jsonl.s names a label that nothing sets; want a label that a step before it sets, have \"split\"; none does\n"},
		{"set in a tee, whose records do not come back", `tee "t" {
  step "split" "a" {}
  sink "jsonl" "t" { path = "{kind}.jsonl" }
}
` + labelled,
			"p.hcl:6:20: the path of sink jsonl.s names a label that nothing sets; want a label that a step before it sets, have \"split\"; none does\n"},
		{"set in a case that rejoins", `route "r" {
  on = "kind"
  case "a" {
    step "split" "a" {}
  }
  default {}
}
` + labelled, ""},
		{"set in another case, by which the record did not come", `route "r" {
  on = "kind"
  case "a" {
    step "split" "a" {}
  }
  case "b" {
    sink "jsonl" "b" { path = "{split}.jsonl" }
  }
  default {
    step "split" "c" {}
    sink "jsonl" "c" { path = "other/{split}.jsonl" }
  }
}
sink "jsonl" "end" { path = "end.jsonl" }`,
			"p.hcl:8:24: the path of sink jsonl.b names a label that nothing sets; want a label that a step before it sets, have \"split\"; none does\n"},
		{"a route on a label", "step \"split\" \"a\" {}\n" + routeOn("@kind"), ""},
		{"a route on a label that nothing sets", "step \"split\" \"a\" {}\n" + routeOn("@kidn"),
			"p.hcl:3:1: route r is on a label that nothing sets; want one of kind, split, have \"kidn\"; did you mean \"kind\"?\n"},
		{"a route on a path needs no label", routeOn("kind"), ""},
	} {
		t.Run(c.reason, func(t *testing.T) { wantLearned(t, c.text, c.want) })
	}
}

func shadowOf(current, candidate string) string {
	return strings.NewReplacer(`"noop" "a"`, `"`+current+`" "a"`, `"noop" "b"`, `"`+candidate+`" "b"`).Replace(shadowed) + "\n"
}

func routeOn(path string) string {
	return `route "r" {
  on = "` + path + `"
  case "a" {}
}
sink "jsonl" "s" { path = "s.jsonl" }`
}

// TestLearn holds what else plugins know of themselves that the file may be at odds with.
func TestLearn(t *testing.T) {
	const sink = "\nsink \"jsonl\" \"s\" { path = \"s.jsonl\" }"
	for _, c := range []struct{ reason, text, want string }{
		{"an output that the plugin has", `step "ledger" "a" {
  output "log" {
    sink "jsonl" "log" { path = "log.jsonl" }
  }
}` + sink, ""},
		{"one that it does not have", `step "ledger" "a" {
  output "leger" {
    sink "jsonl" "log" { path = "log.jsonl" }
  }
}` + sink, "p.hcl:3:3: unknown output \"leger\" of step \"ledger\" \"a\"; want one of ledger, log; did you mean \"ledger\"?\n"},
		{"one of a plugin that has none", `step "plain" "a" {
  output "log" {
    sink "jsonl" "log" { path = "log.jsonl" }
  }
}` + sink, "p.hcl:3:3: unknown output \"log\" of step \"plain\" \"a\"; plugin plain has no outputs\n"},
		{"a plugin with state cannot go on after a crash", `step "ordered" "a" {
  host {
    on_crash = "isolate"
    restarts = 3
  }
}` + sink, "p.hcl:4:16: warning: on_crash = \"isolate\" has no effect here; " +
			"plugin ordered keeps state from record to record, so a crash of it ends the run\n" +
			"p.hcl:5:16: warning: restarts has no effect here; plugin ordered keeps state from record to record, so a crash of it ends the run\n"},
		{"nor can a candidate, which ends no run", strings.Replace(shadowOf("plain", "ordered"), `"b" {}`, "\"b\" {\n host {\n restarts = 3\n }\n}", 1) + sink,
			"p.hcl:9:13: warning: restarts has no effect here; plugin ordered keeps state from record to record, so a crash of it ends the comparison\n"},
		{"a plugin is not started again where the first crash ends the run", `step "plain" "a" {
  host {
    on_crash = "fail"
    restarts = 3
  }
}` + sink, "p.hcl:5:16: warning: restarts has no effect here; with on_crash = \"fail\" a crash ends the run\n"},
		{"nor does it without being asked to", `step "ordered" "a" {}` + sink, ""},
		{"a plugin beside the pipeline that the built-in one hides", `step "hidden" "a" {}` + sink,
			"p.hcl:2:1: warning: plugin \"hidden\" is the built-in one; /lib/sluice-plugin-hidden is not used; to use it, name its path in a plugin block\n"},
	} {
		t.Run(c.reason, func(t *testing.T) { wantLearned(t, c.text, c.want) })
	}
}

// factsOf is what the receipt says about the built-in plugins of these tests.
func factsOf(plugin string, _ []byte) map[string]string {
	if plugin == "privacy" {
		return map[string]string{receipt.FactRules: "aa"}
	}
	return nil
}

// TestFiltered holds that rows of text for training which no filter has seen are warned of, unless the sink says that they are meant.
func TestFiltered(t *testing.T) {
	const (
		train   = `step "chatml" "row" {}` + "\n"
		filter  = `step "privacy" "redact" {}` + "\n"
		sink    = `sink "jsonl" "s" { path = "out.jsonl" }`
		meant   = "sink \"jsonl\" \"s\" {\n path = \"out.jsonl\"\n unfiltered = true\n}"
		tee     = "tee \"t\" {\nsink \"jsonl\" \"raw\" { path = \"raw.jsonl\" }\n}\n"
		warning = ": warning: no privacy step before sink jsonl.%s; rows there may hold personal data and secrets; " +
			"put a step \"privacy\" before them, or say unfiltered = true in the sink if that is meant\n"
	)
	const (
		differs = "shadow \"s\" {\nvalues = true\ncurrent {\nstep \"plain\" \"a\" {}\n}\ncandidate {\nstep \"plain\" \"b\" {}\n}\n" +
			"sink \"jsonl\" \"differs\" {\npath = \"differs.jsonl\"\n}\n}\n"
		values = "p.hcl:3:1: warning: no privacy step before shadow s, whose report shows values; they may be personal data and secrets; " +
			"put a step \"privacy\" before it, or say unfiltered = true in it if that is meant\n"
	)
	side := func(step string) string {
		return "step \"" + step + "\" \"x\" {\noutput \"log\" {\nsink \"jsonl\" \"side\" {\npath = \"side.jsonl\"\n}\n}\n}\n"
	}
	warn := func(place, sinks string) string { return "p.hcl:" + place + fmt.Sprintf(warning, sinks) }
	for _, c := range []struct{ reason, text, want string }{
		{"filtered", train + filter + sink, ""},
		{"filtered before", filter + train + sink, ""},
		{"not filtered", train + sink, warn("3:1", "s")},
		{"meant", train + meant, ""},
		{"no text for training", `step "plain" "a" {}` + "\n" + sink, ""},
		{"two sinks in one warning", train + tee + sink, warn("4:1", "raw and 1 more")},
		{"a copy from before the filter", train + tee + filter + sink, warn("4:1", "raw")},
		{"a filter that only some records go through", train + "first \"f\" {\n" + filter + "}\n" + sink, warn("6:1", "s")},
		{"rows of a side output", train + side("ledger") + filter + sink, warn("5:1", "side")},
		{"rows of a side output behind the filter", train + filter + side("ledger") + sink, ""},
		{"rows of a side output that are meant", train + strings.Replace(side("ledger"), `"side.jsonl"`, "\"side.jsonl\"\nunfiltered = true", 1) + filter + sink, ""},
		{"rows of a side output of a member of a first", train + "first \"f\" {\n" + side("ledger") + filter + "}\n" + meant, warn("6:1", "side")},
		{"the ledger of the filter", train + side("privacy") + sink, ""},
		{"the rows and values of a shadow", train + differs + filter + sink, warn("11:1", "differs") + values},
		{"the rows and values of a shadow behind the filter", train + filter + differs + sink, ""},
		{"the rows of a shadow of a filter, which shows none", train + strings.Replace(differs, `"plain" "a"`, `"privacy" "a"`, 1) + sink, ""},
		{"the rows and values of a shadow that are meant", train +
			strings.NewReplacer(`"differs.jsonl"`, "\"differs.jsonl\"\nunfiltered = true", "values", "unfiltered = true\nvalues").Replace(differs) + filter + sink, ""},
		{"a candidate, whose records do not go on", train + shadowOf("plain", "privacy") + sink, warn("11:1", "s")},
		{"one that is not built in and hides rejects, of which only the run shows whether it filters", train + `step "hides" "x" {}` + "\n" + sink, ""},
		{"a built-in one that hides rejects and has no rules", train + `step "openly" "x" {}` + "\n" + sink, warn("4:1", "s")},
	} {
		t.Run(c.reason, func(t *testing.T) {
			text := "source \"jsonl\" \"in\" { paths = [\"in.jsonl\"] }\n" + c.text + "\n"
			p, diags := planned(t, parse(t, text), Options{Training: []string{"chatml"}, Facts: factsOf})
			if len(diags) > 0 {
				t.Fatalf("want a plan without mistakes, have\n%s", diags.Snippets())
			}
			wantDiags(t, c.want, p.CheckPlugins(running(p)))
		})
	}
}

func wantLearned(t *testing.T, text, want string) {
	t.Helper()
	p, diags := planned(t, parse(t, "source \"jsonl\" \"in\" { paths = [\"in.jsonl\"] }\n"+text+"\n"), Options{})
	if len(diags) > 0 {
		t.Fatalf("want a plan without mistakes, have\n%s", diags.Snippets())
	}
	wantDiags(t, want, p.CheckPlugins(running(p)))
}

// TestLearnBesideMistakes holds that what plugins know is told together with mistakes that keep sinks from being made.
func TestLearnBesideMistakes(t *testing.T) {
	p, diags := planned(t, parse(t, `source "jsonl" "in" { paths = ["in.jsonl"] }
step "ledger" "a" {
  output "leger" {
    sink "parket" "log" { path = "log.jsonl" }
  }
}
sink "parket" "s" { path = "{split}" }
`), Options{})
	diags = append(diags, p.CheckPlugins(running(p))...)
	diags.Sort()
	wantDiags(t, `p.hcl:3:3: unknown output "leger" of step "ledger" "a"; want one of ledger, log; did you mean "ledger"?
p.hcl:4:5: unknown sink type "parket"; want one of jsonl, parquet; did you mean "parquet"?
p.hcl:7:1: unknown sink type "parket"; want one of jsonl, parquet; did you mean "parquet"?
`, diags)
	if !diags.HasErrors() {
		t.Error("want errors")
	}
}
