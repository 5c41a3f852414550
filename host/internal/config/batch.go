package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// A BatchSize is how much moves together at most, 0 for any.
type BatchSize struct{ Records, Bytes int }

// ParseBatch reads "64 records", or a size as ParseSize does, of which there is at least one byte.
func ParseBatch(s string) (BatchSize, error) {
	if count, ok := strings.CutSuffix(strings.TrimSuffix(s, "s"), " record"); ok {
		if n, err := strconv.Atoi(count); err == nil && n > 0 {
			return BatchSize{Records: n}, nil
		}
	} else if n, err := ParseSize(s); err == nil && n > 0 && n <= math.MaxInt {
		return BatchSize{Bytes: int(n)}, nil
	}
	return BatchSize{}, fmt.Errorf("want %s, have %q", wantBatch, s)
}

const wantBatch = `a number of records or a size, such as "64 records" or "256KiB"`

// batchSize returns how much a worker gets at a time. A number alone could be meant as either, so it is refused.
func (l *loader) batchSize(b *block, name string) BatchSize {
	return valueOf(l, b, name, wantBatch, BatchSize{}, func(v cty.Value) (BatchSize, string, bool) {
		s, err := convert.Convert(v, cty.String)
		if err != nil {
			return BatchSize{}, "", false
		}
		given := s.AsString()
		count, _, _ := strings.Cut(given, " row")
		if n, err := strconv.Atoi(count); err == nil && n > 0 {
			return BatchSize{}, count + " records", false
		} else if err == nil {
			return BatchSize{}, "", false
		}
		size, err := ParseBatch(given)
		return size, nearestSize(given), err == nil
	})
}
