package config

import (
	"encoding/json"
	"time"
)

// Pipeline is one file: what is read, in the order of the file, and where it stands.
type Pipeline struct {
	Path       string         // as given
	Dir        string         // absolute folder of the file, pipeline.dir
	SHA256     string         // of the file's bytes, in hex
	Vars       []Variable     // in file order
	Plugins    map[string]Pin // by plugin name
	Sources    []Source       // one or more, read one after another
	Body       []Node         // *Step, *First, *Route, *Tee, *Shadow and *Sink, in file order
	DeadLetter *DeadLetter    // nil when absent

	file *source
}

// Range is a stretch of the file. Lines and columns count from 1, columns in characters; the end is exclusive.
type Range struct {
	Line, Column, EndLine, EndColumn int
}

// Where the value of a variable came from, the strongest first.
const (
	FromFlag    = "flag"
	FromEnv     = "env"
	FromDefault = "default"
)

// Variable is an input of the pipeline with the value it has in this run.
type Variable struct {
	Name        string
	Type        string // string, number, bool, list(string) or map(string)
	Description string
	Sensitive   bool            // the value may be shown to nobody
	Value       json.RawMessage // null when its default is null
	From        string          // FromFlag, FromEnv or FromDefault
	Range       Range
}

// Pin says which executable a plugin is.
type Pin struct {
	Name   string
	Path   string   // absolute; "" leaves the search to the host
	SHA256 string   // of the executable, lower-case hex; "" checks nothing
	Env    []string // names of the environment variables the process may see
	Range  Range
}

// Node is one part of the way of the records: *Step, *First, *Route, *Tee, *Shadow or *Sink. A step that is not enabled
// is no part of it.
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
	Host       HostOptions
	Outputs    []Output // in file order
	Deprecated string   // the reason; "" when the step is not deprecated
	Range      Range
}

// Values of HostOptions.OnCrash.
const (
	CrashFails   = "fail"   // the run fails
	CrashRejects = "reject" // the records of the batch are rejected
)

// HostOptions is the host block of a step: how the host runs it.
type HostOptions struct {
	Workers int           // 1 or more; 1 by default
	Timeout time.Duration // 0 for none
	Memory  int64         // bytes; 0 for none
	OnCrash string        // CrashFails by default
	Env     []string      // names of the environment variables the process may see
}

// Output takes the rows a step writes beside the stream.
type Output struct {
	Name  string
	Sink  *Sink
	Range Range
}

// First tries its steps in order until one does not decline.
type First struct {
	Name   string
	Steps  []*Step // one or more
	Report string  // path; "" for none
	Range  Range
}

// Route sends a record one of several ways. A case or default that does not end in a sink rejoins the stream after
// the route. A record that matches no case is rejected unless there is a default.
type Route struct {
	Name       string
	On         string // a gjson path, or @label
	Cases      []Case // one or more, values distinct
	Default    []Node
	HasDefault bool
	Range      Range
}

// Case is the way of the records whose value at Route.On is Value.
type Case struct {
	Value string
	Body  []Node
	Range Range
}

// Tee sends a copy of the stream another way, which ends in a sink.
type Tee struct {
	Name  string
	Body  []Node
	Range Range
}

// Shadow compares two steps on the same records; what Current emits goes on.
type Shadow struct {
	Name      string
	Current   *Step
	Candidate *Step
	Limit     int64  // most differing records; -1 for any number
	Report    string // path; "" for none
	Range     Range
}

// Sink is where records go. Nothing comes after it.
type Sink struct {
	Type, Name string
	Args       Args
	Range      Range
}

// DeadLetter takes the rejects.
type DeadLetter struct {
	Limit int64 // most rejects; -1 for any number
	Sink  *Sink // nil for rejects.jsonl in the folder of the run
	Range Range
}
