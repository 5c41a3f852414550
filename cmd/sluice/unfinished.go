package main

import (
	"errors"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host/receipt"
)

// warnOfLater warns when a later run into the folder of a finished one has not finished: what is there is about the finished one.
func warnOfLater(out *cli.Printer, run string) {
	r, path, err := receipt.Open(run)
	if err != nil {
		return
	}
	if u := r.Since(path); u != nil {
		out.Warn("this is about the run that has finished; of a later one: %s", mask.Error(u))
	}
}

// warnOfUnfinished warns of folders whose files are taken though the run there has not finished.
func warnOfUnfinished(out *cli.Printer, folders []string) {
	for _, folder := range folders {
		_, _, err := receipt.Open(folder)
		if u, ok := errors.AsType[*receipt.Unfinished](err); ok {
			out.Warn("%s", mask.Error(u))
		}
	}
}
