package browser

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"
)

// rowsOf are rows of a run that are looked at one by one, beside the first of its rejects.
var rowsOf = map[string][]string{
	"ordinary":  {"canonical/train.jsonl:10", "chatml/val.jsonl:3", "ledger.jsonl:1", "pairs.jsonl:1", "stats.jsonl:1", "input/older.jsonl:3"},
	"one":       {"train.jsonl:1"},
	"steps":     {"threads.jsonl:1"},
	"huge":      {"train.jsonl:2", "input/huge.jsonl:2"},
	"languages": {"train.jsonl:2", "train.jsonl:4", "train.jsonl:14", "train.jsonl:16", "train.jsonl:18"},
	"hostile":   {"rows <b>&'.jsonl:1", "rows <b>&'.jsonl:25", "rows <b>&'.jsonl:27"},
}

// TestPages holds of every kind of page: nothing to find for axe in both themes, nothing wider than a telephone, nothing that
// jumps, a focus that is seen at every stop, no request to elsewhere, no error, and text that stays text. Pages of runs that are odd
// are looked at more briefly: what is odd about them is not their colours.
func TestPages(t *testing.T) {
	needs(t)
	for _, f := range fixtures {
		t.Run(f.name, func(t *testing.T) {
			out := f.run(t)
			report := "file://" + (&url.URL{Path: filepath.Join(out, "report.html")}).EscapedPath()
			at := view(t, out)
			whole := f.name == "ordinary" // colours and controls are the same on the pages of every run
			pages := []object{{"name": f.name + "-report", "url": report, "keys": whole}}
			add := func(name, path string) {
				pages = append(pages, object{"name": f.name + "-" + name, "url": at + path, "keys": whole})
			}
			add("overview", "")
			add("rows", "rows")
			if f.name == "ordinary" {
				add("search", "rows?q=the&sort=size&down=1&values=shown")
				add("nothing", "rows?q=there+is+no+such+text")
				add("wrong", "rows?where=broken&min.size=x")
				pages[len(pages)-1]["wrong"] = true
			}
			rows := rowsOf[f.name]
			if info, err := os.Stat(filepath.Join(out, "rejects.jsonl")); err == nil && info.Size() > 0 {
				rows = append(rows, "rejects.jsonl:1")
			}
			for i, row := range rows {
				ways := []string{"talk", "json", "steps"}
				if i > 0 && !whole {
					ways = ways[:1]
				}
				for _, as := range ways {
					add(fmt.Sprintf("row%d-%s", i, as), "row?as="+as+"&at="+url.QueryEscape(row))
				}
			}
			look(t, report, at, pages, !whole)
		})
	}
}

// TestComparePages holds the same of the pages about two runs.
func TestComparePages(t *testing.T) {
	needs(t)
	f := fixtureOf("ordinary")
	at := view(t, f.run(t, "--var", "near=0", "--var", "target=qwen3"), "--against", f.run(t))
	look(t, at, at, []object{{"name": "ordinary-compare", "url": at + "compare"},
		{"name": "ordinary-pair", "url": at + "pair?at=" + url.QueryEscape("corpus/exports.jsonl:1")}}, false)
}

func look(t *testing.T, report, at string, pages []object, brief bool) {
	t.Helper()
	task := object{"allowed": []string{report, at}, "view": at, "pages": pages, "brief": brief}
	if *shots != "" {
		task["shots"] = *shots
	}
	node(t, "pages.mjs", task)
}
