package receipt

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluicehq/sluice/host/filehash"
)

// MergedPart is a part that a receipt was merged of.
type MergedPart struct {
	Index    int       `json:"index"`
	Run      string    `json:"run"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
}

// Merge returns the receipt of the whole run that the parts make, which are all of it and in order: the sums of their accounts, with all
// their inputs and outputs. It is the same for the same receipts. It has no timeline and no reports: these are files. The error says why
// the receipts are not of such parts.
func Merge(parts []*Receipt) (*Receipt, error) {
	if err := together(parts); err != nil {
		return nil, err
	}
	x := *parts[0]
	x.Part, x.Timeline, x.Reports, x.Warnings, x.Before, x.Balanced, x.Unbalanced = nil, nil, nil, nil, nil, false, nil
	x.Inputs, x.Outputs = nil, nil
	x.Steps, x.Firsts = slices.Clone(x.Steps), slices.Clone(x.Firsts)
	x.Totals = Totals{Dropped: Breakdown{By: map[string]int64{}}, Rejected: Breakdown{By: map[string]int64{}}}
	runs := sha256.New()
	for k, p := range parts {
		x.Merged = append(x.Merged, MergedPart{p.Part.Index, p.Run, p.Started.UTC(), p.Finished.UTC()})
		fmt.Fprintln(runs, p.Run)
		if p.Started.Before(x.Started) {
			x.Started = p.Started
		}
		if p.Finished.After(x.Finished) {
			x.Finished = p.Finished
		}
		for _, in := range p.Inputs {
			if in.Share.To > in.Share.From || in.Share.Size == 0 {
				x.Inputs = append(x.Inputs, in)
			}
		}
		x.Outputs = append(x.Outputs, p.Outputs...)
		x.Totals.add(p.Totals)
		if k > 0 {
			x.addAccounts(p)
		}
	}
	x.Run = strings.ToUpper(hex.EncodeToString(runs.Sum(nil)))[:26]
	x.Totals.Seconds = x.Finished.Sub(x.Started).Seconds()
	x.Graph = mergeGraphs(parts)
	x.Routes, x.Shadows = mergeRoutes(parts), mergeShadows(parts)
	x.Warnings, x.Reused = mergeWarnings(parts), mergeReused(parts)
	for i := range x.Firsts {
		x.Firsts[i].Path = "" // of the first part
		x.Firsts[i].close()
	}
	return &x, nil
}

// mergeReused adds up what the parts have not run again, nil when none of them has a store.
func mergeReused(parts []*Receipt) (all *Reused) {
	for _, p := range parts {
		if p.Reused == nil {
			continue
		}
		if all == nil {
			all = &Reused{}
		}
		all.Files += p.Reused.Files
		all.Of += p.Reused.Of
		all.Records += p.Reused.Records
		all.Bytes += p.Reused.Bytes
		for _, b := range p.Reused.Behind {
			i := slices.IndexFunc(all.Behind, func(x ReusedBehind) bool { return x.Step == b.Step })
			if i < 0 {
				all.Behind = append(all.Behind, b)
				continue
			}
			x := &all.Behind[i]
			x.Files, x.Records, x.Bytes = x.Files+b.Files, x.Records+b.Records, x.Bytes+b.Bytes
		}
	}
	if all != nil {
		place := func(b ReusedBehind) int {
			return slices.IndexFunc(parts[0].Steps, func(s StepAccount) bool { return s.Name == b.Step })
		}
		slices.SortStableFunc(all.Behind, func(a, b ReusedBehind) int { return cmp.Compare(place(a), place(b)) })
	}
	return all
}

// addAccounts adds what the steps and firsts of another part did.
func (r *Receipt) addAccounts(p *Receipt) {
	for i := range r.Steps {
		r.Steps[i] = r.Steps[i].plus(p.Steps[i])
	}
	for i := range r.Firsts {
		r.Firsts[i] = r.Firsts[i].plus(p.Firsts[i])
	}
}

func (t *Totals) add(o Totals) {
	t.Read += o.Read
	t.Extra += o.Extra
	t.Teed += o.Teed
	t.Written += o.Written
	t.Dropped, t.Rejected = t.Dropped.plus(o.Dropped), t.Rejected.plus(o.Rejected)
	t.BytesRead += o.BytesRead
	t.BytesWritten += o.BytesWritten
}

func (b Breakdown) plus(o Breakdown) Breakdown {
	sum := Sum(sumOf(b.By, o.By))
	if sum.Means = b.Means; len(o.Means) > 0 {
		sum.Means = maps.Clone(o.Means)
		maps.Copy(sum.Means, b.Means)
	}
	return sum
}

// sumOf returns the counts of both by name.
func sumOf(a, b map[string]int64) map[string]int64 {
	if len(a)+len(b) == 0 {
		return a
	}
	sum := maps.Clone(a)
	if sum == nil {
		sum = map[string]int64{}
	}
	for name, n := range b {
		sum[name] += n
	}
	return sum
}

// Plus returns the account of what two parts have written to one place that is no file, so it has no hash.
func (o Output) Plus(x Output) Output {
	o.Records += x.Records
	o.Bytes += x.Bytes
	o.Sum, o.Lengths = filehash.Sum{}, sumOf(o.Lengths, x.Lengths)
	return o
}

// firstOf returns the first places of two parts, of which the other comes later.
func firstOf(a, b map[string][]Position) map[string][]Position {
	if len(b) == 0 {
		return a
	}
	all := maps.Clone(a)
	if all == nil {
		all = map[string][]Position{}
	}
	for reason, places := range b {
		both := slices.Concat(all[reason], places)
		all[reason] = both[:min(len(both), mostDrops)]
	}
	return all
}

// mostDrops is how many places StepAccount.Drops has of a reason.
const mostDrops = 2

func (s StepAccount) plus(o StepAccount) StepAccount {
	s.In += o.In
	s.Out += o.Out
	s.Extra += o.Extra
	s.Dropped, s.Rejected, s.Declined = s.Dropped.plus(o.Dropped), s.Rejected.plus(o.Rejected), s.Declined.plus(o.Declined)
	s.BytesIn += o.BytesIn
	s.BytesOut += o.BytesOut
	s.BusySeconds += o.BusySeconds
	s.CPUSeconds += o.CPUSeconds
	s.Workers = max(s.Workers, o.Workers)
	s.Restarts += o.Restarts
	s.Counts, s.Unwanted = sumOf(s.Counts, o.Counts), sumOf(s.Unwanted, o.Unwanted)
	s.Drops = firstOf(s.Drops, o.Drops)
	s.First, s.Last = cmp.Or(s.First, o.First), cmp.Or(o.Last, s.Last)
	return s
}

func (f FirstReport) plus(o FirstReport) FirstReport {
	f.Records += o.Records
	f.Declined += o.Declined
	f.Steps = slices.Clone(f.Steps)
	for i := range f.Steps {
		m, n := &f.Steps[i], o.Steps[i]
		m.Rows += n.Rows
		m.Rejected += n.Rejected
		m.First, m.Last = cmp.Or(m.First, n.First), cmp.Or(n.Last, m.Last)
	}
	return f
}

// close sets what follows from the sums.
func (f *FirstReport) close() {
	for i := range f.Steps {
		m := &f.Steps[i]
		m.Share, m.CanGo = ShareOf(m.Rows, f.Records), m.Rows == 0 && !f.Partial
	}
}

// ShareOf returns a part as a fraction of the whole, to a millionth.
func ShareOf(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return math.Round(float64(part)/float64(whole)*1e6) / 1e6
}

func mergeGraphs(parts []*Receipt) *Graph {
	if parts[0].Graph == nil {
		return nil
	}
	g := Graph{Body: parts[0].Graph.Body, DeadLetter: parts[0].Graph.DeadLetter}
	for _, p := range parts[1:] {
		o := p.graph()
		g.Body, g.DeadLetter = sumNodes(g.Body, o.Body), g.DeadLetter.plus(o.DeadLetter)
	}
	g.Body, g.DeadLetter = wholeNotes(g.Body), wholeNote(g.DeadLetter)
	return &g
}

// wholeNotes gives sinks the paths of the whole run.
func wholeNotes(nodes []Node) []Node {
	all := make([]Node, len(nodes))
	for i, n := range nodes {
		all[i] = wholeNote(n)
	}
	return all
}

func wholeNote(n Node) Node {
	if n.Kind == "sink" {
		_, n.Note, _ = PartOf(n.Note)
	}
	n.Edges = slices.Clone(n.Edges)
	for i := range n.Edges {
		n.Edges[i].Nodes = wholeNotes(n.Edges[i].Nodes)
	}
	return n
}

func sumNodes(a, b []Node) []Node {
	sum := make([]Node, len(a))
	for i := range a {
		sum[i] = a[i].plus(b[i])
	}
	return sum
}

func (n Node) plus(o Node) Node {
	if n.Counts != nil && o.Counts != nil {
		n.Counts = &Counts{
			In: n.Counts.In + o.Counts.In, Out: n.Counts.Out + o.Counts.Out, Dropped: n.Counts.Dropped + o.Counts.Dropped,
			Rejected: n.Counts.Rejected + o.Counts.Rejected, Declined: n.Counts.Declined + o.Counts.Declined,
		}
	}
	n.Edges = slices.Clone(n.Edges)
	for i := range n.Edges {
		n.Edges[i].Records += o.Edges[i].Records
		n.Edges[i].Nodes = sumNodes(n.Edges[i].Nodes, o.Edges[i].Nodes)
	}
	return n
}

func mergeRoutes(parts []*Receipt) (all []RouteReport) {
	for i := range parts[0].Routes {
		x := parts[0].Routes[i]
		x.Branches = slices.Clone(x.Branches)
		unmet := slices.Clone(x.Unmet)
		for _, p := range parts[1:] {
			o := p.Routes[i]
			for k := range x.Branches {
				x.Branches[k].Records += o.Branches[k].Records
			}
			x.Rejected += o.Rejected
			x.Others = sumOf(x.Others, o.Others)
			unmet = append(unmet, o.Unmet...)
		}
		x.Unmet = stillUnmet(unmet, x.Branches)
		all = append(all, x)
	}
	return all
}

// stillUnmet returns the cases that no record of any part took, each once.
func stillUnmet(unmet []UnmetCase, branches []Branch) (all []UnmetCase) {
	for _, u := range unmet {
		took := slices.ContainsFunc(branches, func(b Branch) bool { return !b.Default && b.Case == u.Case && b.Records > 0 })
		k := slices.IndexFunc(all, func(o UnmetCase) bool { return o.Case == u.Case })
		switch {
		case took:
		case k < 0:
			all = append(all, u)
		default:
			all[k].Like += u.Like
			all[k].Value = cmp.Or(all[k].Value, u.Value)
		}
	}
	return all
}

func mergeShadows(parts []*Receipt) (all []ShadowReport) {
	for i := range parts[0].Shadows {
		x := parts[0].Shadows[i]
		x.Comparison = Comparison{}
		for _, p := range parts {
			x.Comparison = x.Comparison.plus(p.Shadows[i].Comparison)
		}
		all = append(all, x)
	}
	return all
}

func (c Comparison) plus(o Comparison) Comparison {
	c.Records += o.Records
	c.Differing += o.Differing
	c.Ignored += o.Ignored
	c.NotCompared += o.NotCompared
	c.Stopped = cmp.Or(c.Stopped, o.Stopped)
	c.Differences = slices.Clone(c.Differences)
	for _, g := range o.Differences {
		k := slices.IndexFunc(c.Differences, func(h ShadowGroup) bool { return h.ShadowDifference == g.ShadowDifference })
		if k < 0 {
			c.Differences = append(c.Differences, g)
			continue
		}
		c.Differences[k].Records += g.Records
	}
	slices.SortFunc(c.Differences, func(a, b ShadowGroup) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Current, b.Current), cmp.Compare(a.Candidate, b.Candidate))
	})
	c.Differences = list(c.Differences)
	return c
}

// mergeWarnings returns the warnings of all parts, each once, with the sum of the records or rows that it counts.
func mergeWarnings(parts []*Receipt) (all []Warning) {
	type key struct{ code, place, before, noun, behind string }
	at, sums := map[key]int{}, []int64{}
	for _, p := range parts {
		for _, w := range p.Warnings {
			before, n, noun, behind := cutCount(wholePath(w.Message))
			k := key{w.Code, w.Place, before, noun, behind}
			i, known := at[k]
			if !known {
				i = len(all)
				at[k], all, sums = i, append(all, w), append(sums, 0)
			}
			if sums[i] += n; n == 0 {
				all[i].Message = before
				continue
			}
			if sums[i] != 1 {
				noun += "s"
			}
			all[i].Message = fmt.Sprintf("%s%d %s%s", before, sums[i], noun, behind)
		}
	}
	return all
}

var countForm = regexp.MustCompile(`\b([0-9]+) (record|row)s?\b`)

// cutCount cuts the first count of records or rows out of a text, with the noun.
func cutCount(text string) (before string, n int64, noun, behind string) {
	m := countForm.FindStringSubmatchIndex(text)
	if m == nil {
		return text, 0, "", ""
	}
	n, _ = strconv.ParseInt(text[m[2]:m[3]], 10, 64)
	return text[:m[0]], n, text[m[4]:m[5]], text[m[1]:]
}

// wholePath gives a text that begins with the path of a part that of the whole run.
func wholePath(text string) string {
	file, rest, _ := strings.Cut(text, " ")
	if _, whole, ok := PartOf(file); ok {
		return whole + " " + rest
	}
	return text
}
