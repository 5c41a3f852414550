// Package alias gives retired action names their current ones, in every place of a row where a name can stand.
package alias

import (
	"context"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "alias".
var Plugin = sdk.Plugin{
	Name: "alias",
	Doc:  "rewrites retired action names to current ones, in every place a name stands",
	Args: config{Profile: "standard"},
	New:  open,
}

type config struct {
	File    string            `hcl:"file,optional" doc:"a map of retired names to current ones"`
	Aliases map[string]string `hcl:"aliases,optional" doc:"more exact rules, retired name to current one"`
	Profile string            `hcl:"profile,optional" doc:"standard or reference"`
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	if err := a.Decode(&cfg); err != nil {
		return nil, err
	}
	if cfg.File == "" && len(cfg.Aliases) == 0 {
		return nil, a.Errorf("", "want file or aliases, have neither")
	}
	p := &processor{}
	switch cfg.Profile {
	case "standard":
		p.rewrite = (*walk).row
	case "reference":
		p.rewrite = (*walk).referenceRow
	default:
		return nil, a.Errorf("profile", "want standard or reference, have %q", cfg.Profile)
	}
	rules, err := load(a, cfg)
	if err != nil {
		return nil, err
	}
	p.walk.names.rules = rules
	return p, nil
}

// A processor rewrites rows. A row without a retired name goes on as it came, uncopied.
type processor struct {
	rewrite func(*walk, *jsontext.Cursor)
	walk    walk
	out     []byte
}

// Process implements sdk.Processor.
func (p *processor) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	text := jsontext.Of(r.JSON())
	w := &p.walk
	w.reset()
	p.rewrite(w, &jsontext.Cursor{JSON: text})
	if len(w.edits) == 0 {
		emit(r)
		return nil
	}
	for _, c := range w.counts {
		r.Count(c.name, c.n)
	}
	p.out = w.edits.apply(jsontext.Reuse(p.out), string(text))
	emit(r.Derive(p.out))
	return nil
}
