package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/eval"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/terminal"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
)

// report owns every line that a person reads: messages go to stderr, data to stdout. Messages begin in lower case,
// end without a full stop, and never show a value of a record.
type report struct {
	out, err io.Writer
	log      *jsonLog // nil: messages are text

	mu      sync.Mutex
	screen  *terminal.Screen // nil: nothing is drawn anew
	printed bool             // the failure has been told, as JSON
}

func (r *report) say(layout string, args ...any) {
	text := fmt.Sprintf(layout, args...)
	if r.log != nil {
		r.log.Info(text)
		return
	}
	r.line(format.Printable(text))
}

// line writes what is printable already.
func (r *report) line(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.screen != nil {
		r.screen.Say(text)
		return
	}
	fmt.Fprintln(r.err, text)
}

// oneLine is a text in which lines cannot be forged.
func oneLine(text string) string { return strings.ReplaceAll(text, "\n", `\n`) }

// plugin shows a line that a plugin wrote to stdout or stderr.
func (r *report) plugin(step, line string) {
	if r.log != nil {
		r.log.Info(line, "step", step)
		return
	}
	r.say("%s: %s", step, oneLine(line))
}

// span shows a span of OpenTelemetry, a JSON object.
func (r *report) span(text []byte) {
	if r.log != nil {
		r.log.Info("span", "span", json.RawMessage(text))
		return
	}
	r.say("%s", text)
}

// sayWarning tells what may be wrong with what a command has done.
func (r *report) sayWarning(layout string, args ...any) {
	r.warn(receipt.Warning{Message: fmt.Sprintf(layout, args...)}, terminal.PaintFor(r.err, os.Getenv))
}

// lostSpans tells of those that nobody took.
func (r *report) lostSpans(err error) {
	if err != nil {
		r.sayWarning("%s", mask.Text(err.Error()))
	}
}

func (r *report) valid(file string, warnings host.Diagnostics) {
	switch {
	case len(warnings) == 0:
	case r.log != nil:
		r.log.diagnostics(warnings)
	default:
		r.say("%s", warnings.Snippets())
	}
	r.say("%s is valid", file)
}

func (r *report) version(v, goVersion, system string) {
	fmt.Fprintf(r.out, "sluice %s (%s, %s)\n", v, goVersion, system)
}

// text writes data to stdout as it is.
func (r *report) text(s string) error {
	_, err := io.WriteString(r.out, s)
	return err
}

func (r *report) writeJSON(v any) error {
	enc := json.NewEncoder(r.out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// json tells a failure on stdout when a machine listens.
func (r *report) json(wanted bool, err error) error {
	if !wanted {
		return err
	}
	var diags host.Diagnostics
	var failure diagnosed
	if errors.As(err, &diags) {
		failure.Diagnostics = diags
	} else {
		failure.Error = mask.Text(err.Error())
	}
	r.printed = true
	return errors.Join(r.writeJSON(failure), err)
}

// diagnosed is what a machine reads of a file or a run.
type diagnosed struct {
	Error       string           `json:"error,omitempty"`
	Diagnostics host.Diagnostics `json:"diagnostics,omitempty"`
}

// failure tells what went wrong and gives the exit code.
func (r *report) failure(err error) int {
	r.endProgress()
	code := exitCode(err)
	diags, invalid := errors.AsType[host.Diagnostics](err)
	usage, wrong := errors.AsType[*usageError](err)
	switch {
	case code == exitDone, r.printed && !wrong && code != exitInterrupted:
	case r.log != nil:
		r.log.failure(err, code)
	case code == exitInterrupted:
		r.say("sluice: %v", err)
	case invalid:
		r.say("%s%s", diags.Snippets(), mistakes(diags))
	case wrong:
		r.say("sluice: %v\nusage: %s\nhelp:  %s --help", usage, usage.command.UseLine(), usage.command.CommandPath())
	default:
		r.say("sluice: %s", failureText(err))
	}
	return code
}

func exitCode(err error) int {
	switch _, invalid := errors.AsType[host.Diagnostics](err); {
	case err == nil:
		return exitDone
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case invalid:
		return exitUsage
	}
	if _, wrong := errors.AsType[*usageError](err); wrong {
		return exitUsage
	}
	return exitFailed
}

// mistakes counts errors and warnings.
func mistakes(diags host.Diagnostics) string {
	warnings := 0
	for _, d := range diags {
		if d.Severity != "error" {
			warnings++
		}
	}
	switch errs := len(diags) - warnings; {
	case warnings == 0:
		return format.Plural(errs, "mistake")
	case errs == 0:
		return format.Plural(warnings, "warning")
	default:
		return format.Plural(errs, "mistake") + ", " + format.Plural(warnings, "warning")
	}
}

func unknownCommand(c *cobra.Command, name string) error {
	hint := ""
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(name); len(near) > 0 {
		hint = fmt.Sprintf("; did you mean %q?", near[0])
	}
	return &usageError{command: c, err: fmt.Errorf("unknown command %q%s", name, hint)}
}

// failureText is an error as people see it: each of several on its own line, and none that forges one.
func failureText(err error) string {
	var lines []string
	for line := range strings.Lines(mask.Text(err.Error())) {
		lines = append(lines, strings.TrimRight(line, "\n"))
	}
	return strings.Join(lines, "\n  ")
}

func wantOne(have int) error {
	return fmt.Errorf("want one pipeline file, have %d arguments", have)
}

// breakdown is "a 3, b 1", the most frequent first, in lines that a terminal holds.
func breakdown(by map[string]int64) []string {
	const width = 60
	var lines []string
	for _, name := range format.MostFirst(by) {
		text := fmt.Sprintf("%s %s", oneLine(name), format.Count(by[name]))
		if last := len(lines) - 1; last >= 0 && len(lines[last])+len(text)+2 <= width {
			lines[last] += ", " + text
			continue
		}
		lines = append(lines, text)
	}
	return lines
}

// shapes tells what a corpus consists of.
func (r *report) shapes(x *host.Shapes) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name string, s host.Portion, rest string) {
		if s.Records == 0 {
			fmt.Fprintf(w, "%s\t0\t\t\t\n", name)
			return
		}
		fmt.Fprintf(w, "%s\t%s\t%.1f%%\t%s:%d\t%s\n", name, format.Count(s.Records), s.Share*100, s.First.File, s.First.Line, rest)
	}
	rejected := func(s host.Shape) string {
		if len(s.Rejected) == 0 {
			return ""
		}
		return "rejected: " + strings.Join(breakdown(s.Rejected), ", ")
	}
	fmt.Fprintf(w, "shape\trecords\tshare\tfirst at\t\n")
	for _, s := range x.Shapes {
		row(s.Adapter, s.Portion, rejected(s))
	}
	row("unknown", x.Unknown, "")
	row("unreadable", x.Unreadable.Portion, rejected(x.Unreadable))
	for _, a := range x.Ambiguous {
		row("ambiguous", a.Portion, strings.Join(a.Adapters, ", "))
	}
	w.Flush()
	for line := range strings.Lines(b.String()) {
		fmt.Fprintln(r.out, strings.TrimRight(line, " \n"))
	}
}

// scores tells how well a privacy step finds what is labelled.
func (r *report) scores(p eval.Page) {
	rejected := ""
	if p.Rejected > 0 {
		rejected = fmt.Sprintf(", of which %s was rejected and is not counted", format.Count(int64(p.Rejected)))
	}
	fmt.Fprintf(r.out, "%s%s\n\n%s", format.Plural(p.Documents, "document"), rejected, eval.Table(p.Scores))
	if len(p.Locales) > 0 {
		fmt.Fprintf(r.out, "\n%s", eval.LocaleTable(p.Locales))
	}
	if len(p.Uncovered) > 0 {
		var names []string
		for _, s := range p.Uncovered {
			names = append(names, fmt.Sprintf("%s (%s)", s.Entity, format.Plural(s.Labels, "label")))
		}
		fmt.Fprintf(r.out, "\nnot covered: %s\n", strings.Join(names, ", "))
	}
}
