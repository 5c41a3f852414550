package source

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"

	"github.com/sluicehq/sluice/host/receipt"
)

// TestCut holds that the parts of a source are the whole of it, record by record with file and line, for texts that are easy to cut
// wrongly, and that each byte of each file is in one share.
func TestCut(t *testing.T) {
	rows := strings.Repeat(`{"n":1}`+"\n", 9)
	little := []byte{}
	for _, c := range utf16.Encode([]rune("\uFEFF{\"a\":\"ä\"}\n{\"b\":1}\n")) {
		little = append(little, byte(c), byte(c>>8))
	}
	for _, test := range []struct {
		why, kind string
		files     map[string]string
		limit     int
	}{
		{"lines", "jsonl", map[string]string{"a.jsonl": rows}, 0},
		{"no line end at the end", "jsonl", map[string]string{"a.jsonl": rows + `{"n":2}`}, 0},
		{"CRLF", "jsonl", map[string]string{"a.jsonl": strings.ReplaceAll(rows, "\n", "\r\n")}, 0},
		{"a byte-order mark, and offsets of what is too large", "jsonl", map[string]string{"a.jsonl": "\uFEFF" + rows + strings.Repeat("x", 99) + "\n" + rows}, 64},
		{"only a byte-order mark", "jsonl", map[string]string{"a.jsonl": "\uFEFF"}, 0},
		{"empty lines count", "jsonl", map[string]string{"a.jsonl": "\n\n" + rows + "\n\n\n \n" + rows + "\n"}, 0},
		{"only line ends", "jsonl", map[string]string{"a.jsonl": "\n\n\n\n\n"}, 0},
		{"a line longer than a share", "jsonl", map[string]string{"a.jsonl": rows + `{"n":"` + strings.Repeat("long ", 200) + `"}` + "\n" + rows}, 0},
		{"one line in all", "jsonl", map[string]string{"a.jsonl": `{"n":"` + strings.Repeat("long ", 200) + `"}`}, 0},
		{"broken lines", "jsonl", map[string]string{"a.jsonl": "{\n" + rows + "[1,2\n}\n" + rows}, 0},
		{"UTF-16", "jsonl", map[string]string{"a.jsonl": string(little)}, 0},
		{"several files, empty ones among them", "jsonl", map[string]string{"a.jsonl": "", "b.jsonl": rows, "c.jsonl": "", "d.jsonl": rows + rows, "e.jsonl": ""}, 0},
		{"only empty files", "jsonl", map[string]string{"a.jsonl": "", "b.jsonl": ""}, 0},
		{"a compressed file stays whole", "jsonl", map[string]string{"a.jsonl": rows, "b.jsonl.gz": zipped(rows), "c.jsonl": rows}, 0},
		{"frames that end with lines", "jsonl", map[string]string{"a.jsonl.zst": framed(rows, 16)}, 0},
		{"frames that end within lines", "jsonl", map[string]string{"a.jsonl.zst": framed(rows+rows, 9)}, 0},
		{"frames of which none begins with a line", "jsonl", map[string]string{"a.jsonl.zst": framed(`{"n":"`+strings.Repeat("long ", 20)+`"}`+"\n", 20)}, 0},
		{"one frame", "jsonl", map[string]string{"a.jsonl.zst": framed(rows, 999), "b.jsonl.zst": framed("", 1)}, 0},
		{"frames without text, and some to skip", "jsonl", map[string]string{"a.jsonl.zst": skipped + framed("", 1) + framed(rows, 8) + skipped + framed("", 1) + framed(rows, 24) + skipped}, 0},
		{"frames behind a byte-order mark, and one within", "jsonl", map[string]string{"a.jsonl.zst": framed("\uFEFF", 3) + framed(rows, 8) + framed("\uFEFF"+rows, 11) + framed(strings.Repeat("x", 99)+"\n"+rows, 100)}, 64},
		{"auto sees lines in frames", "auto", map[string]string{"a.json.zst": framed(rows, 8), "b.zst": framed(rows, 8)}, 0},
		{"auto leaves documents in frames whole", "auto", map[string]string{"a.json.zst": framed("["+strings.ReplaceAll(strings.TrimSpace(rows), "\n", ",\n")+"]", 8)}, 0},
		{"auto sees lines by the ending", "auto", map[string]string{"a.jsonl": "{\n" + rows}, 0},
		{"auto sees lines by the beginning of the file, not of the share", "auto", map[string]string{"a.json": rows + "[\n" + rows}, 0},
		{"auto leaves documents whole", "auto", map[string]string{"a.json": "[" + strings.ReplaceAll(strings.TrimSpace(rows), "\n", ",\n") + "]", "b.csv": "a,b\n1,2\n3,4\n", "c.jsonl": rows}, 0},
		{"sessions stay whole", "sessions", map[string]string{"a.jsonl": strings.Repeat(`{"sessionId":"s","n":1}`+"\n", 9)}, 0},
	} {
		t.Run(test.why, func(t *testing.T) {
			dir := write(t, test.files)
			for _, n := range []int{1, 2, 3, 7, 64} {
				compareParts(t, dir, test.kind, test.limit, n)
			}
		})
	}
}

var long = flag.Bool("long", false, "cut as many texts as show rare mistakes, and not a third of them")

// TestRandomCuts does the same for random texts.
func TestRandomCuts(t *testing.T) {
	seeds := uint64(25)
	if *long {
		seeds = 75
	}
	for seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 1))
		files := map[string]string{}
		for i := range 1 + random.IntN(4) {
			var text strings.Builder
			for range random.IntN(40) {
				row := []string{`{"n":1}`, "{", "", " ", `"x"`, strings.Repeat("1", 1+random.IntN(300))}[random.IntN(6)]
				text.WriteString(row + []string{"\n", "\r\n"}[random.IntN(2)])
			}
			name, whole := fmt.Sprintf("%d.jsonl", i), strings.TrimSuffix(text.String(), strings.Repeat("\n", random.IntN(2)))
			switch random.IntN(5) {
			case 0:
				name, whole = name+".gz", zipped(whole)
			case 1, 2:
				name, whole = name+".zst", framed(whole, 1+random.IntN(60))
			}
			files[name] = whole
		}
		compareParts(t, write(t, files), "jsonl", 100, 1+random.IntN(64))
		if t.Failed() {
			t.Fatalf("seed %d: %q", seed, files)
		}
	}
}

// framed returns a text in frames of zstd, of so many bytes of it each.
func framed(text string, size int) string {
	z, err := zstd.NewWriter(nil, zstd.WithZeroFrames(true))
	if err != nil {
		panic(err)
	}
	var b []byte
	for part := range slices.Chunk([]byte(text), size) {
		b = z.EncodeAll(part, b)
	}
	if text == "" {
		b = z.EncodeAll(nil, b)
	}
	return string(b)
}

// skipped is a frame of zstd that has no text.
const skipped = "\x50\x2a\x4d\x18\x03\x00\x00\x00abc"

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

func compareParts(t *testing.T, dir, kind string, limit, n int) {
	t.Helper()
	opts := options(Options{Paths: []string{filepath.Join(dir, "*")}, Limit: limit, Batch: 512})
	want, inputs := readPart(t, kind, opts)
	stamps, endless, err := Stamps(opts.Paths, false)
	if err != nil || endless != "" {
		t.Fatal(endless, err)
	}
	cut := Cut{Part: receipt.Part{Of: n}, Before: 7, Lines: func(key string) string { return filepath.Join(dir, ".sluice", key) }}
	cut.Total = cut.Before + 3
	for _, s := range stamps {
		cut.Total += s.Size
	}
	var have []string
	at := map[string]int64{}
	var records int64
	for cut.Index = range n {
		part := cut
		opts.Cut = &part
		rows, shares := readPart(t, kind, opts)
		have = append(have, rows...)
		for _, in := range shares {
			if records += in.Records; in.Share.From != at[in.Name] || in.Bytes != in.Share.To-in.Share.From {
				t.Errorf("part %d of %d: want the share of %s to begin at %d with all of its bytes, have %+v with %d", cut.Index, n, in.Name, at[in.Name], in.Share, in.Bytes)
			}
			at[in.Name] = in.Share.To
		}
	}
	if !slices.Equal(have, want) {
		t.Errorf("%d parts: want\n%s\nhave\n%s", n, strings.Join(want, "\n"), strings.Join(have, "\n"))
	}
	for _, in := range inputs {
		if records -= in.Records; at[in.Name] != in.Bytes {
			t.Errorf("%d parts: want %d bytes of %s in the shares, have %d", n, in.Bytes, in.Name, at[in.Name])
		}
	}
	if records != 0 || len(at) != len(inputs) {
		t.Errorf("%d parts: want the records of the whole in the shares of %d files, have %d too many in %v", n, len(inputs), records, at)
	}
}

func readPart(t *testing.T, kind string, opts Options) ([]string, []receipt.Input) {
	t.Helper()
	s, err := open(t, kind, opts)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := drain(t, s, newArena(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	return rows, s.Inputs()
}

// TestCounts holds that parts count lines once where they can tell each other, that they do not believe what does not fit the file,
// and that a place that cannot be written costs nothing but the counting.
func TestCounts(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": strings.Repeat("{}\n", 100)})
	lines := filepath.Join(dir, ".sluice", "lines")
	opts := options(Options{Paths: []string{filepath.Join(dir, "a.jsonl")}})
	opts.Cut = &Cut{Part: receipt.Part{Index: 2, Of: 4}, Total: 300, Lines: func(string) string { return lines }}
	first := func() string {
		rows, _ := readPart(t, "jsonl", opts)
		return rows[0]
	}
	if have := first(); have != "a.jsonl:51 {}" {
		t.Errorf("want the 51st line, have %s", have)
	}
	text, err := os.ReadFile(lines)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lines, bytes.Replace(text, []byte(" 50 "), []byte(" 70 "), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if have := first(); have == "a.jsonl:51 {}" {
		t.Errorf("want what another part has counted used, have it counted again")
	}
	if err := os.WriteFile(lines, []byte("sluice.lines.v2\n1 1 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if have := first(); have != "a.jsonl:51 {}" {
		t.Errorf("want counts that are not of this file left alone, have %s", have)
	}
	opts.Cut.Lines = func(string) string { return filepath.Join(dir, "a.jsonl", "lines") }
	if have := first(); have != "a.jsonl:51 {}" {
		t.Errorf("want the lines counted where nothing can be kept, have %s", have)
	}
}

// TestCountedOnce holds that of parts that begin at once one counts, and the others wait for it.
func TestCountedOnce(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": strings.Repeat("{}\n", 1000)})
	lines := filepath.Join(dir, ".sluice", "lines")
	unlock, err := lockCounts(t.Context(), lines)
	if err != nil {
		t.Fatal(err)
	}
	waiting, stop := context.WithCancel(t.Context())
	stop()
	if _, err := lockCounts(waiting, lines); runtime.GOOS == "linux" && err == nil {
		t.Error("want a part that waits to end with its context, have it count")
	}
	known := make(chan string)
	for i := 1; i < 4; i++ {
		opts := options(Options{Paths: []string{filepath.Join(dir, "a.jsonl")}})
		opts.Cut = &Cut{Part: receipt.Part{Index: i, Of: 4}, Total: 3000, Lines: func(string) string { return lines }}
		go func() {
			rows, _ := readPart(t, "jsonl", opts)
			known <- rows[0]
		}()
	}
	if err := os.WriteFile(lines, []byte(linesSchema+"\n750 7 750\n1500 7 1500\n2250 7 2250\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	unlock()
	for range 3 {
		if have := <-known; runtime.GOOS == "linux" && have != "a.jsonl:8 {}" {
			t.Errorf("want what the part has counted that was waited for, have %s", have)
		}
	}
}
