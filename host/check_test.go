package host_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host"
)

// TestCheck holds that mistakes of every layer are reported together, in the order of the file, and that warnings are no
// mistakes unless they are to be.
func TestCheck(t *testing.T) {
	const source = "source \"jsonl\" \"in\" { paths = [\"in.jsonl\"] }\n"
	for _, c := range []struct {
		reason, text  string
		strict        bool
		err, warnings string
	}{
		{"nothing is wrong", source + `step "act" "a" {}
sink "jsonl" "out" { path = "out.jsonl" }`, true, "", ""},
		{"a path, a plugin and an attribute", source + `step "atc" "a" {}
step "act" "b" { tokn = "x" }
sink "jsonl" "out" { path = "in.jsonl" }`, false,
			`p.hcl:1:23: source jsonl.in and sink jsonl.out have one file; want a file of its own, have "in.jsonl", which sink jsonl.out writes
p.hcl:2:1: unknown plugin "atc"; looked for a built-in plugin, DIR/sluice-plugin-atc, the folders of SLUICE_PLUGIN_PATH, which names none; did you mean "act"?
p.hcl:3:18: step act.b: bad attribute tokn; want one of token, have "tokn"; did you mean "token"? see sluice docs act
p.hcl:4:22: source jsonl.in and sink jsonl.out have one file; want a path of its own, have "in.jsonl", which source jsonl.in reads`, ""},
		{"blocks that are written as attributes", source + `first "f" {
  step = "act"

  step "act" "a" {
    host = 2
  }
}
sink "jsonl" "out" { path = "out.jsonl" }`, false,
			"p.hcl:3:3: no step of first \"f\" takes step; step is a block: step \"PLUGIN\" \"NAME\" {}\n" +
				"p.hcl:6:5: step act.a: bad attribute host; host is a block: host {}", ""},
		{"more workers than state allows", source + `step "total" "t" {
  host {
    workers = 2
  }
}
sink "jsonl" "out" { path = "out.jsonl" }`, false,
			"p.hcl:4:15: step total.t: bad host attribute workers; want 1 worker, since plugin total keeps state from record to record, have 2", ""},
		{"a warning", ordered(source), false, "", "p.hcl:4:16: warning: on_crash = \"isolate\" has no effect here; " +
			"plugin total keeps state from record to record, so a crash of it ends the run"},
		{"a warning that is to be a mistake", ordered(source), true, "p.hcl:4:16: warning: on_crash = \"isolate\" has no effect here; " +
			"plugin total keeps state from record to record, so a crash of it ends the run", ""},
	} {
		for mode, opts := range modes {
			t.Run(c.reason+"/"+mode, func(t *testing.T) {
				t.Setenv("SLUICE_PLUGIN_PATH", "")
				inFolder(t, c.text+"\n", "{}\n")
				opts.Strict = c.strict
				p := load(t, opts)
				warnings, err := p.Check(t.Context())
				wantLines(t, c.warnings, warnings)
				var mistakes host.Diagnostics
				if err != nil && !errors.As(err, &mistakes) {
					t.Fatalf("want diagnostics, have %v", err)
				}
				wantLines(t, c.err, mistakes)
				if _, runErr := p.Run(t.Context()); (runErr == nil) != (err == nil) {
					t.Errorf("want Run to say what Check says, have %v and %v", runErr, err)
				}
			})
		}
	}
}

func ordered(source string) string {
	return source + `step "total" "t" {
  host {
    on_crash = "isolate"
  }
}
sink "jsonl" "out" { path = "out.jsonl" }`
}

// wantLines compares one line for each diagnostic. DIR matches any folder.
func wantLines(t *testing.T, want string, have host.Diagnostics) {
	t.Helper()
	var lines []string
	for _, d := range have {
		line := d.String()
		if i := strings.Index(line, "/sluice-plugin-"); i >= 0 {
			from := strings.LastIndex(line[:i], " ") + 1
			line = line[:from] + "DIR" + line[i:]
		}
		lines = append(lines, line)
	}
	if text := strings.Join(lines, "\n"); text != want {
		t.Errorf("want\n%s\nhave\n%s", want, text)
	}
}

// TestStrict holds that a run whose warnings count leaves nothing but a receipt that says so, while the same run without goes well.
func TestStrict(t *testing.T) {
	inFolder(t, pipeline, "")
	if _, err := load(t, host.Options{Strict: true}).Run(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "want no warning, since --strict is given, have one: the inputs hold no record") {
		t.Errorf("want the warning as an error, have %v", err)
	}
	if have := files(t); len(have) != 3 || have["out/receipt.failed.json"] == "" {
		t.Errorf("want nothing but p.hcl, in.jsonl and a receipt of the failed run, have %v", have)
	}
	result, err := load(t, host.Options{}).Run(t.Context())
	if err != nil || len(result.Warnings) != 1 || result.Warnings[0].Code != "nothing_read" {
		t.Errorf("want one warning, have %+v (%v)", result, err)
	}
}

// TestCheckWithoutTime holds that a check says the same every time, however little time the file leaves a step: without a record
// nobody knows what that is too short for.
func TestCheckWithoutTime(t *testing.T) {
	inFolder(t, `
source "jsonl" "in" { paths = ["in.jsonl"] }
step "act" "a" {
  host { timeout = "1ns" }
}
sink "jsonl" "out" { path = "out.jsonl" }
`, "{}\n")
	p := load(t, host.Options{})
	for range 30 {
		if _, err := p.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
