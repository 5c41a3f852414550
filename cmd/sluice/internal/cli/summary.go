package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/sluicehq/sluice/cmd/sluice/internal/attest"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/terminal"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
	attestation "github.com/sluicehq/sluice/plugins/privacy/report"
)

// Summary says what a run did: first what became of the records that it read, then what needs a look, and where everything is. The rest
// stands in the report, and here when it is asked for.
func (p *Printer) Summary(x *host.Result, verbose bool) {
	if p.log != nil {
		p.log.summary(x)
		return
	}
	paint := terminal.PaintFor(p.err, os.Getenv)
	p.wrap(headline(x, paint), 2)
	if found := attention(x); len(found) > 0 {
		p.wrap(paint.Notice(format.Printable("with "+strings.Join(found, ", "))), 2)
	}
	if x.Poison {
		p.line("each step answered the same when the memory of earlier records was overwritten")
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if verbose {
		summariseFully(w, x)
	} else {
		summariseBriefly(w, x)
	}
	w.Flush()
	for line := range strings.Lines(b.String()) {
		line = format.Printable(strings.TrimRight(line, " \n"))
		p.wrap(line, secondColumn(line))
	}
	p.warnings(warningsOf(x), paint, verbose)
}

// wrap writes a message, in a terminal with its lines broken between words. Further lines are indented.
func (p *Printer) wrap(text string, indent int) { p.line(terminal.Wrapped(p.err, text, indent)) }

// secondColumn returns where the second column of a line of a table begins, 0 when there is none.
func secondColumn(line string) int {
	gap := strings.Index(line, "  ")
	if gap < 0 {
		return 0
	}
	rest := strings.TrimLeft(line[gap:], " ")
	return utf8.RuneCountInString(line[:len(line)-len(rest)])
}

// headline says how many records were kept of those that were read.
func headline(x *host.Result, paint terminal.Paint) string {
	t := x.Totals
	f, ok := x.Funnel()
	if !ok {
		f = receipt.Funnel{Read: t.Read, Rejected: t.Rejected.Total, Dropped: t.Dropped.Total, Kept: t.Written}
		f.Made = f.Kept - (f.Accepted() - f.Dropped)
	}
	text := "done: " + format.Funnel(f)
	switch {
	case t.Written == 0:
		return paint.Bad(text)
	case t.Rejected.Total == 0 && len(attention(x)) == 0:
		return paint.Good(text)
	}
	return paint.Notice(text)
}

// attention lists what else needs a look.
func attention(x *host.Result) (found []string) {
	add := func(n int64, what, rest string) {
		if n > 0 {
			found = append(found, plural.Of(n, what)+rest)
		}
	}
	var restarts, lost, losing, warnings, deprecated, differing, idle int64
	for _, s := range x.Steps {
		restarts += int64(s.Restarts)
		before := lost
		for _, n := range losses(s.Counts) {
			lost += n
		}
		if lost > before {
			losing++
		}
	}
	for _, w := range warningsOf(x) {
		if w.Code == "deprecated" {
			deprecated++
		} else {
			warnings++
		}
	}
	for _, c := range x.Shadows {
		differing += c.Differing
	}
	for _, f := range x.Firsts {
		for _, s := range f.Steps {
			if s.CanGo && (s.Deprecated != "" || f.Path != "") { // no corpus has all shapes: others stay unless the run is asked which can go
				idle++
			}
		}
	}
	add(restarts, "restart", " of steps")
	add(warnings, "warning", "")
	add(differing, "record", " that a shadow makes differently")
	add(lost, "detail", " lost in "+plural.Of(losing, "step"))
	add(deprecated, "deprecated step", " still needed")
	add(idle, "step", " that no record needed")
	return found
}

// How much a brief summary lists: codes of rejects or reasons of drops, and warnings.
const (
	fewCodes    = 5
	fewWarnings = 3
)

// summariseBriefly says in a few lines what became of the records, and where the rest can be read.
func summariseBriefly(w io.Writer, x *host.Result) {
	if p := x.Partial; p != nil {
		rowf(w, "partial\tnot a whole run\tit took %v\n", p)
	}
	if p := x.Part; p != nil {
		rowf(w, "part\t%d/%d of %s\n", p.Index, p.Of, plural.Of(p.Files, "file"))
	}
	if u := x.Reused; u != nil {
		rowf(w, "reused\t%s of %s, %s\n", plural.Count(int64(u.Files)), plural.Of(u.Of, "file"), plural.Of(u.Records, "record"))
		for _, b := range u.Behind {
			rowf(w, "\t%s run only behind step %s, %s\n", plural.Of(b.Files, "file"), b.Step, plural.Of(b.Records, "record"))
		}
	}
	most := func(what string, b receipt.Breakdown) {
		if b.Total > 0 {
			rowf(w, "%s\t%s: %s\n", what, plural.Count(b.Total), commonest(mask.Counts(b.By)))
		}
	}
	most("rejected", x.Totals.Rejected)
	most("dropped", x.Totals.Dropped)
	if text := changed(x); text != "" {
		rowf(w, "changed\t%s\n", text)
	}
	for _, s := range x.Steps {
		if filters(s) {
			rowf(w, "privacy\t%s: %s\n", s.Name, filtered(s))
		}
	}
	for i := range x.Shadows {
		summariseShadow(w, &x.Shadows[i])
	}
	for _, s := range x.Steps {
		if s.Deprecated != "" {
			rowf(w, "deprecated\t%s: %s\n", s.Name, needed(s))
		}
	}
	took := time.Duration(x.Totals.Seconds * float64(time.Second))
	fmt.Fprintf(w, "took\t%s, %s", took.Round(time.Millisecond), format.Rate(x.Totals.BytesRead, took))
	if held := terminal.Held(x.Progress); held != "" {
		fmt.Fprintf(w, ", held by %s", held)
	}
	fmt.Fprintln(w)
	for _, folder := range folders(x.Outputs) {
		rowf(w, "output\t%s\n", folder)
	}
	switch {
	case x.Page != "":
		rowf(w, "report\t%s\n", x.Page)
	case x.Path != "":
		rowf(w, "receipt\t%s\n", x.Path)
	}
}

// needed says what a deprecated step is still needed for.
func needed(s receipt.StepAccount) string {
	return fmt.Sprintf("still needed for %s: %s", plural.Of(s.In-s.Declined.Total, "record"), s.Deprecated)
}

// commonest lists the highest counts, and says how many others there are.
func commonest(by map[string]int64) string {
	names := format.MostFirst(by)
	var all []string
	for _, name := range names[:min(len(names), fewCodes)] {
		all = append(all, fmt.Sprintf("%s %s", OneLine(name), plural.Count(by[name])))
	}
	if n := len(names) - len(all); n > 0 {
		all = append(all, "and "+plural.Of(int64(n), "other"))
	}
	return strings.Join(all, ", ")
}

// folders lists the outputs of each folder, in the order of the first of each, the stream's before side outputs.
func folders(outputs []receipt.Output) (lines []string) {
	files := map[string][]string{}
	var order []string
	for _, side := range []bool{false, true} {
		for _, o := range outputs {
			if (o.Side != "") != side {
				continue
			}
			folder, name := splitPath(o.Path)
			if _, ok := files[folder]; !ok {
				order = append(order, folder)
			}
			if shared := func(p receipt.Output) bool { return p.Path == o.Path && p.Sink != o.Sink }; slices.ContainsFunc(outputs, shared) {
				name = o.Sink[strings.IndexByte(o.Sink, '.')+1:] // standard output has the rows of several
			}
			files[folder] = append(files[folder], fmt.Sprintf("%s %s", name, plural.Of(o.Records, "row")))
		}
	}
	for _, folder := range order {
		names := files[folder]
		if n := len(names); n > fewFiles {
			names = append(names[:fewFiles:fewFiles], "and "+plural.Of(int64(n-fewFiles), "other file"))
		}
		if folder != "" {
			folder += ": "
		}
		lines = append(lines, folder+strings.Join(names, ", "))
	}
	return lines
}

// fewFiles is how many files of a folder a brief summary names.
const fewFiles = 8

// splitPath returns the folder and the name of a path, which may be one of object storage.
func splitPath(path string) (folder, name string) {
	i := strings.LastIndexAny(path, "/"+string(os.PathSeparator))
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

// Unaccounted returns warnings that the receipt does not have, since they are about what comes after it.
func Unaccounted(x *host.Result) (messages []string) {
	if x.PageError != "" {
		messages = append(messages, "no report was written: "+x.PageError)
	}
	if x.StateLeft != "" {
		messages = append(messages, x.StateLeft)
	}
	return messages
}

func warningsOf(x *host.Result) []receipt.Warning {
	all := slices.Clip(x.Warnings)
	for _, message := range Unaccounted(x) {
		all = append(all, receipt.Warning{Message: message})
	}
	return all
}

// warnings writes all warnings, or the first few.
func (p *Printer) warnings(all []receipt.Warning, paint terminal.Paint, verbose bool) {
	all = slices.DeleteFunc(slices.Clone(all), func(w receipt.Warning) bool { return w.Code == "deprecated" }) // it has a line of its own
	for i, w := range all {
		if left := len(all) - i; i == fewWarnings && left > 1 && !verbose {
			p.line(paint.Notice("warning:") + " and " + plural.Count(int64(left)) + " more, which the report and --verbose tell")
			return
		}
		p.warning(w, paint)
	}
}

func (p *Printer) warning(w receipt.Warning, paint terminal.Paint) {
	if p.log != nil {
		p.log.warning(w)
		return
	}
	text := OneLine(w.Message)
	if w.Place != "" {
		text = w.Place + ": " + text
	}
	text = paint.Notice("warning:") + " " + format.Printable(text)
	if strings.Contains(text, "sluice ") { // a command is copied as a whole
		p.line(text)
		return
	}
	p.wrap(text, 2)
}

// filters reports whether a step is a privacy step that records went through.
func filters(s receipt.StepAccount) bool { return len(s.Rules()) > 0 && s.In > 0 && !s.Candidate }

// filtered says what a privacy step replaced, and what it did not look for.
func filtered(s receipt.StepAccount) string {
	if s.Facts[receipt.FactRules] == "" {
		rules := s.Rules()
		for i := range rules {
			rules[i] = mask.Word(rules[i])
		}
		return "its plugin, which is not part of sluice, states rules " + strings.Join(rules, ", ")
	}
	var found int64
	for _, n := range counted(s.Counts, "entity.") {
		found += n
	}
	scope := attest.Scope(s.Facts)
	text := plural.Of(found, "finding") + " replaced"
	if !scope.Standard() {
		text += " by profile " + scope.Profile
	}
	if scope.Recogniser != "" {
		text += ", with recogniser " + scope.Recogniser
	}
	if suspects := attestation.Suspects(counted(s.Counts, "suspect.")); suspects != "" {
		text += "; left, though suspect: " + suspects
	}
	if n := len(scope.NotLookedFor); n > 0 {
		text += fmt.Sprintf("; %s: %s and %s", scope.NotAbout(), scope.NotLookedFor[0], plural.Of(int64(n-1), "other kind"))
	}
	return text
}

func losses(counts map[string]int64) map[string]int64 { return counted(counts, "loss.") }

// counted returns the counts with a prefix, by the rest of their names.
func counted(counts map[string]int64, prefix string) map[string]int64 {
	some := map[string]int64{}
	for name, n := range counts {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			some[rest] = n
		}
	}
	return some
}
