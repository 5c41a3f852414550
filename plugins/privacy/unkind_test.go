package privacy_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// unkind are the contents of records in which each few bytes may begin something.
var unkind = []struct {
	kind string
	make func(r *rand.Rand, i int) string // the ith part of a text
}{
	{"numbers", func(r *rand.Rand, _ int) string { return fmt.Sprintf("%d %.3f ", r.IntN(1e9), r.Float64()*1000) }},
	{"table", func(r *rand.Rand, _ int) string {
		return fmt.Sprintf(`%.4f,%d,%.1f\n`, r.Float64(), r.IntN(1e5), r.Float64())
	}},
	{"decimals", func(r *rand.Rand, _ int) string {
		return fmt.Sprintf("(%.2f, %.2f) -> [%d, %d] ", r.Float64()*100, r.Float64()*100, r.IntN(1000), r.IntN(1000))
	}},
	{"prices", func(r *rand.Rand, _ int) string {
		return fmt.Sprintf("from $%d,%03d.%02d on %d/%d/%d ", r.IntN(999), r.IntN(1000), r.IntN(100), 1+r.IntN(12), 1+r.IntN(28), 2000+r.IntN(26))
	}},
	{"UUIDs", func(r *rand.Rand, _ int) string {
		return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x had ", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Int64N(1<<48))
	}},
	{"Markdown", func(r *rand.Rand, _ int) string {
		word := func() string {
			return strings.Fields("the of and to that for with from one had not were said there")[r.IntN(14)]
		}
		return fmt.Sprintf("## %s %s\\n\\n* **%s**: `%s_%s(%d)`\\n| %s | %d |\\n", word(), word(), word(), word(), word(), r.IntN(99), word(), r.IntN(999))
	}},
	{"base64", func(r *rand.Rand, _ int) string {
		var b [48]byte
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return base64.StdEncoding.EncodeToString(b[:])
	}},
	{"hexadecimal", func(r *rand.Rand, _ int) string { return fmt.Sprintf("%016x", r.Uint64()) }},
	{"log", func(r *rand.Rand, _ int) string {
		return fmt.Sprintf(`\u001b[3%dmstep %d\u001b[0m took \u001b[1m%dms\u001b[22m\n`, r.IntN(8), r.IntN(99), r.IntN(9999))
	}},
	{"secrets", func(r *rand.Rand, _ int) string {
		return fmt.Sprintf("and the key sk-%016x%016x of the station ", r.Uint64(), r.Uint64())
	}},
	{"Arabic", func(r *rand.Rand, _ int) string {
		var word [5]rune
		for i := range word {
			word[i] = 'ا' + r.Int32N(36)
		}
		return string(word[:]) + fmt.Sprintf(" %d ", r.IntN(99))
	}},
	{"escapes", func(r *rand.Rand, _ int) string {
		return fmt.Sprintf(`\u%04x\u%04x `, 0x4e00+r.IntN(20000), 0xe0+r.IntN(32))
	}},
	{"keys", func(r *rand.Rand, i int) string { return fmt.Sprintf(`","calendar_%x_%d":"`, r.IntN(1e6), i) }},
}

// BenchmarkUnkind runs over a record of 1 MB of each kind. No kind should cost many times what another does.
func BenchmarkUnkind(b *testing.B) {
	for _, u := range unkind {
		r, text := rand.New(rand.NewPCG(1, 2)), strings.Builder{}
		for i := 0; text.Len() < 1<<20; i++ {
			text.WriteString(u.make(r, i))
		}
		b.Run(u.kind, func(b *testing.B) { sdktest.Bench(b, privacy.Plugin, "", `{"text":"`+text.String()+`"}`) })
	}
}
