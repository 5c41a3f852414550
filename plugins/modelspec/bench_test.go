package modelspec

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/internal/adaptertest"
	"github.com/sluicehq/sluice/plugins/internal/eliza/elizatest"
)

func BenchmarkRow(b *testing.B) { adaptertest.Bench(b, Plugin, `{}`, "emit", elizatest.Rows(b)) }

func BenchmarkTokens(b *testing.B) {
	adaptertest.Bench(b, Plugin, `{"shape":"tokens"}`, "emit", elizatest.Rows(b))
}
