package output

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTimeline holds that the timeline gets its name together with the receipt, replaces an old one, which goes also when
// nobody wrote a new one, and is gone when the run fails.
func TestTimeline(t *testing.T) {
	for _, c := range []struct {
		reason          string
		written, commit bool
		want            string // in its place
	}{
		{"a run that went well", true, true, "new"},
		{"a run that noted nothing", false, true, ""},
		{"a run that failed", true, false, "old"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			const path = "out/.sluice/r.json.timeline.jsonl"
			inFolder(t, map[string]string{path: "old"}, nil)
			s := newSet(t)
			receipt := addReceipt(t, s, "out/r.json")
			timeline := s.Timeline(Claim{What: "timeline", Path: "out/r.json"})
			prepare(t, s)
			if c.written {
				must(t, timeline.Write([]byte("new")))
			}
			finish(t, s)
			must(t, receipt.Write([]byte("{}")))
			want := map[string]string{path: c.want}
			if c.want == "" {
				want = map[string]string{}
			}
			if c.commit {
				must(t, s.Commit())
				want["out/r.json"] = "{}"
			}
			must(t, s.Abort())
			wantTree(t, want)
		})
	}
}

// TestTimelineClaim holds that a timeline gives way to an input and to a folder, and that there is none where it has no place; nothing
// of that is a conflict, since a run goes well without.
func TestTimelineClaim(t *testing.T) {
	inFolder(t, map[string]string{"out/.sluice/folder.json.timeline.jsonl/x": ""}, nil)
	s := newSet(t)
	must(t, s.Reads(Claim{What: "input", Path: "out/.sluice/receipt.json.timeline.jsonl"}))
	addReceipt(t, s, "out/receipt.json")
	claimTimeline(t, s, "out/receipt.json", "")
	claimTimeline(t, s, "out/folder.json", "")
	claimTimeline(t, s, "out/receipt", "out/.sluice/receipt.timeline.jsonl")
	if have := s.Conflicts(); len(have) != 0 {
		t.Errorf("want no conflict, have %v", have)
	}
	for _, path := range []string{os.DevNull, strings.Repeat("x", 250)} {
		s := newSet(t)
		addReceipt(t, s, path)
		claimTimeline(t, s, path, "")
	}
	claimTimeline(t, newSet(t), "no-receipt.json", "")
	moved := New(Options{Run: testRun, Root: "root"})
	addReceipt(t, moved, "/x/receipt")
	claimTimeline(t, moved, "/x/receipt", "root/files/x/.sluice/receipt.timeline.jsonl")
}

// claimTimeline claims the timeline of a receipt and wants it at a path, "" when there is to be none.
func claimTimeline(t *testing.T, s *Set, receipt, want string) {
	t.Helper()
	r := s.Timeline(Claim{What: "timeline", Path: receipt})
	have := ""
	if r != nil {
		have = r.Path()
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("%.20s: %s", receipt, diff)
	}
}
