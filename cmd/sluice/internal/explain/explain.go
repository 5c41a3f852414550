// Package explain prepares a trace for display: what each step changed, which values are still as they were read, and placeholders for
// personal values.
package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/host/rundiff"
	"github.com/sluicehq/sluice/host/trace"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An Explanation is what became of some records at every node of a pipeline, as a machine reads it. Personal values have
// names everywhere.
type Explanation struct {
	Error   string   `json:"error,omitempty"`
	Masked  bool     `json:"masked"`
	Records []Record `json:"records"`
	Last    []Visit  `json:"after_the_last,omitempty"` // what steps said when all had arrived
}

// A Record is one record of the input.
type Record struct {
	File     string          `json:"file"`
	Line     int64           `json:"line"`
	Note     string          `json:"note,omitempty"`
	Bytes    int             `json:"bytes"`
	Record   json.RawMessage `json:"record"` // as it was read; null when it is no JSON or too large
	Passages []Visit         `json:"passages"`
	Ends     []End           `json:"ends"`
}

// A Visit is what one node of the pipeline made of one record that came there.
type Visit struct {
	Kind    string            `json:"kind"` // step, route, sink or dead_letter
	Name    string            `json:"name,omitempty"`
	Within  []string          `json:"within,omitempty"`
	Verdict string            `json:"verdict,omitempty"`
	Code    string            `json:"code,omitempty"`
	Path    string            `json:"path,omitempty"`
	Message string            `json:"message,omitempty"`
	Means   string            `json:"means,omitempty"` // what the plugin says of the code
	Branch  string            `json:"way,omitempty"`   // that a route chose
	File    string            `json:"file,omitempty"`  // of a sink
	Labels  map[string]string `json:"labels,omitempty"`
	Records int               `json:"records,omitempty"` // that were emitted
	Emitted []State           `json:"emitted,omitempty"` // the first of them
	Rows    []Row             `json:"rows,omitempty"`
	Counts  map[string]int64  `json:"counts,omitempty"`
	Note    string            `json:"note,omitempty"`
}

// A State is one record that a step emitted.
type State struct {
	Bytes  int               `json:"bytes"`
	Labels map[string]string `json:"labels,omitempty"` // when they are others than before
	Patch  []Operation       `json:"patch"`            // what makes it of the record that came
	Note   string            `json:"note,omitempty"`   // why there is no patch, or what it leaves out

	Changes []Change `json:"-"` // the same for people

	Origins     []receipt.Position `json:"origins,omitempty"` // the records that it was made of, when the step made it of several
	MoreOrigins int64              `json:"more_origins,omitempty"`
}

// A Row is a row that a step wrote to a side output.
type Row struct {
	Output string          `json:"output"`
	Row    json.RawMessage `json:"row"`
}

// An End is a record that has reached a sink, with the values in it that are as they were read.
type End struct {
	Sink      string `json:"sink"`
	Untouched []Span `json:"untouched"`
	Bytes     int    `json:"bytes"` // untouched, of those that were read
	Note      string `json:"note,omitempty"`
}

// MostAlike is how many records of one place are compared: a document may become thousands.
const MostAlike = 20

// New explains the records of a trace. Personal values are masked by v; nil shows them.
func New(x *trace.Trace, v *mask.Values, pick trace.Selection) *Explanation {
	t := builder{Values: v, states: map[*byte][]byte{}}
	all := &Explanation{Masked: v != nil, Records: []Record{}}
	for _, r := range x.Records {
		all.Records = append(all.Records, t.record(r, pick.Records))
	}
	for i := range x.Final {
		all.Last = append(all.Last, t.passage(&x.Final[i]))
	}
	return all
}

type builder struct {
	*mask.Values
	states map[*byte][]byte // what may be shown of a text, by its first byte
}

// show returns a state with its personal values masked, nil when it is too large.
func (t *builder) show(s *trace.State) []byte {
	if len(s.JSON) == 0 || len(s.JSON) > MaxCompared {
		return nil
	}
	at := &s.JSON[0]
	if t.states[at] == nil {
		t.states[at] = t.JSON(s.JSON)
	}
	return t.states[at]
}

func (t *builder) record(r *trace.Record, wanted []trace.Input) Record {
	x := Record{File: r.File, Line: r.Line, Bytes: r.Read.Size, Passages: []Visit{}, Ends: []End{}}
	for _, w := range wanted {
		if w.Note != "" && isAt(r, &w) {
			x.Note = w.Note
		}
	}
	if text := t.show(&r.Read); text != nil && jsontext.Check(text, mostDepth) == nil {
		x.Record = text
	}
	ended := map[string]int{}
	for i := range r.Visits {
		p := &r.Visits[i]
		x.Passages = append(x.Passages, t.passage(p))
		if ended[p.Name]++; p.Kind == "sink" && ended[p.Name] <= MostAlike {
			x.Ends = append(x.Ends, t.end(p, r))
		}
	}
	return x
}

// isAt reports whether a record is the one at a place.
func isAt(r *trace.Record, at *trace.Input) bool {
	return at.Line == r.Line && mask.Name(at.File) == r.File
}

const mostDepth = 10_000

func (t *builder) passage(p *trace.Visit) Visit {
	x := Visit{
		Kind: p.Kind, Name: p.Name, Verdict: p.Verdict, Code: t.Text(p.Code), Path: t.Text(p.Path), Message: t.Text(p.Message),
		Means: p.Meaning, Branch: t.Text(p.Branch), File: mask.Name(p.File), Counts: t.Counts(p.Counts),
	}
	for _, block := range p.Within {
		x.Within = append(x.Within, t.Text(block))
	}
	if p.Kind == "sink" {
		x.Labels = t.Labels(p.In.Labels)
	}
	if p.Ordered && p.Verdict != "" {
		x.Note = "it keeps state from record to record, and sees only what is explained"
	}
	for i := range p.Out {
		if i == MostAlike {
			x.Note = fmt.Sprintf("only the first %d records are compared", i)
			break
		}
		x.Emitted = append(x.Emitted, t.emitted(&p.In, &p.Out[i]))
	}
	x.Records = len(p.Out)
	for _, row := range p.Rows {
		x.Rows = append(x.Rows, Row{row.Output, t.JSON(row.JSON)})
	}
	return x
}

func (t *builder) emitted(in, out *trace.State) State {
	x := State{Bytes: out.Size, Patch: []Operation{}}
	if !slices.Equal(in.Origins, out.Origins) {
		for _, p := range out.Origins {
			x.Origins = append(x.Origins, receipt.Position{File: mask.Name(p.File), Line: p.Line})
		}
		x.MoreOrigins = out.More
	}
	if fmt.Sprint(in.Labels) != fmt.Sprint(out.Labels) {
		x.Labels = t.Labels(out.Labels)
	}
	if len(in.JSON) > 0 && bytes.Equal(in.JSON, out.JSON) {
		return x
	}
	from, to := t.show(in), t.show(out)
	if in.Size == 0 { // it was made after the last record
		from = []byte("{}")
	}
	if from == nil || to == nil {
		x.Note = fmt.Sprintf("too large to be compared: %s became %s", format.Size(int64(in.Size)), format.Size(int64(out.Size)))
		return x
	}
	pairs, err := rundiff.Values(from, to)
	switch {
	case err != nil:
		x.Note = "cannot be compared: " + err.Error()
	case len(pairs) > 0:
		x.Patch, x.Changes = patchOf(pairs), Changes(pairs)
	default:
		x.Note = "the same values, spelled differently"
	}
	return x
}

func (t *builder) end(p *trace.Visit, r *trace.Record) End {
	x := End{Sink: p.Name, Untouched: []Span{}}
	if len(r.Read.JSON) == 0 || len(p.In.JSON) == 0 || max(len(r.Read.JSON), len(p.In.JSON)) > MaxCompared {
		x.Note = "too large to be compared"
		return x
	}
	for _, s := range untouched(r.Read.JSON, p.In.JSON) {
		s.Path, s.From = t.Text(s.Path), t.Text(s.From)
		x.Bytes += s.Bytes
		x.Untouched = append(x.Untouched, s)
	}
	return x
}
