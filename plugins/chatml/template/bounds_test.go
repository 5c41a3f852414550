package template

import (
	"strings"
	"testing"
	"time"

	"github.com/sluicehq/sluice/plugins/chatml/template/templatetest"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// limit lets templates take less memory than outside of tests, so that those that take too much fail soon.
func limit(t *testing.T) {
	t.Helper()
	templatetest.Need(t)
	const most = "most_memory = 2 << 30\n"
	if !strings.Contains(script, most) {
		t.Fatalf("want %q in the script", most)
	}
	whole := script
	t.Cleanup(func() { script = whole })
	script = strings.Replace(script, most, "most_memory = 256 << 20\n", 1)
}

// TestBounds protects the machine from a template that does not end, and from one that takes all memory.
func TestBounds(t *testing.T) {
	limit(t)
	f := &File{Templates: map[string]string{defaultName: `{% set said = messages[0].content %}` +
		`{% if said == "loop" %}{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}` +
		`{% elif said == "constant" %}{{ "x" * 8000000000 }}` + // Jinja2 computes it when it compiles
		`{% elif said == "product" %}{{ said * 2000000000 }}` +
		`{% else %}{{ said }}{% endif %}`}}
	r, err := Start(t.Context(), "", f)
	if err != nil {
		t.Fatal(err)
	}
	row := func(text string) jsontext.JSON {
		return jsontext.JSON(`{"messages":[{"role":"user","content":"` + text + `"}]}`)
	}
	for _, text := range []string{"constant", "product"} {
		if made, err := r.Render(row(text)); err != nil || !strings.HasPrefix(made.Error, "MemoryError") {
			t.Errorf("want a %s of 8 GB and more refused, have %+v, %v", text, made, err)
		}
	}
	if made, err := r.Render(row("hello")); err != nil || made.Text() != "hello" {
		t.Errorf("want the next row rendered, have %+v, %v", made, err)
	}
	r.patience = 100 * time.Millisecond
	if _, err = r.Render(row("loop")); err == nil || !strings.Contains(err.Error(), "want a template that renders a row within 100ms") {
		t.Errorf("want a template that does not end ended, have %v", err)
	}
	_ = r.Close()
}

// TestBoundsCompiling holds that a template that takes too much memory while it is compiled is refused with words: its text has room for
// the constant, but not for what Jinja2 makes of it.
func TestBoundsCompiling(t *testing.T) {
	limit(t)
	r, err := Start(t.Context(), "", &File{Templates: map[string]string{defaultName: `{{ "x" * 200000000 }}`}})
	if err == nil {
		_ = r.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "MemoryError: a template that takes more than 256 MiB before it renders a row") {
		t.Errorf("want the template refused, have %v", err)
	}
}
