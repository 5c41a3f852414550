package chatml_test

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/plugins/internal/adaptertest"
	"github.com/sluicehq/sluice/plugins/internal/eliza/elizatest"
)

func BenchmarkRow(b *testing.B) {
	adaptertest.Bench(b, chatml.Plugin, `{}`, "emit", elizatest.Rows(b))
}

func BenchmarkTarget(b *testing.B) {
	adaptertest.Bench(b, chatml.Plugin, `{"target":"qwen2.5"}`, "emit", elizatest.Rows(b))
}
