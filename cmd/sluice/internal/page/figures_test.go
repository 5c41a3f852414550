package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

// table is what the rows of a part's tables say: the head of each row, and its cells.
func table(part *html.Node) (rows [][]string) {
	for _, body := range all(part, element("tbody")) {
		for _, tr := range all(body, element("tr")) {
			var row []string
			for cell := range tr.ChildNodes() {
				if cell.Type == html.ElementNode && !strings.Contains(attr(cell, "class"), "bar-cell") {
					row = append(row, words(cell))
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// Each figure of the page is that of the receipt, and each of the receipt's is on the page.
func TestFiguresAreTheReceipts(t *testing.T) {
	r := ran(t, corpus())
	doc := parsed(t, made(t, r, onDisk))
	sum := r.Totals
	f, ok := r.Funnel()
	if !ok || f.Copied == 0 || f.Made != 0 || f.Unreadable == 0 {
		t.Fatalf("want a run with copies and unreadable records, have %+v", f)
	}
	for i, want := range []string{
		plural.Count(f.Read), plural.Count(f.Kept), plural.Count(f.Rejected + f.Unreadable), plural.Count(f.Dropped), plural.Count(f.Copied), "2.00 s",
	} {
		if have := words(all(doc, class("value"))[i]); have != want {
			t.Errorf("figure %d: want %s, have %s", i, want, have)
		}
	}
	t.Run("pipeline", func(t *testing.T) { wantFlow(t, r, part(doc, "pipeline")) })
	t.Run("rejected", func(t *testing.T) { wantCounts(t, sum.Rejected.By, table(part(doc, "rejected")), 0, 1) })
	t.Run("dropped", func(t *testing.T) { wantCounts(t, sum.Dropped.By, table(part(doc, "dropped")), 0, 1) })
	t.Run("time", func(t *testing.T) {
		busy, in := map[string]string{}, map[string]int64{}
		for _, s := range r.Steps {
			busy[s.Name], in[s.Name] = format.Seconds(s.BusySeconds), s.In
		}
		rows := table(part(doc, "time"))
		wantCounts(t, in, rows, 0, 4)
		for _, row := range rows {
			if row[1] != busy[row[0]] || row[3] != "2" {
				t.Errorf("want %s busy with 2 workers, have %q", busy[row[0]], row)
			}
		}
	})
	t.Run("privacy", func(t *testing.T) {
		want := map[string]int64{}
		for _, s := range r.Steps {
			maps.Copy(want, beginning(s.Counts, "entity"))
			maps.Copy(want, beginning(s.Counts, "category"))
		}
		wantCounts(t, want, table(part(doc, "privacy")), 0, 1)
		if text := words(part(doc, "privacy")); !strings.Contains(text, "replaced 2 findings; 14 records went through it.") {
			t.Errorf("want the records that went through the step told from those with findings, have %s", text)
		}
	})
	t.Run("columns", func(t *testing.T) { wantColumns(t, doc) })
	t.Run("shapes", func(t *testing.T) {
		want := map[string]int64{}
		for _, s := range r.Firsts[0].Steps {
			if s.Rows > 0 {
				want[s.Step] = s.Rows
			}
		}
		want["declined by all"] = r.Firsts[0].Declined
		for _, w := range r.Routes[0].Branches {
			name := w.Case
			if w.Default {
				name = "default"
			}
			want[name] = w.Records
		}
		wantCounts(t, want, table(part(doc, "shapes")), 0, 1)
	})
	t.Run("files", func(t *testing.T) {
		want, sizes, sums := map[string]int64{}, map[string]string{}, words(part(doc, "repeat"))
		for _, o := range r.Outputs {
			want[o.Path], sizes[o.Path] = o.Records, format.Size(o.Bytes)
			if !strings.Contains(sums, o.Path+o.Named()) {
				t.Errorf("want the hash of %s", o.Path)
			}
		}
		for _, in := range r.Inputs {
			want[in.Name], sizes[in.Name] = in.Records, format.Size(in.Bytes)
			if !strings.Contains(sums, in.Name+in.Named()) {
				t.Errorf("want the hash of %s", in.Name)
			}
		}
		rows := table(part(doc, "files"))
		for _, row := range rows {
			row[0], _, _ = strings.Cut(row[0], "jsonl.") // the sink stands behind the path
			row[0] = strings.TrimSpace(row[0])
			if row[2] != sizes[row[0]] {
				t.Errorf("want %s, have %q", sizes[row[0]], row)
			}
		}
		wantCounts(t, want, rows, 0, 1)
	})
	t.Run("rows", func(t *testing.T) { wantCharts(t, r, part(doc, "rows")) })
	t.Run("anywhere", func(t *testing.T) { wantKnown(t, r, doc) })
}

// wantColumns holds that each list of names says what it counts, once above and once beside each number.
func wantColumns(t *testing.T, doc *html.Node) {
	for id, want := range map[string]string{"privacy": "Findings", "splits": "Records", "shapes": "Records"} {
		lists := all(part(doc, id), class("names"))
		if len(lists) == 0 {
			t.Errorf("%s: want a list of names", id)
		}
		for _, l := range lists {
			if have := words(all(l, element("th"))[1]); have != want {
				t.Errorf("%s: want a column %s, have %s", id, want, have)
			}
			for _, cell := range all(l, class("num")) {
				if have := attr(cell, "data-label"); have != strings.ToLower(want) && have != "share" {
					t.Errorf("%s: want a number of %s or a share, have %s", id, strings.ToLower(want), have)
				}
			}
		}
	}
}

// wantCounts compares counts by name with a table that has names and counts in two of its columns.
func wantCounts(t *testing.T, want map[string]int64, rows [][]string, name, count int) {
	t.Helper()
	have := map[string]string{}
	for _, row := range rows {
		have[row[name]] = row[count]
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if have[name] != plural.Count(want[name]) {
			t.Errorf("%s: want %s, have %q", name, plural.Count(want[name]), have[name])
		}
	}
	for name := range have {
		if _, known := want[name]; !known {
			t.Errorf("%s: want none, have %s", name, have[name])
		}
	}
}

// wantFlow compares the stops of a drawing with the graph, in their order but for members that took nothing.
func wantFlow(t *testing.T, r *receipt.Receipt, part *html.Node) {
	t.Helper()
	var want []string
	var walk func([]receipt.Node)
	walk = func(stops []receipt.Node) {
		for _, s := range stops {
			figures := []string{s.Name}
			for i, n := range []int64{s.Counts.In, s.Counts.Out, s.Counts.Rejected, s.Counts.Dropped, s.Counts.Declined} {
				if n > 0 || i == 0 || i == 1 && s.Kind != "route" {
					figures = append(figures, plural.Count(n))
				}
			}
			want = append(want, strings.Join(figures, " "))
			for _, w := range s.Edges {
				walk(w.Nodes)
			}
		}
	}
	walk(append(slices.Clone(r.Graph.Body), r.Graph.DeadLetter))
	var have []string
	for _, row := range all(part, class("flow-row")) {
		figures := []string{words(all(row, element("b"))[0])}
		for _, n := range all(row, class("flow-n")) {
			if !class("none")(n) {
				text := words(n)
				figures = append(figures, text[strings.LastIndex(text, " ")+1:])
			}
		}
		have = append(have, strings.Join(figures, " "))
	}
	if !slices.Equal(want, have) {
		t.Errorf("want the stops\n  %s\nhave\n  %s", strings.Join(want, "\n  "), strings.Join(have, "\n  "))
	}
}

// wantCharts compares what is said of the lengths of rows with the rows in the files.
func wantCharts(t *testing.T, r *receipt.Receipt, part *html.Node) {
	t.Helper()
	said := map[string]map[string]string{} // by measure and output
	for _, heading := range all(part, element("h3")) {
		by := map[string]string{}
		said[words(heading)] = by
		box := heading.Parent.NextSibling
		for box.Type != html.ElementNode {
			box = box.NextSibling
		}
		for _, figure := range all(box, element("figure")) {
			by[words(all(figure, element("b"))[0])] = words(all(figure, element("dl"))[0]) + " " + attr(all(figure, element("svg"))[0], "aria-label")
		}
	}
	for _, o := range r.Outputs {
		if o.Side != "" || o.Records == 0 {
			continue
		}
		data, err := os.ReadFile(o.Path)
		if err != nil {
			t.Fatal(err)
		}
		turns, bytes := []int{}, []int{}
		for line := range strings.Lines(string(data)) {
			var row struct {
				Messages []any `json:"messages"`
				Request  struct {
					Messages []any `json:"messages"`
				} `json:"request"`
			}
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			n := len(row.Messages)
			if n == 0 {
				n = len(row.Request.Messages) + 1
			}
			turns, bytes = append(turns, n), append(bytes, len(line)-1)
		}
		slices.Sort(turns)
		slices.Sort(bytes)
		most := 0
		if _, err := fmt.Sscanf(regexp.MustCompile(`max(\d+) B`).FindString(said["Bytes"][o.Path]), "max%d B", &most); err != nil || most < bytes[len(bytes)-1] || most > bytes[len(bytes)-1]*9/8 {
			t.Errorf("%s: want at most %d bytes, have %q", o.Path, bytes[len(bytes)-1], said["Bytes"][o.Path])
		}
		want := fmt.Sprintf("min%d", turns[0])
		if have := said["Turns"][o.Path]; r.Keeps(o) != strings.HasPrefix(have, want) {
			t.Errorf("%s: want %s turns of what was kept alone, have %q", o.Path, want, have)
		}
	}
}

var number = regexp.MustCompile(`^[0-9][0-9,]*$`)

// wantKnown looks for a number in a cell or figure that is nowhere in the receipt.
func wantKnown(t *testing.T, r *receipt.Receipt, doc *html.Node) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, n := range regexp.MustCompile(`\b[0-9]+\b`).FindAllString(string(text), -1) {
		var value int64
		fmt.Sscan(n, &value)
		known[plural.Count(value)] = true
	}
	for _, s := range r.Steps { // of records while it was busy
		known[plural.Count(int64(float64(s.In)/s.BusySeconds))] = true
	}
	for _, n := range all(doc, func(n *html.Node) bool { return class("num")(n) || class("value")(n) || class("flow-n")(n) }) {
		if have := words(n); number.MatchString(have) && !known[have] {
			t.Errorf("want only figures of the receipt, have %s", have)
		}
	}
}
