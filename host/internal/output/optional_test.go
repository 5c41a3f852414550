package output

import (
	"os"
	"testing"
)

// An optional file gets its name with the others when it was written, and is left out when it was not. What an earlier run has left goes in
// either case, and what is another's only where the new one takes its place.
func TestOptional(t *testing.T) {
	for _, tt := range []struct {
		reason, old, text string
		missed            string
		want              map[string]string
	}{
		{"written", "mark old\n", "mark new\n", "", map[string]string{"out/a.jsonl": "", "out/page.html": "mark new\n"}},
		{"not written", "mark old\n", "", "it was not written", map[string]string{"out/a.jsonl": ""}},
		{"another's, not written", "mine\n", "", "it was not written", map[string]string{"out/a.jsonl": "", "out/page.html": "mine\n"}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			inFolder(t, map[string]string{"out/page.html": tt.old}, nil)
			s := newSet(t)
			addSink(t, s, "sink a", "out/a.jsonl")
			r, err := s.Optional(Claim{What: "the page", Path: "out/page.html", Mark: "mark "})
			must(t, err)
			prepare(t, s)
			finish(t, s)
			if tt.text != "" {
				must(t, r.Write([]byte(tt.text)))
			}
			must(t, s.Commit())
			if err := r.Failure(); tt.missed == "" != (err == nil) || err != nil && err.Error() != tt.missed {
				t.Errorf("want it missed for %q, have %v", tt.missed, err)
			}
			wantTree(t, tt.want)
		})
	}
}

// An optional file that cannot be written at all, or that a folder takes the place of while the run goes on, is told and keeps nobody.
func TestOptionalWithoutPlace(t *testing.T) {
	inFolder(t, nil, nil)
	s := newSet(t)
	addSink(t, s, "sink a", "out/a.jsonl")
	nowhere, err := s.Optional(Claim{What: "the page", Path: "/proc/nope/page.html"})
	must(t, err)
	late, err := s.Optional(Claim{What: "the page", Path: "out/page.html"})
	must(t, err)
	prepare(t, s)
	finish(t, s)
	if err := nowhere.Write([]byte("x")); err == nil {
		t.Error("want the page refused, have it written")
	}
	must(t, late.Write([]byte("x")))
	must(t, os.MkdirAll("out/page.html/x", 0o777))
	must(t, s.Commit())
	if nowhere.Failure() == nil || late.Failure() == nil {
		t.Errorf("want both missed, have %v and %v", nowhere.Failure(), late.Failure())
	}
	wantTree(t, map[string]string{"out/a.jsonl": "", "out/page.html/x": "empty folder"})
}

// Stale files go with the commit if they are of sluice and nobody's.
func TestStale(t *testing.T) {
	inFolder(t, map[string]string{"old": "mark 1", "mine": "mine", "read": "mark 2"}, nil)
	s := newSet(t)
	addSink(t, s, "sink a", "a.jsonl")
	must(t, s.Reads(Claim{What: "source b", Path: "read"}))
	for _, path := range []string{"old", "mine", "read", "none"} {
		s.MarkStale(path, "mark ")
	}
	prepare(t, s)
	finish(t, s)
	must(t, s.Commit())
	wantTree(t, map[string]string{"a.jsonl": "", "mine": "mine", "read": "mark 2"})
}

// An optional file makes way for any claim on its path, and leaves no conflict behind.
func TestOptionalMakesWay(t *testing.T) {
	inFolder(t, map[string]string{"in.jsonl": "", "dir/x": ""}, nil)
	s := newSet(t)
	addSink(t, s, "sink a", "out/page.html")
	must(t, s.Reads(Claim{What: "source b", Path: "in.jsonl"}))
	for path, want := range map[string]string{
		"out/page.html": `want a path of its own, have "out/page.html", which sink a writes`,
		"in.jsonl":      `want a path of its own, have "in.jsonl", which source b reads`,
		"dir":           `want a file to write, have the folder "dir"`,
	} {
		if _, err := s.Optional(Claim{What: "the page", Path: path}); err == nil || err.Error() != want {
			t.Errorf("want %s, have %v", want, err)
		}
	}
	if c := s.Conflicts(); len(c) > 0 {
		t.Errorf("want no conflict, have %v", c)
	}
	must(t, s.Abort())
}

// Only a page of sluice is replaced by one.
func TestMayReplace(t *testing.T) {
	inFolder(t, map[string]string{
		"page": "mark\nold", "mine": "Dear diary", "cut": "ma", "zeros": "\x00\x00\x00\x00\x00\x00", "cut, zeros": "ma\x00\x00", "ends": "mask", "empty": "", "dir/x": "",
	}, nil)
	for path, may := range map[string]bool{
		"page": true, "empty": true, "none": true, "cut": true, "zeros": true, "cut, zeros": true, "mine": false, "ends": false, "dir": false,
	} {
		if err := MayReplace(path, "mark\n"); (err == nil) != may {
			t.Errorf("%s: want that it may be replaced %v, have %v", path, may, err)
		}
	}
}
