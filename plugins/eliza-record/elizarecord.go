// Package elizarecord reads the deprecated flat ElizaRecord and writes eliza_native_v1 rows: the planner envelope in
// expectedResponse becomes real calls and text, toolSpecs and availableActions become tools, and the memory keeps its
// tools' results in their place.
//
// A row is taken when it is an object with expectedResponse and currentMessage that declares no other format.
package elizarecord

import (
	"context"
	"errors"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/choice"
	"github.com/sluicehq/sluice/plugins/internal/columns"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "eliza-record".
var Plugin = sdk.Plugin{
	Name: "eliza-record",
	Doc:  "reads deprecated flat ElizaRecord rows and writes eliza_native_v1 rows",
	Args: config{Profile: "standard", Prompt: "fallback", Envelope: "calls", Reply: "call", Leading: "keep"},
	New:  open,

	Labels: []string{"trajectoryId"},
}

type config struct {
	Profile        string            `hcl:"profile,optional" doc:"standard or reference, the messages of the Python renderer"`
	PromptRegistry string            `hcl:"prompt_registry,optional" doc:"a file of prompt templates by task"`
	Prompt         string            `hcl:"prompt,optional" doc:"fallback or none: the system text of a row whose task has no template"`
	Envelope       string            `hcl:"envelope,optional" doc:"calls or text: read the planner's envelope, or keep it as text"`
	Reply          string            `hcl:"reply,optional" doc:"call or text: what an action REPLY becomes"`
	OrphanResults  string            `hcl:"orphan_results,optional" doc:"tool or user: what a result becomes whose call the memory does not have"`
	Leading        string            `hcl:"leading_assistant,optional" doc:"keep or drop: turns of the assistant before anyone spoke"`
	Metadata       map[string]string `hcl:"metadata,optional" doc:"texts for the metadata of rows that do not say so themselves"`
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	if err := a.Decode(&cfg); err != nil {
		return nil, err
	}
	orphans, badOrphans := choice.Named(a, "orphan_results", cfg.OrphanResults, canonical.Orphans)
	if err := errors.Join(badOrphans,
		choice.Of(a, "profile", cfg.Profile, "standard", "reference"),
		choice.Of(a, "prompt", cfg.Prompt, "fallback", "none"),
		choice.Of(a, "envelope", cfg.Envelope, "calls", "text"),
		choice.Of(a, "reply", cfg.Reply, "call", "text"),
		choice.Of(a, "leading_assistant", cfg.Leading, "keep", "drop"),
	); err != nil {
		return nil, err
	}
	prompts, err := readRegistry(cfg.PromptRegistry)
	if err != nil {
		return nil, a.Errorf("prompt_registry", "%v", err)
	}
	if cfg.Profile == "reference" {
		return &reference{prompts: prompts}, nil
	}
	p := &processor{config: cfg, prompts: prompts, metadata: columns.Defaults(cfg.Metadata)}
	p.conv.Orphan = orphans
	return p, nil
}

// A processor is the standard profile.
type processor struct {
	config
	prompts  registry
	metadata columns.Beside

	record *sdk.Record
	row    row
	extras []canonical.Member // members of the record that go to the metadata
	conv   canonical.Conversation

	actions []string // on offer, decoded, as agents know them
}

// A row is a record's members, as JSON.
type row struct {
	room, agent, memory, current, expected, actions, metadata jsontext.JSON
	split, quality, declared                                  jsontext.JSON
}

func (f *row) read(record jsontext.JSON, other func(key string, value jsontext.JSON)) {
	*f = row{}
	c := jsontext.Cursor{JSON: record}
	for key := range c.Members() {
		switch value := c.Value(); key {
		case "roomName":
			f.room = value
		case "agentId":
			f.agent = value
		case "memoryEntries":
			f.memory = value
		case "currentMessage":
			f.current = value
		case "expectedResponse":
			f.expected = value
		case "availableActions":
			f.actions = value
		case "metadata":
			f.metadata = value
		case "split":
			f.split = value
		case "quality":
			f.quality = value
		case "format":
			if value == `"eliza_native_v1"` {
				f.declared = value
			}
		case "schema":
			if value == `"eliza.native_tool_calling.v1"` {
				f.declared = value
			}
		default:
			other(key, value)
		}
	}
}

// Process implements sdk.Processor.
func (p *processor) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	p.record = r
	p.conv.Reset()
	f := &p.row
	p.extras = p.extras[:0]
	f.read(jsontext.Of(r.JSON()), func(key string, value jsontext.JSON) {
		p.extras = append(p.extras, canonical.Member{Key: jsontext.BodyOf(key), Value: value})
	})
	if f.expected == "" || f.current == "" || f.declared != "" {
		return sdk.Decline("want expectedResponse and currentMessage")
	}
	for _, mark := range eliza.Repair(f.split, f.quality, f.metadata) {
		return sdk.Reject(mark.Code, mark.Path, "%s", mark.Message)
	}
	if err := p.convert(); err != nil {
		return err
	}
	p.metadata.Fill(&p.conv)
	return p.conv.Emit(r, canonical.Last, emit)
}
