package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

// account checks that the receipt adds up.
func (v *verification) account() {
	r := v.receipt
	said, why := r.Balanced, slices.Clone(r.Unbalanced)
	_ = r.Recheck() // lists all in Unbalanced
	for _, text := range r.Unbalanced {
		v.differs(v.path, Account, "counts that add up", text)
	}
	if said != r.Balanced && r.Balanced {
		v.differs(v.path, Account, "balanced, as its counts are", fmt.Sprintf("not balanced: %v", why))
	}
	var read, written int64
	for _, in := range r.Inputs {
		read += in.Bytes
	}
	if r.Partial == nil && read != r.Totals.BytesRead {
		v.differs(v.path, Account, fmt.Sprintf("%d bytes read, as its inputs have", read), r.Totals.BytesRead)
	}
	for _, o := range r.Outputs {
		written += o.Bytes
		var rows int64
		for _, n := range o.Lengths {
			rows += n
		}
		if len(o.Lengths) > 0 && rows != o.Records {
			v.differs(v.path, Account, fmt.Sprintf("%s of %s by their lengths", plural.Of(o.Records, "row"), v.MaskName(o.Path)), rows)
		}
	}
	if written != r.Totals.BytesWritten {
		v.differs(v.path, Account, fmt.Sprintf("%d bytes written, as its outputs have", written), r.Totals.BytesWritten)
	}
}

// timeline compares the timeline with its hash, and its end with the totals.
func (v *verification) timeline(ctx context.Context, at string) error {
	text, ok, err := v.small(ctx, at, v.receipt.Timeline.Sum)
	if !ok {
		return err
	}
	t, err := receipt.ReadTimeline(bytes.NewReader(text))
	if err != nil {
		v.differs(at, Content, "a timeline", err)
		return nil
	}
	var steps []string
	for _, s := range v.receipt.Steps {
		steps = append(steps, s.Name)
	}
	if !slices.Equal(steps, t.Steps) {
		v.differs(at, Content, fmt.Sprintf("the steps %q", steps), fmt.Sprintf("%q", t.Steps))
	}
	if last := t.Samples[len(t.Samples)-1]; last.Records != v.receipt.Totals.Read {
		v.differs(at, Content, plural.Of(v.receipt.Totals.Read, "record")+" read at the end", last.Records)
	}
	return nil
}

// report compares a report about the run with its hash, and a manifest with the receipt.
func (v *verification) report(ctx context.Context, x *receipt.Report, at string) error {
	text, ok, err := v.small(ctx, at, x.Sum)
	if ok && x.What == receipt.ManifestReport {
		v.manifest(at, x.Path, text)
	}
	return err
}

// small reads a file that a run writes about itself and compares it with its hash. It returns false when it is another.
func (v *verification) small(ctx context.Context, at string, sum filehash.Sum) (data []byte, ok bool, err error) {
	size, have, unread := hashFile(ctx, at, sum.Algorithm())
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	v.read(at, size, 0)
	v.compare(at, size, sum, text{bytes: size, sum: have, unread: unread})
	if have != sum || unread != nil {
		return nil, false, nil
	}
	if size > contentLimit {
		v.unchecked(at, fmt.Sprintf("more than %d MiB, so only size and hash were compared", contentLimit>>20))
		return nil, false, nil
	}
	if data, err = readContent(at); err != nil {
		v.differs(at, Content, "a file that can be read", reason(err))
		return nil, false, nil
	}
	return data, true, nil
}

// contentLimit is how much is read of a file that a run writes about itself. These are much smaller, but whoever wrote the receipt has
// named them.
const contentLimit = 64 << 20

func readContent(at string) ([]byte, error) {
	f, err := places.Open(at)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, contentLimit))
}

// manifest compares what a manifest says of files and records with the receipt. path is its own in the receipt.
func (v *verification) manifest(at, path string, data []byte) {
	var have receipt.Manifest
	if err := json.Unmarshal(data, &have); err != nil || have.Schema != receipt.ManifestSchema {
		v.differs(at, Content, "a manifest of the schema "+receipt.ManifestSchema, fmt.Sprintf("schema %q", have.Schema))
		return
	}
	want := v.receipt.Manifest(places.Dir(path))
	part := func(what string, want, have any) {
		a, errA := json.Marshal(want)
		b, errB := json.Marshal(have)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			v.differs(at, Content, what+" as the receipt has them", "others")
		}
	}
	part("inputs", want.Inputs, have.Inputs)
	part("files", want.Files, have.Files)
	part("counts of records", want.Records, have.Records)
}
