// Package wire is what the host and a plugin say to each other, whichever way it travels: records and the memory that
// they lie in, what a worker answers about them, and the one door through which answers come in. Package rpc carries
// it between processes. It is for hosts and test kits; plugin authors have no promise that it stays as it is.
package wire

import (
	"context"
	"errors"
)

// An Info is what a plugin says of itself.
type Info struct {
	Name, Doc        string
	Ordered, Private bool
	Outputs          []string // side outputs that it may write
	Labels           []string // labels that it may set; "*" stands for any
	Args             []Arg    // the attributes that it takes, in the order in which it declares them
}

// An Arg is one attribute that a plugin takes. One inside an object or a list has a name such as "rules.pattern".
type Arg struct {
	Name     string
	Type     string // as in "a string" or "a list, each a string"
	Doc      string
	Default  string // JSON; empty when there is none
	Required bool
}

// An ArgError is a mistake in one attribute of a step. Name may lead into the value, as in "rules.2.pattern"; it is empty
// when the mistake belongs to no attribute.
type ArgError struct{ Name, Message string }

// A Provider is a program that serves plugins.
type Provider struct {
	Version string
	Plugins []Info
	// Open makes one worker of a plugin. The mistakes that it finds in the attributes are told together.
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

// An OpenRequest asks for a worker.
type OpenRequest struct {
	Plugin string
	Args   []byte // a JSON object
	Worker int    // from 0
	Poison bool   // overwrite a record's memory when its call has returned, so that a view that was kept shows
}

// A Worker runs one processor. One goroutine at a time calls it.
type Worker interface {
	// Process answers all records of in, in order, through one or more calls of reply; the last is Done. New records are
	// written to space. An error ends the run.
	Process(ctx context.Context, in []Record, space Space, reply func(*Reply) error) error
	Close() error
}

// A Space is the memory that a worker writes new records to.
type Space interface {
	// Take gives the next n bytes and their offset for a Reply, or nil when the memory at hand does not hold so many.
	Take(n int) (offset uint64, mem []byte)
	// Untake gives the last n bytes back, which no reply has named.
	Untake(n int)
	// Grow waits until Take can give n bytes. What was answered before must have been given to reply, and nothing
	// taken may be unanswered, since the wait may be for its memory. It returns ErrTooLarge when n can never be had.
	Grow(ctx context.Context, n int) error
	// Note says that record i of the batch is at hand, so that it can be named if the process ends over it.
	Note(i int)
}

// ErrTooLarge says that one record's output is larger than a step's memory.
var ErrTooLarge = errors.New("output is larger than the memory of a step")
