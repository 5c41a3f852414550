//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/conformance"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

func init() {
	testPlugins["careless"] = serving(careless)
	testPlugins["sloppy"] = serving(sloppy)
	testPlugins["forgetful"] = serving(forgetful)
	testPlugins["unsaved"] = serving(unsaved)
	testPlugins["misnamed"] = serving(upper)
	testPlugins["tame"] = func() {
		if os.Getenv(rpc.Handshake.MagicCookieKey) == "" {
			os.Exit(0)
		}
		sdk.Main(named(upper, "tame"))
	}
	testPlugins["newest"] = func() {
		offered := strings.Split(os.Getenv("PLUGIN_PROTOCOL_VERSIONS"), ",")
		fmt.Printf("1|%s|tcp|127.0.0.1:1|grpc|\n", offered[len(offered)-1])
		_, _ = os.NewFile(3, "alive").Read(make([]byte, 1))
	}
	testPlugins["undead"] = func() {
		os.Unsetenv(rpc.AliveEnv)
		sdk.Main(named(upper, "undead"))
	}
	testPlugins["sulks"] = func() {
		rpc.Serve(sdk.Host(named(upper, "sulks")))
		os.Exit(3)
	}
}

// careless declares an attribute that has to be there, and looks at none.
var careless = sdk.Plugin{
	Name: "careless",
	Doc:  "takes whatever it is given",
	Args: struct {
		Limit int `hcl:"limit" doc:"of what nobody counts"`
	}{},
	New: func(sdk.Args) (sdk.Processor, error) { return sdk.Map(func(*sdk.Record) error { return nil }), nil },
}

// forgetful counts records, and saves no state that it could go on from.
var forgetful = sdk.Plugin{
	Name: "forgetful", Doc: "counts records and forgets how many there were", Ordered: true,
	New: func(sdk.Args) (sdk.Processor, error) { return &forgetting{}, nil },
}

// unsaved keeps a state and cannot save it.
var unsaved = sdk.Plugin{
	Name: "unsaved", Doc: "keeps what it cannot save", Ordered: true,
	New: func(sdk.Args) (sdk.Processor, error) { return sdk.Map(func(*sdk.Record) error { return nil }), nil },
}

type forgetting struct{ n int }

func (f *forgetting) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	f.n++
	err := r.Set("n", f.n)
	emit(r)
	return err
}

func (f *forgetting) Save(io.Writer) error { return nil }

func (f *forgetting) Restore(io.Reader) error { return nil }

// sloppy does in each of its modes one thing that no plugin should.
var sloppy = sdk.Plugin{
	Name: "sloppy",
	Doc:  "does what no plugin should",
	Args: struct {
		Mode string `hcl:"mode,optional" doc:"what it does"`
	}{},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg struct {
			Mode string `hcl:"mode,optional"`
		}
		s := &slop{worker: a.Worker}
		err := a.Decode(&cfg)
		s.mode = cfg.Mode
		return sdk.Map(s.process), err
	},
}

type slop struct {
	mode    string
	worker  int
	records int
	kept    []byte
}

func (s *slop) process(r *sdk.Record) error {
	s.records++
	row := r.JSON()
	switch s.mode {
	case "chance":
		return r.SetRaw("luck", fmt.Appendf(nil, "%d", rand.Int()))
	case "worker":
		return r.SetRaw("worker", fmt.Appendf(nil, "%d", s.worker))
	case "counts":
		return r.Set("n", s.records)
	case "keep":
		before := fmt.Sprintf("%x", s.kept)
		s.kept = row
		return r.Set("before", before)
	case "tires":
		if s.records > 60_000 {
			panic("that was enough")
		}
	case "small":
		if len(row) > 1<<20 {
			panic("too much at once")
		}
	case "simple":
		if row[0] != '{' {
			panic("want an object")
		}
	case "respells", "respells-or-rejects":
		var members map[string]json.RawMessage
		if err := json.Unmarshal(row, &members); err != nil {
			return err
		}
		for name, raw := range members {
			var v any
			if err := json.Unmarshal(raw, &v); err != nil && s.mode == "respells-or-rejects" {
				return err
			} else if err != nil {
				continue
			}
			text, err := json.Marshal(v)
			if err == nil {
				err = r.SetRaw(name, text)
			}
			if err != nil {
				return err
			}
		}
	case "chatty":
		_, err := syscall.Write(1, []byte("another record!\n")) // where fmt does not lead in a plugin
		return err
	}
	return nil
}

// TestVerifyFails holds that every check of sluice plugin verify fails on a plugin that is wrong in what it is about, so that
// none of them can pass everything.
func TestVerifyFails(t *testing.T) {
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
