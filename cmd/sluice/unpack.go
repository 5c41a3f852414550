package main

import (
	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mediafile"
	"github.com/sluicehq/sluice/host/plural"
)

func unpackCommand(out *cli.Printer) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "unpack FILE",
		Short: "Write images, audio and video of a run into files",
		Long: `unpack reads the rows that step chatml writes to its output media, and writes the data of each to the path that the ChatML rows
refer to, media/HASH.png and the like, in the folder of FILE. It checks each against its hash, leaves files alone that are there
already, and writes no path outside of the folder.`,
		Example: `  sluice unpack out/media.jsonl`,
		Args:    cli.Arguments(1, 1, "a file of rows with media"),
		RunE: func(_ *cobra.Command, args []string) error {
			n, err := mediafile.Unpack(args[0])
			return out.Judge(asJSON, n, err, func() error { return nil }, func() error {
				out.Say("wrote %s, %d present already", plural.Of(n.Written, "file"), n.Present)
				return nil
			})
		},
	}
	cli.JSONFlag(c, &asJSON)
	return c
}
