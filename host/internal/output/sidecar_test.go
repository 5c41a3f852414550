package output

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTimeline holds that the timeline gets its name together with the receipt, replaces an old one, and is gone when the run
// fails or nobody wrote it.
func TestTimeline(t *testing.T) {
	for _, c := range []struct {
		reason          string
		written, commit bool
		want            string // in its place
	}{
		{"a run that went well", true, true, "new"},
		{"a run that noted nothing", false, true, "old"},
		{"a run that failed", true, false, "old"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			const path = "out/.sluice/r.timeline.jsonl"
			inFolder(t, map[string]string{path: "old"}, nil)
			s := newSet(t)
			receipt := addReceipt(t, s, "out/r.json")
			timeline, err := s.Timeline(Claim{What: "timeline", Path: "out/r.json"})
			must(t, err)
			prepare(t, s)
			if c.written {
				must(t, timeline.Write([]byte("new")))
			}
			finish(t, s)
			must(t, receipt.Write([]byte("{}")))
			want := map[string]string{path: c.want}
			if c.commit {
				must(t, s.Commit())
				want["out/r.json"] = "{}"
			}
			must(t, s.Abort())
			wantTree(t, want)
		})
	}
}

// TestTimelineClaim holds that nobody else writes where a timeline goes, and that there is none where it has no place.
func TestTimelineClaim(t *testing.T) {
	inFolder(t, nil, nil)
	s := newSet(t)
	addSink(t, s, "a", "out/.sluice/receipt.timeline.jsonl")
	addReceipt(t, s, "out/receipt.json")
	claimTimeline(t, s, "out/receipt.json", "out/.sluice/receipt.timeline.jsonl")
	if have := s.Conflicts(); len(have) != 1 || have[0].Claim.What != "timeline" {
		t.Errorf("want the timeline to be in conflict with the sink, have %v", have)
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
	r, err := s.Timeline(Claim{What: "timeline", Path: receipt})
	must(t, err)
	have := ""
	if r != nil {
		have = r.Path()
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("%.20s: %s", receipt, diff)
	}
}
