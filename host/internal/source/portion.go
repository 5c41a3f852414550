package source

import (
	"context"
	"fmt"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/receipt"
)

// A Portion is what a part reads of a file that is cut.
type Portion struct {
	entry
	hash  string
	lines func(key string) string
}

// Portion returns what a part reads of the nth file, nil when all of it is read.
func (in *inputs) Portion(n int) *Portion {
	if e := in.files[n]; e.cut != nil && e.cut.inner {
		return &Portion{e, in.hash, in.lines}
	}
	return nil
}

// String returns the places of the file between which its lines begin.
func (p *Portion) String() string { return fmt.Sprintf("%d-%d", p.cut.from, p.cut.to) }

// Hash reads the portion and returns a hash of its bytes and of where they lie, since the numbers of lines are in what a run writes. It is ""
// for a portion of Parquet, whose rows depend on the end of the file too.
func (p *Portion) Hash(ctx context.Context) (string, error) {
	if p.columns {
		return "", nil
	}
	if err := p.cut.find(ctx, p.entry, p.lines); err != nil {
		return "", err
	}
	f, err := p.open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	text := places.Section(f, p.cut.start, p.cut.end)
	sum, err := filehash.Reader(places.Until(ctx, text), p.hash)
	if err != nil {
		return "", err
	}
	return p.Placed(sum.Hex()), nil
}

// Placed returns the hash of a portion, which also covers its place in the file. bytes is the hash of the bytes that were read of it, in hex.
func (p *Portion) Placed(bytes string) string {
	h := filehash.New(filehash.BLAKE3)
	fmt.Fprintln(h, bytes, p.cut.start, p.cut.end, p.cut.line, p.cut.text, p.cut.marked)
	return h.Result().Hex()
}

// Again returns the account of the nth file for this run, from that of a run which has read the same of it.
func (in *inputs) Again(n int, of receipt.Input) receipt.Input {
	e := in.files[n]
	switch {
	case e.cut == nil:
		of.Share = nil
	case of.Share == nil || !e.cut.inner:
		of.Share = &receipt.Share{File: e.cut.file, To: e.size(), Size: e.size(), Modified: e.modified()}
	default:
		share := *of.Share
		share.File, share.Size, share.Modified = e.cut.file, e.size(), e.modified()
		of.Share = &share
	}
	return of
}
