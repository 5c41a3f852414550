package host

import (
	"context"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

// findInterrupted finds the interrupted run that this one goes on with, if Options.Resume asks for that.
func (r *run) findInterrupted() (err error) {
	if !r.opts.Resume {
		return nil
	}
	if err := r.mayStart(); err != nil { // what lies beside a pipeline is trusted no more than it is
		return err
	}
	if r.interrupted, err = r.plan.Set.Interrupted(); err != nil {
		return err
	}
	switch i, why := r.interrupted, r.neverResumes(); {
	case i == nil:
		r.opts.Notice("no interrupted run to go on with: this one begins with the first record")
	case why != nil:
		return cannotGoOn(why)
	case i.Committing:
	default:
		if r.from, err = decodeState(i.Text); err != nil {
			return fmt.Errorf("the state of the interrupted run: %w; without --resume the run begins anew", err)
		}
	}
	return nil
}

// cannotGoOn is the error of a run that is asked to go on with an interrupted one, which is kept.
func cannotGoOn(why error) error {
	return fmt.Errorf("the interrupted run cannot go on: %w; without --resume this one removes what it has left", why)
}

// beginAgain goes on with the interrupted run: it starts the plugins, and when nothing has changed since, has sources and outputs go on.
func (r *run) beginAgain(ctx context.Context, diags Diagnostics) (err error) {
	r.id = r.interrupted.Run
	if r.fleet, r.warnings, err = r.start(ctx, r.plan, diags, false); err != nil {
		return err
	}
	if err := r.goOn(ctx); err != nil {
		r.fleet.Abort()
		return err
	}
	s := r.from
	r.started, r.began, r.durable = s.Started, r.began.Add(-s.Elapsed), s.Flow.Totals.Sums.Read
	r.sampler.Timeline, r.sampler.period = s.Timeline, s.Period
	r.opts.Notice("going on after " + plural.Of(s.Flow.Totals.Sums.Read, "record"))
	r.tellUncompared()
	return nil
}

func (r *run) goOn(ctx context.Context) error {
	if err := r.plan.OpenSources(); err != nil {
		return err
	}
	r.named = r.namedFiles()
	now, err := r.facts()
	if err != nil {
		return err
	}
	changes := append(changed(r.from.Facts, now), r.plan.GoOn(r.from.Sources)...)
	if len(changes) > 0 {
		return &changedError{changes}
	}
	r.plan.Set.Resume(r.interrupted)
	return r.plan.Set.Prepare(ctx)
}

// changedError says why a run cannot go on with the interrupted one: all that has changed since.
type changedError struct{ changes []string }

// Error implements error.
func (e *changedError) Error() string {
	return "the interrupted run cannot go on, since something has changed; without --resume the run begins anew:\n" + strings.Join(e.changes, "\n")
}

// complete gives the outputs of an interrupted run their names, when that is all that it left to do.
func (r *run) complete(ctx context.Context) (*Result, error) {
	if err := r.plan.Set.Complete(ctx, r.interrupted); err != nil {
		return nil, err
	}
	r.opts.Notice("all records were done: the outputs have got their names")
	path := r.plan.ReceiptPath()
	x, err := receipt.Read(path)
	if err != nil {
		return nil, err
	}
	result := &Result{Receipt: x, Path: r.opts.MaskName(path)}
	r.reportState(result)
	if page := r.plan.Page; page != nil {
		if _, err := places.Stat(page.Path()); err == nil {
			result.Page = r.opts.MaskName(page.Path())
		}
	}
	return result, nil
}

// reportState sets in a result what is left of the commit that has given the outputs their names.
func (r *run) reportState(x *Result) {
	if err := r.plan.Set.StateLeft(); err != nil {
		x.StateLeft = r.opts.MaskName(err.Error())
	}
}

// A fact is something outside of the records that what becomes of them depends on.
type fact struct {
	What   string
	Shown  string `json:",omitempty"` // as it may be shown
	Hash   string // in hex, or the same as Shown
	Secret bool   `json:",omitempty"` // the hash is not shown
}

// String returns what may be shown.
func (f fact) String() string {
	hash := "sha256 " + f.Hash[:min(len(f.Hash), 12)]
	switch {
	case f.Hash == "":
		return "no value"
	case f.Secret, f.Shown == f.Hash:
		return f.Shown
	case f.Shown == "":
		return hash
	}
	return fmt.Sprintf("%s (%s)", f.Shown, hash)
}

// changed returns each fact that is not as it was, in the order in which they were.
func changed(was, is []fact) (changes []string) {
	now := map[string]fact{}
	for _, f := range is {
		now[f.What] = f
	}
	before := map[string]bool{}
	for _, f := range was {
		before[f.What] = true
		have, there := now[f.What]
		switch {
		case !there:
			changes = append(changes, fmt.Sprintf("%s: want %v, have it no more", f.What, f))
		case have.Hash != f.Hash && f.Secret:
			changes = append(changes, fmt.Sprintf("%s: want the value of the interrupted run, have one that differs", f.What))
		case have.Hash != f.Hash:
			changes = append(changes, fmt.Sprintf("%s: want %v, have %v", f.What, f, have))
		}
	}
	for _, f := range is {
		if !before[f.What] {
			changes = append(changes, fmt.Sprintf("%s: want no such thing, have %v", f.What, f))
		}
	}
	return changes
}

// facts lists all that an interrupted run and the one that goes on with it have in common. The plugins have started.
func (r *run) facts() ([]fact, error) {
	own, err := launch.OwnSHA256()
	if err != nil {
		return nil, err
	}
	mask := r.opts.MaskName
	all := []fact{
		{What: "program", Shown: strings.TrimSpace("sluice " + r.opts.Version), Hash: own},
		{What: "pipeline " + mask(r.tree.Path), Hash: r.tree.SHA256},
	}
	if r.plan.Part != nil {
		all = append(all, fact{What: "inputs of part " + r.plan.Part.String(), Hash: r.plan.Part.SHA256})
	}
	shown := r.variables()
	for _, v := range r.tree.Vars {
		f := fact{What: "variable " + v.Name, Shown: shown[v.Name], Secret: v.Sensitive}
		if f.Hash, err = hashOf(v.Value, v.Sensitive, r.id); err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	for _, read := range r.tree.Reads {
		all = append(all, fact{What: read.Kind + " " + mask(read.Name), Hash: read.SHA256})
	}
	for i := range r.plan.Steps {
		p, err := r.plugin(i)
		if err != nil {
			return nil, err
		}
		if p.Path != receipt.BuiltIn {
			all = append(all, fact{What: "plugin of step " + p.Step, Shown: strings.TrimSpace(p.Name + " " + p.Version), Hash: p.SHA256})
		}
		all = append(all, fact{What: "attributes of step " + p.Step, Hash: p.Arguments})
	}
	return append(append(all, r.named...), r.pageFact()), nil
}

// namedFiles lists the files that attributes of built-in plugins name, such as rules, by size and time: the plugins have read them
// when they started. What other programs do with a file that they are told is not known: they may write it.
func (r *run) namedFiles() (all []fact) {
	for i, step := range r.plan.Steps {
		if !r.fleet.Steps[i].Location.BuiltIn {
			continue
		}
		for _, f := range r.filesOf(i) {
			stamp := fmt.Sprintf("%d bytes of %s", f.Info.Size(), f.Info.ModTime().UTC().Format(time.RFC3339Nano))
			what := "file " + r.opts.MaskName(f.Name) + " of step " + step.Label()
			all = append(all, fact{What: what, Shown: stamp, Hash: stamp})
		}
	}
	return all
}

// tellUncompared says which files the attributes of external plugins name.
func (r *run) tellUncompared() {
	for i, step := range r.plan.Steps {
		if r.fleet.Steps[i].Location.BuiltIn {
			continue
		}
		for _, f := range r.filesOf(i) {
			r.opts.Notice("not compared with what it was: file " + r.opts.MaskName(f.Name) + " of step " + step.Label() + ", whose plugin may write it")
		}
	}
}

// filesOf returns the files that attributes of a step name, each once, with those that belong to them.
func (r *run) filesOf(step int) []plan.NamedFile { return plan.FilesIn(r.fleet.Steps[step].Args) }

// pageFact is where the page of the run goes, since its file is one of the run's.
func (r *run) pageFact() fact {
	path := ""
	if r.plan.Page != nil {
		path = r.opts.MaskName(r.plan.Page.Path())
	}
	sum := sha256.Sum256([]byte(path))
	return fact{What: "report", Shown: path, Hash: hex.EncodeToString(sum[:])}
}

// secretRounds makes guessing a sensitive value by its hash slow.
const secretRounds = 600_000

func hashOf(value []byte, secret bool, salt string) (string, error) {
	sum := sha256.Sum256(value)
	if !secret {
		return hex.EncodeToString(sum[:]), nil
	}
	slow, err := pbkdf2.Key(sha256.New, string(value), []byte(salt), secretRounds, sha256.Size)
	return hex.EncodeToString(slow), err
}
