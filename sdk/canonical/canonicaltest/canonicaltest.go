// Package canonicaltest tests adapters and other plugins of eliza_native_v1 rows: it fuzzes them, converts a conversation and
// compares it, checks that nothing is lost uncounted, and generates rows.
package canonicaltest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// Fuzz tests that each record ends as exactly one of a row, a decline and a reject with a code of the adapter's own,
// and that plugin native accepts every row.
func Fuzz(f *testing.F, p sdk.Plugin, args string, seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, record string) {
		if !json.Valid([]byte(record)) || strings.ToValidUTF8(record, "") != record {
			return // a host sends only JSON
		}
		results, _ := sdktest.Run(t, p, args, record)
		r := results[0]
		if r.Verdict == "drop" || r.Verdict == "reject" && (r.Code == "" || r.Code == "error") {
			t.Fatalf("want a row, a decline or a reject with a code, have %s %s: %s", r.Verdict, r.Code, r.Message)
		}
		for _, row := range r.Emitted {
			CheckRow(t, row)
		}
		Marks(t, p, args, record)
	})
}

// Marks tests that an adapter declines no record unread that it would accept: with a letter of its first string escaped, so that
// the adapter has to read it, each record ends as it does without.
func Marks(t *testing.T, p sdk.Plugin, args string, records ...string) {
	t.Helper()
	var pairs []string // each record, and as it is read
	for _, record := range records {
		at := strings.IndexByte(record, '"') + 1
		if at > 0 && record[at]|0x20 >= 'a' && record[at]|0x20 <= 'z' {
			pairs = append(pairs, record, fmt.Sprintf(`%s\u%04x%s`, record[:at], record[at], record[at+1:]))
		}
	}
	results, _ := sdktest.Direct(t, p, args, pairs...)
	for i := 0; i < len(results); i += 2 {
		if as, read := results[i], results[i+1]; as.Verdict != read.Verdict || as.Code != read.Code {
			t.Errorf("%s: want %s %s, as when it is read, have %s %s: %s\n%s", p.Name, read.Verdict, read.Code, as.Verdict, as.Code, as.Message, pairs[i])
		}
	}
}

// Records returns the records of text cases, for seeds.
func Records(t testing.TB, glob string) (records []string) {
	files, err := filepath.Glob(glob)
	if err != nil || len(files) == 0 {
		t.Fatalf("want cases at %s, have 0 files (%v)", glob, err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if f.Name == "in.jsonl" {
				records = append(records, strings.Split(strings.TrimSpace(string(f.Data)), "\n")...)
			}
		}
	}
	return records
}

// CheckRow tests that a row is JSON in UTF-8 and complete.
func CheckRow(t testing.TB, row string) {
	t.Helper()
	if !json.Valid([]byte(row)) || strings.ToValidUTF8(row, "") != row {
		t.Fatalf("want JSON, have %q", row)
	}
	if problem := Problem(row); problem != "" {
		t.Fatalf("%s: %s", problem, row)
	}
}

// Bench measures the adapter on rows of its shape. All of them must end with the verdict.
func Bench(b *testing.B, p sdk.Plugin, args, verdict string, rows []string) {
	results, _ := sdktest.Run(b, p, args, rows...)
	for i, r := range results {
		if r.Verdict != verdict {
			b.Fatalf("want %s for row %d, have %s %s: %s", verdict, i, r.Verdict, r.Code, r.Message)
		}
	}
	sdktest.Bench(b, p, args, rows...)
}

// Copies returns a hundred copies of a row.
func Copies(row string) []string { return slices.Repeat([]string{row}, 100) }

// Words returns n words of text like a corpus's, with quotes, line breaks and letters beyond ASCII, the same for the same seed.
func Words(seed, n int) string {
	text := make([]string, n)
	for i := range text {
		text[i] = words[(seed*31+i*i+i*7)%len(words)]
	}
	return strings.Join(text, " ")
}

var words = strings.Fields(`the agent reads a calendar and drafts replies for its owner while a café in 東京 asks about 3 < 4 or "quoted"
names with it's apostrophes {braces} and [lists] of files: build list run test deploy retry success result weather naïve`)

// Problem returns what a row of an adapter lacks, of the minimal accepted shape and unique call ids, or "".
func Problem(row string) string {
	var r canonical.Row
	r.Read(jsontext.JSON(row))
	ids := map[jsontext.Body]bool{}
	for _, p := range r.Parts {
		if p.Kind == canonical.CallPart && p.ID != "" {
			if ids[p.ID] {
				return "a call id twice"
			}
			ids[p.ID] = true
		}
	}
	switch {
	case r.Format != canonical.Format:
		return "another format"
	case !slices.Contains(canonical.Boundaries, r.Boundary):
		return "another boundary"
	case len(r.Faults) > 0:
		return r.Faults[0].Code + " at " + r.Faults[0].Path
	case !slices.ContainsFunc(r.Turns, func(t canonical.Turn) bool { return t.Role == canonical.User }):
		return "no user turn"
	case !r.HasText(r.Response) && !r.Has(r.Response, canonical.CallPart):
		return "an empty response"
	}
	return ""
}

// maxRows is how many bytes of a corpus are measured on.
const maxRows = 4 << 20

// Rows returns the first rows of the corpus of JSON Lines that SLUICE_BENCH_CORPUS names, or a hundred rows of its own.
func Rows(t testing.TB) []string {
	t.Helper()
	file := os.Getenv("SLUICE_BENCH_CORPUS")
	if file == "" {
		return strings.Split(strings.Repeat(row+"\n", 99)+row, "\n")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if end := strings.IndexByte(text[min(maxRows, len(text)):], '\n'); end >= 0 {
		text = text[:maxRows+end]
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

const row = `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"system":"You are Eliza, an agent with a calendar. Answer briefly.","messages":[{"role":"user","content":"What is on my list for today, and is there \"anything\" urgent?\nTell me first."},{"role":"assistant","content":[{"type":"text","text":"I look it up."},{"type":"tool-call","toolCallId":"k1","toolName":"LIST","input":{"day":"today","limit":10}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"k1","toolName":"LIST","output":{"type":"json","value":[{"at":"09:00","what":"stand-up"},{"at":"11:30","what":"dentist"}]}}]}],"tools":[{"type":"function","name":"LIST","description":"lists what is planned","inputSchema":{"type":"object","properties":{"day":{"type":"string"},"limit":{"type":"number"}},"required":["day"]}}]},"response":{"text":"Stand-up at nine and the dentist at half past eleven; nothing is urgent.","toolCalls":[],"finishReason":"stop","usage":{"promptTokens":120,"completionTokens":20}},"trajectoryId":"t1","metadata":{"task_type":"planner","split":"train","quality":{"success":true}}}`

// A Vocabulary holds the keys and strings that mean something in a format. Random rows made of it are odd: members are in
// the wrong place, have a wrong type, are empty, or come twice.
type Vocabulary struct{ Keys, Strings []string }

// Row returns an object with some of members, whose values are JSON, and random others.
func (w Vocabulary) Row(r *rand.Rand, members map[string][]string) string {
	row := "{"
	for _, key := range slices.Sorted(maps.Keys(members)) { // the same rows for the same seed
		if values := members[key]; len(values) > 0 && r.IntN(12) > 0 {
			row += `"` + key + `":` + values[r.IntN(len(values))] + ","
		}
	}
	return row + w.pick(r, w.Keys) + ":" + w.Value(r, 2) + "}"
}

// Value returns a value that nests at most depth levels.
func (w Vocabulary) Value(r *rand.Rand, depth int) string {
	kinds := 7
	if depth == 0 {
		kinds = 4
	}
	switch r.IntN(kinds) {
	case 0:
		return []string{"null", "true", "false", "0", "1.50", `""`, "[]", "{}"}[r.IntN(8)]
	case 1, 2, 3:
		return w.pick(r, w.Strings)
	case 4:
		var list []string
		for range r.IntN(4) {
			list = append(list, w.Value(r, depth-1))
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	var members []string
	for range 1 + r.IntN(4) {
		members = append(members, w.pick(r, w.Keys)+":"+w.Value(r, depth-1))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (w Vocabulary) pick(r *rand.Rand, from []string) string {
	return string(jsontext.AppendString(nil, from[r.IntN(len(from))]))
}
