package rpc

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestDescribe holds that all of a plugin's declaration reaches the host.
func TestDescribe(t *testing.T) {
	want := wire.Info{
		Name: "test", Doc: "does what a test says", Ordered: true, Private: true, TakesAll: true, Concurrent: true,
		Outputs: []string{"rows"}, Labels: []string{"part", "split"}, Codes: map[string]string{"bad": "it is bad"},
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
