package native_test

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/internal/adaptertest"
	"github.com/sluicehq/sluice/plugins/internal/eliza/elizatest"
	"github.com/sluicehq/sluice/plugins/native"
)

func BenchmarkCheck(b *testing.B) {
	adaptertest.Bench(b, native.Plugin, `{}`, "emit", elizatest.Rows(b))
}
