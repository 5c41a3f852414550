package config

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/sluicehq/sluice/host/internal/ignore"
	"github.com/sluicehq/sluice/host/internal/limit"
)

// Pipeline is one file: its blocks in their order, each with its range.
type Pipeline struct {
	Path       string         // as given
	Dir        string         // absolute folder of the file, pipeline.dir
	SHA256     string         // of the file's bytes, followed by the sum of each file that it includes, in hex
	Vars       []Variable     // in file order
	Reads      []Reading      // what env and file took from outside the file, by kind and name
	Withheld   []Reading      // what they would have taken, had the pipeline been trusted; without hashes
	Plugins    map[string]Pin // by plugin name
	Sources    []Source       // one or more, read one after another
	Body       []Node         // in file order
	DeadLetter *DeadLetter    // nil when absent
	Manifest   *Manifest      // nil when absent
	Hash       string         // the algorithm of filehash for the files that a run reads and writes

	// Mistaken is set when values may be missing: the file has mistakes, or something was withheld from it. Incomplete is set when blocks may be missing, too.
	Mistaken, Incomplete bool

	file *listing
}

// Secrets returns every non-empty string and every number of 4 digits and more in the values of sensitive variables, the longest first,
// for masking. Keys of a map are names and not among them.
func (p *Pipeline) Secrets() []string { return p.file.secrets.all }

// PluginNames returns the plugins that its steps name, sorted.
func (p *Pipeline) PluginNames() []string {
	names := map[string]bool{}
	eachStep(p.Body, func(s *Step) { names[s.Type] = true })
	return slices.Sorted(maps.Keys(names))
}

// Steps returns the steps in the order of the file.
func (p *Pipeline) Steps() (all []*Step) {
	eachStep(p.Body, func(s *Step) { all = append(all, s) })
	return all
}

// eachStep visits the steps of a sequence of nodes in the order of the file.
func eachStep(nodes []Node, visit func(*Step)) {
	for _, n := range nodes {
		switch n := n.(type) {
		case *Step:
			visit(n)
		case *Shadow:
			visit(n.Current)
			visit(n.Candidate)
		case *First:
			eachStep(n.Members, visit)
		case *Route:
			for _, c := range n.Cases {
				eachStep(c.Body, visit)
			}
			eachStep(n.Default, visit)
		case *Tee:
			eachStep(n.Body, visit)
		}
	}
}

// Has reports whether a step is a node or is inside it.
func Has(n Node, s *Step) (has bool) {
	eachStep([]Node{n}, func(other *Step) { has = has || other == s })
	return has
}

// Range is a stretch of the file, or of one that it includes. Lines and columns count from 1, columns in characters; the end is
// exclusive.
type Range struct {
	Line, Column, EndLine, EndColumn int

	file *listing // nil: that of the pipeline
}

// Text returns the line that the range begins in.
func (r Range) Text() string { return r.file.line(r.Line) }

// Path returns the file that has the range.
func (r Range) Path() string { return r.file.path }

// in returns the file that has the range, or else another.
func (r Range) in(otherwise *listing) *listing {
	if r.file == nil {
		return otherwise
	}
	return r.file
}

// Variable is an input of the pipeline with the value it has in this run.
type Variable struct {
	Name        string
	Type        string // string, number, bool, list(string), map(string) or map(number)
	Description string
	Sensitive   bool            // the value must not be shown
	Value       json.RawMessage // null when its default is null, or when it has none and nothing uses it
}

// Kinds of Reading.
const (
	ReadEnv  = "env"
	ReadFile = "file"
)

// Reading is the result of a call of env or file, so that runs which read different values can be distinguished.
type Reading struct {
	Kind   string // ReadEnv or ReadFile
	Name   string // of the environment variable, or the path as the file has it
	Inside bool   // it is a file in the folder of the pipeline, or below
	SHA256 string // of the value, in hex; "" when the environment variable is not set
}

// Pin is the executable of a plugin. Without Path the host searches for Name; SHA256 holds either way.
type Pin struct {
	Name   string   // in the steps of the file
	Path   string   // absolute; "" leaves the search to the host
	SHA256 string   // of the executable, lower-case hex; "" checks nothing
	Calls  string   // what the executable calls itself; Name by default
	Env    []string // names of the environment variables the process may see
}

// Manifest is a file that lists what the run wrote, for those who get it.
type Manifest struct {
	Path  string
	Range Range
}

// Node is a block that records go through: *Step, *First, *Route, *Tee, *Shadow or *Sink. A step that is not enabled has no
// node, and a shadow whose candidate is not enabled is its current step.
type Node interface{ node() }

func (*Step) node()   {}
func (*First) node()  {}
func (*Route) node()  {}
func (*Tee) node()    {}
func (*Shadow) node() {}
func (*Sink) node()   {}

// Source is where records come from.
type Source struct {
	Type, Name string
	Args       Args
	Range      Range
}

// Step is a use of a plugin. Its name is unique in the file.
type Step struct {
	Type, Name string // the plugin, and the label
	Args       Args
	Shared     Args // of the first around it, for the attributes that the plugin takes and Args does not have
	Host       HostOptions
	Outputs    []SideOutput // in file order
	Deprecated string       // the reason; "" when the step is not deprecated
	Doubted    bool         // the plugin block that names its program has a mistake
	Range      Range
}

// Values of HostOptions.OnCrash.
const (
	CrashIsolates = "isolate" // the record that caused the crash is rejected, and all others go on
	CrashFails    = "fail"    // the run fails
)

// Values of HostOptions.Process.
const (
	processShared = "shared" // with the neighbouring steps of the same program
	ProcessOwn    = "own"
)

// What a step gets whose host block does not say otherwise.
const (
	DefaultTimeout = 5 * time.Minute
	DefaultMemory  = 4 << 30 // bytes

	// DefaultRestarts lets some tens of records in a large corpus be isolated, each at two restarts or a few more, and ends a run
	// soon whose plugin crashes over every record.
	DefaultRestarts = 100
)

// HostOptions is the host block of a step: how the host runs it.
type HostOptions struct {
	Workers int           // 1 or more; 0: one for each core, or one when the plugin is ordered or concurrent
	Batch   BatchSize     // of what a worker gets at a time
	Process string        // processShared by default
	Timeout time.Duration // the longest time without any answer of the plugin, its start and its end included; 0 for none
	Memory  int64         // bytes; 0 for no limit
	OnCrash string        // CrashIsolates by default; of a plugin with state a crash always fails the run
	Env     []string      // names of the environment variables the process may see
	Keep    bool          // a run that remembers what it makes of each file also stores the records that leave the step

	Restarts int // how often the process may be ended and started again in a run

	at map[string]Range // values of the attributes, by name
}

// Wrote reports whether the file has the attribute, such as "timeout".
func (h HostOptions) Wrote(attr string) bool {
	_, ok := h.at[attr]
	return ok
}

// SideOutput takes the rows that a step writes apart from the stream.
type SideOutput struct {
	Name  string
	Sink  *Sink
	Range Range
}

// First tries its members in order until one does not decline.
type First struct {
	Name    string
	Members []Node // one or more, each *Step or *Shadow
	Shared  Args   // attributes for all members whose plugin takes them
	Report  string // path; "" for none
	Range   Range
}

// Route sends a record into one of several branches. A case or default that does not end in a sink rejoins the stream after
// the route. A record that matches no case is rejected unless there is a default.
type Route struct {
	Name          string
	On            string // the path of one value in the record, as gjson writes it, or @label
	Cases         []Case // one or more, values distinct
	Default       []Node
	HasDefault    bool
	RejectsOthers bool // records without a case are meant to be rejected
	Range         Range
}

// Case is the branch of the records whose value at Route.On is Value. The empty Value takes those whose value is absent,
// null or empty.
type Case struct {
	Value string
	Body  []Node
	Range Range
}

// Tee sends a copy of the stream into a branch of its own, which ends in a sink.
type Tee struct {
	Name string
	Body []Node
}

// Shadow compares two steps on the same records; what Current emits goes on.
type Shadow struct {
	Name      string
	Current   *Step
	Candidate *Step
	Limit     limit.Limit  // of differing records
	Ignore    ignore.Paths // whose differences do not count
	Report    string       // path; "" leaves it to the host
	Values    bool         // the report shows the values that differ
	Sink      *Sink        // takes the rows that differ; nil for none
	Range     Range

	Unfiltered bool // that no privacy step has seen these values is meant
}

// Sink is where records go. Nothing comes after it.
type Sink struct {
	Type, Name string
	Args       Args
	Range      Range
}

// DeadLetter takes the rejects.
type DeadLetter struct {
	Limit limit.Limit // of rejects
	Sink  *Sink       // nil for rejects.jsonl in the folder of the run
}

// A Layout is the blocks of a pipeline file and those that it includes, enabled or not. Nothing in them is evaluated.
type Layout struct {
	Path   string
	SHA256 string   // as Pipeline has it
	Blocks []*Block // at the top level, in file order
}

// A Block is one block of a pipeline file.
type Block struct {
	Kind   string   // as the language names it, such as "step"
	Labels []string // as many as the kind has
	Above  *Block   // the block around it; nil at the top level
	Blocks []*Block // blocks in it, in file order
	Range  Range    // of the header
}

// Name returns the last label.
func (b *Block) Name() string { return b.Labels[len(b.Labels)-1] }

// LoadLayout reads the blocks of one pipeline file. The layout is nil after a mistake.
func LoadLayout(path string) (*Layout, Diagnostics) {
	src, diags := read(path)
	if diags != nil {
		return nil, diags
	}
	l := newLoader(path, src, Given{})
	top := l.top(PipelineFileKind, "want at least a source and a sink")
	if l.done().HasErrors() {
		return nil, l.diags
	}
	o := &Layout{Path: path, SHA256: l.sum()}
	o.Blocks = blocksIn(top, nil)
	return o, nil
}

func blocksIn(b *block, above *Block) []*Block {
	var all []*Block
	for _, c := range b.blocks {
		in := &Block{Kind: c.kind, Labels: c.labels, Above: above, Range: c.at}
		in.Blocks = blocksIn(c, in)
		all = append(all, in)
	}
	return all
}

// All returns the blocks of the given kinds anywhere in the file, in file order.
func (o *Layout) All(kinds ...string) []*Block {
	var found []*Block
	var walk func([]*Block)
	walk = func(blocks []*Block) {
		for _, b := range blocks {
			if slices.Contains(kinds, b.Kind) {
				found = append(found, b)
			}
			walk(b.Blocks)
		}
	}
	walk(o.Blocks)
	return found
}

// names returns the names of all blocks of the given kinds, each once.
func (o *Layout) names(kinds ...string) []string {
	var names []string
	for _, b := range o.All(kinds...) {
		if !slices.Contains(names, b.Name()) {
			names = append(names, b.Name())
		}
	}
	return names
}
