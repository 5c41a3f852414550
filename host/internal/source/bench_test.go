package source

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/wire"
)

// corpus is like what sluice is mostly fed: chat rows of some kilobytes, or the file that SLUICE_BENCH_CORPUS names.
func corpus(b *testing.B) string {
	if name := os.Getenv("SLUICE_BENCH_CORPUS"); name != "" {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		return string(data)
	}
	message := `{"role":"user","content":"Which meetings does the café in 東京 quote for tomorrow?\nPlease \"reply\" by noon, in one line."},`
	row := `{"request":{"messages":[` + strings.Repeat(message, 30) + `{"role":"system","content":""}]}}` + "\n"
	return strings.Repeat(row, 8000)
}

// BenchmarkSource reads, hashes and checks records.
func BenchmarkSource(b *testing.B) {
	rows := corpus(b)
	array := "[" + strings.ReplaceAll(strings.TrimSpace(rows), "\n", ",\n") + "]"
	table := strings.Repeat("a question,\"an answer of\n\"\"two\"\" lines\"\n", len(rows)/40)
	for kind, text := range map[string]string{"csv": "a,b\n" + table, "json": array, "jsonl": rows, "text": rows} {
		b.Run(kind, func(b *testing.B) {
			opts := Defaults()
			opts.Paths = []string{filepath.Join(write(b, map[string]string{"a": text}), "a")}
			mem := newArena(opts.Limit + 2)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				s, err := Open(kind, opts)
				for err == nil {
					var chunk wire.Chunk
					chunk, err = s.Next(b.Context(), mem, 0)
					wire.ReleaseAll(chunk.Records)
				}
				if err != io.EOF {
					b.Fatal(err)
				}
			}
		})
	}
}
