// Package wire is what the host and a plugin say to each other, whichever way it travels: records and the memory that
// they lie in, what a worker answers about them, and the one door through which answers come in. Package rpc carries
// it between processes. It is for hosts and test kits; plugin authors have no promise that it stays as it is.
package wire

import (
	"context"
	"errors"
	"strings"
)

// An Info is what a plugin says of itself.
type Info struct {
	Name, Doc        string
	Ordered, Private bool
	Outputs          []string // side outputs that it may write
	Labels           []string // labels that it may set; "*" stands for any
	Args             []Arg    // the attributes that it takes, in the order in which it declares them

	// Codes are those of its rejects, with what each means to who reads a dead letter. Empty stands for any.
	Codes map[string]string
}

// An Arg is one attribute that a plugin takes. One inside an object or a list has a name such as "rules.pattern".
type Arg struct {
	Name     string
	Type     string // as in "a string" or "a list, each a string"
	Doc      string
	Default  string   // JSON; empty when there is none
	Example  string   // JSON; empty when there is none
	Words    []string // that a string, or each string in the value, may be; none for any
	Required bool
}

// Takes says in words what the attribute takes: its type, or the words that it may be.
func (a Arg) Takes() string {
	if len(a.Words) == 0 {
		return a.Type
	}
	list := `"` + strings.Join(a.Words, `", "`) + `"`
	switch a.Type {
	case "a string":
		return list
	case "an object":
		return "an object, each value " + list
	}
	return "a list, each " + list
}

// An ArgError is a mistake in one attribute of a step. Name may lead into the value, as in "rules.2.pattern"; it is empty
// when the mistake belongs to no attribute. Step is which step of a chain it is.
type ArgError struct {
	Name, Message string
	Step          int
}

// String is as in "pattern: want a string, have 1".
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
	// Open makes one worker of a chain. The mistakes that it finds in the attributes of one step are told together.
	Open func(OpenRequest) (Worker, []ArgError)
}

// Plugin gives what the program says of the plugin of that name.
func (p *Provider) Plugin(name string) (Info, bool) {
	for _, info := range p.Plugins {
		if info.Name == name {
			return info, true
		}
	}
	return Info{}, false
}

// An OpenRequest asks for a worker of a chain: of one step, and of those behind it.
type OpenRequest struct {
	Plugin string
	Args   []byte // a JSON object
	Behind []Step
	Worker int  // from 0
	Depth  int  // deepest nesting of what is new; 0: any
	Poison bool // overwrite a record's memory when its call has returned, so that a view that was kept shows
	Trust  bool // leave what the door checks unchecked until Check is called
	Trace  bool // tell the bytes of records that stay inside the chain
}

// A Step stands in a chain behind another.
type Step struct {
	Plugin string
	Args   []byte
	Or     bool // it gets what the step before it declines, as in a first; otherwise what goes on
}

// A StepError is an error of one step of a chain.
type StepError struct {
	Step int
	Err  error
}

// Error implements error.
func (e *StepError) Error() string { return e.Err.Error() }

// Unwrap gives the step's own error.
func (e *StepError) Unwrap() error { return e.Err }

// A Worker runs one processor of each step of a chain. One goroutine at a time calls it.
type Worker interface {
	// Process answers all records of in, in order, through one or more calls of reply; the last is Done. New records are
	// written to space. An error ends the run; it may be a StepError. No records ask for the last word of a step that keeps
	// state: rows and counts that belong to no record.
	Process(ctx context.Context, in []Record, space Space, reply func(*Reply) error) error
	// Check has a worker that was trusted reject whatever is no JSON by itself from now on.
	Check()
	Close() error
}

// A Space is the memory that a worker writes new records to.
type Space interface {
	// Take gives the next n bytes and their offset for a Reply, or nil when the memory at hand does not hold so many.
	Take(n int) (offset uint64, mem []byte)
	// Untake gives the last n bytes back, which no reply has named.
	Untake(n int)
	// Grow waits until Take can give n bytes, at most Limit. What was answered before must have been given to reply, and
	// nothing taken may be unanswered, since the wait may be for its memory.
	Grow(ctx context.Context, n int) error
	// Limit is how many bytes the output of one record may have.
	Limit() int
	// Note says what is at hand, so that it can be named if the process ends over it.
	Note(Spot)
}

// A Spot is a record of a batch on its way through a chain: step Step has the record that came Nth of it there.
type Spot struct{ Record, Step, Nth int }

// The parts of a note, from its lowest bit.
const (
	recordBits = 32
	stepBits   = 8
)

// Note makes the spot into one number. A processor that is being closed has record -1. Of a step with more than 2^24 records
// it is the last's.
func (s Spot) Note() uint64 {
	return uint64(min(s.Nth, 1<<24-1))<<(recordBits+stepBits) | uint64(s.Step)<<recordBits | uint64(uint32(s.Record+1))
}

// SpotOf reads a note. Without one the record is -1.
func SpotOf(note uint64) Spot {
	return Spot{
		Record: int(uint32(note)) - 1,
		Step:   int(note >> recordBits & (1<<stepBits - 1)),
		Nth:    int(note >> (recordBits + stepBits)),
	}
}

// ErrUnfit says that a chain gave something that is no JSON for a record of which the host has no bytes, so that only the
// worker can reject it: after Check, when it is sent what is not answered once more.
var ErrUnfit = errors.New("what became of a record inside a chain is no JSON")

// ErrTooLarge says that one record's output is larger than a step's memory.
var ErrTooLarge = errors.New("output is larger than the memory of a step")
