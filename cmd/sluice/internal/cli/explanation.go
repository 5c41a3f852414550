package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/cmd/sluice/internal/explain"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/plural"
)

// Colours of a terminal.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

var colours = map[rune]string{explain.Added: green, explain.Removed: red, explain.Changed: yellow, explain.Moved: cyan}

type painter struct {
	out   io.Writer
	plain bool
}

// painter returns a painter for stdout. It has colours on a terminal, unless NO_COLOR is set.
func (p *Printer) painter() *painter {
	return &painter{p.Out(), os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !isTerminal(p.out)}
}

type shade struct{ colour, text string }

func in(colour, text string) shade { return shade{colour, text} }

// line writes an indented line. No text in it can control the terminal, or forge another line.
func (p *painter) line(depth int, layout string, args ...any) {
	for i, x := range args {
		switch x := x.(type) {
		case string:
			args[i] = OneLine(format.Printable(x))
		case shade:
			text := OneLine(format.Printable(x.text))
			if !p.plain && text != "" {
				text = "\x1b[" + x.colour + "m" + text + "\x1b[0m"
			}
			args[i] = text
		}
	}
	text := strings.Repeat("  ", depth) + fmt.Sprintf(layout, args...)
	fmt.Fprintln(p.out, strings.TrimRight(text, " "))
}

// Of one place no more than this is shown; --json has all.
const (
	mostChanges = 40
	mostBeside  = 5
	mostWide    = 100 // characters of a value
)

// Explanation writes an explanation to stdout.
func (p *Printer) Explanation(x *explain.Explanation, masked bool) {
	to := p.painter()
	for i := range x.Records {
		if i > 0 {
			to.line(0, "")
		}
		to.record(&x.Records[i], masked)
	}
	if len(x.Last) > 0 {
		to.line(0, "%s", in(bold, "after the last record"))
		to.passages(x.Last)
	}
}

func (p *painter) record(x *explain.Record, masked bool) {
	p.line(0, "%s, %s", in(bold, fmt.Sprintf("%s:%d", x.File, x.Line)), format.Size(int64(x.Bytes)))
	if x.Note != "" {
		p.line(0, "%s", x.Note)
	}
	if masked {
		p.line(0, "%s", in(faint, "personal values are shown as (ENTITY n); --show-values shows the values"))
	}
	p.passages(x.Passages)
	for i := range x.Ends {
		p.end(&x.Ends[i], int64(x.Bytes))
	}
	if len(x.Passages) == 0 {
		p.line(0, "it has reached no place")
	}
}

// passages writes what places made of a record, under the blocks around them.
func (p *painter) passages(all []explain.Visit) {
	times := map[string]int{}
	for i := range all {
		times[all[i].Kind+" "+all[i].Name]++
	}
	var within []string
	seen := map[string]int{}
	for i := range all {
		x := &all[i]
		for k, block := range x.Within {
			if k >= len(within) || !slices.Equal(within[:k+1], x.Within[:k+1]) {
				if !strings.HasPrefix(block, "route ") { // the route is a passage, too
					p.line(k, "%s", block)
				}
				within = x.Within[:k+1]
			}
		}
		within = x.Within
		key := x.Kind + " " + x.Name
		if seen[key]++; seen[key] > explain.MostAlike {
			if seen[key] == times[key] {
				p.line(len(x.Within), "and %s more there; --json has them", plural.Of(times[key]-explain.MostAlike, "record"))
			}
			continue
		}
		which := ""
		if times[key] > 1 {
			which = fmt.Sprintf(" (%d of %d)", seen[key], times[key])
		}
		p.passage(x, which)
	}
}

// passage writes what one place made of a record.
func (p *painter) passage(x *explain.Visit, which string) {
	depth := len(x.Within)
	head, what := x.Kind+" "+x.Name, shade{}
	switch {
	case x.Kind == "dead_letter":
		head, what = "dead letter", in(red, "-> "+x.File+", of "+x.Name+", "+refusal(x))
	case x.Kind == "route" && x.Branch == "none":
		what = in(red, "no case, and no default")
	case x.Kind == "route":
		what.text = x.Branch
	case x.Kind == "sink":
		what = in(green, "-> "+x.File)
	default:
		what = verdictShade(x)
	}
	p.line(depth, "%s  %s", in(bold, fmt.Sprintf("%-*s", max(0, 30-2*depth), head+which)), what)
	for _, note := range []string{x.Means, x.Note} {
		if note != "" {
			p.line(depth+1, "%s", in(faint, note))
		}
	}
	for i := range x.Emitted {
		p.emitted(depth+1, x, i)
	}
	for _, name := range slices.Sorted(maps.Keys(x.Counts)) {
		p.line(depth+1, "%s %s %s", in(faint, "#"), name, plural.Count(x.Counts[name]))
	}
	for i, row := range x.Rows {
		if i == mostBeside {
			p.line(depth+1, "and %s more; --json has them", plural.Of(len(x.Rows)-i, "row"))
			break
		}
		p.line(depth+1, "%s %s %s", in(faint, "="), row.Output, clipped(string(row.Row), 2*mostWide))
	}
}

func refusal(x *explain.Visit) string {
	text := x.Message
	if x.Code != "" {
		text = x.Code + ": " + text
	}
	if x.Path != "" {
		text += " at " + x.Path
	}
	return text
}

func verdictShade(x *explain.Visit) shade {
	switch x.Verdict {
	case "unchanged":
		return in(faint, "unchanged")
	case "emitted":
		if x.Records != 1 {
			return in(yellow, "emitted "+plural.Of(x.Records, "record"))
		}
		if e := &x.Emitted[0]; len(e.Patch) == 0 && e.Note == "" {
			return in(faint, "unchanged")
		}
		return in(yellow, "changed")
	case "made":
		return in(yellow, "made after the last record")
	case "declined":
		return in(faint, "declined: "+refusal(x))
	case "dropped", "rejected":
		return in(red, x.Verdict+": "+refusal(x))
	}
	return in(red, x.Verdict)
}

func (p *painter) emitted(depth int, x *explain.Visit, i int) {
	e := &x.Emitted[i]
	if len(x.Emitted) > 1 {
		p.line(depth, "%s, %s", in(bold, fmt.Sprintf("record %d", i+1)), format.Size(int64(e.Bytes)))
		depth++
	}
	if len(e.Origins) > 1 {
		p.line(depth, "%s", in(faint, "of "+format.Places(e.Origins, e.MoreOrigins)))
	}
	if e.Note != "" {
		p.line(depth, "%s", e.Note)
	}
	for k, c := range e.Changes {
		if k == mostChanges {
			p.line(depth, "and %s more; --json has them", plural.Of(len(e.Changes)-k, "change"))
			break
		}
		p.change(depth, c)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Labels)) {
		p.line(depth, "%s %s = %s", in(cyan, "@"), name, explain.Quoted(e.Labels[name]))
	}
}

func (p *painter) change(depth int, c explain.Change) {
	mark, path := in(colours[c.Kind], string(c.Kind)), c.Path
	if path == "" {
		path = "the record"
	}
	switch c.Kind {
	case explain.Added:
		p.line(depth, "%s %s  %s", mark, path, in(green, clipped(explain.Quoted(c.New), mostWide)))
	case explain.Removed:
		p.line(depth, "%s %s  %s", mark, path, in(red, clipped(explain.Quoted(c.Old), mostWide)))
	case explain.Moved:
		p.line(depth, "%s %s  from %s  %s", mark, path, c.From, in(faint, clipped(explain.Quoted(c.New), mostWide)))
	default:
		a, b := apart(c.Old, c.New)
		p.line(depth, "%s %s  %s -> %s", mark, path, in(red, a), in(green, b))
	}
}

// end writes what of a record that reached a sink is as it was read.
func (p *painter) end(x *explain.End, read int64) {
	head := in(bold, "untouched in "+x.Sink)
	if x.Note != "" {
		p.line(0, "%s  %s", head, x.Note)
		return
	}
	if len(x.Untouched) == 1 && x.Untouched[0].Path == "" {
		p.line(0, "%s  all of it, byte for byte", head)
		return
	}
	if len(x.Untouched) == 0 {
		p.line(0, "%s  nothing of %s", head, format.Size(read))
		return
	}
	p.line(0, "%s  %s of %s, byte for byte", head, format.Size(int64(x.Bytes)), format.Size(read))
	all := slices.Clone(x.Untouched)
	slices.SortStableFunc(all, func(a, b explain.Span) int { return b.Bytes - a.Bytes })
	for i, s := range all {
		if i == mostChanges {
			p.line(1, "and %s more; --json has them", plural.Of(len(all)-i, "value"))
			break
		}
		from := ""
		if s.From != "" {
			from = ", where it was " + s.From
		}
		p.line(1, "%s  %s%s", s.Path, format.Size(int64(s.Bytes)), from)
	}
}

func clipped(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "… " + format.Size(int64(len(text)))
}

// apart returns two values as far as they differ: of long strings the middle, with a little around it.
func apart(a, b any) (string, string) {
	x, y := explain.Quoted(a), explain.Quoted(b)
	if _, ok := a.(string); !ok || max(len(x), len(y)) <= mostWide {
		return clipped(x, mostWide), clipped(y, mostWide)
	}
	if _, ok := b.(string); !ok {
		return clipped(x, mostWide), clipped(y, mostWide)
	}
	x, y = explain.Middle(x, y, 20)
	return clipped(x, mostWide), clipped(y, mostWide)
}
