package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

type notice struct {
	Class string // warn or bad
	Title string
	Text  string
}

type figure struct {
	Label, Value, Note, Class string
	Change                    string // since the run before; "" when there was none
}

func (m *maker) notices() []notice {
	var all []notice
	say := func(class, code, layout string, args ...any) {
		all = append(all, notice{class, titleOf(code), fmt.Sprintf(layout, args...)})
	}
	for _, text := range m.run.Unbalanced {
		say("bad", "unbalanced", "%s", text)
	}
	for _, p := range m.privacy() {
		if n := p.Left; n > 0 {
			say("bad", "residue", "step %s: behind the filter the rules found %s, and the records with them were rejected", p.Step, plural.Of(n, "more finding"))
		}
	}
	if p := m.run.Partial; p != nil {
		say("warn", "partial", "it took %v", p)
	}
	if p := m.run.Part; p != nil {
		say("warn", "part", "it is part %d of %d, counted from 0", p.Index, p.Of)
	}
	for _, path := range slices.Sorted(maps.Keys(m.troubles)) {
		say("warn", "file", "%s: %s", path, m.troubles[path])
	}
	for _, w := range m.run.Warnings {
		text := w.Message
		if w.Place != "" {
			text = w.Place + ": " + text
		}
		say("warn", w.Code, "%s", text)
	}
	for _, s := range m.run.Steps {
		if s.Restarts > 0 {
			say("warn", "restarts", "the process of step %s was restarted %s", s.Name, times(s.Restarts))
		}
	}
	if m.run.Graph == nil {
		say("", "older", "sluice %s recorded neither the path of the records, nor the course of the run, nor the lengths of its rows", m.run.Sluice)
	}
	const most = 12
	if len(all) > most {
		all = append(all[:most], notice{"", plural.Of(len(all)-most, "more notice"), "the receipt has them"})
	}
	return all
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return plural.Count(int64(n)) + " times"
}

func titleOf(code string) string {
	titles := map[string]string{
		"pipeline": "About the pipeline", "most_rejected": "Many rejects", "untargeted": "For no model in particular", "unread_members": "Members not read", "candidate": "Candidate failed",
		"no_output": "Output without a block", "private_rejects": "Rejects are not filtered", "unbalanced": "Does not balance", "unfiltered": "Rules not stated",
		"padding": "Zeros behind gzip data", "json_column": "Columns of JSON text", "residue": "Found behind the filter", "partial": "Not a whole run", "part": "Not a whole run", "file": "File not as the run left it", "older": "Older receipt",
	}
	words := cmp.Or(strings.ReplaceAll(code, "_", " "), " ")
	return cmp.Or(titles[code], strings.ToUpper(words[:1])+words[1:])
}

// figures say what became of the records that were read, as parts of the same whole. Copies that tees made stand beside it.
func (m *maker) figures() []figure {
	if m.run.Failure != nil {
		return m.unfinished()
	}
	t := m.run.Totals
	f, ok := m.run.Funnel()
	if !ok { // an old receipt does not say which were copies
		f = receipt.Funnel{Read: t.Read, Rejected: t.Rejected.Total, Dropped: t.Dropped.Total, Made: t.Extra, Copied: t.Teed, Kept: t.Written}
	}
	ofRead := func(n int64) string {
		if f.Made > 0 {
			return "of those read and made" // which is no share of what was read
		}
		return format.Share(n, f.Read) + " of those read"
	}
	all := []figure{{"Read", plural.Count(f.Read), format.Size(t.BytesRead) + " from " + plural.Of(m.filesRead(), "file"), "", ""}}
	if f.Made == 0 {
		all = append(all, figure{"Kept", plural.Count(f.Kept), ofRead(f.Kept), "", ""})
	} else {
		all = append(all, figure{"Kept", plural.Count(f.Kept), "rows; steps that split or join records made " + moreOrFewer(f.Made), "", ""})
	}
	rejected := figure{"Rejected", plural.Count(f.Rejected + f.Unreadable), ofRead(f.Rejected + f.Unreadable), "", ""}
	if f.Unreadable > 0 {
		rejected.Note += ", " + plural.Count(f.Unreadable) + " as unreadable"
	}
	if f.Rejected+f.Unreadable > 0 {
		rejected.Class = "bad"
	}
	all = append(all, rejected, figure{"Dropped", plural.Count(f.Dropped), ofRead(f.Dropped), "", ""})
	if f.Copied > 0 {
		all = append(all, figure{"Copied", plural.Count(f.Copied), "by tees; no part of the other figures", "", ""})
	}
	return append(all, figure{"Took", format.Seconds(t.Seconds), m.speed(), "", ""})
}

func moreOrFewer(n int64) string {
	if n < 0 {
		return plural.Count(-n) + " fewer"
	}
	return plural.Count(n) + " more"
}

func (m *maker) filesRead() int64 {
	if p := m.run.Partial; p != nil {
		return int64(len(p.Taken))
	}
	files := map[string]bool{} // a merged run has read one in several shares
	for _, in := range m.run.Inputs {
		name := in.Source + " " + in.Name
		if in.Share != nil {
			name = fmt.Sprint(in.Share.File, name) // which others may have, masked
		}
		files[name] = true
	}
	return int64(len(files))
}

func (m *maker) speed() string {
	t := m.run.Totals
	if t.Seconds <= 0 {
		return ""
	}
	return fmt.Sprintf("%s/s, %s records/s", format.Size(int64(float64(t.BytesRead)/t.Seconds)), format.Short(float64(int64(float64(t.Read)/t.Seconds))))
}
