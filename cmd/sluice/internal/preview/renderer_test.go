package preview

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/plugins/chatml/template"
	"github.com/sluicehq/sluice/plugins/chatml/template/templatetest"
)

// TestEndless holds that a template that does not end is ended, by its time or by who waits for it, and that the next row is
// rendered all the same.
func TestEndless(t *testing.T) {
	templatetest.Need(t)
	path := filepath.Join(t.TempDir(), "chat_template.jinja")
	text := `{% if messages[0].content == "loop" %}{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}{% endif %}` +
		`{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := template.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	python, err := template.Start(t.Context(), "", file)
	if err != nil {
		t.Fatal(err)
	}
	if err := python.Close(); err != nil {
		t.Error(err)
	}
	const loop = `{"messages":[{"role":"user","content":"loop"},{"role":"assistant","content":"b"}]}`
	const row = `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`
	r := NewRenderer(t.Context(), path, "", host.Options{BuiltIns: plugins.All})
	r.timeout = time.Millisecond
	defer r.Close()
	if _, err := r.Render(t.Context(), []byte(loop)); err == nil || !strings.Contains(err.Error(), "that renders a row within 1ms") {
		t.Errorf("want its time told, have %v", err)
	}
	r.timeout = renderTimeout
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := r.Render(ctx, []byte(loop)); err == nil {
		t.Error("want nothing for who has left, have a rendering")
	}
	if made, err := r.Render(t.Context(), []byte(row)); err != nil || len(made.Segments) == 0 {
		t.Errorf("want the next row rendered, have %+v, %v", made, err)
	}
}
