// Package fingerprint makes what tells rows apart: a digest of what a row says, and a sketch of its words. Step dedup compares
// them, one row after the other; to make them takes longer, and any number of workers can.
package fingerprint

import (
	"context"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
)

// Plugin is the built-in "fingerprint".
var Plugin = sdk.Plugin{
	Name: "fingerprint",
	Doc:  "makes what dedup compares of a row, in as many workers as there are cores, and passes every row on as it is",
	Args: config{},
	New:  open,

	Labels: []string{label},
}

type config struct {
	Near float64 `hcl:"near,optional" doc:"as dedup has it: when it is not 0, near duplicates are looked for, and rows get a sketch of their words"`
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	if err := a.Decode(&cfg); err != nil {
		return nil, err
	}
	return &printer{reader: Reader{Sketches: cfg.Near != 0}}, nil
}

type printer struct {
	reader Reader
	print  Print
	buf    []byte
}

// Process implements sdk.Processor.
func (p *printer) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	id := r.Label(trajectoryID)
	p.reader.Read(canonical.Read(r), id, &p.print)
	var text string
	p.buf, text = p.print.text(stampOf(r, id), p.reader.Sketches, p.buf)
	r.SetLabel(label, text)
	emit(r)
	return nil
}
