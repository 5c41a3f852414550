package host

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// warn returns what a person should know about a run that succeeded, and about its file.
func (r *run) warn(x *receipt.Receipt) (all []receipt.Warning) {
	say := func(code, format string, args ...any) {
		all = append(all, receipt.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	for _, d := range r.warnings {
		w := receipt.Warning{Code: "pipeline", Message: d.Summary}
		if d.Detail != "" {
			w.Message += ": " + d.Detail
		}
		if d.Line > 0 {
			w.Place = fmt.Sprintf("%s:%d:%d", r.opts.MaskName(d.Path), d.Line, d.Column)
		}
		all = append(all, w)
	}
	warnInputs(x.Inputs, say)
	for _, chain := range r.fleet.Chains {
		if chain.CloseErr != nil {
			say("candidate", "step %s: %s", chain.Name, r.opts.MaskText(r.hide(chain.CloseErr).Error()))
		}
	}
	for _, sink := range slices.Sorted(maps.Keys(r.tables)) {
		all = append(all, receipt.WarnColumns(sink, r.tables[sink], x.Part == nil, r.opts.MaskName)...)
	}
	all = append(all, receipt.WarnFurther(r.plan.Set.Further(), r.opts.MaskName)...)
	for i := range x.Shadows {
		warnStopped(&x.Shadows[i], say)
	}
	if x.Part == nil { // what one part lacks another may have
		r.warnTotals(&x.Totals, say)
	}
	for i := range x.Steps {
		warnStep(&x.Steps[i], r.fleet.Steps[i].Info.Codes, r.fleet.Steps[i].Info.Drops, say)
	}
	if x.Part == nil {
		for i := range x.Routes {
			warnUnmet(&x.Routes[i], say)
		}
	}
	r.warnUnfiltered(x, say)
	r.warnPrivate(x, say)
	return all
}

// warnUnfiltered warns of rows of text for training behind a step that hides rejects, as a filter does, when no step stated the rules that
// it filtered them by. Of those that are behind no such step the plan has warned.
func (r *run) warnUnfiltered(x *receipt.Receipt, say func(code, format string, args ...any)) {
	unstated := x.Unstated()
	for _, sink := range r.plan.Unfiltered(x.Filters()) {
		i := slices.IndexFunc(sink.After, func(step string) bool { return slices.Contains(unstated, step) })
		if i >= 0 && slices.ContainsFunc(x.Outputs, func(f receipt.Output) bool { return f.Sink == sink.Name && f.Records > 0 }) {
			say("unfiltered", "rows of sink %s may hold personal data and secrets: step %s before it stated no rules for all records that went on", sink.Name, sink.After[i])
		}
	}
}

// warnInputs warns of inputs that changed, or of which something was not read.
func warnInputs(inputs []receipt.Input, say func(code, format string, args ...any)) {
	for _, in := range inputs {
		if in.Changed {
			say("input_changed", "%s changed while it was read", in.Name)
		}
		if in.Unread > 0 {
			say("unread_members", "%s: other members of the document are not read: %d", in.Name, in.Unread)
		}
		if in.Padding > 0 {
			say("padding", "%s: zeros behind the gzip data are ignored: %d", in.Name, in.Padding)
		}
	}
}

// warnTotals warns of a run that read or wrote nothing, or rejected most.
func (r *run) warnTotals(t *receipt.Totals, say func(code, format string, args ...any)) {
	switch {
	case t.Read == 0:
		say("nothing_read", "the inputs hold no records")
	case t.Written == 0 && t.Rejected.Total > 0 && t.Dropped.Total == 0:
		say("all_rejected", "every record was rejected, %s", r.mostRejects())
	case t.Written == 0 && t.Rejected.Total > 0:
		say("nothing_written", "no record was written; of those that were rejected, %s", r.mostRejects())
	case t.Written == 0:
		say("nothing_written", "no record was written")
	case 2*t.Rejected.Total > t.Read+t.Extra:
		say("most_rejected", "most records were rejected, %s", r.mostRejects())
	}
}

// warnStep warns of what a step did that its plugin does not declare, and of one that will go away.
func warnStep(s *receipt.StepAccount, codes, drops map[string]string, say func(code, format string, args ...any)) {
	warnCounted(s, codes, say)
	for _, code := range flow.Undeclared(s.Rejected.By, codes) {
		say("undeclared_code", "step %s rejected %s with code %q, which its plugin does not declare", s.Name, plural.Of(s.Rejected.By[code], "record"), code)
	}
	for _, reason := range flow.UndeclaredDrops(s.Dropped.By, drops) {
		say("undeclared_reason", "step %s dropped %s for reason %q, which its plugin does not declare", s.Name, plural.Of(s.Dropped.By[reason], "record"), reason)
	}
	if s.Deprecated != "" && s.In > s.Declined.Total {
		say("deprecated", "step %s was needed for %s: %s", s.Name, plural.Of(s.In-s.Declined.Total, "record"), s.Deprecated)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Unwanted)) {
		say("no_output", "step %s wrote %s for its output %q, which has no block", s.Name, plural.Of(s.Unwanted[name], "row"), name)
	}
}

// warnUnmet warns of each case that no record took though values much like its own came.
func warnUnmet(x *receipt.RouteReport, say func(code, format string, args ...any)) {
	for _, u := range x.Unmet {
		switch {
		case u.Value != "":
			say("unmet_case", "route %s: no record took case %q, and no case took %s with %q: did you mean that?", x.Route, u.Case, plural.Of(u.Like, "record"), u.Value)
		case u.Like > 0:
			say("unmet_case", "route %s: no record took case %q, and no case took %s with a value spelt much like it", x.Route, u.Case, plural.Of(u.Like, "record"))
		}
	}
}

// warnStopped warns of a candidate that was left out, so that not all was compared.
func warnStopped(s *receipt.ShadowReport, say func(code, format string, args ...any)) {
	if s.Stopped == nil {
		return
	}
	after := "before a record was compared"
	if s.Stopped.After != nil {
		after = "after " + s.Stopped.After.String()
	}
	rest := ""
	switch n := s.NotCompared; {
	case n == 1:
		rest = "; 1 record was not compared"
	case n > 1:
		rest = fmt.Sprintf("; %d records were not compared", n)
	}
	say("not_compared", "shadow %s: candidate %s failed %s, and the report says how%s", s.Shadow, s.Candidate, after, rest)
}

// mostRejects says which code of which step is the most frequent, why the first of these records was rejected, where it is, and how to see
// what became of it.
func (r *run) mostRejects() string {
	most := r.plan.Totals.CommonReason()
	by := " by step " + most.Step
	if most.Code == flow.DeclinedCode { // by all steps of a first, which the message names
		by = ""
	}
	text := fmt.Sprintf("most often with code %s%s (%s), such as: %s; the first is %s:%d",
		most.Code, by, plural.Of(most.Records, "record"), r.opts.MaskText(most.Message), most.First.File, most.First.Line)
	if most.First.File == "-" { // which is not there any more
		return text
	}
	command := "sluice explain " + shellWord(r.opts.MaskName(r.tree.Path))
	for _, name := range slices.Sorted(maps.Keys(r.opts.Vars)) {
		command += " --var " + shellWord(r.shownSetting(name+"="+r.opts.Vars[name]))
	}
	return fmt.Sprintf("%s; to see what each step made of it: %s --record %s", text, command, shellWord(fmt.Sprintf("%s:%d", most.First.File, most.First.Line)))
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=,@%+-]+$`)

// shellWord returns a word as it is written in a shell.
func shellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// warnCounted says each count of a step that its plugin made as a warning, with what the code means.
func warnCounted(s *receipt.StepAccount, means map[string]string, say func(code, format string, args ...any)) {
	for _, name := range slices.Sorted(maps.Keys(s.Counts)) {
		warning, ok := strings.CutPrefix(name, wire.WarnPrefix)
		if !ok {
			continue
		}
		code, about, _ := strings.Cut(warning, ".")
		text := code
		if about != "" {
			text += " of " + about
		}
		text += " in " + plural.Of(s.Counts[name], "record")
		if meaning := means[code]; meaning != "" {
			text += ": " + meaning
		}
		say(code, "step %s: %s", s.Name, text)
	}
}

// warnPrivate warns about rejects from before a step that filters, when outputs come from behind that step.
func (r *run) warnPrivate(x *receipt.Receipt, say func(code, format string, args ...any)) {
	filters, first := x.Filters(), ""
	for _, o := range x.Outputs {
		for _, step := range o.After {
			if first == "" && slices.Contains(filters, step) {
				first = step
			}
		}
	}
	if first == "" {
		return
	}
	var before int64
	for _, s := range x.Steps {
		if s.Name == first {
			break
		}
		before += s.Rejected.Total
	}
	for _, in := range x.Outputs {
		if in.Side == receipt.DeadLetter && in.Records > 0 && (before > 0 || r.unread() > 0) {
			path := in.Path
			if path == "-" {
				path = "sink rejects of standard output"
			}
			say("private_rejects", "%s may hold personal data: its records did not go through step %s", path, first)
		}
	}
}

// unread returns how many records no source could read.
func (r *run) unread() (n int64) {
	n = receipt.Sum(r.plan.Totals.Snapshot().Rejected).Total
	for _, step := range r.plan.Steps {
		n -= receipt.Sum(step.Account.Snapshot().Rejected).Total
	}
	return max(n, 0)
}
