package page

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/plural"
)

// A failureView says how a run ended that did not finish, and how to go on.
type failureView struct {
	Title   string
	Error   string // "" when it only repeats the title
	Facts   []pair
	Explain string // the command that shows the way of the record; "" when none is known
	Command string // that goes on, or begins anew
	Kept    string // what is kept to go on with
}

func (m *maker) failure() *failureView {
	f := m.run.Failure
	if f == nil {
		return nil
	}
	v := &failureView{Title: "This run failed", Error: format.Cut(format.Printable(strings.TrimSpace(f.Error)), 1500), Command: m.command()}
	if f.Interrupted {
		v.Title, v.Error = "This run was interrupted", ""
	}
	add := func(name, value string) {
		if value != "" {
			v.Facts = append(v.Facts, pair{name, format.Printable(value)})
		}
	}
	if f.Record != nil {
		add("Record", f.Record.String())
		v.Explain = m.explain(f.Record.String())
	}
	add("Step", f.Step)
	add("How far it came", m.howFar())
	add("Ended", f.Ended.UTC().Format("2 January 2006, 15:04:05 UTC"))
	if len(f.Named)+len(f.Unnamed) > 0 {
		add("In place", strings.Join(f.Named, ", "))
		add("Not in place", strings.Join(f.Unnamed, ", "))
	} else {
		add("In place", "no output of this run; files of earlier runs are as they were")
	}
	for _, o := range m.run.Outputs {
		add("Rejects so far", fmt.Sprintf("%s, %s", o.Path, plural.Of(o.Records, "row")))
	}
	for _, r := range m.run.Reports {
		add("Kept", r.What+": "+r.Path)
	}
	switch r := f.Resume; {
	case r == nil:
		v.Kept = "Nothing of this run was kept, so it cannot be resumed. To start again:"
		if v.Command == "" {
			v.Kept = "Nothing of this run was kept, so it cannot be resumed. To start again, repeat its command, which is too long to show."
		}
	case r.Committing:
		v.Kept, v.Command = "All records are done, and the outputs are kept under hidden names. To give them their final names:", r.Command
	default:
		v.Kept, v.Command = "The first "+plural.Of(r.Records, "record")+" are done, and kept in hidden files. To resume from there:", r.Command
	}
	return v
}

// explain returns the command that shows what became of a record at every step, "" when it is too long. Of a part of a run there is none.
func (m *maker) explain(record string) string {
	if m.run.Partial != nil || m.run.Part != nil {
		return ""
	}
	words := append([]string{"sluice explain " + quoted(m.run.Pipeline.Path)}, m.settings()...)
	return inLines(append(words, "--record "+quoted(record)))
}

func (m *maker) howFar() string {
	f := m.run.Failure
	done := f.DoneBytes
	text := plural.Of(m.run.Totals.Read, "record") + " read, "
	if f.DoneRecords > 0 {
		text += plural.Count(f.DoneRecords) + " of them done: "
	} else if done == 0 { // none, or the receipt is of an older version
		done = f.Bytes
	}
	text += format.Size(done)
	if f.TotalBytes > 0 {
		text += fmt.Sprintf(" of %s (%s)", format.Size(f.TotalBytes), format.Share(done, f.TotalBytes))
	}
	return text
}

// unfinished returns the figures of a run that did not finish. Records may have been under way, so they are no parts of one whole.
func (m *maker) unfinished() []figure {
	t := m.run.Totals
	all := []figure{
		{"Read", plural.Count(t.Read), format.Size(m.run.Failure.Bytes), "", ""},
		{"Written", plural.Count(t.Written), "rows, none of which is in place", "", ""},
		{"Rejected", plural.Count(t.Rejected.Total), "so far", "", ""},
		{"Dropped", plural.Count(t.Dropped.Total), "so far", "", ""},
		{"Took", format.Seconds(t.Seconds), "", "", ""}, // what is done of what was read is said above
	}
	if len(m.run.Failure.Named) > 0 {
		all[1].Note = "rows, some of which are in place"
	}
	if t.Rejected.Total > 0 {
		all[2].Class = "bad"
	}
	return all
}
