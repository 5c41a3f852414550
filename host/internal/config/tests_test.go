package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

const tested = `variable "target" {
  default = ""
}
source "jsonl" "corpus" {
  paths = ["corpus.jsonl"]
}
step "privacy" "redact" {
  output "ledger" {
    sink "jsonl" "found" {
      path = "ledger.jsonl"
    }
  }
}
sink "jsonl" "train" {
  path = "train.jsonl"
}
dead_letter {
  sink "jsonl" "rejects" {
    path = "rejects.jsonl"
  }
}
`

// notations has sources of type text, which hold no JSON, and of other types, which hold lines of it.
var notations = Given{
	Ending: func(kind string) string { return "." + kind },
	Join: func(kind string, rows []string) (string, bool) {
		return strings.Join(rows, "\n") + "\n", kind != "text"
	},
}

// parseTests reads tests of the pipeline above.
func parseTests(t *testing.T, text string) (*TestFile, Diagnostics) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.hcl")
	if err := os.WriteFile(path, []byte(tested), 0o666); err != nil {
		t.Fatal(err)
	}
	layout, diags := LoadLayout(path)
	if diags != nil {
		t.Fatal(diags)
	}
	layout.Path = "p.hcl"
	return ParseTests("p.test.hcl", []byte(text), layout, notations)
}

const tests = `# what stays
never "a mark" {
  matches = "<mark>"
}

test "retired names" {
  variables = { target = "qwen3" } # why

  input "corpus" {
    rows = <<-EOT
      {"a": "$${x}"}
      {
        "b": [1, 2]
      }
    EOT
  }

  # of the stream
  expect sink "train" {
    rows = <<-EOT
      {"a": 1}
      {
        "b": 2
      }

      {"c":3}
    EOT
    count = 7 # all
  }

  expect output "redact.ledger" {
    rows = ""
  }

  expect reject {
    code = "bad"
    line = 2
  }

  always "a" {
    output = "redact.ledger"
    path   = "a.0"
    equals = [1, null]
  }
}
`

// TestTests holds what a file of tests says.
func TestTests(t *testing.T) {
	f, diags := parseTests(t, tests)
	if diags != nil {
		t.Fatal(diags)
	}
	test := f.Tests[0]
	if test.Vars["target"] != "qwen3" {
		t.Errorf("want target qwen3, have %q", test.Vars)
	}
	want := []Row{{`{"a": "${x}"}`, 11}, {"{\n        \"b\": [1, 2]\n      }", 12}}
	if diff := cmp.Diff(want, test.Inputs[0].Rows.All); diff != "" {
		t.Errorf("rows of the input, as they are written (-want +have):\n%s", diff)
	}
	train, ledger, reject := test.Expects[0], test.Expects[1], test.Expects[2]
	if train.Sink.Name() != "train" || train.Count != 7 || len(train.Rows.All) != 3 || train.Rows.All[2].Line != 26 {
		t.Errorf("want three rows of train and a count of 7, have %+v", train)
	}
	if ledger.Sink.Name() != "found" || ledger.Rows == nil || len(ledger.Rows.All) != 0 {
		t.Errorf("want no row of the sink that takes the ledger, have %+v", ledger)
	}
	if reject.Code != "bad" || reject.Line != 2 || reject.Count != -1 || reject.RangeOf("line").Line != 37 {
		t.Errorf("want a reject by code and line, have %+v", reject)
	}
	if never := f.Always[0]; never.Kind != Never || never.Sink != nil || !never.Matches.MatchString("<mark>") {
		t.Errorf("want an invariant of all sinks, have %+v", never)
	}
	if always := test.Always[0]; always.Sink.Name() != "found" || always.Path != "a.0" || always.Equals != "[1,null]" {
		t.Errorf("want an invariant of the ledger, have %+v", always)
	}
}

// TestWrongTests holds what is said of mistakes in a file of tests, and where.
func TestWrongTests(t *testing.T) {
	for _, test := range []struct{ text, want, reason string }{
		{``, `p.test.hcl: the test file is empty; want at least one test`, "nothing"},
		{`step "a" "b" {}`, `1:1: step does not belong in the test file`, "a block of pipelines"},
		{`test "a" {}`, `1:1: test "a" has no input`, "nothing to read"},
		{`test "a" { variables = { targte = "x" } }`, `1:26: unknown variable "targte" in test "a"; want target; did you mean "target"?`, "a variable that is none"},
		{`test "a" { variables = "x" }`, `want a map such as { target = "qwen3" }, have "x"`, "variables that are no map"},
		{"test \"a\" {\n  input \"corpsu\" {\n    text = \"\"\n  }\n}", `2:3: unknown source "corpsu" in input "corpsu" of test "a"; want corpus; did you mean "corpus"?`, "a source that is none"},
		{"test \"a\" {\n  input \"corpus\" {\n    text = \"\"\n    rows = \"\"\n  }\n}", `want one of rows, text and file in input "corpus" of test "a", have rows and text`, "two inputs in one"},
		{"test \"a\" {\n  input \"corpus\" {\n    text = \"\"\n    name = \"../a\"\n  }\n}", `want the name of a file such as "talk.json", have a path`, "a name that leads away"},
		{"test \"a\" {\n  input \"corpus\" {\n    rows = <<EOT\n{\"a\":1}\n{\"b\":\n  2,}\nEOT\n  }\n}", `6:5: row 2 of rows in input "corpus" of test "a" is not JSON; want JSON values behind each other, have invalid character '}' looking for beginning of object key string`, "a row that is not JSON"},
		{"test \"a\" {\n  input \"corpus\" {\n    rows = <<EOT\n{\"b\": 1\nEOT\n  }\n}", `4:8: row 1 of rows in input "corpus" of test "a" is not JSON; want JSON values behind each other, have a value that ends too early`, "a row without an end"},
		{"test \"a\" {\n  expect sinks \"train\" {}\n}", `2:3: unknown block "expect sinks" in test "a"; want one of input, mock, expect sink, expect output, expect reject, expect drop, never, always; did you mean "expect sink"?`, "an expectation that is none"},
		{"test \"a\" {\n  expect sink \"tarin\" {\n    count = 1\n  }\n}", `2:3: unknown sink "tarin" in expect sink "tarin" of test "a"; want train; did you mean "train"?`, "a sink that is none"},
		{"test \"a\" {\n  expect sink \"found\" {\n    count = 1\n  }\n}", `sink "found" takes a side output; did you mean "expect output redact.ledger"?`, "the sink of a side output"},
		{"test \"a\" {\n  expect sink \"rejects\" {\n    count = 1\n  }\n}", `sink "rejects" takes the rejects; did you mean "expect reject"?`, "the sink of rejects"},
		{"test \"a\" {\n  expect output \"redact.ldger\" {\n    count = 1\n  }\n}", `unknown output "redact.ldger" in expect output "redact.ldger" of test "a"; want redact.ledger; did you mean "redact.ledger"?`, "an output that is none"},
		{"test \"a\" {\n  expect sink \"train\" {\n    path = \"x\"\n  }\n}", `expect sink "train" of test "a" is empty; write rows, contains or count in it`, "nothing to hold"},
		{"test \"a\" {\n  expect reject {\n    step = \"redcat\"\n  }\n}", `3:12: unknown step "redcat"`, "a step that is none"},
		{"mock \"redcat\" {\n  pairs = \"\"\n}", `1:1: unknown step "redcat" in mock "redcat"; want redact; did you mean "redact"?`, "a mock of no step"},
		{"mock \"privacy.redact\" {\n  pairs = \"\"\n}", "1:1: unknown step \"privacy.redact\" in mock \"privacy.redact\"; want redact; did you mean \"redact\"?", "a step as messages say it"},
		{"test \"a\" {\n  expect reject {\n    step = \"privacy.redact\"\n  }\n}", `; did you mean "redact"?`, "a step as messages say it, in an attribute"},
		{"test \"a\" {\n  expect sink \"jsonl.train\" {\n    count = 1\n  }\n}", `unknown sink "jsonl.train" in expect sink "jsonl.train" of test "a"; want train; did you mean "train"?`, "a sink as messages say it"},
		{"test \"a\" {\n  expect output \"privacy.redact.ledger\" {\n    count = 1\n  }\n}", `; did you mean "redact.ledger"?`, "an output as messages say its step"},
		{"mock \"redact\" {\n  pairs = <<EOT\n{\"in\": 1, \"drop\": \"a\"}\n{\"in\": 1, \"emti\": 2}\nEOT\n}", `4:1: wrong pair 2 in mock "redact"; want an object with in and one of emit, reject, drop, decline, have in, emti`, "a pair without an outcome"},
		{"never \"a\" {}", `1:1: never "a" is empty; write path, matches, equals, code or file in it`, "an invariant of nothing"},
		{"never \"a\" {\n  sink = \"tarin\"\n  path = \"a\"\n}", `2:10: unknown sink "tarin" in never "a"; want train; did you mean "train"?`, "an invariant of no sink"},
		{"never \"a\" {\n  sink = \"found\"\n  path = \"a\"\n}", `2:10: sink "found" takes a side output; did you mean "output = \"redact.ledger\""?`, "the sink of a side output in an invariant"},
		{"never \"a\" {\n  sink = \"rejects\"\n  path = \"a\"\n}", `did you mean "rejects = true"?`, "the sink of rejects in an invariant"},
		{"never \"a\" {\n  matches = \"(\"\n}", `2:13: wrong value for matches in never "a"; want a regular expression (RE2), have missing closing )`, "no regular expression"},
		{"never \"a\" {\n  equals = 1\n}", `want it with path, have no path`, "a value anywhere"},
		{"always \"a\" {\n  sink = \"train\"\n  rejects = true\n  path = \"a\"\n}", `want one of sink, output, rejects and code in always "a", have sink and rejects`, "two kinds of rows"},
		{"always \"a\" {\n  path = \"a\"\n  file = \"a\"\n}", `want one of file, code, or path with what it holds in always "a", have path and file`, "two things at once"},
		{"always \"a\" {\n  path = \"a\"\n}\nalways \"a\" {\n  path = \"a\"\n}", `4:1: second always "a" in the test file; want another name`, "two invariants of one name"},
		{"test \"a\" {\n}\ntest \"a\" {\n}", `3:1: second test "a" in the file; want another name; the first is at line 1`, "two tests of one name"},
	} {
		_, diags := parseTests(t, test.text)
		if have := diags.Error(); !strings.Contains(have, test.want) {
			t.Errorf("%s:\nwant %s\nhave %s", test.reason, test.want, have)
		}
	}
}

// TestRewrite holds that what is rewritten is the rows that differ and counts, and nothing else of the file.
func TestRewrite(t *testing.T) {
	f, diags := parseTests(t, tests)
	if diags != nil {
		t.Fatal(diags)
	}
	same := func(i int) bool { return i == 1 }
	have, left, err := f.Rewrite(map[[2]int]Found{
		{0, 0}: {Rows: [][]byte{[]byte(`{"a":"${y}"}`), []byte(`{"b":2}`), []byte(`{"c":4}`), []byte(`{"d":5}`)}, Same: same, Count: 4},
		{0, 1}: {Rows: [][]byte{[]byte(`{"e":6}`)}, Same: same, Count: 1},
	})
	if err != nil || left != nil {
		t.Fatal(err, left)
	}
	want := strings.NewReplacer(
		"{\"a\": 1}", "{\"a\":\"$${y}\"}",
		"\n\n      {\"c\":3}\n", "\n      {\"c\":4}\n      {\"d\":5}\n",
		"count = 7", "count = 4",
		"rows = \"\"", "rows = <<-EOT\n      {\"e\":6}\n    EOT",
	).Replace(tests)
	if diff := cmp.Diff(want, string(have)); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	if _, diags := parseTests(t, string(have)); diags != nil {
		t.Errorf("want what is rewritten to be read again, have %v", diags)
	}
}

// TestRewriteLines holds what becomes of rows that share their lines with something.
func TestRewriteLines(t *testing.T) {
	const expression = "want rows written out in the file, to update them, have an expression"
	for _, c := range []struct{ reason, text, want, why string }{
		{"a block of one line is broken into lines", `  expect sink "train" { rows = "" } # all`, `  expect sink "train" {
    rows = <<-EOT
      {"a":1}
    EOT
  } # all`, ""},
		{"with its comments", `  expect sink "train" { /* a */ rows = /* b */ "" /* c */ }`, `  expect sink "train" {
    /* a */ /* c */
    rows = /* b */ <<-EOT
      {"a":1}
    EOT
  }`, ""},
		{"a comment behind goes before", "  expect sink \"train\" { # all\n    rows = \"\" # filled in\n    count = 3 # few\n  }", `  expect sink "train" { # all
    # filled in
    rows = <<-EOT
      {"a":1}
    EOT
    count = 1 # few
  }`, ""},
		{"a comment behind that does not end the line", "  expect sink \"train\" {\n    rows = \"\" /* a\n b */ // c\n  }", `  expect sink "train" {
    /* a
 b */ // c
    rows = <<-EOT
      {"a":1}
    EOT
  }`, ""},
		{"a quoted text", "  expect sink \"train\" {\n    rows = \"{}\"\n  }", `  expect sink "train" {
    rows = <<-EOT
      {"a":1}
    EOT
  }`, ""},
		{"a file of Windows", "  expect sink \"train\" {\r\n    rows = <<-EOT\r\n    {}\r\n    EOT\r\n  }", "  expect sink \"train\" {\r\n    rows = <<-EOT\r\n    {\"a\":1}\r\n    EOT\r\n  }", ""},
		{"a count alone stays on its line", `  expect sink "train" { count = 3 } # few`, `  expect sink "train" { count = 1 } # few`, ""},
		{"an expression", `  expect sink "train" { rows = upper("") }`, `  expect sink "train" { rows = upper("") }`, expression},
		{"its count neither", "  expect sink \"train\" {\n    count = 3\n    rows  = (\"\")\n  }", "  expect sink \"train\" {\n    count = 3\n    rows  = (\"\")\n  }", expression},
	} {
		const test = "test \"a\" {\n  input \"corpus\" {\n    text = \"\"\n  }\n%s\n}\n"
		f, diags := parseTests(t, fmt.Sprintf(test, c.text))
		if diags != nil {
			t.Errorf("%s: %v", c.reason, diags)
			continue
		}
		have, left, err := f.Rewrite(map[[2]int]Found{{0, 0}: {Rows: [][]byte{[]byte(`{"a":1}`)}, Same: func(int) bool { return false }, Count: 1}})
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if diff := cmp.Diff(fmt.Sprintf(test, c.want), string(have)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
		if why := fmt.Sprint(left); !strings.Contains(why, c.why) || c.why == "" && left != nil {
			t.Errorf("%s: want %q, have %s", c.reason, c.why, why)
		}
	}
}

// TestRewriteUnreadable holds that a file of tests does not get rows that it could not be read with.
func TestRewriteUnreadable(t *testing.T) {
	f, diags := parseTests(t, "test \"a\" {\n  input \"corpus\" {\n    text = \"\"\n  }\n  expect sink \"train\" {\n    rows = <<null\nnull\n  }\n}\n")
	if diags != nil {
		t.Fatal(diags)
	}
	have, _, err := f.Rewrite(map[[2]int]Found{{0, 0}: {Rows: [][]byte{[]byte(`null`)}}})
	if err == nil || !strings.Contains(err.Error(), "p.test.hcl:8:1: ") {
		t.Errorf("want an error where a row ends the heredoc, have %v and\n%s", err, have)
	}
}

// FuzzRewrite holds that rows which are written into a file are read from it as they were, whatever they hold.
func FuzzRewrite(f *testing.F) {
	f.Add(`{"a": "${x} %{y} $${z} EOT"}`, true)
	f.Add(`{"a": [{"b": "`+strings.Repeat("é", 200)+`"}, {}, []]}`, false)
	f.Add("{\"a\":\r\n1}", false)
	f.Fuzz(func(t *testing.T, row string, exact bool) {
		if !json.Valid([]byte(row)) || !utf8.ValidString(row) || len(row) > maxSize/4 || exact && strings.ContainsAny(row, "\r\n") {
			return
		}
		text := fmt.Sprintf("test \"a\" {\n  input \"corpus\" {\n    text = \"\"\n  }\n\n  expect sink \"train\" {\n    bytes = %t\n    rows  = \"\"\n  }\n}\n", exact)
		file, diags := parseTests(t, text)
		if diags != nil {
			t.Fatal(diags)
		}
		row = strings.TrimSpace(row)
		written, _, err := file.Rewrite(map[[2]int]Found{{0, 0}: {Rows: [][]byte{[]byte(row), []byte(row)}}})
		if err != nil {
			t.Fatal(err)
		}
		again, diags := parseTests(t, string(written))
		if diags != nil {
			t.Fatalf("%v\n%s", diags, written)
		}
		rows := again.Tests[0].Expects[0].Rows.All
		if len(rows) != 2 {
			t.Fatalf("want 2 rows, have %d:\n%s", len(rows), written)
		}
		if have := rows[1].Text; exact && have != row || compact(t, have) != compact(t, row) {
			t.Errorf("want %q, have %q:\n%s", row, have, written)
		}
	})
}

// compact is JSON without white space, as a string of Go.
func compact(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestOneMistakeInName holds that the type before a name is one mistake, not also one in the form of a name.
func TestOneMistakeInName(t *testing.T) {
	_, diags := parseTests(t, "test \"a\" {\n  input \"jsonl.corpus\" {\n    text = \"\"\n  }\n  mock \"privacy.redact\" {\n    pairs = \"\"\n  }\n  expect sink \"jsonl.train\" {\n    count = 1\n  }\n}")
	if len(diags) != 3 {
		t.Errorf("want a mistake for each of 3 names, have %v", diags)
	}
}
