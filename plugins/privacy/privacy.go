// Package privacy takes secrets and personal data out of records, and accounts for each finding.
package privacy

import (
	"context"
	"io"

	"github.com/sluicehq/sluice/sdk"
)

// Plugin is the step "privacy".
var Plugin = sdk.Plugin{
	Name: "privacy",
	Doc:  "takes secrets, personal data and places out of records and writes a ledger of what it took",
	Args: config{Profile: "standard", Action: "mask", Handles: "social", Scope: "record"},
	New:  open,

	Private: true,
	Outputs: []string{"ledger"},
}

// A finder finds everything in a JSON text. With an error the edits are those that let the text be shown where it says
// what was rejected.
type finder interface {
	find(ctx context.Context, doc string) (outcome, error)
	residue(doc string) (outcome, error) // by the rules alone
}

// An outcome is what was found in a JSON text, with the edits that take it out, sorted.
type outcome struct {
	findings []finding
	edits    []edit
	settled  bool // what the edits changed was looked at again already
}

func open(a sdk.Args) (sdk.Processor, error) {
	var c config
	if err := a.Decode(&c); err != nil {
		return nil, err
	}
	structured := c.Structured == nil || *c.Structured
	key, err := c.ledgerKey(a)
	if err != nil {
		return nil, err
	}
	p := &processor{strict: structured, hasher: newHasher(key)}
	if c.Strict != nil {
		p.strict = *c.Strict
	}
	switch c.Profile {
	case "reference":
		p.finder = &reference{structured: structured}
	case "standard":
		f, err := c.standard(a)
		if err != nil {
			return nil, err
		}
		f.actions.hasher = newHasher([]byte(c.HashKey))
		p.finder = f
	default:
		return nil, a.Errorf("profile", "want one of reference, standard, have %q", c.Profile)
	}
	return p, nil
}

// A processor is one worker of the step.
type processor struct {
	finder finder
	strict bool    // reject what still has something in it after the filter
	hasher *hasher // of ledger rows
	out    []byte
	row    []byte
}

// Process implements sdk.Processor.
func (p *processor) Process(ctx context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	doc := view(r.JSON())
	found, err := p.finder.find(ctx, doc)
	if err != nil {
		r.Conceal(Mask(apply(nil, doc, found.edits)))
		return err
	}
	if len(found.findings) == 0 {
		emit(r)
		return nil
	}
	for i := range found.findings {
		f := &found.findings[i]
		p.row = p.hasher.appendRow(p.row[:0], f)
		r.Side("ledger", p.row)
		r.Count("entity."+f.rule.entity, 1)
		r.Count("category."+category(f.rule.entity), 1)
		r.Count("rule."+f.rule.name, 1)
	}
	p.out = apply(p.out[:0], doc, found.edits)
	if p.strict && !found.settled {
		left, err := p.finder.residue(view(p.out))
		if err != nil || len(left.findings) > 0 {
			r.Conceal(Mask(masked(p.finder, p.out)))
		}
		if err != nil {
			return sdk.Keep(err)
		}
		if len(left.findings) > 0 {
			r.Count("residue", len(left.findings))
			for _, f := range left.findings {
				r.Count("residue."+f.rule.name, 1)
			}
			return sdk.Keep(sdk.Reject("residue", "", "want nothing left after the filter, have %d findings, the first by rule %s", len(left.findings), left.findings[0].rule.name))
		}
	}
	emit(r.Derive(p.out))
	return nil
}

// Close implements io.Closer.
func (p *processor) Close() error {
	if c, ok := p.finder.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
