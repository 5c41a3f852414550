package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sluicehq/sluice/cmd/sluice/internal/attest"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/terminal"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
	attestation "github.com/sluicehq/sluice/plugins/privacy/report"
)

// Summary says what a run did: in one line what needs a look, then everything.
func (p *Printer) Summary(x *host.Result) {
	if p.log != nil {
		p.log.summary(x)
		return
	}
	paint := terminal.PaintFor(p.err, os.Getenv)
	p.line(headline(x, paint))
	if x.Poison {
		p.line("each step answered the same when the memory of earlier records was overwritten")
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	summariseRecords(w, x)
	summariseSteps(w, x)
	summariseFiles(w, x)
	w.Flush()
	p.SayLines(b.String())
	for _, warning := range warningsOf(x) {
		p.warning(warning, paint)
	}
}

func headline(x *host.Result, paint terminal.Paint) string {
	found := attention(x)
	text := format.Printable("done, with " + strings.Join(found, ", "))
	switch {
	case len(found) == 0:
		return paint.Good("done, without rejects and warnings")
	case x.Totals.Written == 0:
		return paint.Bad(text)
	}
	return paint.Notice(text)
}

func attention(x *host.Result) (found []string) {
	add := func(n int64, what, rest string) {
		if n > 0 {
			found = append(found, format.Plural(n, what)+rest)
		}
	}
	t := x.Totals
	if t.Written == 0 {
		found = append(found, "no record written")
	}
	if n := t.Rejected.Total; n >= t.Read && t.Written > 0 { // a step made several records of one, such as the threads of a document
		add(n, "record", " rejected")
	} else if n > 0 {
		found = append(found, fmt.Sprintf("%s of %s rejected (%s)", format.Count(n), format.Plural(t.Read, "record"), format.Share(n, t.Read)))
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
			if s.CanGo {
				idle++
			}
		}
	}
	add(restarts, "restart", " of steps")
	add(warnings, "warning", "")
	add(differing, "record", " that a shadow makes otherwise")
	add(lost, "detail", " lost in "+format.Plural(losing, "step"))
	add(deprecated, "deprecated step", " still needed")
	add(idle, "step", " that no record needed")
	return found
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

func summariseRecords(w io.Writer, x *host.Result) {
	t := x.Totals
	files := len(x.Inputs)
	if p := x.Partial; p != nil {
		fmt.Fprintf(w, "partial\tnot a whole run\tit took %v\n", p)
		files = len(p.Taken)
	}
	if p := x.Part; p != nil {
		fmt.Fprintf(w, "part\t%d/%d\tof %s\n", p.Index, p.Of, format.Plural(p.Files, "file"))
	}
	fmt.Fprintf(w, "read\t%s\t%s from %s\n", format.Plural(t.Read, "record"), format.Size(t.BytesRead), format.Plural(files, "file"))
	fmt.Fprintf(w, "wrote\t%s\t\n", format.Plural(t.Written, "record"))
	summarise(w, "rejected", format.Plural(t.Rejected.Total, "record"), t.Rejected.By)
	summarise(w, "dropped", format.Plural(t.Dropped.Total, "record"), t.Dropped.By)
}

// summarise writes counts by name, in as many lines as they take.
func summarise(w io.Writer, what, which string, by map[string]int64) {
	for _, line := range Breakdown(mask.Counts(by)) {
		fmt.Fprintf(w, "%s\t%s\t%s\n", what, which, line)
		what, which = "", ""
	}
}

func summariseSteps(w io.Writer, x *host.Result) {
	for _, s := range x.Steps {
		if s.Restarts > 0 {
			fmt.Fprintf(w, "restarted\tstep %s\t%s\n", s.Name, format.Plural(s.Restarts, "time"))
		}
	}
	for _, s := range x.Steps {
		summarise(w, "lost", "step "+s.Name, losses(s.Counts))
	}
	for _, s := range x.Steps {
		if filters(s) {
			fmt.Fprintf(w, "privacy\tstep %s\t%s\n", s.Name, filtered(s))
		}
	}
	for _, f := range x.Firsts {
		idle := idleSteps(f)
		for _, s := range f.Steps {
			if len(idle) <= fewIdle || !s.CanGo {
				fmt.Fprintf(w, "%s\t%s\t%s\n", f.First, s.Step, ranked(s))
			}
		}
		if len(idle) > fewIdle {
			what, which := f.First, format.Plural(int64(len(idle)), "step")
			for _, line := range wrapped("no record needed them: ", idle) {
				fmt.Fprintf(w, "%s\t%s\t%s\n", what, which, line)
				what, which = "", ""
			}
		}
		if f.Path != "" {
			fmt.Fprintf(w, "%s\t%s\t\n", f.First, f.Path)
		}
	}
	for i := range x.Routes {
		if r := &x.Routes[i]; len(r.Unmet) > 0 {
			summariseUnmet(w, r)
		}
	}
	for _, s := range x.Steps {
		if s.Deprecated != "" {
			fmt.Fprintf(w, "deprecated\t%s\tstill needed for %s: %s\n", s.Name, format.Plural(s.In-s.Declined.Total, "record"), s.Deprecated)
		}
	}
	for i := range x.Shadows {
		summariseShadow(w, &x.Shadows[i])
	}
}

func summariseFiles(w io.Writer, x *host.Result) {
	part := ""
	if x.Partial != nil {
		part = ", partial"
	}
	took := time.Duration(x.Totals.Seconds * float64(time.Second))
	fmt.Fprintf(w, "took\t%s\t%s\n", took.Round(time.Millisecond), format.Rate(x.Totals.BytesRead, took))
	for _, o := range x.Outputs {
		fmt.Fprintf(w, "output\t%s\t%s, %s%s\n", o.Path, format.Plural(o.Records, "row"), format.Size(o.Bytes), part)
	}
	if x.Path != "" {
		fmt.Fprintf(w, "receipt\t%s\t\n", x.Path)
	}
	if x.Page != "" {
		fmt.Fprintf(w, "report\t%s\t\n", x.Page)
	}
}

func (p *Printer) warning(w receipt.Warning, paint terminal.Paint) {
	if p.log != nil {
		p.log.warning(w)
		return
	}
	head := paint.Notice("warning:") + " "
	switch {
	case w.Code == "deprecated": // has its own line above
	case w.Place != "":
		p.line(head + format.Printable(w.Place+": "+OneLine(w.Message)))
	default:
		p.line(head + format.Printable(OneLine(w.Message)))
	}
}

// fewIdle is how many steps of a first that no record needed have a line each.
const fewIdle = 3

// idleSteps returns the steps of a first that no record needed.
func idleSteps(f receipt.FirstReport) (names []string) {
	for _, s := range f.Steps {
		if s.CanGo {
			names = append(names, s.Step)
		}
	}
	return names
}

func ranked(s receipt.FirstMember) string {
	switch {
	case s.CanGo:
		return "no record needed it"
	case s.Rows == 0:
		return "none of these records needed it"
	}
	text := fmt.Sprintf("%s, %.1f%%, %s:%d to %s:%d",
		format.Plural(s.Rows, "record"), s.Share*100, s.First.File, s.First.Line, s.Last.File, s.Last.Line)
	if s.Rejected > 0 {
		text += fmt.Sprintf(", %s rejected", format.Count(s.Rejected))
	}
	return text
}

// filters reports whether a step is a built-in privacy step that records went through.
func filters(s receipt.StepAccount) bool {
	return s.Facts[attest.FactRules] != "" && s.In > 0 && !s.Candidate
}

// filtered says what a privacy step replaced, and what it did not look for.
func filtered(s receipt.StepAccount) string {
	var found int64
	for _, n := range counted(s.Counts, "entity.") {
		found += n
	}
	scope := attest.Scope(s.Facts)
	text := format.Plural(found, "finding") + " replaced"
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
		text += fmt.Sprintf("; %s: %s and %s", scope.NotAbout(), scope.NotLookedFor[0], format.Plural(int64(n-1), "other kind"))
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
