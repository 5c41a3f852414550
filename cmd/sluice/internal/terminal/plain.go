package terminal

import (
	"fmt"
	"strings"
	"time"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/percent"
	"github.com/sluicehq/sluice/host/plural"
)

const every = 5 * time.Second

// A Line is how far a run is at one time.
type Line struct {
	Records, Bytes, Total, Rejected int64         // Records that have left the run, and as Bytes of the input; Total of it, 0 when it is not known
	Rate                            float64       // bytes by the second, of the last seconds
	Left                            time.Duration // 0 when it is not known
	Held                            string        // what holds the run and how, empty when nothing does
}

// String returns the line as a person reads it.
func (l Line) String() string {
	size := amount(l.Bytes, l.Total)
	if l.Total > 0 {
		size += " (" + done(l.Bytes, l.Total) + ")"
	}
	parts := []string{plural.Of(l.Records, "record"), size, rate(l.Rate)}
	if l.Left > 0 {
		parts = append(parts, "about "+clock(l.Left)+" left")
	}
	if l.Rejected > 0 {
		parts = append(parts, plural.Count(l.Rejected)+" rejected")
	}
	if l.Held != "" {
		parts = append(parts, l.Held)
	}
	return strings.Join(parts, ", ")
}

// Lines reports how far a run is, with a line every five seconds, where nothing can be redrawn.
type Lines struct {
	say  func(Line)
	past history
	last time.Duration
}

// NewLines returns Lines that are written by a function.
func NewLines(say func(Line)) *Lines { return &Lines{say: say} }

// Show takes the progress of a run. One goroutine calls it.
func (l *Lines) Show(p host.Progress) {
	l.past.add(p)
	if !l.past.begun() {
		l.last = p.Elapsed
	}
	if p.Elapsed-l.last < every {
		return
	}
	l.last = p.Elapsed
	x := l.past.pace()
	line := Line{Records: p.DoneRecords, Bytes: p.DoneBytes, Total: p.Total, Rejected: format.Total(p.Rejected), Rate: x.bytes, Left: x.left}
	if x.held.Name != "" {
		line.Held = held(x.held)
	}
	l.say(line)
}

func amount(bytes, total int64) string {
	if total == 0 {
		return format.Size(bytes)
	}
	return fmt.Sprintf("%s of %s", format.Size(bytes), format.Size(total))
}

// done returns how far a run is, in whole percent, empty when that is not known. When all has left it, the files are still to get their names.
func done(bytes, total int64) string {
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("%d%%", min(bytes*100/total, 99))
}

func rate(bytes float64) string { return format.Size(int64(bytes)) + "/s" }

func busy(share float64) string { return percent.Share(share, 0) }

// clock returns a time in whole seconds, and in whole minutes from an hour on.
func clock(d time.Duration) string {
	if d < time.Hour {
		return d.Round(time.Second).String()
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}
