package preview

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/survey"
	"github.com/sluicehq/sluice/plugins/chatml/template"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Renderer renders one row after the other with a chat template, for the viewer.
type Renderer struct {
	previewing
	opts    host.Options
	ctx     context.Context // of Python
	timeout time.Duration   // of a row

	mu   sync.Mutex // held while it renders
	kill context.CancelFunc
}

// NewRenderer returns a Renderer with the template at a path. Python is started with the first row, and killed when ctx ends.
func NewRenderer(ctx context.Context, path, python string, opts host.Options) *Renderer {
	opts.InProcess = true
	return &Renderer{
		previewing: previewing{Options: Options{Template: path, Target: "auto", Python: python}}, opts: opts, ctx: ctx, timeout: renderTimeout,
	}
}

const renderTimeout = 30 * time.Second // of a row

// Render renders a row, as a chat row for the template. When ctx ends or it takes too long, Python is killed until the next row.
func (t *Renderer) Render(ctx context.Context, row []byte) (*viewer.Rendering, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, t.timeout, fmt.Errorf("want a template that renders a row within %v", t.timeout))
	defer cancel()
	var process context.Context
	if t.kill == nil {
		process, t.kill = context.WithCancel(t.ctx)
	}
	stop := context.AfterFunc(ctx, t.kill)
	made, err := t.renderWith(ctx, process, row)
	if !stop() {
		t.end()
		if err != nil {
			return nil, context.Cause(ctx)
		}
	}
	return made, err
}

// renderWith renders a row. When Python is not running it is started, until the context process ends.
func (t *Renderer) renderWith(ctx, process context.Context, row []byte) (*viewer.Rendering, error) {
	if t.renderer == nil {
		file, err := template.Read(t.Template)
		if err = host.AtPath(err); err == nil {
			t.renderer, err = template.Start(process, t.Python, file)
		}
		if err != nil {
			t.end()
			return nil, err
		}
	}
	pass, err := t.pass([]string{"-"})
	if err != nil {
		return nil, err
	}
	if pass.Ready, err = isChat(); err != nil {
		return nil, err
	}
	var made *viewer.Rendering
	var refused string
	var failed error // not through the pass, which would add its own place
	pass.Out = func(r survey.Row) error {
		made, failed = t.rendering(r.JSON)
		return errEnough
	}
	pass.Reject = func(r survey.Row) error {
		var reject struct{ Code, Message string }
		if err := json.Unmarshal(r.JSON, &reject); err != nil {
			return err
		}
		refused = reject.Code + ": " + reject.Message
		return nil
	}
	opts := t.opts
	opts.Stdin = bytes.NewReader(append(bytes.Clone(row), '\n'))
	_, err = pass.Run(ctx, opts)
	switch {
	case failed != nil:
		return nil, failed
	case err != nil && !errors.Is(err, errEnough):
		return nil, err
	case made != nil:
		return made, nil
	case refused != "":
		return nil, fmt.Errorf("want a row that adapters can convert to a chat, have one that is rejected: %s", refused)
	}
	return nil, errors.New("want a row that adapters can convert to a chat, have one that none of them takes")
}

// Close ends Python once nothing is being rendered, which the end of its context ensures.
func (t *Renderer) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end()
}

// end ends Python, whatever it does. The mutex is held.
func (t *Renderer) end() {
	if t.kill != nil {
		t.kill()
	}
	if t.renderer != nil {
		_ = t.renderer.Close() // it was killed
	}
	t.renderer, t.kill = nil, nil
}

// rendering returns a chat row as the template writes it.
func (t *Renderer) rendering(row []byte) (*viewer.Rendering, error) {
	made, err := t.renderer.Render(jsontext.Of(row))
	if err != nil {
		t.end() // what it has answered halfway would be the answer to the next
		return nil, err
	}
	if made.Error != "" {
		return nil, fmt.Errorf("%s: %s", template.Codes[template.Raised], made.Error)
	}
	x := &viewer.Rendering{Exact: made.Exact}
	for _, part := range made.Segments {
		x.Segments = append(x.Segments, viewer.Segment{Trained: part.Trained, Text: part.Text})
	}
	for _, l := range template.Losses(jsontext.Of(row), made) {
		x.Losses = append(x.Losses, l.Path+": "+template.Codes[l.Code])
	}
	return x, nil
}
