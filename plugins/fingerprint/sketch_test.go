package fingerprint

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// chat is a row with a question and an answer.
func chat(question, answer string) string {
	return `{"format":"eliza_native_v1","request":{"system":"` + strings.Repeat("the same for all rows ", 100) + `","prompt":"` + question + `"},"response":{"text":"` + answer + `"}}`
}

// text gives n words, of which change are others than without it.
func text(r *rand.Rand, n, change int) (text, changed []string) {
	for i := range n {
		word := fmt.Sprint("w", r.IntN(100_000))
		text, changed = append(text, word), append(changed, word)
		if i*change/n != (i+1)*change/n {
			changed[i] = "x"
		}
	}
	return text, changed
}

// jaccard is the similarity that a sketch estimates.
func jaccard(a, b []string) float64 {
	set := func(words []string) map[string]bool {
		all := map[string]bool{}
		for i := range len(words) - shingle + 1 {
			all[strings.Join(words[i:i+shingle], " ")] = true
		}
		return all
	}
	in, both := set(a), 0
	other := set(b)
	for s := range other {
		if in[s] {
			both++
		}
	}
	return float64(both) / float64(len(in)+len(other)-both)
}

func sketchOf(t *testing.T, record string) Sketch {
	t.Helper()
	var row canonical.Row
	var s sketcher
	row.Read(jsontext.JSON(record))
	sk, ok := s.row(&row)
	if !ok {
		t.Fatalf("want a sketch of %s", record)
	}
	return sk
}

// TestSketchEstimates holds that sketches estimate the similarity of shingles, for long texts and for short ones that leave
// bins empty.
func TestSketchEstimates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, words := range []int{30, 100, 1000} {
		for _, change := range []int{0, 1, 3, 10, 30} {
			const rows = 60
			var estimate, actual float64
			for range rows {
				a, b := text(r, words, words*change/1000)
				sa, sb := sketchOf(t, chat(strings.Join(a, " "), "yes")), sketchOf(t, chat(strings.Join(b, " "), "yes"))
				estimate += share(sa.Whole[:], sb.Whole[:]) / rows
				actual += jaccard(a, b) / rows
			}
			if math.Abs(estimate-actual) > 0.06 {
				t.Errorf("%d words, %d of 1000 changed: want %.2f, have %.2f", words, change, actual, estimate)
			}
		}
	}
}
