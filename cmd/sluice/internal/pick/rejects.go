package pick

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/explain"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/rowfile"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/host/trace"
)

// explainRejects explains the first records of a dead letter with a code.
func (o *Options) explainRejects(ctx context.Context, p *host.Pipeline, said func(string)) (*trace.Trace, trace.Selection, error) {
	at, of, err := o.deadLetter(p)
	if err != nil {
		return nil, trace.Selection{}, err
	}
	rejects, err := o.rejected(at)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("want the dead letter of a run at %s, have no such file: run the pipeline first, or say --dead-letter PATH", at)
	}
	if err != nil {
		return nil, trace.Selection{}, err
	}
	said("the rejects are those of " + mask.Name(at))
	found, pick, err := explain.Explainer(p.Explain).Rejects(ctx, rejects, receiptOf(at, of))
	if err != nil && found == nil {
		err = fmt.Errorf("%s: %w", at, err)
	}
	return found, pick, err
}

// deadLetter returns the paths of the dead letter and of the receipt of its run.
func (o *Options) deadLetter(p *host.Pipeline) (at, of string, err error) {
	if o.DeadLetter == "" {
		return p.DeadLetter()
	}
	of, _ = receipt.Find(filepath.Dir(o.DeadLetter)) // without one it is not known what the run has read
	return o.DeadLetter, of, nil
}

// receiptOf returns the receipt at a path, nil when it is not that of the run that has left a dead letter.
func receiptOf(deadLetter, path string) *receipt.Receipt {
	r, err := receipt.Read(path)
	if failed, ok := errors.AsType[*receipt.Unfinished](err); ok {
		r = failed.Receipt
	}
	if r == nil || !slices.ContainsFunc(r.Outputs, func(out receipt.Output) bool {
		return out.Side == receipt.DeadLetter && filepath.Base(out.Path) == filepath.Base(deadLetter)
	}) {
		return nil
	}
	return r
}

// rejected returns the first rejects of a dead letter with a code. Those that come of one record count as one.
func (o *Options) rejected(path string) (wanted []explain.Reject, err error) {
	in, err := rowfile.Open(path, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	codes, seen := map[string]int64{}, map[string]bool{}
	for row, err := range in.Lines() {
		if err != nil {
			return nil, err
		}
		x := gjson.ParseBytes(row)
		if !x.IsObject() {
			continue
		}
		code := x.Get("code").Str
		codes[code]++
		if r := explain.ReadReject(x); code == o.Rejects && !seen[r.String()] {
			seen[r.String()] = true
			wanted = append(wanted, r)
		}
		if len(wanted) == o.Count {
			break
		}
	}
	if len(wanted) == 0 {
		have := "no reject"
		if len(codes) > 0 {
			have = cli.Breakdown(codes)[0]
		}
		return nil, fmt.Errorf("%s: want a reject with code %q, have %s", path, o.Rejects, have)
	}
	return wanted, nil
}
