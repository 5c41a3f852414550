package plan

import (
	"reflect"

	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
)

// SourceKinds describes each kind of source with its attributes, sorted by name.
func SourceKinds() []wire.Info {
	var all []sdk.Plugin
	for _, kind := range source.Kinds() {
		args, _ := source.NewArgs(kind)
		all = append(all, sdk.Plugin{Name: kind, Doc: source.Doc(kind), Args: reflect.ValueOf(args).Elem().Interface()})
	}
	return sdk.Host(all...).Plugins
}

// SinkKinds describes each kind of sink with its attributes, sorted by name.
func SinkKinds() []wire.Info {
	var all []sdk.Plugin
	for _, kind := range output.Kinds() {
		all = append(all, sdk.Plugin{Name: kind, Doc: output.Docs[kind], Args: sinkArgs{}})
	}
	return sdk.Host(all...).Plugins
}
