package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/sluicehq/sluice/cmd/sluice/internal/terminal"
	"github.com/sluicehq/sluice/host"
)

// progress is how progress is told, nil for not at all.
func (r *report) progress(mode string) (func(host.Progress), error) {
	switch mode {
	case "off":
		return nil, nil
	case "auto":
		if screen, ok := terminal.Open(r.err, os.Getenv); ok && r.log == nil {
			r.screen = screen
			return screen.Show, nil
		}
	case "plain":
	default:
		return nil, fmt.Errorf("--progress: want auto, plain or off, have %q", mode)
	}
	if r.log != nil {
		return r.log.progress(), nil
	}
	return terminal.NewLines(func(l terminal.Line) { r.say("%s", l) }).Show, nil
}

// endProgress takes away what shows how far a run is.
func (r *report) endProgress() {
	if r.screen != nil {
		r.screen.End()
	}
}

// rows is stdout for the sinks of a run. Rows that run through a terminal show by themselves how far it is, and the live
// lines would stand among them.
func (r *report) rows() io.Writer {
	if file, ok := r.out.(*os.File); ok && r.screen != nil && term.IsTerminal(int(file.Fd())) {
		return endsProgress{r}
	}
	return r.out
}

type endsProgress struct{ *report }

func (w endsProgress) Write(rows []byte) (int, error) {
	w.endProgress()
	return w.out.Write(rows)
}
