package modelspec

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
)

func BenchmarkRow(b *testing.B) { canonicaltest.Bench(b, Plugin, `{}`, "emit", canonicaltest.Rows(b)) }

func BenchmarkTokens(b *testing.B) {
	canonicaltest.Bench(b, Plugin, `{"shape":"tokens"}`, "emit", canonicaltest.Rows(b))
}

func BenchmarkVaried(b *testing.B) {
	canonicaltest.Bench(b, Plugin, `{"vary":["order","wording","schema"]}`, "emit", canonicaltest.Rows(b))
}
