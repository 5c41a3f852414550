// Package messages reads rows that hold a list of messages and writes eliza_native_v1 rows: OpenAI chat and fine-tune
// rows, trajectory records, ShareGPT, Hermes function calling, ms-swift, LLaMA-Factory, and the prompt, completion and
// preference rows of TRL and OpenAI.
//
// A row is taken when one of its members is a list of messages: objects with a role or from, or with human and
// assistant. The members are those of the attribute keys, and what form lists. Rows that declare another format, and
// lists that hold blocks of the Anthropic interface, are declined.
package messages

import (
	"context"
	"errors"
	"slices"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/choice"
	"github.com/sluicehq/sluice/plugins/internal/columns"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "messages".
var Plugin = sdk.Plugin{
	Name: "messages",
	Doc:  "reads chat rows of every common spelling and writes eliza_native_v1 rows",
	Args: config{Profile: "standard", Calls: "text", Media: "reject"},
	New:  open,

	Labels: []string{"trajectoryId"},
}

type config struct {
	Profile  string            `hcl:"profile,optional" doc:"standard or reference, what the Python renderer takes"`
	Preset   string            `hcl:"preset,optional" doc:"reads one family of corpora only"`
	Keys     []string          `hcl:"keys,optional" doc:"members that may hold the list, in order"`
	Target   string            `hcl:"target,optional" doc:"last or each: one row for the last answer, or one for each"`
	Calls    string            `hcl:"calls,optional" doc:"text or members: read calls that stand in a text, or only tool_calls"`
	Media    string            `hcl:"media,optional" doc:"reject or drop: rows with images, videos or audios beside the messages"`
	Orphans  string            `hcl:"orphan_results,optional" doc:"tool or user: what a result becomes whose call is not in the row"`
	Metadata map[string]string `hcl:"metadata,optional" doc:"texts for the metadata of rows that do not say so themselves"`
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	if err := a.Decode(&cfg); err != nil {
		return nil, err
	}
	target, badTarget := choice.Named(a, "target", cfg.Target, canonical.Targets)
	orphans, badOrphans := choice.Named(a, "orphan_results", cfg.Orphans, canonical.Orphans)
	preset, badPreset := choice.Named(a, "preset", cfg.Preset, presets)
	if err := errors.Join(badTarget, badOrphans, badPreset,
		choice.Of(a, "profile", cfg.Profile, "standard", "reference"),
		choice.Of(a, "calls", cfg.Calls, "text", "members"),
		choice.Of(a, "media", cfg.Media, "reject", "drop"),
	); err != nil {
		return nil, err
	}
	if cfg.Profile == "reference" {
		if cfg.Preset != "" || cfg.Keys != nil || cfg.Target != "" {
			return nil, a.Errorf("profile", "want no preset, keys or target beside reference, which has its own")
		}
		return &reference{}, nil
	}
	p := &processor{
		target: target, keys: listKeys, pairs: true, callsInText: cfg.Calls == "text", dropMedia: cfg.Media == "drop",
		metadata: columns.Defaults(cfg.Metadata),
	}
	p.conv.Orphan = orphans
	if cfg.Preset != "" {
		p.keys, p.pairs = preset.keys, preset.pairs
	}
	if cfg.Keys != nil {
		p.keys = cfg.Keys
	}
	return p, nil
}

// A processor is the standard profile.
type processor struct {
	target      canonical.Target
	keys        []string // members that may hold the list, in order
	pairs       bool     // prompt with completion, chosen with rejected
	callsInText bool
	dropMedia   bool
	metadata    columns.Beside

	row  row
	rest columns.Beside
	conv canonical.Conversation
	list list
	sdk  eliza.Row // reads messages that are made of parts
}

// Process implements sdk.Processor.
func (p *processor) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	p.conv.Reset()
	form, err := p.recognise(jsontext.Of(r.JSON()))
	if err != nil {
		return err
	}
	if err := p.rest.Settle(&p.conv); err != nil {
		return err
	}
	if err := p.checkRow(); err != nil {
		return err
	}
	if p.row.media != "" {
		r.Count("loss.media", 1)
	}
	p.list = list{processor: p, record: r}
	if err := form(p); err != nil {
		return err
	}
	p.leave()
	p.settings()
	p.metadata.Fill(&p.conv)
	return p.conv.Emit(r, p.target, emit)
}

// checkRow rejects what a trajectory record says is not for training, and rows whose media a text row cannot hold.
func (p *processor) checkRow() error {
	f := &p.row
	if f.media != "" && !p.dropMedia {
		return sdk.Reject("media", f.media, "want a row of text, have one with %s beside it", f.media)
	}
	if f.schema != trajectorySchema {
		return nil
	}
	if split := p.rest.Get("split").Word(); split != "" && !slices.Contains([]string{"train", "val", "validation", "test"}, split) {
		return sdk.Reject("bad_split", "split", "want train, val, validation or test, have another")
	}
	if form := f.target.Get("sftFormat"); form != "" && form != `"messages"` {
		return sdk.Reject("bad_target", "target.sftFormat", "want messages, have another")
	}
	return nil
}
