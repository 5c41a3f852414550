// Package modelspec turns an eliza_native_v1 row into a thread of the Modular Model Spec: messages with roles and
// formats, tools defined in developer text, and the system settings that halt for their calls. The folders below hold the
// other plugins of that notation, and what all of them share: package notation reads and writes threads.
package modelspec

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/sluicehq/sluice/plugins/modelspec/instruction"
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
		Shape: "row", SystemRole: "developer", ToolSchema: "typescript", ToolRole: "tool", Calls: "auto", Names: "reject",
		Undeclared: "define", Reasoning: "drop", Envelope: "calls", Media: "reject", TokenOptions: notation.DefaultTokens,
	},
	Labels: []string{"trajectoryId"},
	Codes:  codes(),
	New: func(a sdk.Args) (sdk.Processor, error) {
		cfg, err := readConfig(a)
		return &converter{
			config: cfg, join: jsontext.BodyOf(cfg.Join), platform: jsontext.BodyOf(cfg.Platform), tokens: cfg.Writer(), sections: map[sectionsKey]*section{},
			answered: map[string]bool{}, unanswered: map[string]bool{}, undeclared: map[string]int{}, taken: map[string]bool{},
		}, err
	},
}

// A converter turns one row after another, with the same memory.
type converter struct {
	config
	join       jsontext.Body // between the text parts of a message
	platform   jsontext.Body
	row        *canonical.Row
	own        canonical.Row // a copy of the row with another answer
	calls      string        // how the calls of this row are written
	messages   []message
	chunks     []jsontext.Body // of the contents of messages
	open       []int           // parts that are calls and wait for a result
	results    []int           // parts that are results, to be put behind their calls
	sections   map[sectionsKey]*section
	section    *section        // of this row
	developer  bool            // the row has a developer's message
	tools      []tool          // of this row, those it does not declare behind the others
	undeclared map[string]int  // their indexes in tools, by name
	taken      map[string]bool // their names in the thread
	thinks     bool            // a message has the format "reasoning"
	texts      bool            // a message has the format "markdown"
	others     []string        // formats of other texts, and those that are demanded
	described  bool            // the definition of a tool may demand a format
	words      []byte          // of a message that instructs, its lines, and those of them without quotations
	lines      []instruction.Line
	unquoted   []byte
	answered   map[string]bool // tools whose calls got results
	unanswered map[string]bool // tools whose calls got none, though the thread went on
	pending    []message       // calls, while their results are put behind them
	draw       draw            // of this row
	identity   canonical.Content
	groups     [][]jsontext.Body // of sections
	written    int               // bytes of definitions in sections
	enabling   []jsontext.Body   // what enables formats
	thread     notation.Thread
	tokens     notation.TokenWriter
	formats    []jsontext.JSON // that the settings list
	settings   []byte
	content    []byte // of contents that are put together for this row
	buf        []byte
}

// Process implements sdk.Processor.
func (c *converter) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	c.row = canonical.Read(r)
	if c.row.Format != canonical.Format {
		return sdk.Decline("want format " + canonical.Format)
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
	if id := c.row.Trajectory(); id != "" {
		r.SetLabel("trajectoryId", id.Text())
	}
	emit(r.Derive(c.buf))
	return nil
}

type config struct {
	Shape      string   `hcl:"shape,optional" oneof:"row thread tokens" doc:"what is written"`
	SystemRole string   `hcl:"system_role,optional" oneof:"developer platform" doc:"whose words system text is"`
	ToolSchema string   `hcl:"tool_schema,optional" oneof:"typescript json-schema python prose" doc:"how tools are defined"`
	ToolRole   string   `hcl:"tool_role,optional" oneof:"tool context" doc:"the role of results"`
	Vary       []string `hcl:"vary,optional" oneof:"order wording schema" doc:"what of the developer's text differs from row to row"`
	Seed       string   `hcl:"seed,optional" doc:"another seed makes other variations" example:"\"1\""`
	Calls      string   `hcl:"calls,optional" oneof:"auto consecutive array jsonl python yaml" doc:"how calls are written"`
	Platform   string   `hcl:"platform,optional" doc:"the words of a platform in rows that have none" example:"\"You are a helpful assistant.\""`
	Names      string   `hcl:"names,optional" oneof:"reject escape" doc:"tool names that a thread cannot hold"`
	Undeclared string   `hcl:"undeclared,optional" oneof:"define reject" doc:"tools that are called and not declared"`
	Reasoning  string   `hcl:"reasoning,optional" oneof:"drop format" doc:"what becomes of reasoning"`
	Envelope   string   `hcl:"envelope,optional" oneof:"calls both" doc:"a text that repeats the calls next to it"`
	Media      string   `hcl:"media,optional" oneof:"reject placeholder" doc:"what becomes of a row with images, files, audio or video"`
	Join       string   `hcl:"join,optional" doc:"between the text parts of one message" example:"\"\\n\""`
	Keep       []string `hcl:"keep,optional" doc:"members of the canonical row that a row or token text keeps" example:"[\"metadata\"]"`
	notation.TokenOptions
}

func readConfig(a sdk.Args) (config, error) {
	var cfg config
	errs := []error{a.Decode(&cfg), cfg.Check(a)}
	if len(cfg.Keep) > 0 && cfg.Shape == "thread" {
		errs = append(errs, a.Errorf("keep", `want shape "row" or "tokens", which have room, have %q`, cfg.Shape))
	}
	for _, name := range cfg.Keep {
		if slices.Contains([]string{"messages", "system_settings", "text", "segments"}, name) {
			errs = append(errs, a.Errorf("keep", "want members that a row does not have itself, have %q", name))
		}
	}
	return cfg, errors.Join(errs...)
}

// codes explains the codes of rejects.
func codes() map[string]string {
	all := maps.Clone(canonical.FaultCodes)
	maps.Copy(all, map[string]string{
		"bad_arguments":      "the arguments of a call are not JSON; correct them where they were recorded",
		"bad_thread":         "the outline that the row keeps of its thread is not one of the document's; drop it, so that the thread is built anew",
		"empty_response":     "the response has neither text nor calls, so there is nothing to train on",
		"media":              "the row holds images, files, audio or video; media = \"placeholder\" names them in words",
		"missing_result":     "a call of the history has no result, which a thread must have; leave the row out",
		"orphan_result":      "a result answers no call of the row; orphan_results = \"user\" of an adapter makes it the user's word",
		"python_name":        "a tool has a name that is no identifier of Python; write calls another way",
		"response_not_json":  "the answer is not JSON, though it has a schema; leave the row out",
		"special_token":      "a content holds a special token; special_tokens = \"escape\" keeps it as text",
		"tool_name":          "a tool has a name that a thread cannot hold; names = \"escape\" rewrites it",
		"truncated_response": "the answer was cut off, which teaches a model to stop early; leave the row out",
		"undeclared_tool":    "a call names a tool that the row does not declare; undeclared = \"define\" adds it",
		"unknown_part":       "a message holds a part of an unknown kind; convert the row first",
	})
	return all
}
