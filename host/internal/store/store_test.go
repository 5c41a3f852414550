package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

const (
	key   = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	other = "1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	sum   = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	sum2  = "bbaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
)

func open(t *testing.T, dir string, most int64) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir, most)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // or what it still writes would come to the service of the next test
	return s
}

func pathOf(s *Store, key, hash string) string {
	return s.backend.(*folder).path(id{name(key), name(hash)})
}

func write(t *testing.T, s *Store, key, hash, stamp, account string, rows map[int][]wire.Record) error {
	t.Helper()
	w, err := s.Create()
	if err != nil {
		t.Fatal(err)
	}
	for sink, all := range rows {
		w.Add(sink, all)
	}
	return w.Commit(key, hash, stamp, []byte(account))
}

// find returns the account of an entry and its rows, "" when there is none, and whether the file was read for that.
func find(t *testing.T, s *Store, key, stamp, hash string) (account string, rows map[int][]wire.Record, read bool) {
	t.Helper()
	e, err := s.Find(key, stamp, func() (string, error) { read = true; return hash, nil })
	if err != nil {
		t.Fatal(err)
	}
	if e == nil {
		return "", nil, read
	}
	defer e.Close()
	rows = map[int][]wire.Record{}
	err = e.Rows(func(sink int, all []wire.Record) error {
		for _, r := range all {
			r.Data = append([]byte(nil), r.Data...)
			rows[sink] = append(rows[sink], r)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(e.Account), rows, read
}

// Rows come back as they were, whatever they have and however long they are.
func TestRows(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	want := map[int][]wire.Record{}
	for i := range 300 {
		r := wire.Record{Data: []byte(strings.Repeat("x", 1+random.IntN(50))), File: []string{"", "a", "b"}[random.IntN(3)], Line: int64(i), OfLine: uint32(i % 3)}
		if i == 100 {
			r.Data = []byte(strings.Repeat("y", 3*frameSize))
		}
		if random.IntN(3) == 0 {
			r.Labels = []wire.Label{{Name: "split", Value: "x"}, {Name: "", Value: ""}}
		}
		if random.IntN(3) == 0 {
			r.Origins = &wire.Origins{List: []wire.Pos{{File: "c", Line: 1 << 40}, {File: "d", Line: 2}}, More: 7}
		}
		want[i%3] = append(want[i%3], r)
	}
	s := open(t, t.TempDir(), 1<<30)
	if err := write(t, s, key, sum, "", "{}", want); err != nil {
		t.Fatal(err)
	}
	account, have, _ := find(t, s, key, "", sum)
	if diff := cmp.Diff(want, have, cmp.Comparer(bytes.Equal)); diff != "" || account != "{}" {
		t.Errorf("account %q, rows (-want +have):\n%s", account, diff)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<30)
	if err := write(t, s, key, sum, "then", "one", nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, key, stamp, hash, want string
		read                        bool
	}{
		{"as it was", key, "then", sum, "one", false},
		{"touched", key, "now", sum, "one", true},
		{"as it was after it was touched", key, "now", sum, "one", false},
		{"changed within the tick of a clock", key, "", sum2, "", true},
		{"changed", key, "later", sum2, "", true},
		{"another pipeline", other, "then", sum, "", false},
	} {
		for _, s := range []*Store{s, open(t, dir, 1<<30)} {
			account, _, read := find(t, s, c.key, c.stamp, c.hash)
			if account != c.want || read && !c.read {
				t.Errorf("%s: want %q and read %v, have %q and %v", c.why, c.want, c.read, account, read)
			}
		}
	}
}

// Whatever byte of an entry is another, and wherever it is cut off, it is told and never used.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<30)
	if err := write(t, s, key, sum, "then", `{"account":1}`, map[int][]wire.Record{0: {{Data: []byte(`{"n":1}`), File: "a", Line: 1}}}); err != nil {
		t.Fatal(err)
	}
	path := pathOf(s, key, sum)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(why string, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		e, err := open(t, dir, 1<<30).Find(key, "", func() (string, error) { return sum, nil })
		if _, ok := errors.AsType[*Damaged](err); !ok || e != nil {
			t.Errorf("%s: want it damaged, have %v", why, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: want it removed", why)
		}
	}
	for i := range whole {
		text := append([]byte(nil), whole...)
		text[i] ^= 0x10
		try(fmt.Sprintf("byte %d", i), text)
		try(fmt.Sprintf("cut at %d", i), whole[:i])
	}
}

// What is not used for longest goes first, and all entries take no more than they may.
func TestBound(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1000)
	for i := range 8 {
		if err := write(t, s, nth(i), sum, "then", strings.Repeat("x", 200), nil); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(time.Duration(i-100) * time.Hour)
		_ = os.Chtimes(pathOf(s, nth(i), sum), at, at)
		if i == 2 {
			find(t, s, nth(0), "then", sum) // it is used again
		}
		_, total := entries(t, dir)
		if total > 1000 {
			t.Errorf("after %d: want at most 1000 bytes, have %d", i, total)
		}
	}
	if account, _, _ := find(t, s, nth(0), "then", sum); account == "" {
		t.Error("want what was used last, have it removed")
	}
	if account, _, _ := find(t, open(t, dir, 1000), nth(1), "then", sum); account != "" {
		t.Error("want what was not used removed, have it")
	}
	if s.Removed() == 0 {
		t.Error("want entries removed, have none")
	}
	if err := write(t, s, other, sum, "", strings.Repeat("x", 2000), nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("want %v, have %v", ErrTooLarge, err)
	}
	if temps, _ := filepath.Glob(filepath.Join(dir, version, tempPrefix+"*")); len(temps) > 0 {
		t.Errorf("want no file left, have %v", temps)
	}
}

func entries(t *testing.T, dir string) (n int, total int64) {
	t.Helper()
	all, unlisted, err := (&folder{filepath.Join(dir, version)}).list()
	if err != nil || unlisted != nil {
		t.Fatal(err, unlisted)
	}
	for _, e := range all {
		total += e.size
	}
	return len(all), total
}

// A store that cannot make room gets nothing more, says why, and counts as removed what is.
func TestNoRoom(t *testing.T) {
	for _, c := range []struct {
		why, want string
		begin     func(t *testing.T, dir string)
		each      func(t *testing.T, path string)
	}{
		{"an entry cannot be removed", "remove an entry: ", nil, func(t *testing.T, path string) {
			old := time.Now().Add(-time.Hour)
			if err := errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "full"), 0o700), os.Chtimes(path, old, old)); err != nil {
				t.Fatal(err)
			}
		}},
		{"nobody knows what is in a folder", "list entries: ", func(t *testing.T, dir string) {
			if err := os.Symlink("zz", filepath.Join(dir, version, "zz")); err != nil {
				t.Skip(err)
			}
		}, nil},
	} {
		t.Run(c.why, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, 1000)
			if c.begin != nil {
				c.begin(t, dir)
			}
			n := 0
			for ; n < 99; n++ {
				w, err := s.Create()
				if err != nil {
					break
				}
				if err := w.Commit(nth(n), sum, "then", bytes.Repeat([]byte("x"), 200)); err != nil {
					t.Fatal(err)
				}
				if c.each != nil {
					c.each(t, pathOf(s, nth(n), sum))
				}
			}
			if err := s.Close(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("want %q, have %v", c.want, err)
			}
			left, err := filepath.Glob(filepath.Join(dir, version, "??", "*-"+sum[:nameLength]))
			if err != nil || len(left) != n || s.Removed() != 0 {
				t.Errorf("want none of %d entries removed, have %d of them left, and %d said to be removed (%v)", n, len(left), s.Removed(), err)
			}
			if c.begin == nil {
				return
			}
			later := open(t, dir, 1000)
			if account, _, _ := find(t, later, nth(0), "then", sum); account == "" {
				t.Error("want what is stored found by the next run, have nothing")
			}
			if _, err := later.Create(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("the next run: want %q, have %v", c.want, err)
			}
		})
	}
}

// An entry that another run has removed is no error, and none that this one has removed.
func TestRemovedByAnother(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<20)
	if err := write(t, s, key, sum, "then", "one", nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(pathOf(s, key, sum)); err != nil {
		t.Fatal(err)
	}
	if s.remove(id{name(key), name(sum)}) || s.Close() != nil {
		t.Errorf("want nothing removed and no error, have %v", s.Close())
	}
	if left, err := os.ReadDir(filepath.Dir(pathOf(s, key, sum))); err != nil || len(left) > 0 {
		t.Errorf("want no stamp left, have %v (%v)", left, err)
	}
}

// Many runs at once find no half of an entry, and each finds a store in order.
func TestAtOnce(t *testing.T) {
	dir := t.TempDir()
	var group sync.WaitGroup
	for run := range 8 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(run), 1))
			s, err := Open(t.Context(), dir, 4000)
			if err != nil {
				t.Error(err)
				return
			}
			for range 50 {
				k := fmt.Sprintf("%02d", random.IntN(20)) + key[2:]
				e, err := s.Find(k, "then", func() (string, error) { return sum, nil })
				if err != nil {
					t.Error(err)
				} else if e != nil {
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
				if random.IntN(3) == 0 {
					w.Abort()
				} else if err := w.Commit(k, sum, "then", []byte(k)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if _, total := entries(t, dir); total > 8*4000 {
		t.Errorf("want about 4000 bytes, have %d", total)
	}
}

// What dead runs have left goes, and what a living one is writing stays.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<20)
	dead := filepath.Join(dir, version, tempPrefix+"dead")
	if err := os.WriteFile(dead, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * lostAfter)
	if err := os.Chtimes(dead, old, old); err != nil {
		t.Fatal(err)
	}
	w, err := s.Create()
	if err != nil {
		t.Fatal(err)
	}
	old = time.Now().Add(-time.Hour)
	if err := os.Chtimes(w.file.Name(), old, old); err != nil {
		t.Fatal(err)
	}
	if have := open(t, dir, 1<<20).Salt(); have != s.Salt() || len(have) != 2*nameLength {
		t.Errorf("want the salt %q, have %q", s.Salt(), have)
	}
	if _, err := os.Stat(dead); err == nil {
		t.Error("want it removed, have it")
	}
	if err := w.Commit(key, sum, "", nil); err != nil {
		t.Errorf("want what is being written left alone, have %v", err)
	}
}

func TestStamp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	stamp := func(at time.Duration) string {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return Stamp(info, time.Now().Add(at))
	}
	if have := stamp(0); have != "" {
		t.Errorf("want no stamp of a file that has just changed, have %q", have)
	}
	first := stamp(time.Hour)
	if first == "" || stamp(2*time.Hour) != first {
		t.Errorf("want one stamp of a file that does not change, have %q and %q", first, stamp(2*time.Hour))
	}
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if have := stamp(time.Hour); have == first {
		t.Errorf("want another stamp, have %q", have)
	}
	web := fstest.MapFile{Data: []byte("one")} // its size and its time are all that is known
	if info, err := (fstest.MapFS{"a": &web}).Stat("a"); err != nil || Stamp(info, time.Now()) != "" {
		t.Errorf("want no stamp of a file of which only size and time are known (%v)", err)
	}
}

// What is to come out anew is not found again, whether what comes is stored or not.
func TestDrop(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<30)
	for _, k := range []string{key, other} {
		if err := write(t, s, k, sum, "then", `{"account":1}`, nil); err != nil {
			t.Fatal(err)
		}
	}
	s.Drop(key)
	for _, s := range []*Store{s, open(t, dir, 1<<30)} {
		if account, _, _ := find(t, s, key, "then", sum); account != "" {
			t.Errorf("want nothing of what was dropped, have %s", account)
		}
		if account, _, _ := find(t, s, other, "then", sum); account == "" {
			t.Error("want the entry of another key kept, have none")
		}
	}
}
