package dedup

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/fingerprint"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
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
		for i := range len(words) - 5 + 1 {
			all[strings.Join(words[i:i+5], " ")] = true
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

// sketchOf gives the sketch of a row with a question, which every row answers in the same way.
func sketchOf(t *testing.T, question string) fingerprint.Sketch {
	t.Helper()
	var row canonical.Row
	var p fingerprint.Print
	row.Read(jsontext.JSON(chat(question, "yes")))
	if (&fingerprint.Reader{Sketches: true}).Read(&row, "", &p); !p.Sketched {
		t.Fatal("want a sketch, have none")
	}
	return p.Sketch
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
				sa, sb := sketchOf(t, strings.Join(a, " ")), sketchOf(t, strings.Join(b, " "))
				same := 0
				for i := range sa.Whole {
					if sa.Whole[i] == sb.Whole[i] {
						same++
					}
				}
				estimate += float64(same) / fingerprint.Bins / rows
				actual += jaccard(a, b) / rows
			}
			if math.Abs(estimate-actual) > 0.06 {
				t.Errorf("%d words, %d of 1000 changed: want %.2f, have %.2f", words, change, actual, estimate)
			}
		}
	}
}

// TestNear holds which rows are near duplicates at a threshold of 0.8, and that nothing else is.
func TestNear(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	words, few := text(r, 400, 4)
	_, many := text(rand.New(rand.NewPCG(3, 4)), 400, 60)
	question, alike, unlike := strings.Join(words, " "), strings.Join(few, " "), strings.Join(many, " ")
	for _, c := range []struct{ reason, a, b, want string }{
		{"a few words are others", chat(question, "yes"), chat(alike, "yes"), "drop"},
		{"upper case and punctuation", chat(question, "yes"), chat(strings.ToUpper(strings.ReplaceAll(question, " ", ", ")), "yes"), "drop"},
		{"many words are others", chat(question, "yes"), chat(unlike, "yes"), "emit"},
		{"the answer is another", chat(question, "yes"), chat(question, "no"), "emit"},
		{"only the system prompt is the same", chat("Who are you?", "Eliza."), chat("What time is it?", "Nine."), "emit"},
		{"characters that are words", chat(strings.Repeat("東京はどこですか今日の天気", 1), "はい、今日は晴れです。"), chat("東京はどこですか今日の天気。", "はい、今日は晴れです。"), "drop"},
		{"rows of one trajectory share much", strings.Replace(chat(question, "yes"), `{`, `{"trajectoryId":"t",`, 1), strings.Replace(chat(alike, "yes"), `{`, `{"trajectoryId":"t",`, 1), "emit"},
		{"another format has no near duplicates", `{"text":"` + question + `"}`, `{"text":"` + alike + `"}`, "emit"},
	} {
		results, _ := sdktest.Run(t, Plugin, `{"near":0.8}`, c.a, c.b)
		if results[0].Verdict != "emit" || results[1].Verdict != c.want {
			t.Errorf("%s: want %s, have %+v", c.reason, c.want, results[1])
		}
	}
}

// TestNearIsFound holds that hardly any row is missed whose similarity is well above the threshold.
func TestNearIsFound(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var records []string
	for range 300 {
		a, b := text(r, 300, 2) // a similarity of about 0.93
		records = append(records, chat(strings.Join(a, " "), "yes"), chat(strings.Join(b, " "), "yes"))
	}
	results, _ := sdktest.Run(t, Plugin, `{"near":0.8}`, records...)
	missed := 0
	for i, result := range results {
		if want := []string{"emit", "drop"}[i%2]; result.Verdict != want {
			missed++
		}
	}
	if missed > 3 {
		t.Errorf("want at most 3 of 300 missed, have %d", missed)
	}
}

// TestGrows holds that rows are compared in time proportional to one row, also when all are made from one template.
func TestGrows(t *testing.T) {
	sdktest.Grows(t, Plugin, `{"near":0.8}`, func(n int) []byte { return []byte(chat(strings.Repeat("word and word ", n), "yes")) })
	template := strings.Repeat("these words of a template stand in every row that was made of it ", 5)
	time := func(n int) float64 {
		records := make([]string, n)
		for i := range records {
			records[i] = chat(template, fmt.Sprint("answer ", i))
		}
		return sdktest.Least(3, func() {
			x := newMemory()
			var w row
			prints := fingerprint.Reader{Sketches: true}
			for _, record := range records {
				var r canonical.Row
				r.Read(jsontext.JSON(record))
				prints.Read(&r, "", &w.Print)
				x.nearest(&w, 0.8, func(string) bool { return true })
				x.add(&w, w.Content, true)
			}
		}).Seconds()
	}
	if small, large := time(300), time(3600); large > 4*12*small {
		t.Errorf("want time in proportion to the rows, have %.1f times for 12 times as many", large/small)
	}
}
