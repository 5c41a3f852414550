package rpc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestDescribe holds that all of a plugin's declaration reaches the host.
func TestDescribe(t *testing.T) {
	want := wire.Info{
		Name: "test", Doc: "does what a test says", Ordered: true, Private: true, TakesAll: true, Concurrent: true,
		Outputs: []string{"rows"}, Labels: []string{"part", "split"}, Codes: map[string]string{"bad": "it is bad"}, Drops: map[string]string{"old": "it is old"},
		LabelValues: map[string][]string{"split": {"train", "val"}},
		Args: []wire.Arg{{
			Name: "mode", Type: "a string", Doc: "how", Default: `"fast"`, Example: `"slow"`, Words: []string{"fast", "slow"}, Required: true,
		}},
	}
	client, end, err := Pipe(wire.Provider{Version: "v1", Plugins: []wire.Info{want, {Name: "plain"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	d, err := client.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]wire.Info{want, {Name: "plain"}}, d.Plugins); diff != "" {
		t.Errorf("-want +have:\n%s", diff)
	}
}

type labellingWorker struct{ wire.Worker }

func (labellingWorker) LabelValues() []wire.LabelValues {
	return []wire.LabelValues{{Label: "split", Values: []string{"train"}}, {Step: 1, Label: "kind"}}
}

// TestOpenLabelValues holds that the host learns what the arguments of a step decide of the values of labels.
func TestOpenLabelValues(t *testing.T) {
	client, end, err := Pipe(wire.Provider{Open: func(wire.OpenRequest) (wire.Worker, []wire.ArgError) { return labellingWorker{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	have, err := client.Open(t.Context(), OpenRequest{Plugin: "p", Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(labellingWorker{}.LabelValues(), have.LabelValues); diff != "" {
		t.Errorf("-want +have:\n%s", diff)
	}
}

// TestDescribeRefuses holds that a description is of bounded size and names each plugin once: receipts and messages show parts of it.
func TestDescribeRefuses(t *testing.T) {
	for _, c := range []struct {
		reason string
		p      wire.Provider
		want   string
	}{
		{"a plugin twice", wire.Provider{Plugins: []wire.Info{{Name: "a"}, {Name: "b"}, {Name: "a"}}}, `want each plugin once, have "a" twice`},
		{"too many plugins", wire.Provider{Plugins: make([]wire.Info, 100_000)}, "want at most 1000 plugins, have 100000"},
		{"a long version", wire.Provider{Version: strings.Repeat("v", 1<<20)}, "want a version of at most 256 bytes, have 1048576"},
		{"a long doc", wire.Provider{Plugins: []wire.Info{{Name: "a", Doc: strings.Repeat("d", 8<<20)}}}, "want a description of at most 4194304 bytes, have a larger one"},
	} {
		client, end, err := Pipe(c.p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Describe(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want %q, have %v", c.reason, c.want, err)
		}
		end()
	}
}
