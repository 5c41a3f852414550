package output

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A commit whose staged file somebody has removed names that file as lost. Nothing can complete it, so it promises nothing and keeps nothing;
// it changes nothing either when it finds the loss before it begins.
func TestCommitLosesFile(t *testing.T) {
	for _, tt := range []struct {
		reason  string
		removed string // under its hidden name
		behind  string // the file that got its name before; "": before the commit
		given   []string
		left    []string
	}{
		{"before the commit", "a.jsonl", "", nil, order[1:]},
		{"the receipt before the commit", "receipt.json", "", nil, order[:4]},
		{"amid the commit", "train.jsonl", "a.jsonl", order[:2], order[3:]},
		{"the receipt amid the commit", "receipt.json", "ranks.json", order[:4], nil},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			inFolder(t, oldRun, nil)
			lose := func() {
				names, err := filepath.Glob("out/." + tt.removed + ".*")
				must(t, err)
				must(t, os.Remove(names[0]))
			}
			s := finishedRun(t, testRun, func(op, name string) error {
				if op == "rename" && filepath.Base(name) == tt.behind {
					lose()
				}
				return nil
			})
			if tt.behind == "" {
				lose()
			}
			have, committing := errors.AsType[*CommitError](s.Commit())
			if !committing {
				t.Fatal("want an error of the commit")
			}
			if _, lost := errors.AsType[*LostError](have); !lost || !strings.HasSuffix(have.Error(), "; lost: out/"+tt.removed+"; run anew, without --resume)") {
				t.Errorf("have %v", have)
			}
			want := &CommitError{Err: have.Err, Given: tt.given, Left: tt.left, Lost: []string{"out/" + tt.removed}}
			if !slices.Equal(have.Given, want.Given) || !slices.Equal(have.Left, want.Left) || !slices.Equal(have.Lost, want.Lost) || have.Resumable {
				t.Errorf("want %+v, have %+v", want, have)
			}
			must(t, s.Abort())
			if complete(t) {
				t.Error("want nothing to go on with, have a commit")
			}
			if tt.behind == "" {
				wantTree(t, oldRun)
			}
		})
	}
}

// A list that a run has left, and of which somebody has removed a file since, is not completed.
func TestCompleteLosesFile(t *testing.T) {
	inFolder(t, oldRun, nil)
	killedAt(t, 12, func(string, string) {})
	names, err := filepath.Glob("out/.receipt.json.*")
	must(t, err)
	must(t, os.Remove(names[0]))
	s := claimedAgain(t)
	i, err := s.Interrupted()
	must(t, err)
	err = s.Complete(t.Context(), i)
	if _, lost := errors.AsType[*LostError](err); !lost || !strings.HasSuffix(err.Error(), ", nor one in its place; run without --resume") {
		t.Errorf("have %v", err)
	}
	must(t, s.Abort())
}

// What gets a name is what was compared with the records, not whatever lies under the hidden name by then.
func TestCommitFindsChange(t *testing.T) {
	for _, tt := range []struct {
		reason string
		change func(t *testing.T, hidden string, text []byte)
		lost   bool
	}{
		{"a file of somebody else", func(t *testing.T, hidden string, _ []byte) {
			must(t, os.Rename(hidden, "aside"))
			must(t, os.WriteFile(hidden, []byte("{\"foreign\":1}\n"), 0o600))
		}, true},
		{"a file of somebody else with as many bytes", func(t *testing.T, hidden string, text []byte) {
			must(t, os.Rename(hidden, "aside"))
			must(t, os.WriteFile(hidden, make([]byte, len(text)), 0o600))
		}, true},
		{"cut", func(t *testing.T, hidden string, _ []byte) { must(t, os.Truncate(hidden, 1)) }, true},
		{"overwritten", func(t *testing.T, hidden string, text []byte) {
			must(t, os.WriteFile(hidden, make([]byte, len(text)), 0o600))
			must(t, os.Chtimes(hidden, time.Time{}, time.Unix(1, 0))) // clocks of file systems are coarse
		}, true},
		{"a copy", func(t *testing.T, hidden string, text []byte) {
			must(t, os.Rename(hidden, "aside"))
			must(t, os.WriteFile(hidden, text, 0o600))
		}, false},
	} {
		inFolder(t, oldRun, nil)
		s := finishedRun(t, testRun, func(string, string) error { return nil })
		hidden := s.Staged()["out/a.jsonl"]
		text, err := os.ReadFile(hidden)
		must(t, err)
		tt.change(t, hidden, text)
		err = s.Commit()
		if loss, lost := errors.AsType[*LostError](err); lost != tt.lost || lost && !loss.Changed {
			t.Errorf("%s: want it lost: %v, have %v", tt.reason, tt.lost, err)
		}
		must(t, s.Abort())
	}
}

// A file that somebody cuts while it is written would have a hole, and the right size in the end.
func TestWriteFindsCut(t *testing.T) {
	inFolder(t, nil, nil)
	s := newSet(t)
	report := addReport(t, s, "ranks", "ranks.json")
	prepare(t, s)
	f := report.claim.file
	for i, want := range []string{"", "ranks.json: want 5 bytes on disk, as they were written, have 0"} {
		_, err := f.Write([]byte("12345"))
		if err != nil && err.Error() != want || err == nil && want != "" {
			t.Errorf("write %d: want %q, have %v", i, want, err)
		}
		must(t, os.Truncate(f.temp, 0))
	}
	must(t, s.Abort())
}
