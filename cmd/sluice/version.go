package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
)

// release is set by the linker for a release: -X main.release=v1.2.3.
var release string

// version returns the release, or what the Go tool stamped into the binary.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func versionCommand(out *cli.Printer) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			v := struct {
				Version string `json:"version"`
				Go      string `json:"go"`
				System  string `json:"system"`
			}{out.Version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			text := fmt.Sprintf("sluice %s (%s, %s)\n", v.Version, v.Go, v.System)
			return out.Answer(asJSON, v, nil, func() error { return out.Write(text) })
		},
	}
	cli.JSONFlag(c, &asJSON)
	return c
}
