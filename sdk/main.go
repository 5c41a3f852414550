package sdk

import (
	"os"
	"runtime/debug"

	"github.com/sluicehq/sluice/sdk/wire"
)

// Main serves p to the host that started this process, and does not return. Output to stdout and stderr appears in
// the host's messages under the step's name.
func Main(p Plugin) {
	wire.Serve(p.provider())
	os.Exit(0)
}

func (p Plugin) provider() wire.Provider {
	return wire.Provider{
		Name: p.Name, Doc: p.Doc, Version: version(), Ordered: p.Ordered, Private: p.Private,
		Open: p.Open, ArgErrors: p.ArgErrors,
	}
}

// version is the main module's, as the Go tool stamped it into the binary.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
