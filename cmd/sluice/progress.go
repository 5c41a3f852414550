package main

import (
	"fmt"
	"os"
	"time"

	"github.com/cheggaaa/pb/v3"
	"golang.org/x/term"

	"github.com/sluicehq/sluice/host"
)

// progress is how progress is told, nil for not at all.
func (r *report) progress(mode string) (func(host.Progress), error) {
	file, ok := r.err.(*os.File)
	switch {
	case mode == "off":
		return nil, nil
	case r.log != nil:
		return r.logProgress, nil
	case mode == "plain", mode == "auto" && !(ok && term.IsTerminal(int(file.Fd()))):
		r.plain = time.Now()
		return r.plainProgress, nil
	case mode == "auto":
		return r.barProgress, nil
	}
	return nil, fmt.Errorf("--progress: want auto, plain or off, have %q", mode)
}

// plainEvery is how often a plain line tells how far a run is.
const plainEvery = 5 * time.Second

func (r *report) logProgress(p host.Progress) {
	if time.Since(r.plain) >= plainEvery {
		r.plain = time.Now()
		r.log.progress(p)
	}
}

func (r *report) plainProgress(p host.Progress) {
	if time.Since(r.plain) < plainEvery {
		return
	}
	r.plain = time.Now()
	line := fmt.Sprintf("%s records, %s", group(p.Records), size(p.Bytes))
	if p.Total > 0 {
		line += fmt.Sprintf(" of %s (%d%%)", size(p.Total), min(p.Bytes*100/p.Total, 99))
	}
	line += ", " + rate(p.Bytes, p.Elapsed)
	if 0 < p.Bytes && p.Bytes < p.Total {
		line += ", about " + (time.Duration(float64(p.Elapsed) * float64(p.Total-p.Bytes) / float64(p.Bytes))).Round(time.Second).String() + " left"
	}
	r.say("%s%s", line, holding(p))
}

// holding names the step that a run waits for, once that is worth knowing.
func holding(p host.Progress) string {
	if p.Held < 2*time.Second {
		return ""
	}
	return fmt.Sprintf(", held by step %s for %s", p.Step, p.Held.Round(time.Second))
}

func (r *report) barProgress(p host.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bar == nil {
		r.bar = pb.New64(p.Total).Set(pb.Static, true).Set(pb.Bytes, true).SetTemplateString(barTemplate).SetWriter(r.err)
	}
	done := p.Bytes
	if p.Total > 0 { // the end of the input is not the end of the run
		done = min(done, p.Total-p.Total/100)
	}
	r.bar.SetTotal(p.Total).SetCurrent(done).Set("records", group(p.Records)+" records"+holding(p))
	r.clearBar()
	fmt.Fprint(r.err, r.bar.String())
}

// barTemplate is drawn anew with every progress, by who tells it: the bar has no goroutine of its own.
const barTemplate = `{{string . "records"}} {{counters . }} {{bar . }} {{percent . }} {{speed . }} {{rtime . "ETA %s"}}`

// clearBar takes the bar off the line that it stands on.
func (r *report) clearBar() {
	if r.bar != nil {
		fmt.Fprint(r.err, "\r\x1b[K")
	}
}

func (r *report) endProgress() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clearBar()
	r.bar = nil
}
