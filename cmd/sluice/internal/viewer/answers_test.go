package viewer

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host/trace"
)

// TestPanic holds that a search for bytes that are no text has an answer, and that a fault has a page that says nothing of rows.
func TestPanic(t *testing.T) {
	s := serve(t, map[string]string{"a.jsonl": "{}\n"}, func(o *Options) {
		o.Templates = []Template{{Name: "t", Render: func(context.Context, []byte) (*Rendering, error) { panic("secret") }}}
	})
	if status, body := get(t, s, "rows?q=%ff"); status != 200 || !strings.Contains(body, "</html>") {
		t.Errorf("want a page, have %d", status)
	}
	status, body := get(t, s, "row?at=a.jsonl:1&as=tokens")
	if status != 500 || !strings.Contains(body, "sluice view failed") || strings.Contains(body, "secret") {
		t.Errorf("want the page of a fault, have %d:\n%s", status, body)
	}
}

// TestGone holds that a file that is gone takes its own rows away from lists and from the rows of one record, and no others.
func TestGone(t *testing.T) {
	reject := `{"code":"bad","message":"%s","path":"","step":"s.t","plugin":"p","file":"in.jsonl","line":3,"record":{}}` + "\n"
	s := serve(t, map[string]string{"a.jsonl": fmt.Sprintf(reject, "kept"), "b.jsonl": fmt.Sprintf(reject, "gone")}, nil)
	if err := os.Remove(s.Subject.Files[1].Path); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"rows", "row?at=a.jsonl:1"} {
		status, body := get(t, s, page)
		if status != 200 || !strings.Contains(body, "kept") || !strings.Contains(body, "cannot be read") {
			t.Errorf("%s: want the row that is there and a word for the other, have %d:\n%s", page, status, body)
		}
	}
}

// TestGivenUp holds that work that was given up while somebody still waits for its page has a page that says so.
func TestGivenUp(t *testing.T) {
	reject := `{"code":"bad","message":"m","path":"","step":"s.t","plugin":"p","file":"in.jsonl","line":3,"record":{}}` + "\n"
	s := serve(t, map[string]string{"a.jsonl": reject}, func(o *Options) {
		o.Templates = []Template{{Name: "t", Render: func(context.Context, []byte) (*Rendering, error) { return nil, context.Canceled }}}
		o.Explain = func(context.Context, trace.Selection) (*trace.Trace, error) { return nil, context.Canceled }
	})
	for _, as := range []string{asTokens, asSteps} {
		if status, body := get(t, s, "row?at=a.jsonl:1&as="+as); status != 503 || !strings.Contains(body, "was stopped") {
			t.Errorf("%s: want a page that says so, have %d:\n%s", as, status, body)
		}
	}
}

// TestCloseWaits holds that no comparison goes on behind the end of the server, and that none begins there.
func TestCloseWaits(t *testing.T) {
	subject := func() *Subject {
		x, err := Open("../../../../examples/corpus")
		if err != nil {
			t.Fatal(err)
		}
		x.Path = t.TempDir() // where no run is
		return x
	}
	for _, closed := range []bool{false, true} {
		s, err := New(t.Context(), Options{Subject: subject(), Against: subject(), Token: token, Cache: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		var c *comparison
		if !closed {
			c = s.differences()
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if closed {
			c = s.differences()
		}
		select {
		case <-c.done:
		default:
			t.Errorf("want no comparison behind the end, begun behind it: %v", closed)
		}
		if c.err == nil {
			t.Errorf("want an error of no runs, have %+v", c.found)
		}
	}
}

// TestTheme holds that a page comes in the theme that was chosen on another, before any script runs, and in no other.
func TestTheme(t *testing.T) {
	s := serve(t, map[string]string{"a.jsonl": "{}\n"}, func(o *Options) {
		o.Report = func(theme, script string) ([]byte, error) { return []byte(theme + " " + script), nil }
	})
	for cookie, want := range map[string]string{"dark": ` data-theme="dark">`, "light": ` data-theme="light">`, "auto": `<html lang="en">`, "<b>": `<html lang="en">`} {
		for _, page := range []string{"", "rows", "row?at=a.jsonl:1", "no-page"} {
			r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:1234/"+token+"/"+page, nil)
			r.AddCookie(&http.Cookie{Name: "sluice-theme", Value: cookie})
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s with %s: want %s, have\n%.200s", page, cookie, want, w.Body)
			}
		}
	}
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:1234/"+token+"/report", nil)
	r.AddCookie(&http.Cookie{Name: "sluice-theme", Value: "dark"})
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	if w.Body.String() != "dark report.js" {
		t.Errorf("want the report in the same theme, have %q", w.Body)
	}
}
