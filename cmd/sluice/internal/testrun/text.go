package testrun

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/pipetest"
	"github.com/sluicehq/sluice/host/plural"
)

// Text says what came of the tests of one file: each that failed, all when asked, and a line for the file.
func (f *File) Text(all bool) string {
	var b strings.Builder
	for i := range f.Tests {
		t := &f.Tests[i]
		failed := len(t.Failures) > 0
		if failed {
			fmt.Fprintf(&b, "FAIL  %s:%d: %s\n", f.Path, t.Line, cli.OneLine(t.Name))
		} else if all {
			took := time.Duration(t.Seconds * float64(time.Second)).Round(time.Millisecond)
			fmt.Fprintf(&b, "pass  %s:%d: %s (%v)\n", f.Path, t.Line, cli.OneLine(t.Name), took)
		}
		for _, x := range t.Failures {
			failure(&b, f.Path, x)
		}
		if failed || all {
			for _, line := range t.Log {
				fmt.Fprintf(&b, "    log: %s\n", cli.OneLine(line))
			}
		}
	}
	n, took := f.failed(), f.took.Round(10*time.Millisecond)
	switch {
	case n > 0:
		fmt.Fprintf(&b, "FAIL  %s  %s of %s  %v\n", f.Path, plural.Count(int64(n)), plural.Of(len(f.Tests), "test"), took)
	case len(f.Tests) > 0:
		fmt.Fprintf(&b, "ok    %s  %s  %v\n", f.Path, plural.Of(len(f.Tests), "test"), took)
	}
	if f.Updated {
		fmt.Fprintf(&b, "      %s was written anew\n", f.Path)
	}
	if f.Cover != nil && len(f.Tests) > 0 {
		covered(&b, f)
	}
	if f.Mutation != nil {
		mutated(&b, f)
	}
	return format.Printable(b.String())
}

// failure writes a failed expectation of a test, with its places in the test and in the pipeline.
func failure(b *strings.Builder, path string, x pipetest.Failure) {
	where := ""
	if x.Where != "" {
		where = fmt.Sprintf("%s (%s): ", x.Where, x.Place)
	}
	fmt.Fprintf(b, "    %s:%d: %s%s\n", path, x.Line, where, strings.ReplaceAll(x.Message, "\n", "\n      "))
	for _, c := range x.Diff {
		if c.Path != "" {
			fmt.Fprintf(b, "      %s\n", cli.OneLine(c.Path))
		}
		if c.To != "" {
			fmt.Fprintf(b, "        want it there, have it at %s\n", cli.OneLine(c.To))
			continue
		}
		fmt.Fprintf(b, "        want %s\n        have %s\n", orNothing(c.Want), orNothing(c.Have))
	}
}

func orNothing(json string) string {
	if json == "" {
		return "nothing"
	}
	return lines.ReplaceAllString(json, " ") // none of them is in a string
}

var lines = regexp.MustCompile(`\s*\n\s*`)

// covered writes how many records went through each step and branch, and lists the codes and rules that no test has met.
func covered(b *strings.Builder, f *File) {
	x := f.Cover
	steps := 0
	for _, p := range x.Parts {
		if p.Records > 0 {
			steps++
		}
	}
	codes, unmet := met(x.Codes)
	rules, unused := met(x.Rules)
	fmt.Fprintf(b, "\ncover %s: %d of %d steps and branches", f.Pipeline, steps, len(x.Parts))
	if len(x.Codes) > 0 {
		fmt.Fprintf(b, ", %d of %s", codes, plural.Of(len(x.Codes), "reject code"))
	}
	if len(x.Rules) > 0 {
		fmt.Fprintf(b, ", %d of %s", rules, plural.Of(len(x.Rules), "rule"))
	}
	b.WriteString("\n")
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, p := range x.Parts {
		mark, n := " ", plural.Count(p.Records)
		if p.Records == 0 {
			mark, n = "!", "never"
			if p.Mocked > 0 {
				n = "only its mock: " + plural.Count(p.Mocked)
			}
		}
		place := strconv.Itoa(p.Line)
		if p.Path != f.Pipeline {
			place = p.Path + ":" + place
		}
		fmt.Fprintf(w, "%s %s\t| %s\t%s\n", mark, place, strings.ReplaceAll(strings.TrimSuffix(p.Text, " {"), "\t", "  "), n)
	}
	w.Flush()
	past(b, f)
	for _, v := range x.Invariants {
		if v.Records == 0 {
			fmt.Fprintf(b, "! %s:%d: %s was checked on no row\n", f.Path, v.Line, cli.OneLine(v.What))
		}
	}
	for _, list := range []struct {
		what  string
		names []string
	}{{"codes that no test meets", unmet}, {"rules that no test meets", unused}} {
		if len(list.names) > 0 {
			fmt.Fprintf(b, "%s:\n  %s\n", list.what, strings.Join(list.names, "\n  "))
		}
	}
	b.WriteString("\n")
}

// past lists the steps that rows reached a sink without, with the ways that lead past each.
func past(b *strings.Builder, f *File) {
	for i, p := range f.Cover.Past {
		n := "1 record took "
		if p.Records != 1 {
			n = plural.Count(p.Records) + " records took "
		}
		if strings.HasPrefix(p.Way, "sink ") {
			n = plural.Of(int(p.Records), "row") + " reached "
		}
		if i > 0 && f.Cover.Past[i-1].Step == p.Step {
			fmt.Fprintf(b, ", %s%s", n, p.Way)
			continue
		}
		if i > 0 {
			b.WriteString("\n")
		}
		mark, place := " ", strconv.Itoa(p.Line)
		if p.Private {
			mark = "!"
		}
		if p.Path != f.Pipeline {
			place = p.Path + ":" + place
		}
		fmt.Fprintf(b, "%s %s: past %s: %s%s", mark, place, p.Step, n, p.Way)
	}
	if len(f.Cover.Past) > 0 {
		b.WriteString("\n")
	}
}

// met counts the names that tests have met, and lists the others, those of one step on a line.
func met(all []pipetest.CoveredName) (n int, unmet []string) {
	step := ""
	for _, x := range all {
		switch {
		case x.Count > 0:
			n++
			continue
		case x.Step != step || len(unmet[len(unmet)-1]) > 100:
			step = x.Step
			unmet = append(unmet, x.Step+": "+x.Name)
		default:
			unmet[len(unmet)-1] += ", " + x.Name
		}
	}
	return n, unmet
}

// mutated writes which changes of the pipeline no test has noticed.
func mutated(b *strings.Builder, f *File) {
	m := f.Mutation
	fmt.Fprintf(b, "\nmutate %s: %s of %s tried, each alone: %s noticed, %s refused as mistakes, %s unnoticed\n", f.Pipeline,
		plural.Count(int64(m.Tried)), plural.Of(m.Made, "change"), plural.Count(int64(m.Noticed)), plural.Count(int64(m.Refused)), plural.Count(int64(len(m.Unnoticed))))
	for _, x := range m.Unnoticed {
		fmt.Fprintf(b, "! %s:%d: %s\n", x.Path, x.Line, cli.OneLine(x.What))
	}
	for _, x := range m.Same {
		fmt.Fprintf(b, "= %s:%d: %s: not tried, %s\n", x.Path, x.Line, cli.OneLine(x.What), x.Why)
	}
	if len(m.Unnoticed) > 0 {
		b.WriteString("  those with ! may be missing in the tests, or make no difference to any record, which is only known of some\n")
	}
	b.WriteString("\n")
}
