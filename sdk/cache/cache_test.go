package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"
)

func opened(t *testing.T, path string) *Cache {
	t.Helper()
	c, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func wantAnswer(t *testing.T, c *Cache, key, want string, ask func() ([]byte, error)) {
	t.Helper()
	have, err := c.Get(key, ask)
	if err != nil || string(have) != want {
		t.Errorf("want %q for %s, have %q and %v", want, key, have, err)
	}
}

func never() ([]byte, error) { return nil, errors.New("asked again") }

// TestKept holds that an answer is asked for once, by all workers and by the runs after them, also when the process had no time to
// close the file, and that an error is asked for again.
func TestKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "below", "answers.cache")
	c, other := opened(t, path), opened(t, path)
	if _, err := c.Get("a", func() ([]byte, error) { return nil, errors.New("down") }); err == nil || err.Error() != "down" {
		t.Errorf("want the error of the service, have %v", err)
	}
	wantAnswer(t, c, "a", "first", func() ([]byte, error) { return []byte("first"), nil })
	wantAnswer(t, other, "a", "first", never)
	wantAnswer(t, c, "empty", "", func() ([]byte, error) { return nil, nil })
	wantAnswer(t, c, "empty", "", never)
	have, _ := c.Get("a", never)
	have[0] = 'F' // the caller's own
	wantAnswer(t, c, "a", "first", never)

	crashed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "answers.cache")
	if err := os.WriteFile(copied, crashed, 0o600); err != nil {
		t.Fatal(err)
	}
	wantAnswer(t, opened(t, copied), "a", "first", never)

	for _, c := range []*Cache{c, c, other} { // a second Close of one worker is none of the other's
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	wantAnswer(t, opened(t, path), "a", "first", never)
}

// TestNoFile holds that a cache without a path asks each time.
func TestNoFile(t *testing.T) {
	c := opened(t, "")
	for _, answer := range []string{"first", "second"} {
		wantAnswer(t, c, "a", answer, func() ([]byte, error) { return []byte(answer), nil })
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestAskedOnce holds that calls for one key at the same time ask once, and that those for other keys do not wait for them.
func TestAskedOnce(t *testing.T) {
	c := opened(t, filepath.Join(t.TempDir(), "answers.cache"))
	var asked atomic.Int64
	var all sync.WaitGroup
	others := make(chan struct{})
	for range 8 {
		all.Go(func() {
			wantAnswer(t, c, "one", "answer", func() ([]byte, error) {
				asked.Add(1)
				<-others
				return []byte("answer"), nil
			})
		})
	}
	for i := range 8 {
		wantAnswer(t, c, fmt.Sprint(i), "other", func() ([]byte, error) { return []byte("other"), nil })
	}
	close(others)
	all.Wait()
	if asked.Load() != 1 {
		t.Errorf("want the service asked once, have %d", asked.Load())
	}
}

// TestFailureIsOfOneCall holds that what ends one call is none of those that wait for its answer: one of them asks, and the rest get what
// that returns.
func TestFailureIsOfOneCall(t *testing.T) {
	for reason, fail := range map[string]func() ([]byte, error){
		"an error":                    func() ([]byte, error) { return nil, context.Canceled },
		"a panic":                     func() ([]byte, error) { panic("as asked") },
		"the end of its goroutine":    func() ([]byte, error) { runtime.Goexit(); return nil, nil },
		"an answer, as the other way": func() ([]byte, error) { return []byte("first"), nil },
	} {
		path := filepath.Join(t.TempDir(), "answers.cache")
		synctest.Test(t, func(t *testing.T) {
			c := opened(t, path)
			ends := make(chan struct{})
			go func() {
				defer func() { _ = recover() }()
				_, _ = c.Get("a", func() ([]byte, error) { <-ends; return fail() })
			}()
			synctest.Wait()
			var asked atomic.Int64
			answers := make(chan string, 8)
			for range cap(answers) {
				go func() {
					answer, err := c.Get("a", func() ([]byte, error) { asked.Add(1); return []byte("second"), nil })
					if answers <- string(answer); err != nil {
						t.Errorf("%s: want an answer, have %v", reason, err)
					}
				}()
			}
			synctest.Wait() // all wait for the first
			close(ends)
			want, asks := "second", int64(1)
			if strings.HasPrefix(reason, "an answer") {
				want, asks = "first", 0
			}
			for range cap(answers) {
				if have := <-answers; have != want {
					t.Errorf("%s: want %q, have %q", reason, want, have)
				}
			}
			if asked.Load() != asks {
				t.Errorf("%s: want the others to ask %d times, have %d", reason, asks, asked.Load())
			}
		})
	}
}

// TestFile holds that the file is its owner's and holds no key, and what is said of one that cannot be opened.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.cache")
	c := opened(t, path)
	wantAnswer(t, c, "ada@engines.org", "x", func() ([]byte, error) { return []byte("x"), nil })
	text, err := os.ReadFile(path)
	if err != nil || bytes.Contains(text, []byte("engines")) {
		t.Errorf("want a file without the key, have one with it or %v", err)
	}
	if about, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && about.Mode().Perm() != 0o600 {
		t.Errorf("want a file of its owner, have %v and %v", about.Mode(), err)
	}

	wait = time.Millisecond
	defer func() { wait = 2 * time.Second }()
	taken := filepath.Join(t.TempDir(), "taken.cache")
	db, err := bbolt.Open(taken, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := Open(taken); err == nil || err.Error() != "want a cache that no other run has open" {
		t.Errorf("want to hear of the other run, have %v", err)
	}
	rows := filepath.Join(t.TempDir(), "rows.jsonl")
	if err := os.WriteFile(rows, []byte(strings.Repeat("{}\n", 10000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(rows); err == nil || !strings.Contains(err.Error(), "want a file of a cache: ") {
		t.Errorf("want to hear that it is another file, have %v", err)
	}
}
