package main

import (
	"context"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
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
