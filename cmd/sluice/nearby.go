package main

import (
	"context"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer"
	"github.com/sluicehq/sluice/host/fetch"
	"github.com/sluicehq/sluice/host/receipt"
)

// nearby returns paths of this machine for names of which some may lie in a bucket: of these the copies, which it makes and tells of. The
// copy is nil when none does.
func nearby(ctx context.Context, out *cli.Printer, names ...string) ([]string, *fetch.Copy, error) {
	var remote []string
	for _, name := range names {
		if fetch.Remote(name) {
			remote = append(remote, name)
		}
	}
	if len(remote) == 0 {
		return names, nil, nil
	}
	c, err := fetch.Files(ctx, names...)
	if err != nil {
		return nil, nil, err
	}
	sayCopied(out, c, strings.Join(remote, ", "))
	return c.Paths, c, nil
}

// lookAt opens what names lead to for people who look at rows: a run with its inputs, or files. Of what lies in a bucket it makes copies, which it
// tells of. Inputs that it cannot copy are no rows to look at, and nothing else is wrong with the run.
func lookAt(ctx context.Context, out *cli.Printer, names ...string) (*viewer.Subject, error) {
	near, copied, err := nearby(ctx, out, names...)
	if err != nil {
		return nil, err
	}
	subject, err := viewer.Open(near...)
	if err != nil {
		return nil, copied.Named(err)
	}
	if subject.Receipt == nil {
		return subject, nil
	}
	inputs, err := fetch.Inputs(ctx, subject.Receipt)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		out.Warn("the inputs of the run that lie in a bucket are not shown: %s", inputs.Named(err))
		return subject, nil
	}
	if inputs == nil {
		return subject, nil
	}
	sayCopied(out, inputs, "the run's inputs")
	return viewer.OpenWith(inputs.Local, near...)
}

// runNearby copies the run in a bucket that a name leads to.
func runNearby(ctx context.Context, out *cli.Printer, name string) (*fetch.Copy, error) {
	r, path, err := receipt.Open(name)
	if err != nil {
		return nil, err
	}
	c, err := fetch.Run(ctx, r, path)
	if err == nil {
		sayCopied(out, c, name)
	}
	return c, err
}

func sayCopied(out *cli.Printer, c *fetch.Copy, what string) {
	if c.Bytes > 0 {
		out.Say("copied   %s of %s to this machine", format.Size(c.Bytes), mask.Name(what))
	}
}
