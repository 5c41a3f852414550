package view

import (
	"context"
	"strings"
	"testing"
)

// TestPanic holds that a search for bytes that are no text has an answer, and that a fault has a page that says nothing of rows.
func TestPanic(t *testing.T) {
	s := serve(t, map[string]string{"a.jsonl": "{}\n"}, func(o *Options) {
		o.Templates = []Template{{Name: "t", Render: func(context.Context, []byte) (*Rendering, error) { panic("secret") }}}
	})
	if status, body := get(t, s, "rows?q=%ff"); status != 200 || !strings.Contains(body, "</html>") {
		t.Errorf("want a page, have %d", status)
	}
	if status, body := get(t, s, "row?at=a.jsonl:1&as=tokens"); status != 500 || !strings.Contains(body, "fault of sluice view") || strings.Contains(body, "secret") {
		t.Errorf("want the page of a fault, have %d:\n%s", status, body)
	}
}
