package browser

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
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
// jumps, a focus that is seen at every stop, no request to elsewhere, no error, and text that stays text. Pages of hostile runs are looked
// at more briefly: what is odd about them is not their colours. With -long there are all runs, more rows, in more ways and widths, and axe
// sees every page; otherwise one of each kind.
func TestPages(t *testing.T) {
	needs(t)
	for _, f := range fixtures {
		if !*long && f.name != "ordinary" && f.name != "hostile" {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			out := f.run(t)
			report := "file://" + (&url.URL{Path: filepath.Join(out, "report.html")}).EscapedPath()
			at := view(t, out)
			ordinary := f.name == "ordinary" // colours and controls are the same on the pages of every run
			closely := []string{"report", "overview", "rows", "row0-talk"}
			var pages []object
			add := func(name, url string) object {
				axe := *long || ordinary && slices.Contains(closely, name)
				page := object{"name": f.name + "-" + name, "url": url, "axe": axe, "keys": ordinary && axe}
				pages = append(pages, page)
				return page
			}
			add("report", report)
			add("overview", at)
			add("rows", at+"rows?in.outcome=kept")
			add("view-report", at+"report")
			rows := rowsOf[f.name]
			if ordinary {
				add("search", at+"rows?q=the&sort=size&down=1&values=shown")
				add("nothing", at+"rows?q=there+is+no+such+text")
				add("wrong", at+"rows?where=broken&min.size=x")["wrong"] = true
				if !*long {
					rows = rows[:1]
				}
			}
			if info, err := os.Stat(filepath.Join(out, "rejects.jsonl")); err == nil && info.Size() > 0 {
				rows = append(slices.Clip(rows), "rejects.jsonl:1")
			}
			for i, row := range rows {
				ways := []string{"talk", "json", "steps"}
				if i > 0 && (!ordinary || !*long) {
					ways = ways[:1]
				}
				for _, as := range ways {
					add(fmt.Sprintf("row%d-%s", i, as), at+"row?as="+as+"&at="+url.QueryEscape(row))
				}
			}
			look(t, object{"allowed": []string{report, at}, "view": at, "pages": pages, "dark": ordinary, "whole": ordinary && *long})
		})
	}
}

// TestComparePages holds the same of the pages about two runs.
func TestComparePages(t *testing.T) {
	needs(t)
	f := fixtureOf("ordinary")
	at := view(t, f.run(t, "--var", "near=0", "--var", "target=qwen3"), "--against", f.run(t))
	look(t, object{"allowed": []string{at}, "view": at, "dark": true, "whole": *long, "pages": []object{
		{"name": "ordinary-compare", "url": at + "compare", "axe": true},
		{"name": "ordinary-cell", "url": at + "cell?a=0&b=0", "axe": true},
		{"name": "ordinary-pair", "url": at + "pair?at=" + url.QueryEscape("corpus/exports.jsonl:1"), "axe": true},
	}})
}

// TestFailedPage holds the same of the page about a run that failed.
func TestFailedPage(t *testing.T) {
	needs(t)
	dir := t.TempDir()
	files(t, dir, rejectedOne())
	c := sluice(t, "run", "failing.hcl")
	c.Dir = dir
	if said, err := c.CombinedOutput(); err == nil {
		t.Fatalf("want a run that fails, have one that does not:\n%s", said)
	}
	report := "file://" + (&url.URL{Path: filepath.Join(dir, "out", "report.failed.html")}).EscapedPath()
	look(t, object{"allowed": []string{report}, "dark": true, "whole": *long, "pages": []object{
		{"name": "failed-report", "url": report, "axe": true, "keys": true},
	}})
}

// rejectedOne is a pipeline that fails at the second of three records.
func rejectedOne() map[string][]byte {
	all := rows("in", chat(1, quiet), object{"mesages": []string{"x"}}, chat(2, quiet))
	all["failing.hcl"] = []byte(`
source "jsonl" "in" {
  paths = ["*.jsonl"]
}

first "shape" {
  step "messages" "messages" {}
}

sink "jsonl" "train" {
  path = "out/train.jsonl"
}

dead_letter {
  limit = 0
}
`)
	return all
}

func look(t *testing.T, task object) {
	t.Helper()
	if *shots != "" {
		task["shots"] = *shots
	}
	node(t, "pages.mjs", task)
}
