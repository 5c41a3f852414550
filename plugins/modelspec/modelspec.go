// Package modelspec turns an eliza_native_v1 row into a thread of the Modular Model Spec: messages with roles and
// formats, tools defined in developer text, and the system settings that halt for their calls.
package modelspec

import (
	"context"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "modelspec".
var Plugin = sdk.Plugin{
	Name: "modelspec",
	Doc:  "turns eliza_native_v1 rows into threads of the Modular Model Spec",
	Args: config{
		Shape: "row", SystemRole: "developer", ToolSchema: "typescript", ToolRole: "tool", Calls: "consecutive", Names: "reject",
		Undeclared: "define", Reasoning: "drop", Envelope: "calls", Media: "reject", TokenOptions: notation.DefaultTokens,
	},
	Labels: []string{"trajectoryId"},
	Codes:  codes(),
	New: func(a sdk.Args) (sdk.Processor, error) {
		cfg, err := readConfig(a)
		if err != nil {
			return nil, err
		}
		return &converter{
			config: cfg, join: jsontext.BodyOf(cfg.Join), platform: jsontext.BodyOf(cfg.Platform), sections: map[string]*section{}, tokens: cfg.Writer(),
		}, nil
	},
}

// A converter turns one row after another, with the same memory.
type converter struct {
	config
	join       jsontext.Body // between the text parts of a message, as a string body
	platform   jsontext.Body
	row        *canonical.Row
	messages   []message
	chunks     []chunk
	open       []int // parts that are calls and wait for a result
	results    []int // parts that are results, to be put behind their calls
	sections   map[string]*section
	section    *section               // of this row
	developer  bool                   // the row has words of a developer
	tools      []tool                 // of this row, those it does not declare behind the others
	undeclared map[string]int         // of those, by name
	spelt      map[jsontext.Body]bool // of those, as the thread spells them
	thinks     bool                   // a message has the format "reasoning"
	texts      bool                   // a message has the format "markdown"
	called     bool                   // a message is a call
	answered   map[jsontext.Body]bool // tools whose calls got results
	unanswered map[jsontext.Body]bool // tools whose calls got none, though the thread went on
	batch      []message
	draw       draw // of this row
	identity   canonical.Content
	groups     [][]jsontext.Body // of sections
	told       int               // bytes of sections that were told in other ways
	enabled    []chunk           // what enables formats
	tokens     notation.TokenWriter
	buf        []byte
	spare      []byte
}

// Process implements sdk.Processor.
func (c *converter) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	c.row = canonical.Read(r)
	if c.row.Format != canonical.Format {
		return sdk.Decline("want " + canonical.Format + ", have another format")
	}
	if len(c.row.Faults) > 0 {
		f := c.row.Faults[0]
		return sdk.Reject(f.Code, f.Path, "%s", f.Message)
	}
	restored, err := c.restore(r)
	if err == nil && !restored {
		if err = c.build(r); err == nil {
			err = c.write(r)
		}
	}
	if err != nil {
		return err
	}
	if c.row.TrajectoryID != "" {
		r.SetLabel("trajectoryId", c.row.TrajectoryID.Text())
	}
	emit(r.Derive(c.buf))
	return nil
}
