package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

// TestChains checks which steps run in one process. Each is written as its name with marks: ">" it follows, "|" it gets
// what the one before declines.
func TestChains(t *testing.T) {
	builtIn := Location{Path: "/bin/sluice", BuiltIn: true}
	kinds := map[string]Step{
		"a": {Location: builtIn}, "b": {Location: builtIn},
		"own":      {Location: builtIn, Request: Request{Alone: true}},
		"ordered":  {Location: builtIn, Info: wire.Info{Ordered: true}},
		"four":     {Location: builtIn, Request: Request{Workers: 4}},
		"rejects":  {Location: builtIn, Request: Request{Restart: true}},
		"env":      {Location: builtIn, Request: Request{Env: []string{"HOME"}}},
		"bad":      {Location: builtIn, problems: []Problem{{Message: "bad"}}},
		"external": {Location: Location{Path: "/bin/sluice-plugin-x"}},
		"pinned":   {Location: Location{Path: "/bin/sluice-plugin-x", pin: "0a"}},
	}
	for _, c := range []struct{ reason, members, want string }{
		{"neighbours of one program", "a >b >a", "a+b+a"},
		{"nothing follows a tee or a route", "a b >a", "a b+a"},
		{"a first joins whole", "a |b |a >b", "a+b+a+b"},
		{"a first behind a step", "a >b |a >b", "a+b+a+b"},
		{"a first of two programs does not join", "a >b |external >b", "a b external b"},
		{"a step of a first set apart takes the first apart", "a >b |own >b", "a b own b"},
		{"a process of its own", "a >own >b >a", "a own b+a"},
		{"state from record to record", "a >ordered >b", "a ordered b"},
		{"another number of workers", "a >four >four >b", "a four+four b"},
		{"another end of a crash", "a >rejects >rejects >b", "a rejects+rejects b"},
		{"other variables of the environment", "a >env >b", "a env b"},
		{"what is wrong starts nothing else", "a >bad >b", "a bad b"},
		{"one external program", "external >external >a", "external+external a"},
		{"another pin may be another file", "external >pinned", "external pinned"},
	} {
		var members []*Step
		for _, word := range strings.Fields(c.members) {
			name := strings.TrimLeft(word, ">|")
			m := kinds[name]
			m.Name, m.Follows, m.Or = name, strings.HasPrefix(word, ">"), strings.HasPrefix(word, "|")
			members = append(members, &m)
		}
		for _, join := range []bool{true, false} {
			var have []string
			for _, chain := range chains(members, join) {
				var names []string
				for _, m := range chain {
					names = append(names, m.Name)
				}
				have = append(have, strings.Join(names, "+"))
			}
			want := c.want
			if !join {
				want = strings.ReplaceAll(want, "+", " ")
			}
			if diff := cmp.Diff(want, strings.Join(have, " ")); diff != "" {
				t.Errorf("%s (join %v):\n%s", c.reason, join, diff)
			}
		}
	}
}

// TestSplit checks that an external program runs its steps in one process where it can, which is known once it runs, and
// that records get through the separate processes otherwise.
func TestSplit(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), Prefix+"several")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec "+own+" "+ServeArg+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	pin := func(name string) Pin { return Pin{Path: path, Name: name} }
	pins := map[string]Pin{"one": pin("mark"), "two": pin("echo"), "kept": pin("steady")}
	for _, c := range []struct {
		reason  string
		plugins []string
		crews   int
	}{
		{"a program of several plugins", []string{"one", "two"}, 1},
		{"one keeps state", []string{"one", "kept", "two"}, 3},
	} {
		var requests []Request
		for i, name := range c.plugins {
			r := Request{Plugin: name, Follows: i > 0}
			if name == "one" {
				r.Args = []byte(`{"key":"k"}`)
			}
			requests = append(requests, r)
		}
		f := start(t, Options{Finder: Finder{Pins: pins}}, requests...)
		if len(f.Chains) != c.crews {
			t.Errorf("%s: want %d crews, have %d", c.reason, c.crews, len(f.Chains))
		}
		in := records(t, f, `{"n":1}`)
		have, err := send(t.Context(), f.Chains[0].Stages()[0], in)
		if err != nil || !strings.Contains(have, `"k":true`) {
			t.Errorf("%s: want the record marked, have %v and %v", c.reason, have, err)
		}
		for i, m := range f.Steps {
			if want := pins[c.plugins[i]].Name; m.Info.Name != want || m.Chain == nil || m.Chain.steps()[m.Index] != m {
				t.Errorf("%s: want member %d to be %s of its crew, have %+v", c.reason, i, want, m.Info)
			}
		}
	}
}

// TestCanChain checks that a program that cannot send the records between its steps runs each step in its own process
// when they are traced.
func TestCanChain(t *testing.T) {
	for _, c := range []struct {
		reason   string
		features []string
		trace    bool
		want     bool
	}{
		{"a program of today", []string{rpc.Memory, rpc.Chain, rpc.Trace}, true, true},
		{"one that tells nothing, and nobody asks", []string{rpc.Memory, rpc.Chain}, false, true},
		{"one that tells nothing, and somebody asks", []string{rpc.Memory, rpc.Chain}, true, false},
		{"one that maps no memory", []string{rpc.Chain, rpc.Trace}, true, false},
		{"one that runs no chains", []string{rpc.Memory, rpc.Trace}, false, false},
	} {
		s := &Chain{Step: &Step{opts: &Options{Trace: c.trace}}}
		if have := s.canChain(&rpc.Description{Features: c.features}); have != c.want {
			t.Errorf("%s: want %v, have %v", c.reason, c.want, have)
		}
	}
}
