// Package modelspec turns an eliza_native_v1 row into a thread of the Modular Model Spec: messages with roles and
// formats, tools defined in developer text, and the system settings that halt for their calls. The folders below hold the
// other plugins of that notation, and what all of them share: package notation reads and writes threads.
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
	join       jsontext.Body // between the text parts of a message
	platform   jsontext.Body
	row        *canonical.Row
	messages   []message
	chunks     []jsontext.Body // of the contents of messages
	open       []int           // parts that are calls and wait for a result
	results    []int           // parts that are results, to be put behind their calls
	sections   map[string]*section
	section    *section        // of this row
	developer  bool            // the row has a developer's message
	tools      []tool          // of this row, those it does not declare behind the others
	undeclared map[string]int  // their indexes in tools, by name
	taken      map[string]bool // their names in the thread
	thinks     bool            // a message has the format "reasoning"
	texts      bool            // a message has the format "markdown"
	answered   map[string]bool // tools whose calls got results
	unanswered map[string]bool // tools whose calls got none, though the thread went on
	pending    []message       // calls, while their results are put behind them
	draw       draw            // of this row
	identity   canonical.Content
	groups     [][]jsontext.Body // of sections
	varied     int               // bytes of sections in other words
	enabling   []jsontext.Body   // what enables formats
	thread     notation.Thread
	tokens     notation.TokenWriter
	settings   []byte
	content    []byte // of contents that are put together for this row
	buf        []byte
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
			err = c.writeBuilt(r)
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
