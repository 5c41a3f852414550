package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/percent"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

// summariseFully says of a run what --verbose asks for: all counts, steps and files.
func summariseFully(w io.Writer, x *host.Result) {
	summariseRecords(w, x)
	summariseSteps(w, x)
	summariseFiles(w, x)
}

func summariseRecords(w io.Writer, x *host.Result) {
	t := x.Totals
	files := len(x.Inputs)
	if p := x.Partial; p != nil {
		rowf(w, "partial\tnot a whole run\tit took %v\n", p)
		files = len(p.Taken)
	}
	if p := x.Part; p != nil {
		rowf(w, "part\t%d/%d\tof %s\n", p.Index, p.Of, plural.Of(p.Files, "file"))
	}
	rowf(w, "read\t%s\t%s from %s\n", plural.Of(t.Read, "record"), format.Size(t.BytesRead), plural.Of(files, "file"))
	if u := x.Reused; u != nil {
		rowf(w, "reused\t%s\t%s from %s\n", plural.Of(u.Records, "record"), format.Size(u.Bytes), plural.Of(int64(u.Files), "file"))
		for _, b := range u.Behind {
			rowf(w, "\t%s\t%s from %s, run only behind step %s\n", plural.Of(b.Records, "record"), format.Size(b.Bytes), plural.Of(int64(b.Files), "file"), b.Step)
		}
	}
	rowf(w, "wrote\t%s\t\n", plural.Of(t.Written, "record"))
	summarise(w, "rejected", plural.Of(t.Rejected.Total, "record"), t.Rejected.By)
	summarise(w, "dropped", plural.Of(t.Dropped.Total, "record"), t.Dropped.By)
}

// summarise writes counts by name, in as many lines as they take.
func summarise(w io.Writer, what, which string, by map[string]int64) {
	for _, line := range Breakdown(mask.Counts(by)) {
		rowf(w, "%s\t%s\t%s\n", what, which, line)
		what, which = "", ""
	}
}

func summariseSteps(w io.Writer, x *host.Result) {
	for _, s := range x.Steps {
		if s.In > 0 || s.Out > 0 {
			rowf(w, "step\t%s\t%s\n", s.Name, passed(s))
		}
	}
	for _, s := range x.Steps {
		if s.Restarts > 0 {
			rowf(w, "restarted\tstep %s\t%s\n", s.Name, plural.Of(s.Restarts, "time"))
		}
	}
	for _, s := range x.Steps {
		summarise(w, "lost", "step "+s.Name, losses(s.Counts))
	}
	for _, s := range x.Steps {
		summarise(w, "counted", "step "+s.Name, ownCounts(s.Counts))
	}
	for _, s := range x.Steps {
		if filters(s) {
			rowf(w, "privacy\tstep %s\t%s\n", s.Name, filtered(s))
		}
	}
	for _, f := range x.Firsts {
		idle := idleSteps(f)
		for _, s := range f.Steps {
			if len(idle) <= fewIdle || !s.CanGo {
				rowf(w, "%s\t%s\t%s\n", f.First, s.Step, ranked(s))
			}
		}
		if len(idle) > fewIdle {
			what, which := f.First, plural.Of(int64(len(idle)), "step")
			for _, line := range wrapped("no record needed them: ", idle) {
				rowf(w, "%s\t%s\t%s\n", what, which, line)
				what, which = "", ""
			}
		}
		if f.Path != "" {
			rowf(w, "%s\t%s\t\n", f.First, f.Path)
		}
	}
	for i := range x.Routes {
		if r := &x.Routes[i]; len(r.Unmet) > 0 {
			summariseUnmet(w, r)
		}
	}
	for _, s := range x.Steps {
		if s.Deprecated != "" {
			rowf(w, "deprecated\t%s\t%s\n", s.Name, needed(s))
		}
	}
	for i := range x.Shadows {
		summariseShadow(w, &x.Shadows[i])
	}
}

// passed says what became of the records that came to a step.
func passed(s receipt.StepAccount) string {
	text := fmt.Sprintf("%s in, %s out", plural.Count(s.In), plural.Count(s.Out))
	for _, of := range []struct {
		what string
		n    int64
	}{{"dropped", s.Dropped.Total}, {"rejected", s.Rejected.Total}, {"declined", s.Declined.Total}} {
		if of.n > 0 {
			text += fmt.Sprintf(", %s %s", plural.Count(of.n), of.what)
		}
	}
	return text
}

// ownCounts returns the counts of a step but for those that lines of their own or warnings tell.
func ownCounts(counts map[string]int64) map[string]int64 {
	own := map[string]int64{}
	for name, n := range counts {
		if !strings.HasPrefix(name, "loss.") && !strings.HasPrefix(name, "warn.") {
			own[name] = n
		}
	}
	return own
}

func summariseFiles(w io.Writer, x *host.Result) {
	part := ""
	if x.Partial != nil {
		part = ", partial"
	}
	took := time.Duration(x.Totals.Seconds * float64(time.Second))
	rowf(w, "took\t%s\t%s\n", took.Round(time.Millisecond), format.Rate(x.Totals.BytesRead, took))
	for _, o := range x.Outputs {
		rowf(w, "output\t%s\t%s, %s%s\n", o.Path, plural.Of(o.Records, "row"), format.Size(o.Bytes), part)
	}
	if x.Path != "" {
		rowf(w, "receipt\t%s\t\n", x.Path)
	}
	if x.Page != "" {
		rowf(w, "report\t%s\t\n", x.Page)
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
	text := fmt.Sprintf("%s, %s, %s:%d to %s:%d",
		plural.Of(s.Rows, "record"), percent.Share(s.Share, 1), s.First.File, s.First.Line, s.Last.File, s.Last.Line)
	if s.Rejected > 0 {
		text += fmt.Sprintf(", %s rejected", plural.Count(s.Rejected))
	}
	return text
}
