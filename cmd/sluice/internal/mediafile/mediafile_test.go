package mediafile

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func row(path, data string) string {
	sum := sha256.Sum256([]byte(data))
	hash := hex.EncodeToString(sum[:])
	return fmt.Sprintf(`{"sha256":%q,"path":%q,"base64":%q}`+"\n", hash, strings.ReplaceAll(path, "HASH", hash), base64.StdEncoding.EncodeToString([]byte(data)))
}

// TestUnpack holds that each file is written once with its bytes, and that nothing lies outside of the folder or under another hash.
func TestUnpack(t *testing.T) {
	for _, test := range []struct {
		reason, rows, want string
		written, present   int
	}{
		{"two files, one of them twice", row("media/HASH.png", "a") + row("media/HASH", "bb") + row("media/HASH.png", "a"), "", 2, 1},
		{"no row", "", "", 0, 0},
		{"data that was changed", strings.Replace(row("media/HASH.png", "a"), "YQ==", "Yg==", 1), ":1: sha256: want the hash of the data", 0, 0},
		{"no base64", strings.Replace(row("media/HASH.png", "a"), "YQ==", "?", 1), ":1: base64: want the data", 0, 0},
		{"a path out of the folder", row("media/HASH.png", "a") + row("../HASH.png", "b"), ":2: path: want a path below", 1, 0},
		{"a name of its own", row("media/train.jsonl", "a"), ":1: path: want a path below", 0, 0},
		{"no JSON", "x\n", ":1: want a row of JSON", 0, 0},
	} {
		t.Run(test.reason, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "media.jsonl")
			if err := os.WriteFile(path, []byte(test.rows), 0o666); err != nil {
				t.Fatal(err)
			}
			n, err := Unpack(path)
			if n != (Counts{test.written, test.present}) {
				t.Errorf("want %d written and %d present, have %+v", test.written, test.present, n)
			}
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("want %q, have %v", test.want, err)
			}
			files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "media", "*"))
			if err != nil || len(files) != test.written {
				t.Errorf("want %d files, have %q, %v", test.written, files, err)
			}
		})
	}
}

// TestUnpackOther holds that a file with other bytes is never replaced.
func TestUnpackOther(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "media.jsonl")
	if err := os.WriteFile(path, []byte(row("HASH.png", "a")), 0o666); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("a"))
	there := filepath.Join(dir, hex.EncodeToString(sum[:])+".png")
	if err := os.WriteFile(there, []byte("b"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Unpack(path); err == nil || !strings.Contains(err.Error(), "exists with other bytes") {
		t.Errorf("want an error, have %v", err)
	}
	if have, _ := os.ReadFile(there); string(have) != "b" {
		t.Errorf("want the file as it was, have %q", have)
	}
}
