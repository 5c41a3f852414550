package compression

import (
	"io"
	"strings"
	"testing"
)

// TestHeadSize holds that the longest magic is read, or it would never be found.
func TestHeadSize(t *testing.T) {
	longest := 0
	for _, p := range compressions {
		longest = max(longest, len(p.magic))
	}
	if longest != HeadSize {
		t.Errorf("want %d, have %d", longest, HeadSize)
	}
}

// TestNewText holds what a file says and why it says nothing, whatever its name.
func TestNewText(t *testing.T) {
	const mark, text = "\uFEFF", "1\n2\n"
	const skippable = "\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
	for _, c := range []struct{ reason, name, data, want string }{
		{"plain text", "a", text, text},
		{"nothing", "a", "", ""},
		{"a part of a mark", "a", mark[:2], mark[:2]},
		{"a byte-order mark", "a", mark + text, text},
		{"two marks, of which one is text", "a", mark + mark + text, mark + text},
		{"gzip under any name", "a", gzipped(text), text},
		{"gzip of several members", "a.gz", gzipped("1\n", "2\n"), text},
		{"gzip of members with their size in the header", "a.gz", bgzf("1\n", "2\n", ""), text},
		{"gzip of nothing", "a.gz", gzipped(""), ""},
		{"gzip with zeros behind", "a.gz", gzipped(text) + strings.Repeat("\x00", 700), text},
		{"a mark within gzip", "a.gz", gzipped(mark + text), text},
		{"gzip that is cut off", "a.gz", gzipped(text)[:20], text + "! want the rest of the gzip data, have the end of the file"},
		{"gzip that is cut off in its header", "a.gz", gzipped(text)[:5], "! want the rest of the gzip data, have the end of the file"},
		{"something behind gzip", "a.gz", gzipped(text) + "x", text + "! want the end of the file after the gzip data"},
		{"zstd of two frames", "a.zst", zstded("1\n", "2\n"), text},
		{"zstd that begins with a frame to skip", "a.zst", skippable + frames("1\n", "2\n"), text},
		{"a mark within zstd", "a.zst", frames(mark + text), text},
		{"zstd that is cut off", "a.zst", frames(text)[:8], "! want the rest of the zstd data, have the end of the file"},
		{"text with the name of gzip", "a.gz", text, "! want gzip data, as the name says, have uncompressed data"},
		{"nothing with the name of zstd", "a.zst", "", "! want zstd data, as the name says, have uncompressed data"},
		{"a format that is not read", "a.gz", "PK\x03\x04\x14\x00", "! want plain text, gzip or zstd, have zip"},
	} {
		have := ""
		file, err := NewText(c.name, strings.NewReader(c.data))
		if err == nil {
			var all []byte
			all, err = io.ReadAll(file)
			have = string(all)
			file.Close()
		}
		if err != nil {
			have += "! " + err.Error()
		}
		if have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}
