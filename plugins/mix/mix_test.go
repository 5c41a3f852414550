package mix

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestCases(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

// rows are n rows of two sources in turn.
func rows(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf(`{"format":"eliza_native_v1","trajectoryId":"t%d","request":{"prompt":"q%d"},"response":{"text":"a"},"metadata":{"source":"%s"}}`,
			i/4, i, []string{"code", "chat"}[i%2]))
	}
	return all
}

// times returns how often each row comes out, by row.
func times(t *testing.T, args string, rows []string) map[string]int {
	t.Helper()
	results, _ := sdktest.Direct(t, Plugin, args, rows...)
	out := map[string]int{}
	for i, r := range results {
		out[rows[i]] = len(r.Emitted)
	}
	return out
}

// TestRates holds that as many rows of each source come out as its rate says, of which each is among those of a higher rate.
func TestRates(t *testing.T) {
	all := rows(4000)
	before := map[string]int{}
	for _, rate := range []float64{0, 0.1, 0.25, 0.5, 0.9, 1, 1.3, 2, 2.5, 7.75} {
		have := times(t, fmt.Sprintf(`{"rates":{"code":%v}}`, rate), all)
		sum := 0
		for i, row := range all {
			if i%2 == 1 {
				if have[row] != 1 {
					t.Fatalf("rate %v: want a row of another source once, have %d", rate, have[row])
				}
				continue
			}
			sum += have[row]
			if have[row] < before[row] {
				t.Errorf("rate %v: want a row at least as often as at a lower rate, %d times, have %d", rate, before[row], have[row])
			}
		}
		part := rate - math.Floor(rate)
		want := rate * 2000
		if spread := 4 * math.Sqrt(part*(1-part)*2000); math.Abs(float64(sum)-want) > spread {
			t.Errorf("rate %v: want %v rows, have %d", rate, want, sum)
		}
		before = have
	}
}

// TestOrder holds that what comes out of a row depends on that row and the seed alone, not on the rows before it.
func TestOrder(t *testing.T) {
	all := rows(400)
	first := times(t, `{"rate":0.5}`, all)
	slices.Reverse(all)
	other := times(t, `{"rate":0.5,"seed":"another"}`, all)
	differ := 0
	for row, n := range times(t, `{"rate":0.5}`, all) {
		if n != first[row] {
			t.Errorf("%s: want it %d times in any order, have %d", row, first[row], n)
		}
		if n != other[row] {
			differ++
		}
	}
	if differ < 100 {
		t.Errorf("another seed: want other rows, have %d of 400 that differ", differ)
	}
}

// TestGrows protects a run from a row that takes hours.
func TestGrows(t *testing.T) {
	sdktest.Grows(t, Plugin, `{"rate":1.5}`, func(n int) []byte {
		return []byte(`{"messages":[` + strings.Repeat(`{"role":"user","content":"q"},`, n) + `{}],"metadata":{}}`)
	})
}
