package places

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7"
)

// A store is object storage with the bucket "corpus". by may answer a request in its place.
type store struct {
	url     string
	backend *s3mem.Backend

	mu sync.Mutex
	by func(w http.ResponseWriter, r *http.Request) bool
}

func newStore(t *testing.T) *store {
	t.Helper()
	s := &store{backend: s3mem.New()}
	if err := s.backend.CreateBucket("corpus"); err != nil {
		t.Fatal(err)
	}
	next := gofakes3.New(s.backend, gofakes3.WithTimeSkewLimit(0)).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		by := s.by
		s.mu.Unlock()
		if by == nil || !by(w, r) {
			next.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "k")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
	return s
}

// answer has a function answer requests from now on; nil ends that.
func (s *store) answer(by func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.by = by
}

// uploads counts those that are under way.
func (s *store) uploads(t *testing.T) int {
	t.Helper()
	c, bucket, _, err := withBucket("list", "s3://corpus/")
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.ListMultipartUploads(t.Context(), bucket, "", "", "", "", 1000)
	if r, ok := errors.AsType[minio.ErrorResponse](err); err != nil && (!ok || r.Code != "NoSuchUpload") { // there never was one
		t.Fatal(err)
	}
	return len(list.Uploads)
}

func begins(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Query().Has("uploads") }

func refused(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	_, _ = w.Write([]byte("<Error><Code>" + code + "</Code></Error>"))
}

// A noted is what leads to an upload, as a file would.
type noted struct {
	mu  sync.Mutex
	ids []string
}

func (n *noted) note(id string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ids = append(n.ids, id)
	return nil
}

func someParts(t *testing.T, parts int) (path string, data []byte) {
	t.Helper()
	data = noise(parts*partSize + 5)
	path = filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path, data
}

// TestAbort ends an upload whose server does not answer when it is asked to begin one, but does begin it: nothing waits for it, and the
// upload that it has begun is forgotten.
func TestAbort(t *testing.T) {
	s := newStore(t)
	path, _ := someParts(t, 3)
	asked, stuck := make(chan struct{}), make(chan struct{})
	defer close(stuck)
	lost := sync.OnceFunc(func() {
		c, bucket, _, _ := withBucket("write", "s3://corpus/x")
		if _, err := c.NewMultipartUpload(context.Background(), bucket, "x", (&Upload{}).options()); err != nil {
			t.Error(err)
		}
		close(asked)
	})
	first := true
	s.answer(func(_ http.ResponseWriter, r *http.Request) bool {
		s.mu.Lock()
		mine := begins(r) && first
		first = first && !mine
		s.mu.Unlock()
		if !mine {
			return false
		}
		lost()
		select {
		case <-stuck:
		case <-r.Context().Done():
		}
		return true
	})
	var n noted
	u := NewUpload(t.Context(), "s3://corpus/x", path, "token", n.note)
	u.Grow(partSize)
	<-asked
	u.Grow(2 * partSize) // does not wait for the first
	if err := u.Abort(); err != nil {
		t.Fatal(err)
	}
	if left := s.uploads(t); left != 0 {
		t.Errorf("want no upload left, have %d", left)
	}
}

// TestForgotten completes an upload whose parts the server has forgotten: they are sent again, noted, and not left when that fails.
func TestForgotten(t *testing.T) {
	s := newStore(t)
	path, data := someParts(t, 1)
	var n noted
	u := NewUpload(t.Context(), "s3://corpus/x", path, "token", n.note)
	parts, err := u.Finish(int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Abort(); err != nil {
		t.Fatal(err)
	}
	n.ids = nil
	s.answer(func(w http.ResponseWriter, r *http.Request) bool {
		denied := r.Method == http.MethodPut && r.URL.Query().Get("partNumber") == "2"
		if denied {
			refused(w, http.StatusForbidden, "AccessDenied")
		}
		return denied
	})
	if err := Complete(t.Context(), "s3://corpus/x", path, "token", int64(len(data)), parts, n.note); err == nil {
		t.Error("want an error of the part that is refused, have none")
	}
	if left := s.uploads(t); left != 0 {
		t.Errorf("want no upload left, have %d", left)
	}
	if len(n.ids) != 2 || n.ids[0] != "" || n.ids[1] == "" {
		t.Errorf("want the upload noted before it begins, and with its id, have %q", n.ids)
	}
	s.answer(nil)
	if err := Complete(t.Context(), "s3://corpus/x", path, "token", int64(len(data)), parts, n.note); err != nil {
		t.Fatal(err)
	}
	if have, err := ReadFile("s3://corpus/x"); err != nil || !bytes.Equal(have, data) {
		t.Errorf("want the %d bytes of the file, have %d, %v", len(data), len(have), err)
	}
}

// TestWritable tries whether a bucket can be written to, at services that differ.
func TestWritable(t *testing.T) {
	lists := func(r *http.Request) bool { return r.Method == http.MethodGet && r.URL.Query().Has("uploads") }
	tests := []struct {
		reason string
		of     func(r *http.Request) bool
		status int
		code   string
		good   bool
	}{
		{"one that does all", func(*http.Request) bool { return false }, 0, "", true},
		{"one that lists no uploads", lists, http.StatusNotImplemented, "NotImplemented", true},
		{"one that knows no such request", lists, http.StatusMethodNotAllowed, "MethodNotAllowed", true},
		{"one may write and not list", lists, http.StatusForbidden, "AccessDenied", true},
		{"one may not write", begins, http.StatusForbidden, "AccessDenied", false},
		{"one that takes no parts", begins, http.StatusNotImplemented, "NotImplemented", false},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s := newStore(t)
			s.answer(func(w http.ResponseWriter, r *http.Request) bool {
				if !tt.of(r) {
					return false
				}
				refused(w, tt.status, tt.code)
				return true
			})
			if err := Writable(t.Context(), "s3://corpus/folder"); (err == nil) != tt.good {
				t.Errorf("want good %v, have %v", tt.good, err)
			}
			s.answer(nil)
			if left := s.uploads(t); left != 0 {
				t.Errorf("want no upload left, have %d", left)
			}
		})
	}
}

// TestHidden asks for an object that one may not know of.
func TestHidden(t *testing.T) {
	s := newStore(t)
	s.answer(func(w http.ResponseWriter, r *http.Request) bool {
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	_, err := Stat("s3://corpus/missing")
	if err == nil || !strings.Contains(err.Error(), "denies access (AccessDenied)") || !strings.Contains(err.Error(), "or there is no such object, which is told only to those who may list the bucket") {
		t.Errorf("want both reasons, have %v", err)
	}
}

// TestEndpoint names the folder of a service, which shows nothing secret of it.
func TestEndpoint(t *testing.T) {
	tests := []struct{ url, want string }{
		{"https://user:password@minio.example:9000/", "minio.example_9000"},
		{"https://storage.example", "storage.example"},
		{"minio.example:9000", ""},
		{"https://user:pass%word@minio.example", ""}, // cannot be read
	}
	for _, tt := range tests {
		t.Setenv("AWS_ENDPOINT_URL", tt.url)
		have, err := Endpoint()
		if have != tt.want || (err == nil) != (tt.want != "") || err != nil && strings.Contains(err.Error(), "pass") {
			t.Errorf("%s: want %q, have %q, %v", tt.url, tt.want, have, err)
		}
	}
}

// TestProfile signs with the keys of the profile, whichever variable names it.
func TestProfile(t *testing.T) {
	for _, variable := range []string{"AWS_PROFILE", "AWS_DEFAULT_PROFILE"} {
		t.Run(variable, func(t *testing.T) {
			s := newStore(t)
			file := filepath.Join(t.TempDir(), "credentials")
			if err := os.WriteFile(file, []byte("[default]\naws_access_key_id=one\naws_secret_access_key=s\n[team]\naws_access_key_id=two\naws_secret_access_key=s\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_PROFILE", "AWS_DEFAULT_PROFILE"} {
				t.Setenv(name, "")
			}
			t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "none"))
			t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
			t.Setenv(variable, "team")
			var signed string
			s.answer(func(_ http.ResponseWriter, r *http.Request) bool {
				signed = r.Header.Get("Authorization")
				return false
			})
			_, err := Stat("s3://corpus/x")
			if !errors.Is(err, os.ErrNotExist) || !strings.Contains(signed, "Credential=two/") {
				t.Errorf("want a request signed by the profile, have %q, %v", signed, err)
			}
		})
	}
}
