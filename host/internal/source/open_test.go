package source

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/sluicehq/sluice/host/filehash"
)

// TestOpenText holds that a file reads the same however it is packed, and that what is told of it is what lies on disk.
func TestOpenText(t *testing.T) {
	text := strings.Repeat("one line\n", 50_000)
	gzipped := func(s string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, s) // into memory
		w.Close()
		return b.String()
	}
	pack, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ reason, data, want, err string }{
		{"plain", text, text, ""},
		{"nothing", "", "", ""},
		{"a byte-order mark", "\uFEFF" + text, text, ""},
		{"gzip, two members", gzipped("\uFEFF"+text) + gzipped(text), text + text, ""},
		{"zstd", string(pack.EncodeAll([]byte(text), nil)), text, ""},
		{"gzip that breaks off", gzipped(text)[:100], "", "want the rest of the gzip data, have the end of the file"},
		{"packed in a way that is not read", "BZh91AY&SY", "", "have bz2"},
	} {
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, []byte(c.data), 0o666); err != nil {
			t.Fatal(err)
		}
		file, err := OpenHashed(name, filehash.SHA256)
		var have []byte
		if err == nil {
			defer file.Close()
			have, err = io.ReadAll(file)
		}
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: want %q with the name, have %v", c.reason, c.err, err)
			}
			continue
		}
		if err != nil || string(have) != c.want {
			t.Errorf("%s: want %d bytes, have %d, %v", c.reason, len(c.want), len(have), err)
			continue
		}
		want := sha256.Sum256([]byte(c.data))
		if size, sum := file.Sum(); size != int64(len(c.data)) || sum.SHA256 != hex.EncodeToString(want[:]) {
			t.Errorf("%s: want %d bytes and %x, have %d and %s", c.reason, len(c.data), want, size, sum.Named())
		}
	}
	if _, err := OpenText(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("want no file told")
	}
}
