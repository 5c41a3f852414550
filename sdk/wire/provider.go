// Package wire holds what the host and a plugin exchange over any transport: records and the memory that they lie in, a worker's
// answers, and the Validator that checks them. Package rpc carries it between processes. It is for hosts and test kits and may
// change; plugin authors use package sdk.
package wire

import (
	"context"
	_ "embed"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
)

// An Info is a plugin's declaration.
type Info struct {
	Name, Doc        string
	Ordered, Private bool
	TakesAll         bool     // it declines no record
	Concurrent       bool     // a worker makes several calls at once, which wait
	Outputs          []string // side outputs that it may write
	Labels           []string // labels that it may set; "*" allows any
	Args             []Arg    // the attributes that it takes, in the order in which it declares them

	// LabelValues are the values that its labels may have. A label that is not in it may have any value.
	LabelValues map[string][]string

	// Codes are the codes of its rejects, with what each means to a reader of the dead letter. Empty allows any.
	Codes map[string]string

	// Drops are the reasons for which it drops records, with what each means to a reader of the report. Empty allows any.
	Drops map[string]string
}

// HasOwnChain reports whether a step of the plugin shares no chain with others, and has one worker unless told otherwise.
func (i Info) HasOwnChain() bool { return i.Ordered || i.Concurrent }

// Takes reports whether the plugin has an attribute of that name.
func (i Info) Takes(name string) bool {
	return slices.ContainsFunc(i.Args, func(a Arg) bool { return a.Name == name })
}

// NothingEmitted is the reason of a drop that a plugin did not explain: it emitted no record for this one.
const NothingEmitted = "nothing emitted"

// WarnPrefix begins a count that is a warning of the run. A code of the plugin follows, and after a dot what the warning is about.
const WarnPrefix = "warn."

// An Arg is one attribute that a plugin takes. One inside an object or a list has a name such as "rules.pattern".
type Arg struct {
	Name     string
	Type     string // as in "a string" or "a list of strings"
	Doc      string
	Default  string   // JSON; empty when there is none
	Example  string   // JSON; empty when there is none
	Words    []string // that a string, or each string in the value, may be; none for any
	Required bool
}

// Takes names the values that the attribute takes: its type, or its words.
func (a Arg) Takes() string {
	if len(a.Words) == 0 {
		return a.Type
	}
	words := `"` + strings.Join(a.Words, `", "`) + `"`
	switch {
	case a.Type == "a string":
		return words
	case strings.HasPrefix(a.Type, "a map of "), a.Type == "an object": // so called by an older SDK
		return "a map of " + words
	}
	return "a list of " + words
}

// An ArgError is a mistake in one attribute of a step of a chain. Name may lead into the value, as in "rules.2.pattern"; it is
// empty when the mistake belongs to no attribute.
type ArgError struct {
	Name, Message string
	Step          int
}

// String returns a text such as "pattern: want a string, have 1".
func (e ArgError) String() string {
	if e.Name == "" {
		return e.Message
	}
	return e.Name + ": " + e.Message
}

// A Provider is a program that serves plugins.
type Provider struct {
	Version string
	Plugins []Info
	// Open makes one worker of a chain, or returns all mistakes that it finds in the attributes of the steps.
	Open func(OpenRequest) (Worker, []ArgError)
}

// Plugin returns the declaration of the plugin with a name.
func (p *Provider) Plugin(name string) (Info, bool) {
	if i := slices.IndexFunc(p.Plugins, func(info Info) bool { return info.Name == name }); i >= 0 {
		return p.Plugins[i], true
	}
	return Info{}, false
}

// An OpenRequest asks for a worker of a chain: of one step, and of the later ones.
type OpenRequest struct {
	Plugin  string
	Args    []byte // a JSON object
	Behind  []Step
	Worker  int           // from 0
	Depth   int           // deepest nesting of new records and rows; 0: any
	Poison  bool          // overwrite a record's memory when its call has returned, so that a kept view shows
	Trust   bool          // leave checks to the validator until Check is called
	Timeout time.Duration // after which the host ends a worker without an answer; 0: never
	Trace   bool          // report the bytes of records that stay inside the chain
	Flush   bool          // the host takes records that are emitted after the last one
}

// A Step is a later step of a chain.
type Step struct {
	Plugin string
	Args   []byte
	Or     bool // it gets the records that the step before it declines, as in a first; otherwise those that go on
}

// A StepError is an error of one step of a chain.
type StepError struct {
	Step int
	Err  error
}

// Error implements error.
func (e *StepError) Error() string { return e.Err.Error() }

// Unwrap returns the step's own error.
func (e *StepError) Unwrap() error { return e.Err }

// A RecordError is an error that ends the run at one record of a batch. The error in it may be a StepError.
type RecordError struct {
	Record int
	Err    error
}

// Error implements error.
func (e *RecordError) Error() string { return e.Err.Error() }

// Unwrap returns the error without the record.
func (e *RecordError) Unwrap() error { return e.Err }

// A Worker runs one processor of each step of a chain. One goroutine at a time calls it.
type Worker interface {
	// Process answers all records of in, in order, through one or more calls of reply; the last is Done. New records are
	// written to space. An error ends the run; it may be a RecordError or a StepError. An empty in asks a step that keeps state to finish: for
	// the records that it still holds, and for rows and counts that belong to no record.
	Process(ctx context.Context, in []Record, space Space, reply func(*Reply) error) error
	// Check ends the trust: from now on the worker itself rejects output that is not JSON.
	Check()
	Close() error
}

// A Saver is a Worker that may be able to write down the state of its step.
type Saver interface {
	Saves() bool // the other methods can be called
	// Save writes the state, between two batches.
	Save(w io.Writer) error
	// Restore takes over what Save of another worker wrote, once, before the first batch. After an error the worker cannot be used.
	Restore(r io.Reader) error
}

// LabelValues are the values that a label of one step of a chain may have with the attributes of the step. Without any it is never set.
type LabelValues struct {
	Step   int
	Label  string
	Values []string
}

// A Labeller is a Worker that knows labels whose values depend on attributes. For the others the values of Info hold.
type Labeller interface {
	LabelValues() []LabelValues
}

// A Space is the memory that a worker writes new records to.
type Space interface {
	// Take returns the next n bytes and their offset for a Reply, or nil when fewer are left.
	Take(n int) (offset uint64, mem []byte)
	// Untake returns the last n bytes taken, which no reply has named.
	Untake(n int)
	// Grow waits until Take can return n bytes, at most Limit. All answers must have been replied, and no memory taken that no
	// reply has named, since the wait may be for that memory.
	Grow(ctx context.Context, n int) error
	// Limit returns how many bytes the output of one record may have.
	Limit() int
	// Note records what is being processed, so that the host can name it if the process ends.
	Note(Spot)
}

// A Spot is a place in a chain: step Step processes the Nth record that came to it from Record of the batch.
type Spot struct{ Record, Step, Nth int }

// The sizes of the parts of a note, from its lowest bit.
const (
	recordBits = 32
	stepBits   = 8
)

// Note returns the spot as one number. A processor that is being closed has record -1. Nth stops at 2^24-1.
func (s Spot) Note() uint64 {
	return uint64(min(s.Nth, 1<<24-1))<<(recordBits+stepBits) | uint64(s.Step)<<recordBits | uint64(uint32(s.Record+1))
}

// SpotOf returns the spot of a note. In note 0, which names nothing, the record is -1.
func SpotOf(note uint64) Spot {
	return Spot{
		Record: int(uint32(note)) - 1,
		Step:   int(note >> recordBits & (1<<stepBits - 1)),
		Nth:    int(note >> (recordBits + stepBits)),
	}
}

// ErrUnfit says that a chain made something that is not JSON of a record whose bytes the host does not have, so that only the
// worker can reject it: call Check and send the unanswered records again.
var ErrUnfit = errors.New("what became of a record inside a chain is not JSON")

// ErrTooLarge says that the output of one record is larger than a step's memory.
var ErrTooLarge = errors.New("output is larger than the memory of a step")

// Proto holds the definitions of the protocol's messages, from which code for any language is generated.
//
//go:embed wire.proto
var Proto string
