package plugins_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestKept protects people from silent losses: the canonical row holds every string of a record of the adapters' own cases, or a
// count names the loss; and the ChatML row holds what is said in these rows.
func TestKept(t *testing.T) {
	for _, p := range plugins.All {
		if p.Name != "chatml" && !isAdapter(p.Name) {
			continue
		}
		folder := strings.Replace(p.Name, "modelspec-", "modelspec/", 1)
		files, _ := filepath.Glob(folder + "/testdata/*.txtar")
		cases, _ := filepath.Glob(folder + "/testdata/cases/*.txtar")
		if len(files)+len(cases) == 0 {
			t.Errorf("%s: want cases in %s/testdata, have none", p.Name, folder)
		}
		for _, file := range append(files, cases...) {
			t.Run(p.Name+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				args, records := caseOf(t, file)
				if len(records) == 0 || strings.Contains(args, "registry") {
					return
				}
				if !*long {
					records = everyThird(records)
				}
				if p.Name == "chatml" {
					canonicaltest.Kept(t, p, args, notSaid, records...)
					return
				}
				canonicaltest.Kept(t, p, args, nil, records...)
				canonicaltest.Kept(t, chatml.Plugin, "", notSaid, rowsOf(t, p, args, records)...)
			})
		}
	}
}

// everyThird returns the first record and every third after it: what is lost is asked of each string of each.
func everyThird(records []string) (some []string) {
	for i := 0; i < len(records); i += 3 {
		some = append(some, records[i])
	}
	return some
}

// corpora are real rows, in a folder next to the repository.
const corpora = "../../shared/corpus/*.jsonl"

// TestKeptCorpora holds the same of real rows, one in eight: each runs hundreds of times.
func TestKeptCorpora(t *testing.T) {
	files, _ := filepath.Glob(corpora)
	if len(files) == 0 {
		t.Skipf("%s is absent", corpora)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, record := range strings.Split(strings.TrimSpace(string(data)), "\n") {
			if i%8 > 0 {
				continue
			}
			p := taker(t, record)
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(file), i+1), func(t *testing.T) {
				if p.Name != "native" {
					canonicaltest.Kept(t, p, "", nil, record)
				}
				canonicaltest.Kept(t, chatml.Plugin, "", notSaid, rowsOf(t, p, "", []string{record})...)
			})
		}
	}
}

// taker returns the adapter that takes a record.
func taker(t *testing.T, record string) sdk.Plugin {
	t.Helper()
	p, ok := takerOf(t, record)
	if !ok {
		t.Fatalf("want an adapter for %s, have none", record)
	}
	return p
}

// takerOf is taker for a record that no adapter may take.
func takerOf(t *testing.T, record string) (taker sdk.Plugin, ok bool) {
	t.Helper()
	for _, name := range plugins.Adapters {
		for _, p := range plugins.All {
			if p.Name != name {
				continue
			}
			if results, _ := sdktest.Direct(t, p, "", record); results[0].Verdict != "decline" {
				return p, true
			}
		}
	}
	return taker, false
}

func isAdapter(name string) bool {
	for _, a := range plugins.Adapters {
		if a == name {
			return true
		}
	}
	return false
}

// notSaid reports whether a ChatML row has no place for a path of a canonical row, as its page says: whose call it was, how it
// was made and what it cost.
func notSaid(path string) bool {
	for _, said := range []string{"request.messages", "request.system", "request.prompt", "request.tools", "response"} {
		if rest, ok := strings.CutPrefix(path, said); ok && (rest == "" || rest[0] == '.') {
			for _, beside := range []string{"response.usage", "response.finishReason", "response.providerMetadata"} {
				if strings.HasPrefix(path, beside) {
					return true
				}
			}
			return false
		}
	}
	return true
}

func caseOf(t *testing.T, file string) (args string, records []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse(data).Files {
		switch f.Name {
		case "args.json":
			args = string(f.Data)
		case "in.jsonl":
			records = slices.DeleteFunc(strings.Split(string(f.Data), "\n"), func(s string) bool { return s == "" })
		}
	}
	return args, records
}

// rowsOf returns the rows that an adapter makes of records.
func rowsOf(t *testing.T, p sdk.Plugin, args string, records []string) (rows []string) {
	t.Helper()
	results, _ := sdktest.Direct(t, p, args, records...)
	for _, r := range results {
		rows = append(rows, r.Emitted...)
	}
	return rows
}
