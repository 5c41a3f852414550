package source

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An input that changes between being found and being read to its end is told apart from one that did not.
func TestChanged(t *testing.T) {
	text := strings.Repeat("[1,2,3]\n", 100)
	later := time.Now().Add(time.Minute)
	rewrite := func(name, text string) error {
		// The clock of a file system may stand still for some milliseconds, so the time is set by hand.
		return errors.Join(os.WriteFile(name, []byte(text), 0o666), os.Chtimes(name, later, later))
	}
	tests := []struct {
		reason string
		change func(name string) error
		want   bool
	}{
		{"nobody touches it", func(string) error { return nil }, false},
		{"somebody reads it", func(name string) error { _, err := os.ReadFile(name); return err }, false},
		{"it gets a second name", func(name string) error { return os.Link(name, name+"2") }, false},
		{"cut off", func(name string) error { return os.Truncate(name, 400) }, true},
		{"appended to", func(name string) error { return rewrite(name, text+"4\n") }, true},
		{"overwritten with as many bytes", func(name string) error { return rewrite(name, strings.ToUpper(text)) }, true},
		{"replaced by another file of its size and time", func(name string) error {
			info, err := os.Stat(name)
			return errors.Join(err, os.WriteFile(name+"2", []byte(text), 0o666),
				os.Chtimes(name+"2", info.ModTime(), info.ModTime()), os.Rename(name+"2", name))
		}, true},
		{"removed", os.Remove, true},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			name := filepath.Join(write(t, map[string]string{"a": text}), "a")
			s, err := open(t, "jsonl", options(Options{Paths: []string{name}, Batch: 60}))
			if err != nil {
				t.Fatal(err)
			}
			mem := newArena(1 << 10)
			if _, err := next(t, t.Context(), s, mem); err != nil {
				t.Fatal(err)
			}
			if err := tt.change(name); err != nil {
				t.Fatal(err)
			}
			if _, err := drain(t, s, mem); err != nil {
				t.Fatal(err)
			}
			if in := s.Inputs(); len(in) != 1 || in[0].Changed != tt.want {
				t.Errorf("have %+v", in)
			}
		})
	}
}

// A source may stand open for long before it reads: what changes in this time counts as well, for every kind.
func TestChangedBeforeItIsRead(t *testing.T) {
	tests := []struct {
		reason string
		change func(name string) error
	}{
		{"touched", func(name string) error { return os.Chtimes(name, time.Unix(1, 0), time.Unix(1, 0)) }},
		{"replaced", func(name string) error {
			return errors.Join(os.WriteFile(name+"2", []byte("[5]"), 0o666), os.Rename(name+"2", name))
		}},
	}
	for _, kind := range textKinds() {
		for _, tt := range tests {
			name := filepath.Join(write(t, map[string]string{"a": sampleOf(t, kind).text}), "a")
			s, err := open(t, kind, options(Options{Paths: []string{name}}))
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.change(name); err != nil {
				t.Fatal(err)
			}
			if _, err := drain(t, s, newArena(1<<10)); err != nil {
				t.Fatal(err)
			}
			if in := s.Inputs(); len(in) != 1 || !in[0].Changed {
				t.Errorf("%s, %s: have %+v", kind, tt.reason, in)
			}
		}
	}
}

// The file that was found is back at its place in the end, but it is not the one that was read.
func TestChangedForAWhile(t *testing.T) {
	text := strings.Repeat("[1,2,3]\n", 100)
	name := filepath.Join(write(t, map[string]string{"a": text, "other": text}), "a")
	s, err := open(t, "jsonl", options(Options{Paths: []string{name}, Batch: 60}))
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(filepath.Dir(name), "other")
	if err := errors.Join(os.Rename(name, name+"2"), os.Rename(other, name)); err != nil {
		t.Fatal(err)
	}
	mem := newArena(1 << 10)
	if _, err := next(t, t.Context(), s, mem); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+"2", name); err != nil {
		t.Fatal(err)
	}
	if _, err := drain(t, s, mem); err != nil {
		t.Fatal(err)
	}
	if in := s.Inputs(); len(in) != 1 || !in[0].Changed {
		t.Errorf("have %+v", in)
	}
}

// A record that a truncation cut in two is a reject like any other, and the run goes on.
func TestCutRecordIsRejected(t *testing.T) {
	name := filepath.Join(write(t, map[string]string{"a": strings.Repeat("[1,2,3]\n", 100)}), "a")
	s, err := open(t, "jsonl", options(Options{Paths: []string{name}, Batch: 60}))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, 19); err != nil {
		t.Fatal(err)
	}
	rows, err := drain(t, s, newArena(1<<10))
	want := "a:3 [1, invalid_json want a value, have the end at byte 3"
	if err != nil || len(rows) != 3 || rows[2] != want {
		t.Errorf("have %q, %v", rows, err)
	}
}

// Packed data that was cut off while it was read fails the run, and the message says what happened.
func TestCutGzipSaysThatItChanged(t *testing.T) {
	for _, kind := range textKinds() {
		name := filepath.Join(write(t, map[string]string{"a.gz": gzipped(strings.Repeat("1 ", 1000))}), "a.gz")
		s, err := open(t, kind, options(Options{Paths: []string{name}}))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, 12); err != nil {
			t.Fatal(err)
		}
		if _, err := drain(t, s, newArena(1<<10)); err == nil || !strings.HasSuffix(err.Error(), "12 bytes: want the rest of the gzip data, have the end of the file; the file changed while it was read") {
			t.Errorf("%s: have %v", kind, err)
		}
	}
}
