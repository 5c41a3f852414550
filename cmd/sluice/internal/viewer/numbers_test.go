package viewer

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEdges holds that ranges are few, that they hold every number, and that they begin at figures which are easy to read.
func TestEdges(t *testing.T) {
	for _, c := range []struct {
		reason         string
		least, largest float64
		whole          bool
		want           string
	}{
		{"few whole numbers", 2, 5, true, "[2 3 4 5 6]"},
		{"from nothing to many", 0, 60, true, "[0 1 2 5 10 20 50 100]"},
		{"sizes", 212, 4_600_000, true, "[100 1000 10000 100000 1e+06 1e+07]"},
		{"sizes much the same", 7800, 9100, true, "[7800 8000 8200 8400 8600 8800 9000 9200]"},
		{"an end that is an edge", 1, 100, true, "[1 2 5 10 20 50 100 200]"},
		{"shares", 0, 1, false, "[0 0.2 0.4 0.6000000000000001 0.8 1 1.2000000000000002]"},
		{"below nothing", -2, 1, false, "[-2 -1.5 -1 -0.5 0 0.5 1 1.5]"},
	} {
		if have := fmt.Sprint(edgesOf(c.least, c.largest, c.whole)); have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
}

// TestRanges holds that the ranges of numbers have all rows, and that each leads to as many rows as it says.
func TestRanges(t *testing.T) {
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, `{"messages":[%s],"quality":{"score":%v}}`+"\n", strings.TrimSuffix(strings.Repeat(`{"content":"x"},`, i), ","), float64(i%7)/6)
	}
	s := serve(t, map[string]string{"a.jsonl": text.String()}, nil)
	_, body := get(t, s, "rows")
	for _, column := range []string{"size", "turns", "score"} {
		links := regexp.MustCompile(`<a href="(rows\?max.`+column+`[^"]*)"><bdi>[^<]*</bdi></a> <span class="num">(\d+)`).FindAllStringSubmatch(body, -1)
		sum := 0
		for _, link := range links {
			n, _ := strconv.Atoi(link[2])
			sum += n
			if _, rows := get(t, s, strings.ReplaceAll(link[1], "&amp;", "&")); !strings.Contains(rows, `<strong class="num">`+link[2]+`</strong> row`) {
				t.Errorf("%s: want %s rows", link[1], link[2])
			}
		}
		if len(links) < 3 || sum != 60 {
			t.Errorf("%s: want ranges of 60 rows, have %d in %v", column, sum, links)
		}
	}
	if !strings.Contains(body, `<svg class="spread"`) {
		t.Error("want a chart of how numbers are spread")
	}
	if _, body := get(t, s, "rows?min.score="+url.QueryEscape("0.5")+"&sort=score"); !strings.Contains(body, "at least 0.5 score") {
		t.Error("want a score as the least of a range")
	}
	if status, _ := get(t, s, "rows?min.score=NaN"); status != 400 {
		t.Errorf("want no range that has no place, have %d", status)
	}
}

// TestMaskedSizes holds that the size of a row that is masked says nothing of how long what is hidden is.
func TestMaskedSizes(t *testing.T) {
	corpus := func(mails ...string) *Server {
		text := ""
		for i, mail := range mails {
			text += fmt.Sprintf(`{"messages":[{"role":"user","content":"write to %s now"}],"n":%d}`+"\n", mail, i)
		}
		return serve(t, map[string]string{"a.jsonl": text + "no JSON " + mails[0] + "\n"}, func(o *Options) { o.Subject.Title = "corpus" })
	}
	a := corpus("ann@corp-mail.io", "bartholomew.of.the.long.name@corp-mail.io", "kim@corp-mail.io")
	b := corpus("bartholomew.of.the.long.name@corp-mail.io", "kim@corp-mail.io", "a.very.long.name.indeed@corp-mail.io")
	for _, page := range []string{"rows", "rows?sort=size", "rows?sort=size&down=1", "rows?min.size=90", "rows?max.size=89", "row?at=a.jsonl:2", "row?at=a.jsonl:4", "download?sort=size"} {
		_, have := get(t, a, page)
		if _, want := get(t, b, page); have != want {
			t.Errorf("%s: want the same page of two corpora that differ in what is hidden, have (-) and (+)\n%s", page, cmp.Diff(want, have))
		}
	}
	if _, shown := get(t, a, "rows?values=shown&min.size=90"); !strings.Contains(shown, `<strong class="num">1</strong> row`) {
		t.Error("want the sizes of the rows themselves where values are shown")
	}
}
