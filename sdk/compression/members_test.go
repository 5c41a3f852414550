package compression

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func gzipped(parts ...string) string {
	var b bytes.Buffer
	for _, part := range parts {
		z := gzip.NewWriter(&b)
		io.WriteString(z, part)
		z.Close()
	}
	return b.String()
}

func zstded(parts ...string) string {
	var b bytes.Buffer
	for _, part := range parts {
		z, _ := zstd.NewWriter(&b)
		io.WriteString(z, part)
		z.Close()
	}
	return b.String()
}

// bgzf packs each part as one member with its size in the header.
func bgzf(parts ...string) string {
	var all bytes.Buffer
	for _, part := range parts {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Extra = []byte("BC\x02\x00\x00\x00")
		io.WriteString(z, part)
		z.Close()
		binary.LittleEndian.PutUint16(b.Bytes()[16:], uint16(b.Len()-1))
		all.Write(b.Bytes())
	}
	return all.String()
}

// frames packs each part as one frame that tells its text's size.
func frames(parts ...string) string {
	z, _ := zstd.NewWriter(nil)
	defer z.Close()
	var all []byte
	for _, part := range parts {
		all = z.EncodeAll([]byte(part), all)
	}
	return string(all)
}

// readUnpacked reads data with members beside each other or one after the other. An error stands at the end.
func readUnpacked(data string, alone bool) string {
	r, err := NewReader(Of([]byte(data[:min(len(data), HeadSize)])), strings.NewReader(data), alone, new(atomic.Int64))
	if err != nil {
		return "!" + err.Error()
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		return string(text) + "!" + err.Error()
	}
	return string(text)
}

// Whether members are decompressed beside each other or one after the other makes no difference to text and errors.
func TestMembers(t *testing.T) {
	var parts []string
	for i := range 50 {
		parts = append(parts, strings.Repeat(fmt.Sprintf("{\"a\":%d}\n", i), 1+i*100))
	}
	large := strings.Repeat("{\"a\":\"some text\"}\n", maxMemberText/16)
	many, broken := bgzf(parts...), []byte(bgzf(parts...))
	broken[len(broken)/2] ^= 1
	brokenFrames := []byte(frames(parts...))
	brokenFrames[len(brokenFrames)/2] ^= 1
	const skippable = "\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
	tests := []struct{ reason, data string }{
		{"members that tell their size", many},
		{"the empty member that ends BGZF", many + bgzf("")},
		{"nothing but the empty member", bgzf("")},
		{"members of both sorts", many + gzipped("1\n", "2\n") + many},
		{"a broken member among good ones", string(broken)},
		{"members that break off", many[:len(many)-9]},
		{"members that break off in a header", many + many[:15]},
		{"something behind members", many + "something else"},
		{"few bytes behind members", many + "\x1f"},
		{"a member with a wrong size", strings.Replace(many, "BC\x02\x00", "BC\x02\x00\x01", 1)},
		{"a member that is larger as text than it may be", bgzf(strings.Repeat("1 ", maxMemberText)) + bgzf("2\n")},
		{"frames", frames(parts...)},
		{"frames that do not tell the size of their text", zstded(parts...)},
		{"frames to skip between others", frames("1\n") + skippable + frames("2\n") + skippable},
		{"a large frame among small ones", frames("1\n", large, "2\n")},
		{"a broken frame among good ones", string(brokenFrames)},
		{"frames that break off", frames(parts...)[:1000]},
		{"something behind frames", frames("1\n") + "something else"},
		{"few bytes behind frames", frames("1\n") + "\x28"},
		{"a frame that needs a dictionary", frames("1\n") + "\x28\xb5\x2f\xfd\x01\x00\x07\x01\x00\x00"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(readUnpacked(tt.data, true), readUnpacked(tt.data, false)); diff != "" {
			t.Errorf("%s: %s", tt.reason, diff)
		}
	}
}

func FuzzMembers(f *testing.F) {
	for _, data := range []string{bgzf("1\n", "[2]\n", ""), frames("1\n", "[2]\n"), gzipped("1", "2"), zstded("1", "2"), frames("1") + "P*M\x18\x00\x00\x00\x00"} {
		f.Add(data, uint16(5), byte(0))
		f.Add(data, uint16(12), byte(1))
		f.Add(data, uint16(len(data)/2), byte(4))
	}
	f.Fuzz(func(t *testing.T, data string, at uint16, flip byte) {
		bent := []byte(data)
		if int(at) < len(bent) {
			bent[at] ^= flip
		}
		if format := Of(bent[:min(len(bent), HeadSize)]); format == "" || Check(format) != nil {
			return
		}
		if diff := cmp.Diff(readUnpacked(string(bent), true), readUnpacked(string(bent), false)); diff != "" {
			t.Error(diff)
		}
	})
}
