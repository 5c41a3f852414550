package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A service is object storage with the bucket "corpus".
type service struct {
	backend *s3mem.Backend
	clock   gofakes3.TimeSourceAdvancer

	mu       sync.Mutex
	requests []string
	refuse   func(r *http.Request) bool // nil: nothing
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{clock: gofakes3.FixedTimeSource(time.Now().Add(-1000 * time.Hour))}
	s.backend = s3mem.New(s3mem.WithTimeSource(s.clock))
	if err := s.backend.CreateBucket("corpus"); err != nil {
		t.Fatal(err)
	}
	next := gofakes3.New(s.backend, gofakes3.WithTimeSkewLimit(0)).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.Method+" "+r.URL.Path)
		refuse := s.refuse
		s.mu.Unlock()
		if refuse != nil && refuse(r) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "k")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
	t.Setenv("SLUICE_STAGE", t.TempDir())
	return s
}

// asked returns the requests since the last call that begin with a text.
func (s *service) asked(begin string) (some []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if strings.HasPrefix(r, begin) {
			some = append(some, r)
		}
	}
	s.requests = nil
	return some
}

func (s *service) refused(refuse func(r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = refuse
}

// sizes returns the bytes of each object behind the salt.
func (s *service) sizes(t *testing.T) map[string]int64 {
	t.Helper()
	list, err := s.backend.ListBucket("corpus", nil, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]int64{}
	for _, o := range list.Contents {
		if places.Base(o.Key) != saltName {
			all[places.Base(o.Key)] = o.Size
		}
	}
	return all
}

const inBucket = "s3://corpus/a/store"

func closed(t *testing.T, s *Store) *Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return s
}

func nth(i int) string { return fmt.Sprintf("%02d", i) + key[2:] }

// What is stored in a bucket is found by the next run, which reads no file that it has a stamp of.
func TestBucket(t *testing.T) {
	newService(t)
	s := open(t, inBucket, 1<<30)
	want := []wire.Record{{Data: []byte(`{"n":1}`), File: "a", Line: 1}}
	if err := write(t, s, key, sum, "then", "one", map[int][]wire.Record{3: want}); err != nil {
		t.Fatal(err)
	}
	closed(t, s)
	for _, c := range []struct {
		why, key, stamp, hash, want string
		read                        bool
	}{
		{"as it was", key, "then", sum, "one", false},
		{"touched, or on another machine", key, "now", sum, "one", true},
		{"the same once more", key, "now", sum, "one", false},
		{"changed", key, "later", sum2, "", true},
		{"of an object without a stamp", key, "", sum, "one", true},
		{"another pipeline", other, "then", sum, "", false},
	} {
		s := open(t, inBucket, 1<<30)
		s.Ahead(c.key, c.stamp)
		account, rows, read := find(t, s, c.key, c.stamp, c.hash)
		if account != c.want || read != c.read || account != "" && string(rows[3][0].Data) != `{"n":1}` {
			t.Errorf("%s: want %q and read %v, have %q, %v and %v", c.why, c.want, c.read, account, read, rows)
		}
		if closed(t, s).Salt() != s.Salt() || len(s.Salt()) != 2*nameLength {
			t.Errorf("want one salt of %d bytes, have %q", 2*nameLength, s.Salt())
		}
	}
}

// What was not used for longest goes first, and its marks when there is need of room again.
func TestBucketIsBounded(t *testing.T) {
	service := newService(t)
	for i := range 8 {
		s := open(t, inBucket, 1000)
		find(t, s, nth(0), "then", sum) // it is used again and again
		closed(t, s)
		service.clock.Advance(time.Minute)
		if err := write(t, s, nth(i), sum, "then", strings.Repeat("x", 200), nil); err != nil {
			t.Fatal(err)
		}
		closed(t, s)
		service.clock.Advance(25 * time.Hour)
		total := int64(0)
		for _, size := range service.sizes(t) {
			total += size
		}
		if total > 1000 {
			t.Errorf("after %d: want at most 1000 bytes, have %d", i, total)
		}
	}
	s := open(t, inBucket, 1000)
	if account, _, _ := find(t, s, nth(0), "then", sum); account == "" {
		t.Error("want what was used last, have it removed")
	}
	if account, _, _ := find(t, s, nth(1), "then", sum); account != "" {
		t.Error("want what was not used removed, have it")
	}
	closed(t, s)
	if all := service.sizes(t); len(all) > 2*4+2 {
		t.Errorf("want 4 entries with a mark of each, and those of the two removed last, have %v", all)
	}
}

// It is noted once a day that an entry is used, and for a few stamps only.
func TestBucketMarks(t *testing.T) {
	service := newService(t)
	s := open(t, inBucket, 1<<20)
	if err := write(t, s, key, sum, "0", "one", nil); err != nil {
		t.Fatal(err)
	}
	closed(t, s)
	service.clock.Advance(1000 * time.Hour) // it is now
	for i := range 10 {
		for range 2 {
			s := open(t, inBucket, 1<<20)
			service.asked("")
			find(t, s, key, fmt.Sprint(i), sum)
			closed(t, s)
		}
		if again := service.asked("PUT"); len(again) > 0 {
			t.Errorf("want nothing noted that was noted just before, have %q", again)
		}
	}
	if all := service.sizes(t); len(all) > 1+mostMarks {
		t.Errorf("want an entry and %d marks, have %v", mostMarks, all)
	}
}

// Many entries are read with few requests, all of them ahead of need, and those that are not asked for hold up nothing.
func TestBucketAhead(t *testing.T) {
	service := newService(t)
	s := open(t, inBucket, 1<<30)
	for i := range 100 {
		size := 100
		if i%10 == 0 {
			size = mostHeld / 5 // fewer than mostAhead have room
		}
		if i == 55 {
			size = small + 1 // it is not held in memory, ahead or when it is read
		}
		if err := write(t, s, nth(i), sum, "then", strings.Repeat("x", size), nil); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, s)
	s = open(t, inBucket, 1<<30)
	service.asked("")
	for i := range 100 {
		s.Ahead(nth(i), "then")
	}
	for i := range 100 {
		if i%7 == 3 {
			continue
		}
		b := s.backend.(*bucket)
		b.mu.Lock()
		if b.held > mostHeld || b.begun > mostAhead {
			t.Errorf("want at most %d bytes of %d entries held, have %d of %d", mostHeld, mostAhead, b.held, b.begun)
		}
		b.mu.Unlock()
		if account, _, _ := find(t, s, nth(i), "then", sum); len(account) < 100 {
			t.Errorf("%d: want its account, have %d bytes", i, len(account))
		}
	}
	b := s.backend.(*bucket)
	if len(b.queue) > 0 || b.held != 0 || b.begun != 0 {
		t.Errorf("want nothing held, have %d bytes of %d", b.held, len(b.queue))
	}
	closed(t, s)
	if temps, _ := os.ReadDir(s.temps); len(temps) > 0 {
		t.Errorf("want no file left, have %v", temps)
	}
}

// An entry that another run has replaced or removed since it was listed is read as it is, or run.
func TestBucketChanges(t *testing.T) {
	newService(t)
	s := open(t, inBucket, 1<<30)
	for i := range 3 {
		if err := write(t, s, nth(i), sum, "then", "one", nil); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, s)
	early, ahead := open(t, inBucket, 1<<30), open(t, inBucket, 1<<30)
	fresh := open(t, inBucket, 1<<30)
	fresh.Drop(nth(0))
	fresh.Drop(nth(1))
	if err := write(t, fresh, nth(0), sum, "then", "other", nil); err != nil {
		t.Fatal(err)
	}
	closed(t, fresh)
	for i, want := range []string{"other", "", "one"} {
		ahead.Ahead(nth(i), "then")
		for _, s := range []*Store{early, ahead, open(t, inBucket, 1<<30)} {
			if have, _, _ := find(t, s, nth(i), "then", sum); have != want {
				t.Errorf("%d: want %q, have %q", i, want, have)
			}
		}
	}
	closed(t, early)
}

// What a run has made of a file is stored, though the run is interrupted just then.
func TestBucketInterrupted(t *testing.T) {
	service := newService(t)
	ctx, cancel := context.WithCancel(t.Context())
	s, err := Open(ctx, inBucket, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	hold := make(chan struct{})
	service.refused(func(r *http.Request) bool {
		<-hold
		return false
	})
	for i := range 5 {
		if err := write(t, s, nth(i), sum, "then", "one", nil); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	close(hold)
	if closed(t, s).Added() != 5 {
		t.Errorf("want 5 entries stored, have %d", s.Added())
	}
	s = open(t, inBucket, 1<<20)
	for i := range 5 {
		if account, _, _ := find(t, s, nth(i), "then", sum); account != "one" {
			t.Errorf("%d: want what was stored, have %q", i, account)
		}
	}
	closed(t, s)
}

// Many runs at once find no half of an entry, and each finds a store in order.
func TestBucketAtOnce(t *testing.T) {
	newService(t)
	var group sync.WaitGroup
	for run := range 6 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(run), 1))
			s, err := Open(t.Context(), inBucket, 4000)
			if err != nil {
				t.Error(err)
				return
			}
			for range 40 {
				k := nth(random.IntN(20))
				s.Ahead(k, "then")
				switch e, err := s.Find(k, "then", func() (string, error) { return sum, nil }); {
				case err != nil:
					t.Error(err)
				case e != nil:
					if string(e.Account) != k {
						t.Errorf("want the account of %s, have %s", k, e.Account)
					}
					e.Close()
				}
				w, err := s.Create()
				if err != nil {
					t.Error(err)
					return
				}
				switch random.IntN(4) {
				case 0:
					w.Abort()
				case 1:
					s.Drop(k)
					w.Abort()
				default:
					if err := w.Commit(k, sum, "then", []byte(k)); err != nil {
						t.Error(err)
					}
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// A store of which nothing can be removed, or written, or read says so once and is otherwise one that knows nothing new.
func TestBucketRefuses(t *testing.T) {
	service := newService(t)
	s := open(t, inBucket, 500)
	if err := write(t, s, key, sum, "then", "one", nil); err != nil {
		t.Fatal(err)
	}
	closed(t, s)
	for _, c := range []struct {
		why    string
		refuse func(r *http.Request) bool
	}{
		{"writing", func(r *http.Request) bool { return r.Method == http.MethodPut }},
		{"removing", func(r *http.Request) bool { return r.Method == http.MethodDelete }},
	} {
		s := open(t, inBucket, 500)
		service.refused(c.refuse)
		for i := range 20 {
			if w, err := s.Create(); err == nil {
				_ = w.Commit(nth(i), sum, "then", bytes.Repeat([]byte("x"), 100))
			}
			s.group.Wait()
		}
		if err := s.Close(); err == nil {
			t.Errorf("%s: want an error, have none", c.why)
		}
		if n := len(service.sizes(t)); n > 2+2*6 {
			t.Errorf("%s: want what has room, have %d objects", c.why, n)
		}
		service.refused(nil)
	}
	s = open(t, inBucket, 1<<20)
	service.refused(func(r *http.Request) bool { return r.Method == http.MethodGet })
	told := 0
	for _, k := range slices.Repeat([]string{key, nth(0), nth(1)}, 2) {
		e, err := s.Find(k, "then", func() (string, error) { return sum, nil })
		if _, ok := errors.AsType[*Unread](err); ok {
			told++
		} else if err != nil || e != nil {
			t.Errorf("want nothing found, have %v, %v", e, err)
		}
	}
	if told != 1 {
		t.Errorf("want it told once, have %d times", told)
	}
}
