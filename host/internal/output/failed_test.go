package output

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// failedRun is a run with rejects and a report that ends before Finish.
func failedRun(t *testing.T, rejects, report string) *Set {
	t.Helper()
	s := newSet(t)
	addSink(t, s, "sink a", "out/a.jsonl")
	dead, err := s.Sink("jsonl", Claim{What: "sink rejects", Path: "out/rejects.jsonl", KeepFailed: true})
	must(t, err)
	ranks := addReport(t, s, "report", "out/ranks.json")
	addReceipt(t, s, "out/receipt.json")
	prepare(t, s)
	must(t, s.sinks[0].Write(records("1")))
	if rejects != "" {
		must(t, dead.Write(records(rejects)))
	}
	if report != "" {
		must(t, ranks.Write([]byte(report)))
	}
	return s
}

// A failed run keeps what tells why, under a name that no one takes for the result; a run that succeeds clears it away.
func TestSalvage(t *testing.T) {
	inFolder(t, map[string]string{"out/rejects.failed.jsonl": "older\n", "out/rejects.jsonl": "of a good run\n"}, nil)
	s := failedRun(t, "bad", "ranks")
	kept, err := s.KeepFailed()
	must(t, err)
	if diff := cmp.Diff([]string{"out/rejects.failed.jsonl", "out/ranks.failed.json"}, pathsOf(kept)); diff != "" {
		t.Error(diff)
	}
	must(t, s.Abort())
	after := map[string]string{"out/rejects.failed.jsonl": "bad\n", "out/ranks.failed.json": "ranks", "out/rejects.jsonl": "of a good run\n"}
	wantTree(t, after)

	s = failedRun(t, "", "")
	kept, err = s.KeepFailed()
	if err != nil || kept != nil {
		t.Errorf("have %q, %v of a run without rejects and report", pathsOf(kept), err)
	}
	must(t, s.Abort())
	wantTree(t, after)

	s = failedRun(t, "", "good")
	finish(t, s)
	must(t, (&Report{s, s.receipt}).Write([]byte("receipt")))
	must(t, s.Commit())
	wantTree(t, map[string]string{"out/a.jsonl": "1\n", "out/rejects.jsonl": "", "out/ranks.json": "good", "out/receipt.json": "receipt"})
}

func pathsOf(files []File) (paths []string) {
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	return paths
}

// Also what was finished already can be kept, and what went through a link lies beside its target.
func TestSalvageAfterFinish(t *testing.T) {
	inFolder(t, map[string]string{"disk/x": ""}, map[string]string{"rejects.jsonl.gz": "disk/r.jsonl.gz"})
	s := newSet(t)
	dead, err := s.Sink("jsonl", Claim{What: "sink rejects", Path: "rejects.jsonl.gz", KeepFailed: true})
	must(t, err)
	prepare(t, s)
	must(t, dead.Write(records("bad")))
	finish(t, s)
	kept, err := s.KeepFailed()
	must(t, err)
	if len(kept) != 1 || !strings.HasSuffix(kept[0].Path, "/disk/r.failed.jsonl.gz") {
		t.Fatalf("have %q", pathsOf(kept))
	}
	if have := unzip(t, kept[0].Path); have != "bad\n" {
		t.Errorf("have %q", have)
	}
}

func TestFailedName(t *testing.T) {
	for path, want := range map[string]string{
		"rejects.jsonl":        "rejects.failed.jsonl",
		"out.d/rejects":        "out.d/rejects.failed",
		"a/rejects.v2.jsonl":   "a/rejects.v2.failed.jsonl",
		"a/rejects.jsonl.gz":   "a/rejects.failed.jsonl.gz",
		"rejects.zst":          "rejects.failed.zst",
		"out/.hidden":          "out/.hidden.failed",
		"out/.hidden.jsonl.gz": "out/.hidden.failed.jsonl.gz",
	} {
		if have := FailedPath(path); have != want {
			t.Errorf("%s: have %s, want %s", path, have, want)
		}
	}
}

// What a failed run says about itself has a place of its own: it takes nobody else's, the next run removes it when its records flow, and so
// does the commit of one that succeeds.
func TestWriteFailed(t *testing.T) {
	inFolder(t, map[string]string{"out/report.failed.html": "somebody's"}, nil)
	claims := func() (s *Set, receipt, page *Report) {
		s = newSet(t)
		addSink(t, s, "sink a", "out/a.jsonl")
		receipt, err := s.Receipt(Claim{What: "the receipt", Path: "out/receipt.json", Failed: true})
		must(t, err)
		page, err = s.Optional(Claim{What: "the page", Path: "out/report.html", Mark: "<page>", Failed: true})
		must(t, err)
		prepare(t, s)
		return s, receipt, page
	}
	s, receipt, page := claims()
	path, err := receipt.WriteFailed(t.Context(), []byte(receiptMark+"it failed"))
	if err != nil || path != "out/receipt.failed.json" {
		t.Errorf("have %s (%v)", path, err)
	}
	if path, err := page.WriteFailed(t.Context(), []byte("<page>")); err == nil || path != "" {
		t.Errorf("want the file of somebody else left alone, have %s (%v)", path, err)
	}
	must(t, s.Abort())
	after := map[string]string{"out/receipt.failed.json": receiptMark + "it failed", "out/report.failed.html": "somebody's"}
	wantTree(t, after)

	s, _, _ = claims()
	must(t, s.Abort()) // it could not begin
	wantTree(t, after)

	s, receipt, _ = claims()
	must(t, s.RemoveFailed())
	_, err = receipt.WriteFailed(t.Context(), []byte(receiptMark+"again"))
	must(t, err)
	must(t, s.Remove())
	must(t, s.Abort())
	after["out/receipt.failed.json"] = receiptMark + "again"
	wantTree(t, after)

	s, receipt, _ = claims()
	finish(t, s)
	must(t, receipt.Write([]byte("receipt")))
	must(t, s.Commit())
	wantTree(t, map[string]string{"out/a.jsonl": "", "out/receipt.json": "receipt", "out/report.failed.html": "somebody's"})

	const own = `{"mine":1}`
	must(t, os.WriteFile("out/receipt.failed.json", []byte(own), 0o600))
	s, receipt, _ = claims()
	must(t, s.RemoveFailed())
	if path, err := receipt.WriteFailed(t.Context(), []byte(receiptMark+"it failed")); err == nil || path != "" {
		t.Errorf("want the file of somebody else left alone, have %s (%v)", path, err)
	}
	must(t, s.Abort())
	wantTree(t, map[string]string{"out/a.jsonl": "", "out/receipt.json": "receipt", "out/receipt.failed.json": own, "out/report.failed.html": "somebody's"})
}

// A sink that has the name keeps it.
func TestWriteFailedWhereASinkIs(t *testing.T) {
	inFolder(t, nil, nil)
	s := newSet(t)
	addSink(t, s, "sink a", "out/receipt.failed.json")
	receipt, err := s.Receipt(Claim{What: "the receipt", Path: "out/receipt.json", Failed: true})
	must(t, err)
	prepare(t, s)
	if path, err := receipt.WriteFailed(t.Context(), []byte(receiptMark+"it failed")); err != nil || path != "" {
		t.Errorf("want no place for it, have %s (%v)", path, err)
	}
	must(t, s.Abort())
	wantTree(t, map[string]string{})
}

// FinishedPath is the way back.
func TestFinishedPath(t *testing.T) {
	for _, path := range []string{"receipt.json", "out.d/acct", "a/receipt-00001-of-00002.json", "rejects.jsonl.gz"} {
		if have, ok := FinishedPath(FailedPath(path)); !ok || have != path {
			t.Errorf("%s: have %s, %v", path, have, ok)
		}
		if have, ok := FinishedPath(path); ok || have != path {
			t.Errorf("%s: want no name of a failed run, have %s, %v", path, have, ok)
		}
	}
}

// TestFailedThatStays holds that a commit is completed where what the failed run has said of itself cannot be removed, and that this is said.
func TestFailedThatStays(t *testing.T) {
	inFolder(t, nil, nil)
	broken := errors.New("broken")
	s := finishedRun(t, testRun, func(op, name string) error {
		if op == "rename" && filepath.Base(name) == "a.jsonl" {
			return broken
		}
		return nil
	})
	if err := s.Commit(); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	_, err := (&Report{set: s, claim: s.receipt}).WriteFailed(t.Context(), []byte(receiptMark+"it failed"))
	must(t, err)
	must(t, s.Abort())

	next := claimedAgain(t)
	next.disk = watched(func(op, name string) error {
		if op == "remove" && filepath.Base(name) == "receipt.failed.json" {
			return broken
		}
		return nil
	})
	i, err := next.Interrupted()
	must(t, err)
	must(t, next.Complete(t.Context(), i))
	if err := next.StateLeft(); !errors.Is(err, broken) || !strings.Contains(err.Error(), "out/receipt.failed.json") {
		t.Errorf("want it said that the receipt of the failed run is left, have %v", err)
	}
	must(t, next.Abort())
	after := maps.Clone(newRun)
	after["out/receipt.failed.json"] = receiptMark + "it failed"
	wantTree(t, after)
}
