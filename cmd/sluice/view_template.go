package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/plugins/chatml/template"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A templating renders one row after the other by a chat template.
type templating struct {
	previewing
	out     *report
	life    context.Context // of Python
	longest time.Duration   // that a row may take

	mu   sync.Mutex // held while it renders
	kill context.CancelFunc
}

// longestRendering is how long a template may take for a row.
const longestRendering = 30 * time.Second

// render renders a chat row as it stands, and any other as a chat row for the template. Python is killed when it takes too long
// or nobody waits for it any more; the next row gets another.
func (t *templating) render(ctx context.Context, row []byte) (*viewer.Rendering, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, t.longest, fmt.Errorf("want a template that takes at most %v for a row, have one that does not end", t.longest))
	defer cancel()
	var life context.Context
	if t.kill == nil {
		life, t.kill = context.WithCancel(t.life)
	}
	stop := context.AfterFunc(ctx, t.kill)
	made, err := t.renderWith(ctx, life, row)
	if !stop() {
		t.end()
		if err != nil {
			return nil, context.Cause(ctx)
		}
	}
	return made, err
}

// renderWith renders a row. Python, when there is none yet, is started for the life that is given.
func (t *templating) renderWith(ctx, life context.Context, row []byte) (*viewer.Rendering, error) {
	if t.renderer == nil {
		file, err := template.Read(t.template)
		if err == nil {
			t.renderer, err = template.Start(life, t.python, file)
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
	var failed error // not by the way of the pass, which would say where in itself it was
	pass.Out = func(r host.Row) error {
		made, failed = t.rendering(r.JSON)
		return errEnough
	}
	pass.Reject = func(r host.Row) error {
		var reject struct{ Code, Message string }
		if err := json.Unmarshal(r.JSON, &reject); err != nil {
			return err
		}
		refused = reject.Code + ": " + reject.Message
		return nil
	}
	_, err = pass.Run(ctx, host.Options{
		BuiltIns: plugins.All, Version: version(), InProcess: true, Stdin: bytes.NewReader(append(bytes.Clone(row), '\n')), Log: t.out.plugin, MaskName: mask.Name,
	})
	switch {
	case failed != nil:
		return nil, failed
	case err != nil && !errors.Is(err, errEnough):
		return nil, err
	case made != nil:
		return made, nil
	case refused != "":
		return nil, fmt.Errorf("want a row that a chat can be made of, have one that is rejected: %s", refused)
	}
	return nil, errors.New("want a row that a chat can be made of, have one that no adapter takes")
}

// close ends Python once nothing is rendered any more, which the end of its life sees to.
func (t *templating) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end()
}

// end ends Python, whatever it does. The mutex is held.
func (t *templating) end() {
	if t.kill != nil {
		t.kill()
	}
	if t.renderer != nil {
		_ = t.renderer.Close() // it was killed
	}
	t.renderer, t.kill = nil, nil
}

// rendering is a chat row as the template writes it.
func (t *templating) rendering(row []byte) (*viewer.Rendering, error) {
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
