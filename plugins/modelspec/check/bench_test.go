package check

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/modelspec"
	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// BenchmarkChecks measures every check on the threads that the plugin modelspec makes of rows.
func BenchmarkChecks(b *testing.B) {
	var threads []string
	results, _ := sdktest.Run(b, modelspec.Plugin, `{}`, canonicaltest.Rows(b)...)
	for _, r := range results {
		threads = append(threads, r.Emitted...)
	}
	canonicaltest.Bench(b, Plugin, `{}`, "emit", threads)
}
