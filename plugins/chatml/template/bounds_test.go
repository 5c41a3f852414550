package template

import (
	"strings"
	"testing"
	"time"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestBounds protects the machine from a template that does not end, and from one that takes all memory.
func TestBounds(t *testing.T) {
	f := &File{Templates: map[string]string{defaultName: `{% if messages[0].content == "loop" %}{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}` +
		`{% elif messages[0].content == "grow" %}{{ "x" * 8000000000 }}{% else %}{{ messages[0].content }}{% endif %}`}}
	r, err := Start(t.Context(), "", f)
	if err != nil {
		t.Skip(err)
	}
	row := func(text string) jsontext.JSON {
		return jsontext.JSON(`{"messages":[{"role":"user","content":"` + text + `"}]}`)
	}
	made, err := r.Render(row("grow"))
	if err != nil || !strings.HasPrefix(made.Error, "MemoryError") {
		t.Errorf("want a template that takes 8 GB refused, have %+v, %v", made, err)
	}
	if made, err = r.Render(row("hello")); err != nil || made.Text() != "hello" {
		t.Errorf("want the next row rendered, have %+v, %v", made, err)
	}
	r.patience = 100 * time.Millisecond
	if _, err = r.Render(row("loop")); err == nil || !strings.Contains(err.Error(), "want a template that renders a row within 100ms") {
		t.Errorf("want a template that does not end ended, have %v", err)
	}
	_ = r.Close()
}
