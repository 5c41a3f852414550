package fetch

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/sluicehq/sluice/host/receipt"
)

type bucket struct {
	t       *testing.T
	backend *s3mem.Backend
}

// newBucket starts object storage with the bucket "corpus", and sets the folder of the cache.
func newBucket(t *testing.T) *bucket {
	t.Helper()
	b := &bucket{t, s3mem.New()}
	if err := b.backend.CreateBucket("corpus"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(b.backend, gofakes3.WithTimeSkewLimit(0)).Server())
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "k")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	t.Setenv("LocalAppData", cache)
	return b
}

func (b *bucket) put(key, text string) {
	b.t.Helper()
	meta := map[string]string{"Last-Modified": "Mon, 02 Nov 2026 10:00:00 GMT"}
	if _, err := b.backend.PutObject("corpus", key, meta, strings.NewReader(text), int64(len(text)), nil); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bucket) remove(key string) {
	b.t.Helper()
	if _, err := b.backend.DeleteObject("corpus", key); err != nil {
		b.t.Fatal(err)
	}
}

// has checks which files a copy has, by their names in the bucket.
func (b *bucket) has(c *Copy, want ...string) {
	b.t.Helper()
	var have []string
	for _, path := range c.below(c.root) {
		have = append(have, c.Name(path))
	}
	if slices.Sort(have); !slices.Equal(have, want) {
		b.t.Errorf("want copies of %q, have %q", want, have)
	}
}

// TestFolder copies a folder, and then what has changed of it.
func TestFolder(t *testing.T) {
	b := newBucket(t)
	b.put("in/a.jsonl", "1")
	b.put("in/deep/b.jsonl", "22")
	b.put("in/.hidden/c.jsonl", "333")
	b.put("other.jsonl", "4")
	c, err := Files(t.Context(), "s3://corpus/in")
	if err != nil || c.Bytes != 3 {
		t.Fatalf("want 3 bytes copied, have %+v, %v", c, err)
	}
	b.has(c, "s3://corpus/in/a.jsonl", "s3://corpus/in/deep/b.jsonl")
	if c, err = Files(t.Context(), "s3://corpus/in"); err != nil || c.Bytes != 0 {
		t.Fatalf("want nothing copied twice, have %+v, %v", c, err)
	}
	b.remove("in/deep/b.jsonl")
	b.put("in/a.jsonl", "5") // as large, and at the same second
	if c, err = Files(t.Context(), "s3://corpus/in"); err != nil || c.Bytes != 1 {
		t.Fatalf("want what has changed copied, have %+v, %v", c, err)
	}
	b.has(c, "s3://corpus/in/a.jsonl")
	if text, err := os.ReadFile(filepath.Join(c.Paths[0], "a.jsonl")); err != nil || !bytes.Equal(text, []byte("5")) {
		t.Errorf("want the new bytes, have %q, %v", text, err)
	}
}

// TestRun copies what a receipt names in its bucket, and nothing outside of it, whoever wrote the receipt.
func TestRun(t *testing.T) {
	b := newBucket(t)
	for _, key := range []string{"out/receipt.json", "out/a.jsonl", "beside/b.jsonl", "out/.sluice/receipt.json.timeline.jsonl", "out/stray.jsonl"} {
		b.put(key, "1")
	}
	r := &receipt.Receipt{Timeline: &receipt.Sidecar{Path: "s3://corpus/out/.sluice/receipt.json.timeline.jsonl"}}
	for _, path := range []string{"s3://corpus/out/a.jsonl", "s3://corpus/beside/b.jsonl", "s3://corpus/out/gone.jsonl", "s3://elsewhere/c.jsonl", "/etc/hostname"} {
		r.Outputs = append(r.Outputs, receipt.Output{Path: path})
	}
	c, err := Run(t.Context(), r, "s3://corpus/out/receipt.json")
	if err != nil {
		t.Fatal(err)
	}
	b.has(c, "s3://corpus/beside/b.jsonl", "s3://corpus/out/.sluice/receipt.json.timeline.jsonl", "s3://corpus/out/a.jsonl", "s3://corpus/out/receipt.json")
	r.Outputs = append(r.Outputs, receipt.Output{Path: "s3://corpus/../../d.jsonl"})
	if _, err := Run(t.Context(), r, "s3://corpus/out/receipt.json"); err == nil || !strings.Contains(err.Error(), "want a key") {
		t.Errorf("want a receipt refused that leads out of the folder, have %v", err)
	}
	for _, name := range []string{"s3://../x.jsonl", "s3://corpus/../x.jsonl", "s3://corpus/a/../../../x.jsonl"} {
		if err := c.take(t.Context(), []string{name}, false); err == nil || !strings.Contains(err.Error(), "want a") {
			t.Errorf("%s: want a name refused that leads out of the folder, have %v", name, err)
		}
	}
}

// TestUnused removes copies that were not used for long.
func TestUnused(t *testing.T) {
	b := newBucket(t)
	b.put("a.jsonl", "1")
	b.put("b.jsonl", "2")
	old, err := Files(t.Context(), "s3://corpus/a.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-unused - time.Hour)
	if err := os.Chtimes(old.root, then, then); err != nil {
		t.Fatal(err)
	}
	c, err := Files(t.Context(), "s3://corpus/b.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	b.has(c, "s3://corpus/b.jsonl")
	if _, err := os.Stat(old.root); !os.IsNotExist(err) {
		t.Errorf("want the copy removed, have %v", err)
	}
}

// TestInputs copies the inputs of a run, of any bucket, and takes a copy away that nobody may read any more.
func TestInputs(t *testing.T) {
	b := newBucket(t)
	b.put("in/a.jsonl", "{}\n")
	r := &receipt.Receipt{Inputs: []receipt.Input{{Name: "s3://corpus/in/a.jsonl"}, {Name: "s3://corpus/in/gone.jsonl"}, {Name: "near.jsonl"}, {Name: "s3://corpus/../x"}}}
	c, err := Inputs(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	b.has(c, "s3://corpus/in/a.jsonl")
	if have := c.Local("near.jsonl"); have != "near.jsonl" {
		t.Errorf("want a name of this machine as it is, have %q", have)
	}
	b.remove("in/a.jsonl")
	if c, err = Inputs(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	b.has(c)
	if c, err := Inputs(t.Context(), &receipt.Receipt{Inputs: r.Inputs[2:3]}); c != nil || err != nil || c.Local("x") != "x" {
		t.Errorf("want no copy of what lies here, have %v, %v", c, err)
	}
}
