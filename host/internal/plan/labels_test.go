package plan

import (
	"strings"
	"testing"
)

// partRoute is a route on the label part with a case for each value, and possibly with a default.
func partRoute(withDefault bool, cases ...string) string {
	text := "route \"r\" {\n  on = \"@part\"\n"
	for _, c := range cases {
		text += "  case \"" + c + "\" {}\n"
	}
	if withDefault {
		text += "  default {}\n"
	}
	return text + "}\n"
}

// TestLabelValues holds that a case is a mistake when no plugin before it can set its value, and is none when one can, on whatever
// way a record came.
func TestLabelValues(t *testing.T) {
	const (
		sink  = `sink "jsonl" "s" { path = "s.jsonl" }`
		parts = "step \"parts\" \"p\" {}\n"
		takes = `route "first" {
  on = "@part"
  case "val" {
    sink "jsonl" "val" { path = "val.jsonl" }
  }
  default {}
}
`
	)
	for _, c := range []struct{ reason, text, want string }{
		{"all values have a case", parts + partRoute(false, "train", "val", "test") + sink, ""},
		{"the value is misspelt", parts + partRoute(true, "train", "valid", "test") + sink,
			"p.hcl:6:3: no record takes case \"valid\" of route r; want a value that label part may have (train, val, test), have \"valid\"; did you mean \"val\"?\n"},
		{"nothing is near", parts + partRoute(true, "somewhere") + sink,
			"p.hcl:5:3: no record takes case \"somewhere\" of route r; want a value that label part may have (train, val, test), have \"somewhere\"\n"},
		{"values without a case", parts + partRoute(false, "val") + sink,
			"p.hcl:3:1: warning: route r has no case for train, test; records with such a value are rejected; add cases or a default, or rejects_others = true if that is meant\n"},
		{"which is meant", parts + strings.Replace(partRoute(false, "val"), "on =", "rejects_others = true\non =", 1) + sink, ""},
		{"a record may be without the label", parts + partRoute(true, "") + sink, ""},
		{"a label without a list", parts + "route \"r\" {\n  on = \"@id\"\n  case \"x\" {}\n  default {}\n}\n" + sink, ""},
		{"a path of the same name", parts + "route \"r\" {\n  on = \"part\"\n  case \"x\" {}\n  default {}\n}\n" + sink, ""},
		{"a later step with more values", parts + "step \"more\" \"m\" {}\n" + partRoute(true, "val", "extra") + sink, ""},
		{"a later step that may set any", parts + "step \"free\" \"f\" {}\n" + partRoute(true, "x") + sink, ""},
		{"an earlier step that may set any", "step \"free\" \"f\" {}\n" + parts + partRoute(true, "x") + sink, ""},
		{"a step that may set any label", parts + "step \"any\" \"f\" {}\n" + partRoute(true, "x") + sink, ""},
		{"one of two members of a first", "first \"f\" {\n  step \"parts\" \"p\" {}\n  step \"more\" \"m\" {}\n}\n" + partRoute(true, "val", "extra") + sink, ""},
		{"a route before it has led these records elsewhere", parts + takes + partRoute(true, "train", "val") + sink,
			"p.hcl:13:3: warning: no record takes case \"val\" of route r; a route before it leads the records whose label part is \"val\" elsewhere\n"},
		{"unless a step sets the label again", parts + takes + "step \"parts\" \"q\" {}\n" + partRoute(true, "train", "val") + sink, ""},
		{"a branch that comes back brings its value", parts + strings.Replace(partRoute(true, "val"), `"r"`, `"before"`, 1) + "tee \"t\" {\n" + partRoute(true, "val") + "sink \"jsonl\" \"t\" { path = \"t.jsonl\" }\n}\n" + sink, ""},
		{"inside a case there is one value", parts + "route \"outer\" {\n  on = \"@part\"\n  case \"val\" {\n" + partRoute(true, "test") + "  }\n  default {}\n}\n" + sink,
			"p.hcl:8:3: warning: no record takes case \"test\" of route r; a route before it leads the records whose label part is \"test\" elsewhere\n"},
		{"a value that the arguments rule out", "step \"some\" \"p\" {}\n" + partRoute(false, "train", "val", "test") + sink,
			"p.hcl:6:3: warning: no record takes case \"val\" of route r; step some.p sets label part to \"val\" with other attributes only\n"},
		{"which needs no case", "step \"some\" \"p\" {}\n" + partRoute(false, "train", "test") + sink, ""},
		{"and another step sets", "step \"some\" \"p\" {}\nstep \"parts\" \"q\" {}\n" + partRoute(false, "train", "val", "test") + sink, ""},
		{"or has set before", parts + "step \"some\" \"q\" {}\n" + partRoute(false, "train", "val", "test") + sink, ""},
		{"unless a route has led those elsewhere", parts + takes + "step \"some\" \"q\" {}\n" + partRoute(true, "val") + sink,
			"p.hcl:13:3: warning: no record takes case \"val\" of route r; a route before it leads the records whose label part is \"val\" elsewhere\n"},
		{"values that only the arguments list", "step \"named\" \"p\" {}\n" + partRoute(true, "gold", "golden") + sink,
			"p.hcl:6:3: warning: no record takes case \"golden\" of route r; want a value that label part may have (gold), have \"golden\"; did you mean \"gold\"?\n"},
		{"and values of another step", parts + "step \"named\" \"q\" {}\n" + partRoute(false, "gold", "train", "val", "test") + sink, ""},
	} {
		t.Run(c.reason, func(t *testing.T) { wantLearned(t, c.text, c.want) })
	}
}

// TestHidden holds that members of a first behind one that declines none are warned of, once.
func TestHidden(t *testing.T) {
	const sink = `sink "jsonl" "s" { path = "s.jsonl" }`
	first := func(members string) string { return "first \"f\" {\n" + members + "}\n" + sink }
	for _, c := range []struct{ reason, text, want string }{
		{"last", first("step \"plain\" \"b\" {}\nstep \"all\" \"a\" {}\n"), ""},
		{"alone", first("step \"all\" \"a\" {}\n"), ""},
		{"before another", first("step \"all\" \"a\" {}\nstep \"plain\" \"b\" {}\n"),
			"p.hcl:4:1: warning: no record reaches step plain.b of first f; step all.a above takes every record; move it below the block, or make it the last step in it\n"},
		{"before others, one of which also takes all", first("step \"plain\" \"z\" {}\nstep \"all\" \"a\" {}\nstep \"plain\" \"b\" {}\nstep \"all\" \"c\" {}\nstep \"plain\" \"d\" {}\n"),
			"p.hcl:5:1: warning: no record reaches step plain.b and 2 more of first f; step all.a above takes every record; move it below the block, or make it the last step in it\n"},
	} {
		t.Run(c.reason, func(t *testing.T) { wantLearned(t, c.text, c.want) })
	}
}
