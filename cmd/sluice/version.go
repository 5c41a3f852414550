package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

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

// commit returns the commit that the program was built of, "" when the Go tool did not know it, and whether files had been changed since.
func commit() (revision string, modified bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", false
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	return revision, modified
}

// cleanSources reports whether the program is known to be built of a commit or of a module's version, without other changes. Only then
// what the sources say of themselves holds: see plugins.Code. Tests replace it.
var cleanSources = func() bool {
	if revision, modified := commit(); revision != "" {
		return !modified
	}
	info, ok := debug.ReadBuildInfo()
	return ok && info.Main.Sum != ""
}

// build is what is known of the program.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	System   string `json:"system"`
}

func buildOf(version string) build {
	revision, modified := commit()
	return build{version, revision, modified, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
}

// String returns the build as a line.
func (b build) String() string {
	of := ""
	if b.Commit != "" && !strings.Contains(b.Version, b.Commit[:min(len(b.Commit), 12)]) {
		of = fmt.Sprintf("commit %.12s, ", b.Commit)
		if b.Modified {
			of = fmt.Sprintf("commit %.12s and changes, ", b.Commit)
		}
	}
	return fmt.Sprintf("sluice %s (%s%s, %s)\n", b.Version, of, b.Go, b.System)
}

func versionCommand(out *cli.Printer) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version and the commit",
		Args:  cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			b := buildOf(out.Version)
			return out.Answer(asJSON, b, nil, func() error { return out.Write(b.String()) })
		},
	}
	cli.JSONFlag(c, &asJSON)
	return c
}
