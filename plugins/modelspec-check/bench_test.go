package modelspeccheck

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/internal/adaptertest"
	"github.com/sluicehq/sluice/plugins/internal/eliza/elizatest"
	"github.com/sluicehq/sluice/plugins/modelspec"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// BenchmarkChecks measures every check on the threads that the plugin modelspec makes of rows.
func BenchmarkChecks(b *testing.B) {
	var threads []string
	results, _ := sdktest.Run(b, modelspec.Plugin, `{}`, elizatest.Rows(b)...)
	for _, r := range results {
		threads = append(threads, r.Emitted...)
	}
	adaptertest.Bench(b, Plugin, `{}`, "emit", threads)
}
