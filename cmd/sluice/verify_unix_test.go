//go:build unix

package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/conformance"
)

// TestVerifyFails holds that every check of sluice plugin verify fails on a plugin that is wrong in what it is about, so that
// none of them can pass everything.
func TestVerifyFails(t *testing.T) {
	t.Parallel()
	wrong := []struct{ check, plugin, mode string }{
		{"by hand", "tame", ""},
		{"handshake", "prints", ""},
		{"version range", "newest", ""},
		{"unknown version", "newest", ""},
		{"host death", "undead", ""},
		{"description", "misnamed", ""},
		{"unknown attribute", "faulty", ""},
		{"missing attribute", "careless", ""},
		{"wrong attribute", "careless", ""},
		{"no records", "faulty", "close-error"},
		{"rows", "faulty", "verdicts-fewer"},
		{"again", "sloppy", "chance"},
		{"one by one", "faulty", "alone"},
		{"messages", "faulty", "inline-otherwise"},
		{"workers", "sloppy", "worker"},
		{"kept views", "sloppy", "keep"},
		{"state", "forgetful", ""},
		{"slow host", "faulty", "need-large"},
		{"huge batch", "sloppy", "tires"},
		{"large record", "sloppy", "small"},
		{"large record in messages", "sloppy", "small"},
		{"odd records", "sloppy", "simple"},
		{"odd records in messages", "sloppy", "simple"},
		{"untouched bytes", "sloppy", "respells"},
		{"declared", "faulty", "side-unknown"},
		{"stdout", "sloppy", "chatty"},
		{"ending", "sulks", ""},
	}
	var names []string
	for _, w := range wrong {
		names = append(names, w.check)
		t.Run(w.check, func(t *testing.T) {
			t.Parallel()
			only := []string{w.check}
			if slices.Contains([]string{"declared", "stdout", "ending"}, w.check) {
				only = append(only, "rows") // what they judge
			}
			args := "{}"
			if w.mode != "" {
				args = fmt.Sprintf(`{"mode":%q}`, w.mode)
			}
			results := verified(t, w.plugin, args, only)
			last := results[len(results)-1]
			if last.Check != w.check || last.Outcome != conformance.Failed || last.Why == "" {
				t.Errorf("want check %s failed with a reason, have %+v", w.check, last)
			}
		})
	}
	if all := conformance.Checks(); !slices.Equal(names, all) {
		t.Errorf("want a wrong plugin for each of the checks %q, have %q", all, names)
	}
}

// TestVerifyLabelValues holds that plugin verify reports a value of a label that the plugin has not declared.
func TestVerifyLabelValues(t *testing.T) {
	results := verified(t, "faulty", `{"mode":"label-value"}`, []string{"rows", "declared"})
	last, want := results[len(results)-1], `want it to declare value "brass" of label "tier", which it set`
	if last.Outcome != conformance.Failed || last.Why != want {
		t.Errorf("want %q, have %+v", want, last)
	}
}

// TestVerifySpellings holds that a spelling which a plugin cannot read hides nothing that it does to others.
func TestVerifySpellings(t *testing.T) {
	r := verified(t, "sloppy", `{"mode":"respells-or-rejects"}`, []string{"untouched bytes"})[0]
	if want := `with "sluice_verify": 1.0: want the member kept as it was written, have 1`; r.Outcome != conformance.Failed || !strings.Contains(r.Why, want) {
		t.Errorf("want it failed: %s, have %s: %s", want, r.Outcome, r.Why)
	}
}

// TestVerifyPasses holds that a plugin that does nothing wrong passes all checks, but for those that do not apply to it.
func TestVerifyPasses(t *testing.T) {
	t.Parallel()
	not := map[string]string{"missing attribute": "it declares no attribute that is required"}
	for _, r := range verified(t, "sloppy", "{}", nil) {
		want := conformance.Passed
		if not[r.Check] != "" {
			want = conformance.NotApplicable
		}
		if r.Outcome != want || r.Why != not[r.Check] {
			t.Errorf("want check %s %s %s, have it %s: %s", r.Check, want, not[r.Check], r.Outcome, r.Why)
		}
	}
}

// TestVerifyState holds what the state is of plugins that save it, that keep none, and that keep one without a word.
func TestVerifyState(t *testing.T) {
	for _, tt := range []struct{ plugin, args, want, why string }{
		{"sloppy", "{}", conformance.Passed, ""},
		{"sloppy", `{"mode":"counts"}`, conformance.Failed, "record 26, in a process that began with record 26: want the same answer as before"},
		{"unsaved", "{}", conformance.NotApplicable, "it saves no state"},
	} {
		r := verified(t, tt.plugin, tt.args, []string{"state"})[0]
		if r.Outcome != tt.want || !strings.HasPrefix(r.Why, tt.why) {
			t.Errorf("%s: want it %s: %s, have %s: %s", tt.plugin, tt.want, tt.why, r.Outcome, r.Why)
		}
	}
}

func verified(t *testing.T, plugin, args string, only []string) []conformance.Result {
	t.Helper()
	path, err := exec.LookPath("sluice-plugin-" + plugin)
	if err != nil {
		t.Fatal(err)
	}
	const patience = 24 * time.Hour // so that a busy machine leaves no check out, as for a plugin that is slow
	v := conformance.Target{Path: path, Args: []byte(args), Timeout: patience, Only: only}
	results, err := conformance.Run(t.Context(), v, host.Options{}, func(conformance.Result) {})
	if err != nil {
		t.Fatal(err)
	}
	return results
}
