package viewer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/trace"
)

// TestEveryRow holds that there is a page of every row of the example corpus, and of the real ones when they are there, in every
// way to look at it, and that no value is left that a template could not show.
func TestEveryRow(t *testing.T) {
	for _, dir := range []string{"../../../../examples/corpus", "../../../../../shared/corpus"} {
		subject, err := Open(dir)
		if errors.Is(err, os.ErrNotExist) {
			continue // the real corpora stand beside the repository
		}
		if err != nil {
			t.Fatal(err)
		}
		s := serveSubject(t, subject, nil)
		if err := s.index.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		found, err := s.index.Find(rows.Query{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := found.Page(0, 200)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range all {
			at := url.QueryEscape(fmt.Sprintf("%s:%d", row.Name, row.Line))
			for _, page := range []string{"row?at=" + at, "row?as=json&at=" + at, "value?at=" + at} {
				status, body := get(t, s, page)
				if status != 200 || !strings.Contains(body, "</html>") || strings.Contains(body, "ZgotmplZ") {
					t.Errorf("%s: want a page, have %d:\n%s", page, status, body)
				}
			}
		}
	}
}

// TestRows holds what a search finds, and what it is told when it is wrong.
func TestRows(t *testing.T) {
	s := serve(t, map[string]string{"a.jsonl": `{"messages":[{"role":"user","content":"Remind me"}],"split":"train","n":{"x":1}}
{"messages":[{"role":"user","content":"call"},{"role":"assistant","content":"ok"}],"split":"val","n":{"x":2}}
{"code":"bad","message":"want less","path":"","step":"s.t","plugin":"p","file":"in.jsonl","line":3,"record":{"n":{"x":1}}}
`}, nil)
	for _, c := range []struct {
		reason, page string
		status       int
		want, not    string
	}{
		{"everything", "rows", 200, `<strong class="num">3</strong> rows`, "so far"},
		{"a text, whatever its case", "rows?q=REMIND", 200, `<mark class="hit">Remind</mark> me`, ":2</a>"},
		{"a path", "rows?where=n.x=2", 200, `<strong class="num">1</strong> row`, "Remind"},
		{"a word", "rows?in.split=val", 200, `<strong class="num">1</strong> row`, "Remind"},
		{"two words", "rows?in.split=val&in.split=train", 200, `<strong class="num">2</strong> row`, "want less"},
		{"a code", "rows?in.code=bad", 200, "want less", "Remind"},
		{"a range", "rows?min.turns=2", 200, `<strong class="num">1</strong> row`, "Remind"},
		{"nothing", "rows?q=nowhere", 200, "No row matches.", "Remind"},
		{"behind the end", "rows?from=1000", 200, `<strong class="num">3</strong> rows`, "Remind"},
		{"no such column", "rows?sort=x", 400, "want a column", "Remind"},
		{"a range of no number", "rows?min.size=x", 400, "want a number", "Remind"},
		{"a place of no number", "rows?from=-1", 400, "want a whole number", "Remind"},
		{"the next row of a search", "row?at=a.jsonl:1&q=e", 200, `rel="next" href="row?`, ""},
		{"a row that is not there", "row?at=a.jsonl:9", 404, "None of the files that are shown here has this row", ""},
		{"no row", "row?at=a.jsonl", 400, "want FILE:LINE", ""},
		{"no way to look", "row?at=a.jsonl:1&as=x", 400, "want talk, json, tokens or steps", ""},
		{"a path that leads nowhere", "value?at=a.jsonl:1&path=x", 400, "want one that leads to a value", ""},
		{"the answer beside the question", "rows?in.split=val", 200, `<td class="says answer"><bdi dir="auto">ok</bdi></td>`, ""},
		{"a value that is marked", "row?at=a.jsonl:2&as=json&path=n.x", 200, `here" id="here">`, "No value of the row"},
		{"a value by a query", "row?at=a.jsonl:2&as=json&path=messages.%23(role==\"user\").content", 200, "call", "No value of the row"},
		{"no such value", "row?at=a.jsonl:2&as=json&path=n.y", 200, "No value of the row has this path.", ""},
		{"a page of turns of no number", "row?at=a.jsonl:2&turn=x", 400, "want a whole number", ""},
		{"a value as text", "raw?at=a.jsonl:2&path=messages.0.content", 200, "call", "<"},
		{"rows to take along", "download?q=call", 200, `"split":"val","n":{"x":2}}` + "\n", "Remind"},
		{"no second run", "compare", 400, "want two runs, have one", ""},
	} {
		status, body := get(t, s, c.page)
		for strings.Contains(body, " data-live=") && t.Context().Err() == nil { // it is searched still
			status, body = get(t, s, c.page)
		}
		if status != c.status || !strings.Contains(body, c.want) || c.not != "" && strings.Contains(body, c.not) {
			t.Errorf("%s: want %d with %q and without %q, have %d:\n%s", c.reason, c.status, c.want, c.not, status, body)
		}
	}
}

// TestShortAddresses holds that fields which nobody has filled in are left out of the address, and that a word for none is not.
func TestShortAddresses(t *testing.T) {
	s := serve(t, map[string]string{"a.jsonl": "{}\n"}, nil)
	for page, want := range map[string]string{
		"rows?q=x&where=&sort=&min.size=&max.size=": "rows?q=x",
		"rows?q=&where=":         "rows",
		"rows?q=&in.split=":      "rows?in.split=",
		"rows?in.split=":         "",
		"rows?q=x&from=50&sort=": "rows?from=50&q=x",
	} {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1:1234/"+token+"/"+page, nil))
		if have := w.Header().Get("Location"); have != want {
			t.Errorf("%s: want to be led to %q, have %q", page, want, have)
		}
	}
}

// TestDownload holds that all rows of a search leave in its order, masked unless values are shown, each on its line, and that what
// cannot be masked is null.
func TestDownload(t *testing.T) {
	var text strings.Builder
	for i := range downloadRows + 20 {
		fmt.Fprintf(&text, `{"n":%d,"mail":"ann%d@corp-mail.io"}`+"\n", i, i)
	}
	text.WriteString("no row of ann@corp-mail.io\n")
	text.WriteString(`{"a":"` + strings.Repeat("long ", mostWhole/5) + `"}` + "\n")
	s := serve(t, map[string]string{"a.jsonl": text.String()}, nil)
	status, masked := get(t, s, "download?sort=path:n&down=1")
	lines := strings.Split(masked, "\n")
	if status != 200 || len(lines) != downloadRows+23 || !strings.HasPrefix(lines[0], fmt.Sprintf(`{"n":%d,`, downloadRows+19)) || lines[downloadRows+21] != unmasked {
		t.Errorf("want %d rows from the last, have %d of %d: %.80q", downloadRows+22, status, len(lines)-1, lines[0])
	}
	if strings.Contains(masked, "corp-mail") {
		t.Error("want no address in a download of masked rows")
	}
	if _, shown := get(t, s, "download?values=shown"); shown != text.String() {
		t.Error("want the rows as they are, where values are shown")
	}
	if _, raw := get(t, s, "raw?at=a.jsonl:1&path=mail"); strings.Contains(raw, "corp-mail") {
		t.Errorf("want the address masked, have %q", raw)
	}
}

// TestLong holds that a long text is cut and can be read on to its end, and that a row of any size has a page of little more than
// nothing.
func TestLong(t *testing.T) {
	text := strings.Repeat("0123456789 ", 30_000)
	huge := `{"a":"` + strings.Repeat("long ", mostWhole/5) + `"}`
	s := serve(t, map[string]string{"a.jsonl": `{"messages":[{"role":"user","content":"` + text + `"}]}` + "\n" + huge + "\n"}, nil)
	for _, page := range []string{"row?at=a.jsonl:1", "row?at=a.jsonl:1&as=json", "row?at=a.jsonl:2", "row?at=a.jsonl:2&as=json", "value?at=a.jsonl:2", "rows"} {
		if status, body := get(t, s, page); status != 200 || len(body) > 4*mostPiece {
			t.Errorf("%s: want a page of at most %d bytes, have %d of %d", page, 4*mostPiece, status, len(body))
		}
	}
	row, err := find(t.Context(), s.index, "a.jsonl:1")
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []bool{true, false} {
		var all strings.Builder
		value, err := s.valueText(t.Context(), row, "messages.0.content", shown)
		if err != nil {
			t.Fatal(err)
		}
		for from := 0; from < len(value); from += mostPiece {
			begin, end := pieceAt(value, from)
			all.WriteString(value[begin:end])
		}
		if all.String() != text {
			t.Errorf("want the parts to be the text, shown %v, have %d bytes of %d", shown, all.Len(), len(text))
		}
	}
}

// TestSteps holds that what has gone wrong on the way is told on the page, and that the record of a reject is taken from it when
// its file is gone.
func TestSteps(t *testing.T) {
	var asked trace.Input
	s := serve(t, map[string]string{"rejects.jsonl": `{"code":"bad","message":"m","path":"","step":"s.t","plugin":"p","file":"gone.jsonl","line":3,"record":{"n":1}}` + "\n"}, func(o *Options) {
		o.Explain = func(_ context.Context, pick trace.Selection) (*trace.Trace, error) {
			asked = pick.Records[0]
			return nil, errors.New("want the pipeline as it was")
		}
	})
	if _, body := get(t, s, "row?at=rejects.jsonl:1&as=steps"); !strings.Contains(body, "want the pipeline as it was") {
		t.Errorf("want the error on the page, have\n%s", body)
	}
	if asked.File != "gone.jsonl" || asked.Line != 3 || !bytes.Equal(asked.JSON, []byte(`{"n":1}`)) {
		t.Errorf("want the record of the reject, have %+v", asked)
	}
}

// TestOfLine holds that of several records on one line the page of a row shows the way of its own.
func TestOfLine(t *testing.T) {
	s := serve(t, map[string]string{"a.jsonl": "{}\n"}, func(o *Options) {
		o.Explain = func(_ context.Context, pick trace.Selection) (*trace.Trace, error) {
			x := &trace.Trace{}
			for i, w := range pick.Records {
				passed := trace.Visit{Kind: "transform", Name: fmt.Sprintf("record%d", i)}
				read := trace.State{JSON: []byte("{}")}
				x.Records = append(x.Records, &trace.Record{File: w.File, Line: w.Line, Read: read, Visits: []trace.Visit{passed}})
			}
			return x, nil
		}
	})
	row, err := find(t.Context(), s.index, "a.jsonl:1")
	if err != nil {
		t.Fatal(err)
	}
	row.Origin = &host.Origin{File: "in.jsonl", Line: 4, OfLine: 2}
	_, pick, err := s.trace(t.Context(), row)
	if err != nil || len(pick.Records) != 3 || pick.Records[2].Line != 4 {
		t.Fatalf("want the line three times, have %+v, %v", pick, err)
	}
	stops, _, err := s.steps(t.Context(), row, true)
	if err != nil || len(stops) != 1 || !strings.Contains(stops[0].Name, "record2") {
		t.Errorf("want the way of the third record, have %+v, %v", stops, err)
	}
}

// TestLook holds what arguments stand for.
func TestLook(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a/x.jsonl": "{}\n", "b/x.jsonl": "{}\n", "b/.hidden/y.jsonl": "{}\n", "b/note.md": "x", "empty/note.md": "x", "no.json": "{}"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		reason string
		paths  []string
		want   string // names, or the error
	}{
		{"a folder", []string{"."}, "a/x.jsonl b/x.jsonl"},
		{"two files of one name", []string{"a/x.jsonl", "b/x.jsonl"}, "x.jsonl x.jsonl (2)"},
		{"a folder without rows", []string{"empty"}, "want a run, or files named"},
		{"nothing", []string{"c"}, "have nothing at"},
		{"a document that is no receipt", []string{"no.json"}, "want the receipt of a run"},
	} {
		var paths, names []string
		for _, p := range c.paths {
			paths = append(paths, filepath.Join(dir, p))
		}
		have := ""
		if x, err := Open(paths...); err != nil {
			have = err.Error()
		} else {
			for _, f := range x.Files {
				names = append(names, f.Name)
			}
			have = strings.Join(names, " ")
		}
		if !strings.Contains(have, c.want) {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

// TestNotYet holds that a search which has found nothing yet says that, and no 0, and that a browser without scripts asks again.
func TestNotYet(t *testing.T) {
	w := httptest.NewRecorder()
	l := rowsPage{pageFrame: pageFrame{Title: "Rows", Rows: "rows?q=x", Live: true, Again: true}, Progress: "5 of 9 rows are searched"}
	if err := render(w, "rows.html", &l); err != nil {
		t.Fatal(err)
	}
	body := w.Body.String()
	for _, want := range []string{"Searching…", "5 of 9 rows are searched, none is found so far", `<noscript><meta http-equiv="refresh" content="1"></noscript>`, ` data-live="yes"`} {
		if !strings.Contains(body, want) {
			t.Errorf("want %q, have\n%s", want, body)
		}
	}
	for _, not := range []string{`<strong class="num">0`, "No row matches", "download"} {
		if strings.Contains(body, not) {
			t.Errorf("want no %q while the search goes on", not)
		}
	}
}

// TestPairNotYet holds that a page of a record in both runs says so while rows may be missing.
func TestPairNotYet(t *testing.T) {
	w := httptest.NewRecorder()
	p := pairPage{pageFrame: pageFrame{Title: pairTitle, Live: true, Again: true}, Self: "pair?at=a%3A1", Pairs: []pair{{Name: "train.jsonl", A: &sideRow{Line: 1}}}}
	if err := render(w, "pair.html", &p); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`so rows may be missing. <a href="pair?at=a%3A1">`, "only in A", ` data-live="yes"`, `content="1"`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("want %q, have\n%s", want, w.Body)
		}
	}
}

// TestWhole holds that a page of two runs waits for both of them, and no longer than it is asked for.
func TestWhole(t *testing.T) {
	s := serve(t, map[string]string{"a.jsonl": "{}\n"}, nil)
	never, indexed := &rows.Index{}, s.index // never begins
	asked, leave := context.WithCancel(t.Context())
	leave()
	for _, c := range []struct {
		reason      string
		of, against *rows.Index
		want        bool
	}{
		{"both are indexed", indexed, indexed, true},
		{"the first is not", never, indexed, false},
		{"the second is not", indexed, never, false},
	} {
		if have := (&Server{index: c.of, against: c.against}).whole(asked); have != c.want {
			t.Errorf("%s: want %v, have %v", c.reason, c.want, have)
		}
	}
}
