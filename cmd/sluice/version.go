package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is set by the linker for a release: -X main.release=v1.2.3.
var release string

// version is the release, or what the Go tool stamped into the binary.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func versionCommand(out *report) *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			v := struct {
				Version string `json:"version"`
				Go      string `json:"go"`
				System  string `json:"system"`
			}{version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			if json {
				return out.writeJSON(v)
			}
			out.version(v.Version, v.Go, v.System)
			return nil
		},
	}
	c.Flags().BoolVar(&json, "json", false, "write what a machine reads to stdout")
	return c
}
