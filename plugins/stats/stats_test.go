package stats

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestCases(t *testing.T) { sdktest.Files(t, Plugin, "testdata/cases/*.txtar") }

// sum gives the report about some rows.
func sum(t testing.TB, args string, rows ...string) *Report {
	t.Helper()
	last := sdktest.Last(t, Plugin, args, rows...)[Output]
	if len(last) != 1 {
		t.Fatalf("want one row at the end, have %d", len(last))
	}
	var r Report
	if err := json.Unmarshal([]byte(last[0]), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

func chat(user, beside string) string {
	return fmt.Sprintf(`{"messages":[{"role":"user","content":%q},{"role":"assistant","content":"ok"}]%s}`, user, beside)
}

// TestBounded holds memory to what the attributes say, and that nothing is left out of the sums by it.
func TestBounded(t *testing.T) {
	var rows []string
	for i := range 50 {
		rows = append(rows, fmt.Sprintf(`{"format":"eliza_native_v1","request":{"messages":[{"role":"user","content":"q"}]},`+
			`"response":{"text":"","toolCalls":[{"toolName":"A%d","input":{}}]},"metadata":{"source_dataset":"s%d"}}`, i, i))
	}
	r := sum(t, `{"groups":3,"actions":2}`, rows...)
	have := map[string]int64{}
	for name, g := range r.By["source"] {
		have[name] = g.Rows
	}
	if diff := cmp.Diff(map[string]int64{"s0": 1, "s1": 1, "s2": 1, Other: 47}, have); diff != "" {
		t.Errorf("groups (-want +have):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]*Action{"A0": {1, 1}, "A1": {1, 1}, Other: {48, 48}}, r.All.Actions); diff != "" {
		t.Errorf("actions (-want +have):\n%s", diff)
	}
	long := strings.Repeat("x", maxName+1)
	r = sum(t, `{}`, chat("q", `,"task":"`+long+`"`), chat("q", `,"task":"`+long[1:]+`"`))
	if n, m := r.By["task"][Other], r.By["task"][long[1:]]; n == nil || n.Rows != 1 || m == nil || m.Rows != 1 {
		t.Errorf("want a name that is too long not kept, have %d tasks", len(r.By["task"]))
	}
	r = sum(t, `{}`, rows...)
	if n := r.By["split"][None].Rows; n != 50 {
		t.Errorf("want what names no split counted under %s, have %d rows", None, n)
	}
}

// TestTokens holds what the tokens of a row are for each way to count them, and that unknown ones are not guessed.
func TestTokens(t *testing.T) {
	usage := `{"format":"eliza_native_v1","request":{"messages":[{"role":"user","content":"hello world"}]},"response":{"text":"hi","usage":{"inputTokens":5,"outputTokens":2}}}`
	cases := []struct {
		reason, args string
		rows         []string
		want         int64 // below 0: nobody tells
	}{
		{"what a row says that it used", `{}`, []string{usage, chat("a", "")}, 7},
		{"a row that says nothing", `{}`, []string{chat("a", "")}, -1},
		{"o200k_base, as its authors count: 2 and 1", `{"tokens":"o200k_base"}`, []string{usage}, 3},
		{"cl100k_base", `{"tokens":"cl100k_base"}`, []string{usage}, 3},
		{"text with escapes is counted decoded", `{"tokens":"o200k_base"}`, []string{chat("\u0068ello", "")}, 2},
		{"a label that nobody has set", `{"tokens":"@tokens"}`, []string{usage}, -1},
		{"nobody is asked", `{"tokens":"none"}`, []string{usage}, -1},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			have := int64(-1)
			if l := sum(t, c.args, c.rows...).All.Tokens; l != nil {
				have = l.Sum
			}
			if have != c.want {
				t.Errorf("want %d tokens, have %d", c.want, have)
			}
		})
	}
}

// TestPortions holds that cutting a text neither loses a byte nor splits a character, and that pieces stay small.
func TestPortions(t *testing.T) {
	for _, text := range []string{"", "a", strings.Repeat("word ", 5000), strings.Repeat("é", 9001), strings.Repeat("a", portion) + " b", " " + strings.Repeat("x", 3*portion)} {
		var all strings.Builder
		for p := range portions(text) {
			if p == "" || len(p) > portion || !utf8.ValidString(p) {
				t.Errorf("want whole characters of at most %d bytes, have %d bytes", portion, len(p))
			}
			all.WriteString(p)
		}
		if all.String() != text {
			t.Errorf("want the text again, have %d of %d bytes", all.Len(), len(text))
		}
	}
}

// TestPortionsCount holds that a long text of words has as many tokens in portions as it has whole.
func TestPortionsCount(t *testing.T) {
	text := jsontext.Body(canonicaltest.Words(1, 4000)).Text()
	for _, name := range vocabularies() {
		vocabulary := codecs[name]()
		whole, err := vocabulary.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		have := 0
		for p := range portions(text) {
			n, err := vocabulary.Count(p)
			if err != nil {
				t.Fatal(err)
			}
			have += n
		}
		if have != whole {
			t.Errorf("%s: want %d tokens, have %d", name, whole, have)
		}
	}
}

// TestQuantiles holds the lengths that are told to the exact ones, within what the buckets allow.
func TestQuantiles(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for _, n := range []int{1, 2, 19, 1000} {
		var l lengths
		var all []int64
		for range n {
			v := int64(rng.ExpFloat64() * 3000)
			all = append(all, v)
			l.add(v, 5000)
		}
		slices.Sort(all)
		for _, q := range []float64{0.5, 0.95, 1} {
			want := all[max(0, int(float64(n)*q+0.9999999)-1)]
			if have := l.quantile(q); have < want || have > want+want/128+1 {
				t.Errorf("quantile %v of %d: want %d or little more, have %d", q, n, want, have)
			}
		}
		if l.most != all[n-1] || l.rows != int64(n) {
			t.Errorf("want the longest of %d exact, have %d of %d", n, l.most, l.rows)
		}
	}
	for _, n := range []int64{0, 255, 256, 257, 511, 512, 1 << 20, 1<<40 + 12345} {
		if b := bucket(n); last(b) < n || b > 0 && last(b-1) >= n {
			t.Errorf("want %d in a bucket that ends at it or behind it, have %d to %d", n, last(b-1)+1, last(b))
		}
	}
}

func FuzzCharacters(f *testing.F) {
	for _, s := range []string{"", "a", `\n\"`, "é😀", `\ud83d\ude00`, `\u00e9\\u`, `\\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if jsontext.Check(`"`+s+`"`, 1) != nil || strings.Contains(strings.ToLower(s), `\ud`) && !surrogatesPair(s) {
			return
		}
		want := utf8.RuneCountInString(jsontext.Body(s).Text())
		if have := (piece{s, true}).characters(); have != int64(want) {
			t.Errorf("%s: want %d characters, have %d", s, want, have)
		}
	})
}

// surrogatesPair tells whether no half of a character stands alone.
func surrogatesPair(s string) bool {
	var decoded string
	return json.Unmarshal([]byte(`"`+s+`"`), &decoded) == nil && !strings.Contains(decoded, "\uFFFD")
}

// TestGrows protects a run from a row that takes hours.
func TestGrows(t *testing.T) {
	for _, args := range []string{`{}`, `{"tokens":"o200k_base"}`} {
		sdktest.Grows(t, Plugin, args, func(n int) []byte { return []byte(chat(strings.Repeat("a", n), "")) })
		sdktest.Grows(t, Plugin, args, func(n int) []byte {
			return []byte(`{"messages":[` + strings.Repeat(`{"role":"user","content":"q"},`, n) + `{"role":"assistant","content":"a"}]}`)
		})
	}
}

func BenchmarkSums(b *testing.B) {
	canonicaltest.Bench(b, Plugin, `{}`, "emit", canonicaltest.Rows(b))
}
