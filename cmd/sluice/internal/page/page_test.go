package page

import (
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/sluicehq/sluice/cmd/sluice/internal/chart"
	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/receipt"
)

var update = flag.Bool("update", false, "write the golden files")

// The page of a small run is the one that people have looked at. The same receipt and files make the same page.
func TestGolden(t *testing.T) {
	golden, err := filepath.Abs("testdata/small.html")
	if err != nil {
		t.Fatal(err)
	}
	r := ran(t, corpus())
	text := made(t, r, onDisk)
	if again := made(t, r, onDisk); again != text {
		t.Error("want the same page twice, have two")
	}
	have := strings.Replace(text, chart.Style, "", 1)
	have = regexp.MustCompile(`style-src &#39;sha256-(?:[^&]|&#43;)*&#39;`).ReplaceAllString(have, "style-src SHA")
	if *update {
		if err := os.WriteFile(golden, []byte(have), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), have); diff != "" {
		t.Errorf("the page has changed; look at it and write it with -update (-want +have):\n%s", diff)
	}
}

// A page asks for nothing: it has no script, no address but its own places, and a policy that lets in its style alone.
func TestAsksForNothing(t *testing.T) {
	doc := parsed(t, made(t, ran(t, corpus()), onDisk))
	for _, n := range all(doc, func(*html.Node) bool { return true }) {
		for _, a := range n.Attr {
			switch {
			case a.Key == "href" && strings.HasPrefix(a.Val, "#") && part(doc, a.Val[1:]) != nil, a.Val == "#content":
			case a.Key == "href" && strings.HasPrefix(a.Val, "./") && n.Data == "a": // a file of the run, which somebody follows
			case slices.Contains([]string{"src", "href", "srcset", "action", "style", "data", "poster", "ping"}, a.Key), strings.HasPrefix(a.Key, "on"):
				t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
			}
		}
	}
	if n := len(all(doc, element("script"))); n > 0 {
		t.Errorf("want no script, have %d", n)
	}
	styles := all(doc, element("style"))
	if len(styles) != 1 {
		t.Fatalf("want one style, have %d", len(styles))
	}
	sum := sha256.Sum256([]byte(styles[0].FirstChild.Data))
	want := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	if policy := attr(all(doc, element("meta"))[1], "content"); !strings.HasSuffix(policy, want) || !strings.HasPrefix(policy, "default-src 'none';") {
		t.Errorf("want the policy to end with %q, have %q", want, policy)
	}
}

// What stands in a run stays text, wherever it comes from, and shows what it is.
func TestHostileText(t *testing.T) {
	const evil = "</title></style></pre><script>alert(1)</script><img src=x onerror=alert(1)>\" onload=\"x\u202egnp.\x1b[31m{{.}}"
	r := ran(t, corpus())
	by := map[string]int64{evil: 3}
	tally := receipt.Breakdown{Total: 3, By: by}
	r.Pipeline.Path, r.Sluice, r.Run = "dir/"+evil, evil, evil
	r.Variables = map[string]string{evil: evil}
	r.Warnings = []receipt.Warning{{Code: evil, Message: evil, Place: evil}}
	r.Totals.Rejected, r.Totals.Dropped = tally, tally
	r.Inputs[0].Name, r.Inputs[0].Source = evil, evil
	for i := range r.Steps {
		s := &r.Steps[i]
		s.Name, s.Rejected, s.Dropped, s.Deprecated = evil, tally, tally, evil
		s.Counts = map[string]int64{"loss." + evil: 1, "entity." + evil: 2, "residue": 1, "residue." + evil: 1, "split." + evil: 3, evil: 4}
		s.Facts = map[string]string{evil: evil, "profile": evil, "looked_for": evil, "not_looked_for": evil, "strict": evil}
	}
	for i := range r.Plugins {
		r.Plugins[i].Step, r.Plugins[i].Path = evil, evil
	}
	for i := range r.Firsts {
		r.Firsts[i].First, r.Firsts[i].Steps[0].Step, r.Firsts[i].Steps[1].Step = evil, evil, evil
	}
	r.Routes[0].Route, r.Routes[0].Branches[0].Case = evil, evil
	r.Graph.Body[0].Name, r.Graph.Body[0].Note, r.Graph.DeadLetter.Note = evil, evil, evil
	row := fmt.Sprintf(`{"code":%[1]q,"message":%[1]q,"path":%[1]q,"file":%[1]q,"line":7,"record":{"a":%[1]q}}`, "</pre><script>alert(1)</script>\u202e")
	if err := os.WriteFile("rejects", []byte(row+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r.Totals.Rejected.By["</pre><script>alert(1)</script>\u202e"] = 1
	text := made(t, r, func(path string, _ filehash.Sum) (*os.File, error) {
		if path == "out/rejects.jsonl" {
			return os.Open("rejects")
		}
		return nil, ErrChanged
	})
	doc := parsed(t, text)
	for _, name := range []string{"script", "img"} {
		if n := len(all(doc, element(name))); n > 0 {
			t.Errorf("want no <%s>, have %d", name, n)
		}
	}
	for _, n := range all(doc, func(*html.Node) bool { return true }) {
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") {
				t.Errorf("<%s> has %s", n.Data, a.Key)
			}
		}
	}
	if i := strings.IndexAny(text, "\u202e\x1b"); i >= 0 {
		t.Errorf("want controls as escapes, have one in %q", text[max(0, i-200):i])
	}
	if !strings.Contains(words(part(doc, "rejected")), "<script>alert(1)</script>") {
		t.Error("want the code of a reject as it is, have none")
	}
}

// What the page says of a privacy step is no more than is so: good is only what strict rules of the standard profile found no more
// of and had no suspects in, and beside it is what was not looked for.
func TestPrivacy(t *testing.T) {
	scope := map[string]string{"strict": "true", "profile": "standard", "looked_for": "CREDIT_CARD; JWT", "not_looked_for": "names of people; plates", "rules_sha256": "ab"}
	for _, c := range []struct {
		reason, fact, value string
		count               string
		want                string
		good                bool
	}{
		{"searched again", "", "", "", "the rules find nothing more profilestandardlooked forCREDIT_CARD, JWTnot looked fornames of people; plates", true},
		{"suspects are left", "", "", "suspect.token", "nothing more suspect token 1 profilestandard", false},
		{"the reference", "profile", "reference", "", "nothing more profile reference profilereference, which misses most of what profile standard finds", false},
		{"not strict", "strict", "false", "", "not strict: the rules did not search again", false},
		{"records rejected", "", "", "residue", "the rules find 1 more finding, rejected", false},
		{"switched off", "switched_off", "IP_ADDRESS", "", "switched offIP_ADDRESS", true},
	} {
		r := ran(t, corpus())
		for i := range r.Steps {
			if s := &r.Steps[i]; s.Plugin == "privacy" {
				s.Facts = maps.Clone(scope)
				if c.fact != "" {
					s.Facts[c.fact] = c.value
				}
				if c.count != "" {
					s.Counts[c.count] = 1
				}
			}
		}
		section := part(parsed(t, made(t, r, onDisk)), "privacy")
		have := strings.Join(strings.Fields(strings.ReplaceAll(words(section), "\u200b", "")), " ")
		if !strings.Contains(have, c.want) {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
		good := all(section, func(n *html.Node) bool { return n.Data == "span" && strings.Contains(attr(n, "class"), "good") })
		if len(good) > 0 != c.good {
			t.Errorf("%s: want good %t, have %d", c.reason, c.good, len(good))
		}
	}
}

// A page has a part for what is there to tell, and for nothing else.
func TestPartsAreThoseWithContent(t *testing.T) {
	tests := []struct {
		reason, corpus string
		want           []string
	}{
		{"nothing to read", "", []string{"pipeline", "time", "files", "repeat"}},
		{"all rejected", strings.Repeat("{\n", 5), []string{"pipeline", "rejected", "files", "repeat"}},
		{"one row", strings.SplitAfter(corpus(), "\n")[0], []string{"pipeline", "time", "shapes", "rows", "splits", "files", "repeat"}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			doc := parsed(t, made(t, ran(t, tt.corpus), onDisk))
			var have []string
			for _, n := range all(doc, class("section")) {
				if id := attr(n, "id"); id != "" {
					have = append(have, id)
				}
			}
			for _, id := range tt.want {
				if !slices.Contains(have, id) {
					t.Errorf("want a part %q, have %q", id, have)
				}
			}
			if tt.corpus == "" && slices.Contains(have, "rejected") {
				t.Errorf("want no rejects of nothing, have %q", have)
			}
		})
	}
}

// A page is one that can be sent, whatever ran: at most 500 kB.
func TestSizeIsBounded(t *testing.T) {
	long := func(kind string, i int) string {
		return fmt.Sprintf("%s_%05d_%s", kind, i, strings.Repeat("ünïcode<&\u202e", 30))
	}
	many := map[string]int64{}
	for i := range 10_000 {
		many[long("code", i)] = int64(i + 1)
	}
	tally, few, counts := receipt.Breakdown{Total: 50_005_000, By: many}, receipt.Breakdown{Total: 40, By: map[string]int64{}}, map[string]int64{}
	for name, n := range many {
		counts[name], counts["loss."+name], counts["entity."+name], counts["split."+name] = n, 1, 2, 3
		if n > 9_960 {
			few.By[name] = 1 // the most frequent ones are of every step
		}
	}
	stop := func(kind string, i int) receipt.Node {
		return receipt.Node{Kind: kind, Name: long("step", i), Note: long("note", i), Counts: &receipt.Counts{In: 1000, Out: 900, Dropped: 50, Rejected: 50}}
	}
	r := &receipt.Receipt{Pipeline: ran(t, "").Pipeline, Graph: &receipt.Graph{DeadLetter: stop("sink", 0)}, Variables: map[string]string{}}
	r.Totals.Rejected, r.Totals.Dropped, r.Totals.Seconds = tally, tally, 3
	route := receipt.Node{Kind: "route", Name: "r", Counts: &receipt.Counts{In: 1000}}
	for i := range 10_000 {
		route.Edges = append(route.Edges, receipt.Edge{Kind: "case", Name: long("case", i), Records: 1, Nodes: []receipt.Node{stop("sink", i)}})
		r.Outputs = append(r.Outputs, receipt.Output{Path: long("path", i), Records: 5, Lengths: map[string]int64{"512": 3, "1024": 2}})
		r.Variables[long("var", i)] = long("value", i)
		r.Warnings = append(r.Warnings, receipt.Warning{Message: long("warning", i)})
	}
	for i := range 40 {
		r.Graph.Body = append(r.Graph.Body, stop("step", i))
		s := receipt.StepAccount{Name: long("step", i), In: 1000, BusySeconds: 1, Rejected: few, Dropped: few, Counts: map[string]int64{"loss.one": 1}}
		if i == 0 { // one step with all of it fills as many rows as forty
			s.Rejected, s.Dropped, s.Counts = tally, tally, counts
		}
		r.Steps = append(r.Steps, s)
	}
	r.Graph.Body = append(r.Graph.Body, route)
	text := made(t, r, nowhere)
	if len(text) > 500_000 {
		t.Errorf("want at most 500 kB, have %d bytes", len(text))
	}
	if !strings.Contains(text, "and 9,960 more") {
		t.Error("want what is left out to be counted")
	}
}
