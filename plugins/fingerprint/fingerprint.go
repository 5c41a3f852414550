// Package fingerprint computes what step dedup compares: a digest of a row's content and a sketch of its words. Any number of
// workers can do that, while dedup takes one row after the other.
package fingerprint

import (
	"context"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
)

// Plugin is the built-in "fingerprint".
var Plugin = sdk.Plugin{
	Name:     "fingerprint",
	Doc:      "computes what dedup compares, in as many workers as there are cores, and passes every row on unchanged",
	Args:     config{Text: DefaultText},
	TakesAll: true,
	New:      open,

	Labels: []string{Label},
	Codes:  map[string]string{},
}

type config struct {
	Near float64 `hcl:"near,optional" doc:"as in dedup: unless it is 0, rows get a sketch of their words to find near duplicates by"`
	Text int     `hcl:"text,optional" doc:"as in dedup: how many bytes of question and answer its pairs show"`
}

// How many bytes of a text are kept by default, and at most.
const (
	DefaultText = 200
	MaxText     = 4096
)

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	if err := a.Decode(&cfg); err != nil {
		return nil, err
	}
	if cfg.Text < 0 || cfg.Text > MaxText {
		return nil, a.Errorf("text", "want from 0 to %d bytes, have %d", MaxText, cfg.Text)
	}
	return &printer{reader: Reader{Sketches: cfg.Near != 0, Text: cfg.Text}}, nil
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
	p.buf, text = p.print.text(stampOf(r, id), p.reader.Sketches, p.reader.Text, p.buf)
	r.SetLabel(Label, text)
	emit(r)
	return nil
}
