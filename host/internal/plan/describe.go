package plan

import (
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Sources say of each kind of source what it is and which attributes it takes, sorted by name.
func Sources() []wire.Info { return describe(source.Kinds(), source.Docs, defaultIntake()) }

// Sinks say the same of each kind of sink.
func Sinks() []wire.Info { return describe(output.Kinds(), output.Docs, outletArgs{}) }

func describe(kinds []string, docs map[string]string, args any) []wire.Info {
	var all []sdk.Plugin
	for _, kind := range kinds {
		all = append(all, sdk.Plugin{Name: kind, Doc: docs[kind], Args: args})
	}
	return sdk.Host(all...).Plugins
}
