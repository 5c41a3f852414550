package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sluicehq/sluice/cmd/sluice/internal/veil"
	"github.com/sluicehq/sluice/cmd/sluice/internal/view"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/plugins/chatml/template"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A templating renders one row after the other by a chat template. One goroutine uses it.
type templating struct {
	previewing
	out *report
}

// render renders a chat row as it stands, and any other as a chat row for the template.
func (t *templating) render(ctx context.Context, row []byte) (*view.Rendering, error) {
	if t.renderer == nil {
		file, err := template.Read(t.template)
		if err != nil {
			return nil, err
		}
		if t.renderer, err = template.Start(context.WithoutCancel(ctx), t.python, file); err != nil {
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
	var made *view.Rendering
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
		BuiltIns: plugins.All, Version: version(), InProcess: true, Stdin: bytes.NewReader(append(bytes.Clone(row), '\n')), Log: t.out.plugin, MaskName: veil.Name,
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

// close ends Python.
func (t *templating) close() {
	if t.renderer != nil {
		_ = t.renderer.Close()
		t.renderer = nil
	}
}

// rendering is a chat row as the template writes it.
func (t *templating) rendering(row []byte) (*view.Rendering, error) {
	made, err := t.renderer.Render(jsontext.Of(row))
	if err != nil {
		t.close() // what it has answered halfway would be the answer to the next
		return nil, err
	}
	if made.Error != "" {
		return nil, fmt.Errorf("%s: %s", template.Codes[template.Raised], made.Error)
	}
	x := &view.Rendering{Exact: made.Exact}
	for _, part := range made.Segments {
		x.Segments = append(x.Segments, view.Segment{Trained: part.Trained, Text: part.Text})
	}
	for _, l := range template.Losses(jsontext.Of(row), made) {
		x.Losses = append(x.Losses, l.Path+": "+template.Codes[l.Code])
	}
	return x, nil
}
