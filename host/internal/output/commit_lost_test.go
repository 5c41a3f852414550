package output

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
