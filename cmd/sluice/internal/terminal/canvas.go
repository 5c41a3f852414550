package terminal

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/plural"
)

const (
	tableFrom = 60 // columns of a terminal that shows more than one line
	above     = 2  // lines of it that stay for messages
)

// A canvas draws lines for a terminal. They never reach its last column, behind which terminals differ in where they go on.
type canvas struct {
	width, height int
	paint         Paint
	past          *history
}

// lines returns a line for the whole run, one for each step, and notes; in little space a single line.
func (c *canvas) lines() []string {
	now, x := c.past.now(), c.past.pace()
	by := x.held
	room := c.height - above
	if c.width < tableFrom || room < 5 {
		return []string{c.cut(c.short(now, x))}
	}
	lines := []string{c.head(now, x)}
	var notes []string
	if by.Name != "" {
		notes = append(notes, c.paint.Notice(held(by)))
	}
	if n := format.Total(now.Rejected); n > 0 && now.DoneRecords > 0 {
		notes = append(notes, c.paint.Notice("rejected "+plural.Count(n))+fmt.Sprintf(" of %s (%s): %s", plural.Count(now.DoneRecords), format.Share(n, now.DoneRecords), most(now.Rejected)))
	}
	lines = append(lines, c.table(x.steps, by, room-len(lines)-len(notes))...)
	lines = append(lines, notes...)
	for i := range lines {
		lines[i] = c.cut(lines[i])
	}
	return lines
}

func (c *canvas) cut(line string) string { return ansi.Truncate(line, c.width-1, "…") }

func most(by map[string]int64) string {
	names := format.MostFirst(by)
	for i, name := range names {
		names[i] = flat(name) + " " + plural.Count(by[name])
	}
	return strings.Join(names, ", ")
}

func flat(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(format.Printable(text))
}

// A part of a line is shown if those before it in rank leave space.
type part struct {
	rank int
	text string
}

// fitting returns the texts of the parts that fit a width.
func fitting(parts []part, width int) (texts []string) {
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.text == "" })
	for _, p := range fit(parts, width, func(p part) (int, int) { return ansi.StringWidth(p.text), p.rank }) {
		texts = append(texts, p.text)
	}
	return texts
}

// fit leaves out the item of the highest rank until the others fit side by side, and at least one is left.
func fit[T any](items []T, room int, measure func(T) (width, rank int)) []T {
	for len(items) > 1 {
		need, last, highest := -gap, 0, 0
		for i, item := range items {
			width, rank := measure(item)
			if need += width + gap; rank > highest {
				last, highest = i, rank
			}
		}
		if need <= room {
			break
		}
		items = slices.Delete(items, last, last+1)
	}
	return items
}

const gap = 2

// head describes the whole run. The bar keeps its length while figures next to it grow.
func (c *canvas) head(now host.Progress, x pace) string {
	space, bar := c.width-1, ""
	if now.Total > 0 {
		bar = c.bar(float64(min(now.DoneBytes, now.Total))/float64(now.Total), c.width/6) + strings.Repeat(" ", gap)
		space -= ansi.StringWidth(bar)
	}
	texts := fitting([]part{
		{1, c.paint.with(strong, done(now.DoneBytes, now.Total))}, {5, amount(now.DoneBytes, now.Total)},
		{4, plural.Of(now.DoneRecords, "record")}, {2, rate(x.bytes)}, {3, left(now, x)},
		{6, c.paint.with(faint, "after "+clock(now.Elapsed))},
	}, space)
	return bar + strings.Join(texts, strings.Repeat(" ", gap))
}

func left(now host.Progress, x pace) string {
	switch {
	case x.left > 0:
		return clock(x.left) + " left"
	case now.Total > 0 && now.DoneBytes >= now.Total:
		return "finishing"
	}
	return ""
}

func (c *canvas) short(now host.Progress, x pace) string {
	share, wait, rejected := done(now.DoneBytes, now.Total), "", ""
	if share == "" {
		share = format.Size(now.DoneBytes)
	}
	if x.held.Name != "" {
		wait = c.paint.Notice("held by " + x.held.Name)
	}
	if n := format.Total(now.Rejected); n > 0 {
		rejected = c.paint.Notice(plural.Count(n) + " rejected")
	}
	return strings.Join(fitting([]part{
		{1, c.paint.with(strong, share)}, {3, rate(x.bytes)}, {4, left(now, x)},
		{6, plural.Of(now.DoneRecords, "record")}, {5, rejected}, {2, wait},
	}, c.width-1), strings.Repeat(" ", gap))
}

func (c *canvas) bar(share float64, width int) string {
	full := int(share*float64(width) + 0.5)
	return c.paint.with(accent, strings.Repeat("━", full)) + c.paint.with(faint, strings.Repeat("─", width-full))
}

// A Paint colours text with the terminal's own palette, or leaves it as it is.
type Paint bool

// PaintFor returns the Paint for w: it colours in a terminal that is not dumb, unless NO_COLOR is set, and
// anywhere if CLICOLOR_FORCE is.
func PaintFor(w io.Writer, env func(string) string) Paint {
	switch force := env("CLICOLOR_FORCE"); {
	case env("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	_, ok := drawable(w, env)
	return Paint(ok)
}

// drawable returns the terminal that w is, if its lines can be redrawn.
func drawable(w io.Writer, env func(string) string) (*os.File, bool) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil, false
	}
	if kind := env("TERM"); kind == "dumb" || kind == "" && runtime.GOOS != "windows" {
		return nil, false
	}
	return file, obeysEscapes(file)
}

var (
	good   = ansi.Style{}.ForegroundColor(ansi.Green)
	notice = ansi.Style{}.ForegroundColor(ansi.Yellow)
	bad    = ansi.Style{}.ForegroundColor(ansi.Red)
	accent = ansi.Style{}.ForegroundColor(ansi.Cyan)
	strong = ansi.Style{}.Bold()
	faint  = ansi.Style{}.Faint()
)

func (p Paint) with(s ansi.Style, text string) string {
	if !p || text == "" {
		return text
	}
	return s.Styled(text)
}

// Good colours text that says that all is well.
func (p Paint) Good(text string) string { return p.with(good, text) }

// Notice colours text about what needs a look.
func (p Paint) Notice(text string) string { return p.with(notice, text) }

// Bad colours text about what went wrong.
func (p Paint) Bad(text string) string { return p.with(bad, text) }
