// Package sdktest runs a Plugin value against text cases, without a process.
//
// A case is a txtar archive:
//
//	what the case is about
//	-- args.json --
//	{"field": "text"}
//	-- in.jsonl --
//	{"text": "a"}
//	{"text": 1}
//	-- want --
//	emit {"text": "A"}
//	reject bad_text at text: want a string, have a number
//
// Lines of want, in the order of the records: "emit JSON [label=value ...]", "drop REASON", "decline REASON",
// "reject CODE [at PATH]: MESSAGE", and before the record they belong to "side OUTPUT JSON"; at the end of the
// archive "flush JSON [label=value ...]" for what Flush emits, "last OUTPUT JSON" for the rows of Flush and Finish, and "count NAME N".
// A record that SetOrigins says is made of others ends in "(from LINE, LINE)", with their lines of in.jsonl. A plugin that refuses
// its attributes wants "bad ARG: MESSAGE".
//
// Each case runs three times: directly, and over the protocol of plugin processes with records in shared memory and
// inside messages. A case of an sdk.Saver runs once more, in which every few records a new processor goes on from what the last one
// saved. The answers must be the same. Fuzz targets and Direct run a case only directly.
//
// A record's memory is overwritten as soon as Process has returned, so a plugin that kept a view of it answers
// wrong here, not only in a long run. A case fails when the plugin's Validate does, when the plugin emits an empty record or text
// that is not JSON, when it uses an output, a label or, if it declares any, a code that it does not declare, and when the case
// itself is malformed.
package sdktest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sluicehq/sluice/sdk"
)

var update = flag.Bool("update", false, "write what the plugins answer into the want sections of the cases")

// A Result is a plugin's answer to one record.
type Result struct {
	Verdict string // "emit", "drop", "reject" or "decline"
	Emitted []string
	Labels  []map[string]string // of each emitted record
	Origins [][]int64           // of each emitted record: the lines that SetOrigins named, counted from 1; nil: the record itself
	Code    string              // of a reject
	Path    string              // of a reject
	Message string              // of a reject; the reason of a drop or decline
	Shown   string              // of a reject: what the dead letter shows instead of the record; "" for the record itself
	Sides   map[string][]string // rows of side outputs, by output
}

// Run processes the input records with a new processor of p and returns the answers, with the counts. It fails the test
// when p refuses args (a JSON object, or "") or makes one of the mistakes that the package comment lists.
func Run(t testing.TB, p sdk.Plugin, args string, inputs ...string) ([]Result, map[string]int64) {
	t.Helper()
	o := run(t, p, args, inputs, everyTransport)
	return o.Results, o.Counts
}

// Direct is Run without the protocol, which is most of the work for a short record. It is for thousands of calls that differ
// only in their records; let Run or Files test that the plugin answers the same over the protocol.
func Direct(t testing.TB, p sdk.Plugin, args string, inputs ...string) ([]Result, map[string]int64) {
	t.Helper()
	o := run(t, p, args, inputs, directly)
	return o.Results, o.Counts
}

// Flushed is like Run and returns what Flush emits, as the answer to one record; nothing when it emits no record.
func Flushed(t testing.TB, p sdk.Plugin, args string, inputs ...string) Result {
	t.Helper()
	return run(t, p, args, inputs, everyTransport).Flushed
}

// Last is like Run and returns the rows that Flush and Finish write, by output.
func Last(t testing.TB, p sdk.Plugin, args string, inputs ...string) map[string][]string {
	t.Helper()
	return run(t, p, args, inputs, everyTransport).Last
}

type transport func(p sdk.Plugin, args string, inputs []string) (outcome, error)

func run(t testing.TB, p sdk.Plugin, args string, inputs []string, by transport) outcome {
	t.Helper()
	o := outcome{}
	err := check(args, inputs)
	if err == nil {
		o, err = by(p, args, inputs)
	}
	if err == nil && len(o.Bad) > 0 {
		err = fmt.Errorf("want attributes that the plugin takes, have %v", o.Bad)
	}
	if err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	for _, mistake := range o.mistakes(p) {
		t.Errorf("%s: %s", p.Name, mistake)
	}
	return o
}

// BadArgs returns the mistakes that p finds in args, a JSON object, as lines "NAME: MESSAGE", or "" when it accepts them.
func BadArgs(p sdk.Plugin, args string) string {
	w, bad := worker(p, args, false)
	if len(bad) == 0 {
		w.Close()
	}
	var lines []string
	for _, e := range bad {
		lines = append(lines, e.String())
	}
	return strings.Join(lines, "\n")
}

// Files runs every case that glob matches as a subtest. With -update it rewrites the want sections.
func Files(t *testing.T, p sdk.Plugin, glob string) {
	t.Helper()
	files, err := filepath.Glob(glob)
	if err != nil || len(files) == 0 {
		t.Fatalf("want cases at %s, have 0 files (%v)", glob, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { checkFile(t, p, file) })
	}
}

func checkFile(t testing.TB, p sdk.Plugin, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	args, inputs, want, err := sections(archive)
	o := outcome{}
	if err == nil {
		o, err = everyTransport(p, args, inputs)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if mistakes := o.mistakes(p); len(mistakes) > 0 {
		t.Fatalf("%s: %s", file, strings.Join(mistakes, "\n"))
	}
	have := o.String()
	if *update {
		archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == wantName })
		archive.Files = append(archive.Files, txtar.File{Name: wantName, Data: []byte(have)})
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("%s (-want +have):\n%s%s", file, diff, misspelt(want))
	}
}
