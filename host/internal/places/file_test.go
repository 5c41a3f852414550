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
		}, ErrChanged},
		{"a server that compares the ETag itself says the same", func(n int64, w http.ResponseWriter, r *http.Request, serve func([]byte, string)) {
			serve(data, map[bool]string{true: `"a"`, false: `"b"`}[n < 3])
		}, ErrChanged},
		{"a file without ETag changed when it has another size", func(n int64, w http.ResponseWriter, r *http.Request, serve func([]byte, string)) {
			if n < 3 {
				serve(data, "")
			} else {
				serve(data[:len(data)-1], "")
			}
		}, ErrChanged},
		{"a file without ETag changed when it has another time", func(n int64, w http.ResponseWriter, r *http.Request, serve func([]byte, string)) {
			http.ServeContent(w, r, "", time.Unix(1_700_000_000+n/3, 0), bytes.NewReader(data))
		}, ErrChanged},
		{"a range of another place is not taken for the one that was asked for", func(n int64, w http.ResponseWriter, r *http.Request, serve func([]byte, string)) {
			if n > 1 {
				r.Header.Set("Range", "bytes=7-100")
			}
			serve(data, `"a"`)
		}, &unfitError{`have the range "bytes 7-100/`}},
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

// TestUnfit opens files that a server tells too little of, or nothing. It is asked once.
func TestUnfit(t *testing.T) {
	ranged := func(span string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			if span != "" {
				w.Header().Set("Content-Range", span)
			}
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write([]byte("{"))
		}
	}
	tests := []struct {
		reason string
		by     func(w http.ResponseWriter)
		want   string
	}{
		{"a part of a file of unknown size is not a file of its size", ranged("bytes 0-0/*"), `want the total size of the file in Content-Range, have "bytes 0-0/*"`},
		{"nor is one that says nothing of the whole", ranged(""), "want the total size of the file in Content-Range, have a part of it (206) without"},
		{"a range that names no place", ranged("bytes */10"), `want bytes from 0 on, have the range "bytes */10"`},
		{"a server without ranges sends all", func(w http.ResponseWriter) { _, _ = w.Write([]byte("{")) }, errNoRanges.text},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			name, requests := served(t, nil, func(_ int64, w http.ResponseWriter, _ *http.Request, _ func([]byte, string)) { tt.by(w) })
			_, err := Open(name)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("want the error %q, have %v", tt.want, err)
			}
			if n := requests.Load(); n != 1 {
				t.Errorf("want 1 request, have %d", n)
			}
		})
	}
}

// TestRedirect follows a signed URL to another, which does not learn of the first.
func TestRedirect(t *testing.T) {
	data := noise(100)
	name, _ := served(t, data, func(_ int64, w http.ResponseWriter, r *http.Request, serve func([]byte, string)) {
		if said := r.Header.Get("Referer"); said != "" {
			t.Errorf("want no Referer, have %q", said)
		}
		if r.URL.RawQuery != "" {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
			return
		}
		serve(data, `"a"`)
	})
	if have, err := ReadFile(name + "?signature=s"); err != nil || !bytes.Equal(have, data) {
		t.Errorf("want the %d bytes behind the redirect, have %d, %v", len(data), len(have), err)
	}
}

// TestManyOpen reads many files at once, in sequence and anywhere. The memory of all is bounded, and each goes on.
func TestManyOpen(t *testing.T) {
	data := noise(6 * mostBlock)
	name, _ := served(t, data, func(_ int64, _ http.ResponseWriter, _ *http.Request, serve func([]byte, string)) { serve(data, `"a"`) })
	const files = 12
	var all []File
	for range files {
		f, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	buf := make([]byte, 100)
	for i, f := range all {
		for at := int64(0); at < 4; at++ {
			if n, err := f.ReadAt(buf, at*windowSize+int64(i)); err != nil || !bytes.Equal(buf[:n], data[at*windowSize+int64(i):][:100]) {
				t.Fatalf("want 100 bytes that are served, have %d, %v", n, err)
			}
		}
	}
	if n := len(near.windows); n != mostWindows {
		t.Errorf("want %d windows of all files, have %d", mostWindows, n)
	}
	for from := 0; from < len(data); from += mostBlock {
		for _, f := range all {
			if _, err := io.CopyN(io.Discard, f, mostBlock); err != nil {
				t.Fatal(err)
			}
			if n := held.Load(); n > mostHeld+files*mostBlock {
				t.Fatalf("want at most %d bytes read ahead, and a block for each file, have %d", mostHeld, n)
			}
		}
	}
	for _, f := range all {
		f.Close()
	}
	if n := len(near.windows); n != 0 {
		t.Errorf("want no window of a file that is closed, have %d", n)
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
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	name, _ := served(t, data, func(n int64, w http.ResponseWriter, r *http.Request, serve func([]byte, string)) {
		if n > 1 {
			cancel(enough)
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
	if _, err := Until(ctx, f).Read(make([]byte, 10)); err != enough {
		t.Errorf("want the cause of the end while an answer is awaited, have %v", err)
	}
	if n, err := Until(ctx, bytes.NewReader(data)).Read(make([]byte, 10)); n != 0 || err != enough {
		t.Errorf("want no byte behind the end and its cause, have %d and %v", n, err)
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

// TestBadBucket asks for what no service can have. Nobody is asked.
func TestBadBucket(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
	for _, name := range []string{"s3://b/x", "s3:///x", "s3://corp*/x"} {
		if _, err := Stat(name); err == nil || !strings.Contains(err.Error(), "want the name of a bucket") {
			t.Errorf("%s: want an error about the bucket, have %v", name, err)
		}
	}
}

func TestCheckPattern(t *testing.T) {
	tests := []struct {
		pattern string
		good    bool
	}{
		{"s3://b/k/*.jsonl", true},
		{"s3://b/k.jsonl", true},
		{`s3://b/k\`, true}, // no pattern
		{"local/[", true},   // of this machine
		{"s3://corp*/a.jsonl", false},
		{"s3://corp[ab]/*.jsonl", false},
		{"s3:///a.jsonl", false},
		{"s3://b/[a.jsonl", false},
	}
	for _, tt := range tests {
		if err := CheckPattern(tt.pattern); (err == nil) != tt.good {
			t.Errorf("%s: want good %v, have %v", tt.pattern, tt.good, err)
		}
		if tt.good {
			continue
		}
		if _, _, err := List(tt.pattern); err == nil {
			t.Errorf("%s: want an error of List, have none", tt.pattern)
		}
	}
}
