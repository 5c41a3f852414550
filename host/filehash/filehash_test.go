package filehash

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKnown holds that each algorithm is the one of its name, with the hashes that b3sum, sha256sum and xxh128sum print, however
// the bytes are cut.
func TestKnown(t *testing.T) {
	tests := []struct{ algorithm, text, want string }{
		{BLAKE3, "", "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"},
		{BLAKE3, "abc", "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"},
		{SHA256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{XXH3, "", "99aa06d3014798d86001c324468d497f"},
		{XXH3, "abc", "06b05ab6733a618578af5f94892f3950"},
	}
	for _, tt := range tests {
		h := New(tt.algorithm)
		for _, c := range []byte(tt.text) {
			h.Write([]byte{c})
		}
		if have := h.Result(); have != Of(tt.algorithm, tt.want) || have.Named() != tt.algorithm+" "+tt.want {
			t.Errorf("%s of %q: want %s, have %s", tt.algorithm, tt.text, tt.want, have.Named())
		}
	}
	if have := New("").Result(); have.Algorithm() != Default {
		t.Errorf("want %s where nothing else is said, have %s", Default, have.Algorithm())
	}
}

// TestFile holds that a file has the hash of its bytes, beyond the size of one read.
func TestFile(t *testing.T) {
	text := strings.Repeat("some text ", 1<<16)
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range Algorithms {
		h := New(algorithm)
		h.Write([]byte(text))
		have, err := File(path, algorithm)
		if err != nil || have != h.Result() || have.Hex() == "" {
			t.Errorf("%s: want %s, have %s (%v)", algorithm, h.Result().Hex(), have.Hex(), err)
		}
	}
	if _, err := File(path+"x", Default); err == nil {
		t.Error("want an error without a file")
	}
}

// TestNamed holds that JSON names the algorithm, that what older runs wrote reads as it did, and that sums by two algorithms are
// never equal.
func TestNamed(t *testing.T) {
	type entry struct {
		Name string `json:"name"`
		Sum
	}
	for algorithm, want := range map[string]string{
		BLAKE3: `{"name":"a","blake3":"00ff"}`, SHA256: `{"name":"a","sha256":"00ff"}`, XXH3: `{"name":"a","xxh3":"00ff"}`, "": `{"name":"a"}`,
	} {
		in := entry{"a", Of(algorithm, "00ff")}
		text, err := json.Marshal(in)
		if err != nil || string(text) != want {
			t.Errorf("want %s, have %s (%v)", want, text, err)
		}
		var out entry
		if err := json.Unmarshal(text, &out); err != nil || out != in || out.Algorithm() != algorithm {
			t.Errorf("want %+v read back, have %+v (%v)", in, out, err)
		}
	}
	if Of(BLAKE3, "00ff") == Of(SHA256, "00ff") {
		t.Error("want sums by two algorithms to differ")
	}
}
