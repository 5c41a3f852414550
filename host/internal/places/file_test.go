package places

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// served returns the name of a file on a server whose answers pass through by, with the number of the request.
func served(t *testing.T, data []byte, by func(n int64, w http.ResponseWriter, r *http.Request, serve func(data []byte, etag string))) (name string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		by(requests.Add(1), w, r, func(data []byte, etag string) {
			w.Header().Set("ETag", etag)
			http.ServeContent(w, r, "", time.Unix(1_700_000_000, 0), bytes.NewReader(data))
		})
	}))
	t.Cleanup(s.Close)
	return s.URL + "/file", requests
}

func noise(n int) []byte {
	data := make([]byte, n)
	source := rand.NewChaCha8([32]byte{1})
	_, _ = source.Read(data)
	return data
}

// A short answers with fewer bytes than it says.
type short struct {
	http.ResponseWriter
	left int
}

func (s *short) Write(p []byte) (int, error) {
	n, _ := s.ResponseWriter.Write(p[:min(len(p), s.left)])
	if s.left -= n; s.left == 0 {
		panic(http.ErrAbortHandler)
	}
	return n, nil
}

func TestRead(t *testing.T) {
	data := noise(3*mostBlock + 17)
	good := func(_ int64, _ http.ResponseWriter, _ *http.Request, serve func([]byte, string)) { serve(data, `"a"`) }
	tests := []struct {
		reason string
		by     func(n int64, w http.ResponseWriter, r *http.Request, serve func([]byte, string))
		want   error
	}{
		{"what is served is read", good, nil},
		{"an answer that ends early is asked for again, from where it ended", func(n int64, w http.ResponseWriter, r *http.Request, serve func([]byte, string)) {
			if n > 1 && n%3 != 0 {
				w.Header().Set("ETag", `"a"`)
				http.ServeContent(&short{w, 1_000_000}, r, "", time.Unix(1_700_000_000, 0), bytes.NewReader(data))
				return
			}
			serve(data, `"a"`)
		}, nil},
		{"a server that is too busy is asked again", func(n int64, w http.ResponseWriter, r *http.Request, serve func([]byte, string)) {
			if n%2 == 0 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			serve(data, `"a"`)
		}, nil},
		{"a file with another ETag is another file, whatever the server makes of If-Match", func(n int64, w http.ResponseWriter, r *http.Request, serve func([]byte, string)) {
			r.Header.Del("If-Match")
			serve(data, map[bool]string{true: `"a"`, false: `"b"`}[n < 3])
		}, errChanged},
		{"a server that compares the ETag itself says the same", func(n int64, w http.ResponseWriter, r *http.Request, serve func([]byte, string)) {
			serve(data, map[bool]string{true: `"a"`, false: `"b"`}[n < 3])
		}, errChanged},
		{"a file without ETag changed when it has another size", func(n int64, w http.ResponseWriter, r *http.Request, serve func([]byte, string)) {
			if n < 3 {
				serve(data, "")
			} else {
				serve(data[:len(data)-1], "")
			}
		}, errChanged},
		{"a file that is gone is not waited for", func(n int64, w http.ResponseWriter, r *http.Request, serve func([]byte, string)) {
			if n < 3 {
				serve(data, `"a"`)
			} else {
				w.WriteHeader(http.StatusNotFound)
			}
		}, &statusError{http.StatusNotFound}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			name, _ := served(t, data, tt.by)
			f, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			have, err := io.ReadAll(f)
			if tt.want != nil {
				if err == nil || !strings.Contains(err.Error(), tt.want.Error()) {
					t.Fatalf("want the error %v, have %v", tt.want, err)
				}
				return
			}
			if err != nil || !bytes.Equal(have, data) {
				t.Fatalf("want the %d bytes that are served, have %d, %v", len(data), len(have), err)
			}
		})
	}
}

// TestAnywhere seeks and reads at places in any order.
func TestAnywhere(t *testing.T) {
	data := noise(3000)
	name, _ := served(t, data, func(_ int64, _ http.ResponseWriter, _ *http.Request, serve func([]byte, string)) { serve(data, `"a"`) })
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := iotest.TestReader(f, data); err != nil {
		t.Error(err)
	}
}

// TestSection reads a part of a file, and no byte beyond it.
func TestSection(t *testing.T) {
	data := noise(4 * mostBlock)
	var last atomic.Int64 // byte that was asked for
	name, _ := served(t, data, func(n int64, w http.ResponseWriter, r *http.Request, serve func([]byte, string)) {
		_, end, _ := strings.Cut(r.Header.Get("Range"), "-")
		at, _ := strconv.ParseInt(end, 10, 64)
		last.Store(max(at, last.Load()))
		serve(data, `"a"`)
	})
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	have, err := io.ReadAll(Section(f, 1000, mostBlock))
	if err != nil || !bytes.Equal(have, data[1000:mostBlock]) {
		t.Errorf("want the %d bytes of the section, have %d, %v", mostBlock-1000, len(have), err)
	}
	if at := last.Load(); at != mostBlock-1 {
		t.Errorf("want bytes up to %d asked for, have up to %d", mostBlock-1, at)
	}
}

// TestGivenUp ends a read whose answer does not come.
func TestGivenUp(t *testing.T) {
	data, stuck := noise(100), make(chan struct{})
	name, _ := served(t, data, func(n int64, w http.ResponseWriter, r *http.Request, serve func([]byte, string)) {
		if n > 1 {
			<-stuck
		}
		serve(data, `"a"`)
	})
	defer close(stuck)
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ReadWithin(ctx, f, make([]byte, 10)); !errors.Is(err, context.Canceled) {
		t.Errorf("want a read that ends with its context, have %v", err)
	}
}

func TestNames(t *testing.T) {
	tests := []struct{ name, shown, dir, joined, base string }{
		{"s3://b/k/x.jsonl", "s3://b/k/x.jsonl", "s3://b/k", "s3://b/k/x.jsonl/y", "x.jsonl"},
		{"s3://b/x.jsonl", "s3://b/x.jsonl", "s3://b", "s3://b/x.jsonl/y", "x.jsonl"},
		{"https://u:p@h/x.gz?sig=s", "https://h/x.gz?(sensitive)", "https://u:p@h", "https://u:p@h/x.gz?sig=s/y", "x.gz"},
		{"k/x.jsonl", "k/x.jsonl", "k", "k/x.jsonl/y", "x.jsonl"},
	}
	for _, tt := range tests {
		have := []string{Shown(tt.name), Dir(tt.name), Join(tt.name, "y"), Base(tt.name)}
		if diff := cmp.Diff([]string{tt.shown, tt.dir, tt.joined, tt.base}, have); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestMatches(t *testing.T) {
	tests := []struct {
		pattern, key string
		want         bool
	}{
		{"a/*.jsonl", "a/x.jsonl", true},
		{"a/*.jsonl", "a/b/x.jsonl", false},
		{"a/*.jsonl", "a/.x.jsonl", false},
		{"a/.x*", "a/.x.jsonl", false},
		{"**/*.jsonl", "x.jsonl", true},
		{"a/**/x.jsonl", "a/b/c/x.jsonl", true},
		{"a/**", "a/b/c", true},
		{"a/**", "a/.b/c", false},
		{"a/[xy].gz", "a/y.gz", true},
	}
	for _, tt := range tests {
		if have := matches(strings.Split(tt.pattern, "/"), strings.Split(tt.key, "/")); have != tt.want {
			t.Errorf("%s on %s: want %v, have %v", tt.pattern, tt.key, tt.want, have)
		}
	}
}
