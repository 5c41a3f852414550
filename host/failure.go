package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/receipt"
)

// mostUpload is how long a failed run may take to send what it says about itself to a bucket, though it was asked to end.
const mostUpload = 15 * time.Second

// tellFailure writes the receipt and the page of a run that has begun and does not finish. No run fails otherwise for that: when it is not
// possible, such as on a full disk, it says so. resume is nil when nothing is kept to go on with.
func (r *run) tellFailure(ctx context.Context, cause error, resume *receipt.Resume) {
	if r.opts.NoReceipt {
		return
	}
	if resume == nil { // what is removed in any case makes room
		_ = r.plan.Set.Remove()
	}
	path, err := r.writeFailure(ctx, cause, resume)
	switch {
	case err != nil:
		r.opts.Notice("no receipt of the failed run: " + r.opts.MaskText(r.hide(err).Error()))
	case path != "":
		r.opts.Notice("how far it came and why it ended: " + r.opts.MaskName(path))
	}
}

// writeFailure returns the path of the page, or of the receipt when there is no page.
func (r *run) writeFailure(ctx context.Context, cause error, resume *receipt.Resume) (string, error) {
	x, err := r.sums()
	if err != nil {
		return "", err
	}
	x.Failure = r.failure(ctx, cause, resume)
	x.Totals.BytesRead = x.Failure.Bytes // also of files that were not read to their ends
	r.draw(x)
	var sinks []output.File
	for _, f := range r.kept {
		if f.Records > 0 {
			sinks = append(sinks, f)
			continue
		}
		x.Reports = append(x.Reports, receipt.Report{What: f.Claim.What, Sidecar: receipt.Sidecar{Path: r.opts.MaskName(f.Path), Sum: f.Sum}})
	}
	r.outputs(x, sinks)
	text, err := x.Encode()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mostUpload)
	defer cancel()
	path, err := r.plan.WriteFailed(ctx, text)
	if err != nil || path == "" {
		return "", err
	}
	page, err := r.failedPage(ctx, text)
	if err != nil {
		r.opts.Notice("no page about the failed run: " + r.opts.MaskText(err.Error()))
	}
	return cmp.Or(page, path), nil
}

// failure says how the run ended.
func (r *run) failure(ctx context.Context, cause error, resume *receipt.Resume) *receipt.Failure {
	now := r.progress()
	f := &receipt.Failure{
		Ended: time.Now().UTC(), Interrupted: ctx.Err() != nil, Error: r.errorText(cause), Bytes: now.Bytes, TotalBytes: now.Total,
		DoneBytes: now.DoneBytes, DoneRecords: now.DoneRecords, Resume: resume,
	}
	if f.Interrupted {
		f.Error = "interrupted"
		return f
	}
	at := func(step string, record receipt.Position) {
		if f.Step = step; record.File != "" {
			f.Record = &record
		}
	}
	if step, ok := errors.AsType[*flow.StepFailure](cause); ok {
		at(step.Step, step.At)
	} else if limit, ok := errors.AsType[*flow.LimitError](cause); ok {
		at(limit.Step, limit.At)
	} else if commit, ok := errors.AsType[*output.CommitError](cause); ok {
		f.Named, f.Unnamed, f.Lost = r.masked(commit.Given), r.masked(commit.Left), r.masked(commit.Lost)
	}
	return f
}

// mostError is how many bytes of an error a receipt has.
const mostError = 500

var urlQuery = regexp.MustCompile(`(\w://[^\s?"']+\?)[^\s"']+`)

// errorText returns the text of an error for files that stay and are passed on. Rules find no names and no diagnoses, so what a plugin of
// somebody else says ends where it may begin to show a record, and URLs have no queries, which may be signatures.
func (r *run) errorText(cause error) string {
	text := urlQuery.ReplaceAllString(r.opts.MaskText(r.hide(cause).Error()), "${1}"+Sensitive)
	if step, ok := errors.AsType[*flow.StepFailure](cause); ok && !r.isBuiltIn(step.Step) {
		if before, _, cut := strings.Cut(text, "{"); cut {
			text = before + "..."
		}
	}
	if len(text) > mostError {
		text = strings.ToValidUTF8(text[:mostError], "") + "..."
	}
	return text
}

func (r *run) isBuiltIn(step string) bool {
	for i, s := range r.plan.Steps {
		if s.Label() == step {
			return r.fleet.Steps[i].Location.BuiltIn
		}
	}
	return false
}

func (r *run) masked(paths []string) (all []string) {
	for _, path := range paths {
		all = append(all, r.opts.MaskName(path))
	}
	return all
}

// failedPage writes the page about a failed run whose receipt is encoded, if its page has a place, and returns its path.
func (r *run) failedPage(ctx context.Context, encoded []byte) (string, error) {
	if r.plan.Page == nil {
		return "", nil
	}
	var x receipt.Receipt
	if err := json.Unmarshal(encoded, &x); err != nil {
		return "", err
	}
	kept := map[string]output.File{}
	for _, f := range r.kept {
		kept[r.opts.MaskName(f.Path)] = f
	}
	copies, err := os.MkdirTemp("", "sluice")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(copies)
	text, err := r.opts.Page.Make(&x, func(path string) (*os.File, error) {
		switch f, known := kept[path]; {
		case !known:
			return nil, fs.ErrNotExist
		case places.Remote(f.Path):
			return copyOf(ctx, f, copies)
		default:
			return os.Open(f.Path)
		}
	})
	if err != nil {
		return "", err
	}
	return r.plan.Page.WriteFailed(ctx, text)
}

// mostCopied is how many bytes of an object a page may ask back for its examples.
const mostCopied = 64 << 20

// copyOf opens a copy in a folder of what was sent to a bucket. Of a large object there is none.
func copyOf(ctx context.Context, f output.File, folder string) (_ *os.File, err error) {
	if f.Bytes > mostCopied {
		return nil, ErrNoFile
	}
	from, err := places.Open(f.Path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	to, err := os.CreateTemp(folder, "")
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(to, places.Until(ctx, from)); err != nil {
		return nil, errors.Join(err, to.Close())
	}
	return to, nil
}
