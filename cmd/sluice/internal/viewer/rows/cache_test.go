package rows

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// big are lines that make a file which is kept.
func big(row string) []string {
	lines := make([]string, cacheSmaller/len(row)+1)
	for i := range lines {
		lines[i] = row
	}
	return lines
}

const secret = "a very private sentence"

// TestCache protects that a table is used again only for the bytes that it is of, and never when it is broken.
func TestCache(t *testing.T) {
	row := `{"messages":[{"role":"user","content":"` + secret + `"}],"split":"train"}`
	for _, tc := range []struct {
		why    string
		change func(t *testing.T, file *File, table string)
		again  bool
	}{
		{"nothing has changed", func(*testing.T, *File, string) {}, true},
		{"other bytes of the same size", func(t *testing.T, f *File, _ string) {
			replace(t, f.Path, func(b []byte) []byte { return bytes.Replace(b, []byte("train"), []byte("trial"), 1) })
			later(t, f.Path)
		}, false},
		{"other bytes, with the time set back", func(t *testing.T, f *File, _ string) {
			info, err := os.Stat(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			replace(t, f.Path, func(b []byte) []byte { return bytes.Replace(b, []byte("train"), []byte("trial"), 1) })
			if err := os.Chtimes(f.Path, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, runtime.GOOS != "linux"},
		{"a receipt says another hash", func(_ *testing.T, f *File, _ string) { f.Hash = "00" }, false},
		{"a bit of the table is wrong", func(t *testing.T, _ *File, table string) {
			replace(t, table, func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
		}, false},
		{"the table breaks off", func(t *testing.T, _ *File, table string) {
			replace(t, table, func(b []byte) []byte { return b[:len(b)/2+3] })
		}, false},
		{"another form", func(t *testing.T, _ *File, table string) { rename(t, table, "PRAGMA user_version = 1") }, false},
		{"tables that are missing", func(t *testing.T, _ *File, table string) { rename(t, table, "DROP TABLE index_word") }, false},
		{"a file that is missing", func(t *testing.T, _ *File, table string) { rename(t, table, "DELETE FROM index_file") }, false},
		{"an empty table", func(t *testing.T, _ *File, table string) { replace(t, table, func([]byte) []byte { return nil }) }, false},
		{"origins are there now", func(t *testing.T, f *File, _ string) {
			writeFile(t, filepath.Dir(f.Path), ".sluice/"+f.Name+".origins", `{"schema":"sluice.origins.v1"}`)
		}, false},
	} {
		t.Run(tc.why, func(t *testing.T) {
			cache := filepath.Join(t.TempDir(), "cache")
			f := writeFile(t, t.TempDir(), "a.jsonl", big(row)...)
			if open(t, cache, f).States()[0].Cached {
				t.Fatal("want nothing of the cache, have it used")
			}
			tables, err := filepath.Glob(filepath.Join(cache, "*"))
			if err != nil || len(tables) != 1 {
				t.Fatalf("want one table, have %v, %v", tables, err)
			}
			if data, err := os.ReadFile(tables[0]); err != nil || bytes.Contains(data, []byte(secret)) {
				t.Errorf("want no text of rows in %s: %v", tables[0], err)
			}
			if info, err := os.Stat(cache); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("want a folder for its owner alone, have %v, %v", info.Mode(), err)
			}
			tc.change(t, &f, tables[0])
			x := open(t, cache, f)
			if s := x.States()[0]; s.Cached != tc.again || s.Rows != int64(len(big(row))) {
				t.Errorf("want it used again: %t, have %+v", tc.again, s)
			}
			if found, err := x.Find(Query{In: []In{{"split", []string{"train"}}}}); err != nil || found.Len() < len(big(row))-1 {
				t.Errorf("want nearly all rows, have %d, %v", found.Len(), err)
			}
		})
	}
}

// TestTogether protects processes that index the same files at once: each finds all rows, and one database is kept.
func TestTogether(t *testing.T) {
	cache := t.TempDir()
	f := writeFile(t, t.TempDir(), "a.jsonl", big(`{"split":"train"}`)...)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			x, err := Open(t.Context(), []File{f}, Options{Cache: cache})
			if err != nil {
				t.Error(err)
				return
			}
			if err := x.Wait(t.Context()); err != nil {
				t.Error(err)
			}
			if found, err := x.Find(Query{}); err != nil || found.Len() != len(big(`{"split":"train"}`)) {
				t.Errorf("want all rows, have %d, %v", found.Len(), err)
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	left, err := os.ReadDir(cache)
	if err != nil || len(left) == 0 {
		t.Errorf("want a database kept, have %v, %v", left, err)
	}
	for _, entry := range left {
		if filepath.Ext(entry.Name()) != cacheEnding {
			t.Errorf("want finished databases, have %s", entry.Name())
		}
	}
}

// TestDoubt protects from a table that is kept for other bytes than the file's: the first row that shows it has the file
// indexed anew, whether it is read or searched.
func TestDoubt(t *testing.T) {
	for _, search := range []bool{false, true} {
		cache := t.TempDir()
		f := writeFile(t, t.TempDir(), "a.jsonl", big(`{"split":"train"}`)...)
		x := open(t, cache, f)
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		rename(t, x.store.path, "UPDATE index_row SET sum = sum + 1 WHERE id = 0")
		x = open(t, cache, f)
		if !x.States()[0].Cached {
			t.Fatal("want the table of the cache used")
		}
		if search {
			if _, err := x.FindAll(t.Context(), Query{Text: "train"}); err != nil {
				t.Fatal(err)
			}
		} else if _, err := x.Read(t.Context(), ID{}); !errors.Is(err, ErrChanged) {
			t.Errorf("want %v, have %v", ErrChanged, err)
		}
		if err := x.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := x.Read(t.Context(), ID{}); err != nil || x.States()[0].Cached {
			t.Errorf("want the row, and another table, have %v", err)
		}
	}
}

// TestCacheFolder protects a folder that is there from being changed, and the index from tables that others have put there.
func TestCacheFolder(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name string
		mode os.FileMode
		link bool
		want bool
	}{
		{"own", 0o700, false, true}, {"readable", 0o755, false, true}, {"shared", 0o777, false, false}, {"linked", 0o755, true, false},
	} {
		folder := filepath.Join(dir, c.name)
		if err := os.Mkdir(folder, c.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(folder, c.mode); err != nil {
			t.Fatal(err)
		}
		as := folder
		if c.link {
			as = filepath.Join(dir, "link")
			if err := os.Symlink(folder, as); err != nil {
				t.Fatal(err)
			}
		}
		if have := cacheFolder(as); have != "" != c.want {
			t.Errorf("%s: want it used: %t, have %q", c.name, c.want, have)
		}
		if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != c.mode {
			t.Errorf("%s: want its mode kept, have %v, %v", c.name, info.Mode(), err)
		}
	}
}

// TestPrune protects the room that tables take: the one used longest ago goes.
func TestPrune(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"b.sqlite", "a.sqlite", "c.sqlite", "other"} {
		f := writeFile(t, dir, name, strings.Repeat("x", 99))
		at := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(f.Path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	prune(dir, 200)
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 3 || strings.HasSuffix(left[1], "b.sqlite") {
		t.Errorf("want a, c and the other, have %v, %v", left, err)
	}
}

// TestChanged protects that a file which changes under the viewer is told and not misread, and indexed anew when asked.
func TestChanged(t *testing.T) {
	first, second := `{"text":"first"}`, `{"text":"second"}`
	for _, tc := range []struct {
		why, changed   string
		change         func(t *testing.T, path string)
		reads1, reads2 bool  // rows can still be read
		after          int64 // rows when it is indexed anew
	}{
		{"nothing", "", func(*testing.T, string) {}, true, true, 2},
		{"it has grown", "grown", func(t *testing.T, path string) {
			replace(t, path, func(b []byte) []byte { return append(b, "{}\n"...) })
		}, true, true, 3},
		{"a row is another", "changed", func(t *testing.T, path string) {
			replace(t, path, func(b []byte) []byte { return bytes.Replace(b, []byte("second"), []byte("SECOND"), 1) })
			later(t, path)
		}, true, false, 2},
		{"it is shorter", "changed", func(t *testing.T, path string) {
			replace(t, path, func(b []byte) []byte { return b[:len(first)+4] })
		}, true, false, 2},
		{"rows have moved", "grown", func(t *testing.T, path string) {
			replace(t, path, func(b []byte) []byte { return append([]byte("{}\n"), b...) })
		}, false, false, 3},
		{"it is gone", "missing", func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}, false, false, 0},
	} {
		t.Run(tc.why, func(t *testing.T) {
			f := writeFile(t, t.TempDir(), "a.jsonl", first, second)
			x := open(t, t.TempDir(), f)
			tc.change(t, f.Path)
			if s := x.States()[0]; s.Changed != tc.changed {
				t.Errorf("want it told %q, have %q", tc.changed, s.Changed)
			}
			for row, reads := range []bool{tc.reads1, tc.reads2} {
				data, err := x.Read(t.Context(), ID{Row: uint32(row)})
				if (err == nil) != reads || reads && string(data) != []string{first, second}[row] || !reads && len(data) > 0 {
					t.Errorf("row %d: want it read: %t, have %q, %v", row, reads, data, err)
				}
				if !reads && tc.changed != "missing" && !errors.Is(err, ErrChanged) {
					t.Errorf("want %v, have %v", ErrChanged, err)
				}
			}
			if found, err := x.FindAll(t.Context(), Query{Text: "S"}); err != nil || !tc.reads1 && !tc.reads2 && found.Lost != 2 {
				t.Errorf("want 2 rows that cannot be read told, have %+v, %v", found.Progress, err)
			}
			x.mu.Lock()
			x.renew()
			x.mu.Unlock()
			if err := x.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			s := x.States()[0]
			if s.Rows != tc.after || s.Changed != "" || (s.Err != nil) != (tc.changed == "missing") {
				t.Errorf("want %d rows, have %+v", tc.after, s)
			}
		})
	}
}

// rename changes a database, as nobody does, and gives it the name that it then has.
func rename(t *testing.T, path, change string) {
	t.Helper()
	s, err := openStore(path, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Exec(change)
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	sum, err := fileSum(path)
	if err == nil {
		err = os.Rename(path, path[:strings.LastIndexByte(path, '-')+1]+sum+cacheEnding)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// replace changes a file in place.
func replace(t *testing.T, path string, by func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, by(data), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// later makes a file younger, which a clock of low resolution need not have done.
func later(t *testing.T, path string) {
	t.Helper()
	at := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}
