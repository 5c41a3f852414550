package chatml_test

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
)

func BenchmarkRow(b *testing.B) {
	canonicaltest.Bench(b, chatml.Plugin, `{}`, "emit", canonicaltest.Rows(b))
}

func BenchmarkTarget(b *testing.B) {
	canonicaltest.Bench(b, chatml.Plugin, `{"target":"qwen2.5"}`, "emit", canonicaltest.Rows(b))
}
