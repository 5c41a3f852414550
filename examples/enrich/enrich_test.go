package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

// A service answers with the length of q, and fails as q says: once, then it answers, or always.
type service struct {
	mu        sync.Mutex
	asked     map[string]int
	now, most int
	full      chan struct{} // closed when as many requests as limit are under way; nil: nothing waits for that
	limit     int
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query().Get("q")
	s.mu.Lock()
	s.asked[q]++
	n := s.asked[q]
	s.now++
	s.most = max(s.most, s.now)
	if s.full != nil && s.now == s.limit {
		close(s.full)
		s.limit = 0
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
	}()
	if s.full != nil {
		<-s.full
	}
	how, always := strings.CutPrefix(q, "always ")
	switch {
	case n > 1 && !always:
	case how == "500":
		w.WriteHeader(http.StatusInternalServerError)
		return
	case how == "429":
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case how == "404":
		w.WriteHeader(http.StatusNotFound)
		return
	case how == "hang":
		<-r.Context().Done()
		return
	case how == "reset":
		panic(http.ErrAbortHandler)
	case how == "garbage":
		fmt.Fprint(w, `{"length":`)
		return
	}
	fmt.Fprintf(w, `{"length":%d}`, len(q))
}

func start(t *testing.T, s *service) (url string) {
	s.asked = map[string]int{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

// TestFailures holds what becomes of a record when the service fails once or always, beside others that it answers.
func TestFailures(t *testing.T) {
	failures := []string{"500", "429", "hang", "reset", "404", "garbage", "always 500", "always 429", "always hang", "always reset"}
	want := []string{`emit {"length":3}`, `emit {"length":3}`, `emit {"length":4}`, `emit {"length":5}`,
		"reject no_answer: want status 200 to 299, have 404 Not Found", "reject bad_answer: want JSON from the service",
		"reject no_answer: want status 200 to 299, have 500 Internal Server Error", "reject no_answer: want status 200 to 299, have 429 Too Many Requests",
		"reject no_answer: want an answer within 100ms", "reject no_answer: EOF"}
	var rows []string
	for _, f := range failures {
		rows = append(rows, fmt.Sprintf(`{"q":%q}`, f))
	}
	rows = append(rows, `{"other":1}`)
	want = append(want, "reject no_value: want a value")
	args := fmt.Sprintf(`{"url":%q,"of":"q","tries":2,"seconds":0.1}`, start(t, &service{}))
	results, _ := sdktest.Direct(t, enrich, args, rows...)
	var have []string
	for i, r := range results {
		line := r.Verdict + " " + r.Code + ": " + r.Message
		if r.Verdict == "emit" {
			line = "emit " + strings.TrimSuffix(strings.TrimPrefix(r.Emitted[0], fmt.Sprintf(`{"q":%q,"answer":`, failures[i])), "}")
			line = strings.TrimSuffix(line, "}") + "}"
		}
		have = append(have, line)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("-want +have:\n%s", diff)
	}
}

// TestConcurrency holds that 16 requests are under way at once, and no more: the service answers none before it has 16.
func TestConcurrency(t *testing.T) {
	s := &service{full: make(chan struct{}), limit: 16}
	args := fmt.Sprintf(`{"url":%q,"of":"q"}`, start(t, s))
	var rows []string
	for i := range 1000 {
		rows = append(rows, fmt.Sprintf(`{"q":"row %d"}`, i))
	}
	results, counts := sdktest.Direct(t, enrich, args, rows...)
	for i, r := range results {
		if want := fmt.Sprintf(`{"q":"row %d","answer":{"length":%d}}`, i, len(fmt.Sprint("row ", i))); r.Verdict != "emit" || r.Emitted[0] != want {
			t.Fatalf("want %s, have %v", want, r)
		}
	}
	if s.most != 16 || counts["asked"] != 1000 {
		t.Errorf("want 16 requests at once and 1000 in all, have %d and %d", s.most, counts["asked"])
	}
}

// TestCache holds that a second run asks about no value that the first has an answer for.
func TestCache(t *testing.T) {
	s := &service{}
	args := fmt.Sprintf(`{"url":%q,"of":"q","cache":%q}`, start(t, s), filepath.Join(t.TempDir(), "answers.cache"))
	first, _ := sdktest.Direct(t, enrich, args, `{"q":"a"}`, `{"q":"b"}`, `{"q":"a"}`, `{"q":"always 404"}`)
	second, _ := sdktest.Run(t, enrich, args, `{"q":"b"}`, `{"q":"a"}`, `{"q":"always 404"}`)
	if first[0].Emitted[0] != second[1].Emitted[0] {
		t.Errorf("want the same answers, have %v and %v", first[0], second[1])
	}
	if s.asked["a"] != 1 || s.asked["b"] != 1 || s.asked["always 404"] < 2 {
		t.Errorf("want each answer asked for once and each failure again, have %v", s.asked)
	}
}

// TestShort holds that the plugin is as short as the README says.
func TestShort(t *testing.T) {
	source, err := os.ReadFile("enrich.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(source, []byte("\n")); n > 80 {
		t.Errorf("want at most 80 lines in enrich.go, have %d", n)
	}
}
