//go:build unix

package output

import (
	"os"
	"testing"
)

// Where a shell has led standard output to a file, or the messages of the program, no claim gets that file beside it.
func TestStreamsInFiles(t *testing.T) {
	for _, tt := range []struct {
		reason, stdout, messages string
		claim                    func(s *Set) error
		want                     string
	}{
		{"another file", "rows", "log", sinkAt("-", "a.jsonl"), ""},
		{"standard output twice", "rows", "log", sinkAt("-", "-"), `want a path of its own, have "-", which 0 writes`},
		{"a sink on the file of standard output", "a.jsonl", "log", sinkAt("-", "./a.jsonl"), `want a path of its own, have "./a.jsonl", which 0 writes as "-"`},
		{"and the other way", "a.jsonl", "log", sinkAt("a.jsonl", "-"), `want a path of its own, have "-", which 0 writes as "a.jsonl"`},
		{"nobody writes standard output", "a.jsonl", "log", sinkAt("a.jsonl"), ""},
		{"an input on the file of standard output", "a.jsonl", "log", func(s *Set) error {
			return s.Reads(Claim{What: "in", Path: "a.jsonl"})
		}, `want a path of its own, have "-", which in reads as "a.jsonl"`},
		{"a receipt on the file of standard output", "a.json", "log", func(s *Set) error {
			_, err := s.Receipt(Claim{What: "receipt", Path: "a.json"})
			return err
		}, `want a path of its own, have "-", which receipt writes as "a.json"`},
		{"a sink on the file of the messages", "rows", "a.jsonl", sinkAt("a.jsonl"), `want a path of its own, have "a.jsonl", which messages writes`},
		{"rows and messages in one file", "all", "all", sinkAt("-"), ""},
	} {
		inFolder(t, nil, nil)
		out, err := os.Create(tt.stdout)
		must(t, err)
		defer out.Close()
		log, err := os.OpenFile(tt.messages, os.O_CREATE|os.O_WRONLY, 0o600)
		must(t, err)
		defer log.Close()
		s := New(Options{Run: testRun, Stdout: out})
		s.Messages(Claim{What: "messages", Path: "messages"}, log)
		if tt.claim(s); len(s.sinks) == 0 {
			_, err := s.Sink("jsonl", Claim{What: "-", Path: "-"})
			must(t, err)
		}
		have := ""
		for _, c := range s.Conflicts() {
			have = c.Message
		}
		if have != tt.want || len(s.Conflicts()) > 1 {
			t.Errorf("%s: want %q, have %q of %d", tt.reason, tt.want, have, len(s.Conflicts()))
		}
	}
}

// sinkAt claims sinks at paths, called by their places.
func sinkAt(paths ...string) func(s *Set) error {
	return func(s *Set) error {
		for i, path := range paths {
			if _, err := s.Sink("jsonl", Claim{What: string(rune('0' + i)), Path: path}); err != nil {
				return err
			}
		}
		return nil
	}
}

// Standard output has several names, and no file lies beside it or a device.
func TestStreamNames(t *testing.T) {
	inFolder(t, map[string]string{"-/a": "", "stdout": ""}, nil)
	for _, tt := range []struct {
		path           string
		stdout, stream bool
	}{
		{"-", true, true}, {"/dev/stdout", true, true}, {"/dev//stdout", true, true}, {"/dev/fd/../stdout", false, false}, {"/dev/fd/1", true, true},
		{"/dev/stderr", false, true}, {os.DevNull, false, true},
		{"stdout", false, false}, {"./-", false, false}, {"dev/stdout", false, false}, {"/dev/none", false, false}, {"/dev/shm/a.jsonl", false, false},
	} {
		s := New(Options{Run: testRun})
		addReceipt(t, s, "receipt.json")
		if r := s.Timeline(Claim{What: "timeline", Path: tt.path}); tt.stream && r != nil {
			t.Errorf("%s: want no timeline beside it, have %s", tt.path, r.Path())
		}
		if IsStdout(tt.path) != tt.stdout || IsStream(tt.path) != tt.stream {
			t.Errorf("%s: want %v and %v, have %v and %v", tt.path, tt.stdout, tt.stream, IsStdout(tt.path), IsStream(tt.path))
		}
	}
}
