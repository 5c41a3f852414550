package dedup

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

// write writes a file of rows and gives its path.
func write(t *testing.T, name string, rows ...string) string {
	t.Helper()
	text := []byte(strings.Join(rows, "\n") + "\n")
	var packed bytes.Buffer
	switch filepath.Ext(name) {
	case ".marked":
		text = append([]byte("\uFEFF"), text...)
	case ".gz", ".packed": // what it holds decides
		w := gzip.NewWriter(&packed)
		w.Write(text)
		w.Close()
		text = append(packed.Bytes(), 0, 0)
	case ".zst":
		packed.WriteString("\x50\x2a\x4d\x18\x03\x00\x00\x00abc") // a frame to skip
		w, err := zstd.NewWriter(&packed)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(text)
		w.Close()
		text = packed.Bytes()
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func arguments(t *testing.T, args map[string]any) string {
	t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestHeldOut holds that nothing that is held out gets into train, in whatever file it lies.
func TestHeldOut(t *testing.T) {
	question := "what is the best way from here to the station and how long does it take on foot in the rain"
	in := func(id, row string) string { return strings.Replace(row, `{`, `{"trajectoryId":"`+id+`",`, 1) }
	for _, name := range []string{"test.jsonl", "test.jsonl.gz", "test.jsonl.zst", "test.marked", "test.packed"} {
		file := write(t, name, in("h", chat("q", "a")), "", chat(question, "twenty minutes"))
		args := arguments(t, map[string]any{"near": 0.8, "held_out": []string{filepath.Join(filepath.Dir(file), "t*")}})
		for _, c := range []struct{ reason, row, want string }{
			{"the same", chat("q", "a"), "drop held_out"},
			{"nearly the same", chat(question+" today", "twenty minutes"), "drop held_out"},
			{"of the same trajectory", in("h", chat("other", "words")), "drop held_out"},
			{"something else", chat("other", "words"), "emit "},
			{"of another format", `{"messages":[]}`, "reject "},
		} {
			results, _ := sdktest.Run(t, Plugin, args, c.row)
			if have := results[0].Verdict + " " + results[0].Message; !strings.HasPrefix(have, c.want) {
				t.Errorf("%s, %s: want %s, have %s", name, c.reason, c.want, have)
			}
		}
	}
}

// TestHeldOutIsRead holds that a file held out is either read to its end or ends the run: a row that is passed over would
// get into train.
func TestHeldOutIsRead(t *testing.T) {
	for reason, rows := range map[string][]string{
		"no JSON": {chat("q", "a"), "{"}, "another format": {chat("q", "a"), `{"messages":[{"role":"user","content":"q"}]}`},
	} {
		file := write(t, "test.jsonl", rows...)
		d := deduper{config: config{HeldOut: []string{file}}, held: newMemory()}
		if err := d.load(); err == nil || !strings.Contains(err.Error(), "test.jsonl:2: want a row") {
			t.Errorf("%s: want an error at line 2, have %v", reason, err)
		}
	}
}

// TestLonger holds that a second run drops beginnings that the first could not, since they came first.
func TestLonger(t *testing.T) {
	first := `{"format":"eliza_native_v1","trajectoryId":"a","request":{"messages":[{"role":"user","content":"1"}]},"response":{"text":"one"}}`
	next := `{"format":"eliza_native_v1","trajectoryId":"a","request":{"messages":[{"role":"user","content":"1"},{"role":"assistant","content":"one"},{"role":"user","content":"2"}]},"response":{"text":"two"}}`
	for args, want := range map[string]string{
		"{}": "emit emit",
		arguments(t, map[string]any{"longer": []string{write(t, "train.jsonl", first, next)}}): "drop emit",
	} {
		results, _ := sdktest.Run(t, Plugin, args, first, next)
		if have := results[0].Verdict + " " + results[1].Verdict; have != want {
			t.Errorf("%s: want %s, have %s", args, want, have)
		}
	}
}
