package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/sluicehq/sluice/cmd/sluice/internal/terminal"
	"github.com/sluicehq/sluice/host"
)

// Progress returns what shows the progress of a run, nil for nothing.
func (p *Printer) Progress(mode string) (func(host.Progress), error) {
	switch mode {
	case "off":
		return nil, nil
	case "auto":
		if screen, ok := terminal.Open(p.err, os.Getenv); ok && p.log == nil {
			p.screen = screen
			return screen.Show, nil
		}
	case "plain":
	default:
		return nil, fmt.Errorf("--progress: want auto, plain or off, have %q", mode)
	}
	if p.log != nil {
		return p.log.progress(), nil
	}
	return terminal.NewLines(func(l terminal.Line) { p.Say("%s", l) }).Show, nil
}

// EndProgress removes what shows the progress of a run.
func (p *Printer) EndProgress() {
	if p.screen != nil {
		p.screen.End()
	}
}

// Rows returns stdout for the sinks of a run. On a terminal the first rows end the progress, which would be drawn among them.
func (p *Printer) Rows() io.Writer {
	if p.screen != nil && isTerminal(p.out) {
		return endsProgress{p}
	}
	return stdout{p, rowsTo(p.out)}
}

type endsProgress struct{ *Printer }

func (w endsProgress) Write(rows []byte) (int, error) {
	w.EndProgress()
	return w.Out().Write(rows)
}
