package native_test

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
)

func BenchmarkCheck(b *testing.B) {
	canonicaltest.Bench(b, native.Plugin, `{}`, "emit", canonicaltest.Rows(b))
}
