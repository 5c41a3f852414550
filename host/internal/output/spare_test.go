package output

import "testing"

// A spare file gets its name with the others when it was written, and is left out when it was not; what was there before is about
// another run and goes in either case.
func TestSpare(t *testing.T) {
	for _, tt := range []struct {
		reason string
		text   string
		want   map[string]string
	}{
		{"written", "new\n", map[string]string{"out/a.jsonl": "", "out/page.html": "new\n"}},
		{"not written", "", map[string]string{"out/a.jsonl": ""}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			inFolder(t, map[string]string{"out/page.html": "old\n"}, nil)
			s := newSet(t)
			addSink(t, s, "sink a", "out/a.jsonl")
			r, err := s.Spare(Claim{What: "the page", Path: "out/page.html"})
			must(t, err)
			prepare(t, s)
			finish(t, s)
			if tt.text != "" {
				must(t, r.Write([]byte(tt.text)))
			}
			must(t, s.Commit())
			wantTree(t, tt.want)
		})
	}
}

// A spare file gives way to whoever has its path, and leaves no conflict behind.
func TestSpareGivesWay(t *testing.T) {
	inFolder(t, map[string]string{"in.jsonl": "", "dir/x": ""}, nil)
	s := newSet(t)
	addSink(t, s, "sink a", "out/page.html")
	must(t, s.Reads(Claim{What: "source b", Path: "in.jsonl"}))
	for path, want := range map[string]string{
		"out/page.html": `want a path of its own, have "out/page.html", which sink a writes`,
		"in.jsonl":      `want a path of its own, have "in.jsonl", which source b reads`,
		"dir":           `want a file to write, have the folder "dir"`,
	} {
		if _, err := s.Spare(Claim{What: "the page", Path: path}); err == nil || err.Error() != want {
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
	inFolder(t, map[string]string{"page": "mark\nold", "mine": "Dear diary", "short": "ma", "empty": "", "dir/x": ""}, nil)
	for path, may := range map[string]bool{"page": true, "empty": true, "none": true, "mine": false, "short": false, "dir": false} {
		if err := MayReplace(path, "mark\n"); (err == nil) != may {
			t.Errorf("%s: want that it may be replaced %v, have %v", path, may, err)
		}
	}
}
