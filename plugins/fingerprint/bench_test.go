package fingerprint

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// BenchmarkRow measures what is asked about one row, beside its reading.
func BenchmarkRow(b *testing.B) {
	for _, c := range []struct {
		name     string
		sketches bool
	}{{"exact", false}, {"near", true}} {
		b.Run(c.name, func(b *testing.B) {
			text := canonicaltest.Rows(b)
			rows := make([]canonical.Row, len(text))
			size := 0
			for i := range rows {
				rows[i].Read(jsontext.JSON(text[i]))
				size += len(text[i])
			}
			rd, p := Reader{Sketches: c.sketches}, Print{}
			b.SetBytes(int64(size))
			for b.Loop() {
				for i := range rows {
					rd.Read(&rows[i], "", &p)
				}
			}
		})
	}
}
