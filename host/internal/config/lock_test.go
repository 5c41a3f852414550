package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadLock holds what is wrong with a lock, and where.
func TestReadLock(t *testing.T) {
	const sum = "0123456789abcdefABCDEF0123456789abcdef0123456789abcdef0123456789"
	plugin := func(sums string) string {
		return "plugin \"a\" {\n  version = \"v1\"\n  sha256 = {\n" + sums + "  }\n}\n"
	}
	for _, test := range []struct{ reason, text, want string }{
		{"a lock pins programs by system", plugin("    linux_amd64 = \"" + sum + "\"\n    plan9_mips = \"" + sum + "\"\n"), ""},
		{"an empty one pins none", "", ""},
		{"a cut file has a place that an editor can open", "plugin \"a\" {\n  version = \"v1\"\n  sha256 = {\n", "LOCK:4:1: missing expression; "},
		{"a wrong digit is shown, since the length says nothing", plugin("    linux_amd64 = \"z" + sum[1:] + "\"\n"),
			"LOCK:4:19: plugin \"a\": bad hash; want 64 hexadecimal digits at sha256.linux_amd64, have \"z\" at character 1; "},
		{"a character is one, however many bytes it has", plugin("    x = \"" + sum[:62] + "é" + "0\"\n"), "have \"é\" at character 63; "},
		{"a cut hash has its length", plugin("    x = \"" + sum[1:] + "\"\n"), "have 63 characters; "},
		{"no hash is one too", plugin("    x = \"\"\n"), "have 0 characters; "},
		{"what a merge of two branches left twice is not settled by order", plugin("    x = \"" + sum + "\"\n    x = \"" + sum + "\"\n"),
			"LOCK:5:5: plugin \"a\": a second hash for x; want one for each system; "},
		{"nor is a second block", plugin("") + plugin(""), "LOCK:6:1: a second block of plugin \"a\"; want one of each plugin; "},
		{"a hash is a text", plugin("    x = [1]\n"), "LOCK:4:9: unsuitable value type; "},
		{"hashes have systems", "plugin \"a\" {\n  version = \"v1\"\n  sha256 = \"" + sum + "\"\n}\n", "LOCK:3:12: plugin \"a\": no hashes; want sha256 = { SYSTEM = HASH }; "},
		{"a block without a hash", "plugin \"a\" {\n  version = \"v1\"\n}\n", "LOCK:1:12: plugin \"a\": no hashes; "},
		{"other blocks are of another file", "source \"a\" \"b\" {}\n", "LOCK:1:1: unsupported block type; "},
		{"the parser recurses, and a stack overflow cannot be caught", "x = " + strings.Repeat("[", maxSize-10), "LOCK:1:105: nested too deep; "},
		{"nor is a file of any size read", strings.Repeat("# long\n", maxSize), "LOCK: the lock is too large; want at most 131072 bytes, have 917504; "},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, LockFile)
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		lock, err := ReadLock(dir)
		if test.want == "" {
			if err != nil || lock == nil {
				t.Errorf("%s: want a lock, have %v (%v)", test.reason, lock, err)
			}
			continue
		}
		diags, ok := err.(Diagnostics)
		if have := strings.ReplaceAll(diags.Error(), path, "LOCK"); !ok || !strings.Contains(have, test.want) || !strings.HasSuffix(have, writeAnew) {
			t.Errorf("%s:\nwant %s\nhave %s (%v)", test.reason, test.want, have, err)
		}
	}
	if lock, err := ReadLock(t.TempDir()); lock != nil || err != nil {
		t.Errorf("want no lock where there is none, have %v (%v)", lock, err)
	}
}
