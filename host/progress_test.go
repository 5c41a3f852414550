package host_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host"
)

// TestProgressTellsQueues holds which steps are said to stand behind others, which have no queue of their own.
func TestProgressTellsQueues(t *testing.T) {
	const pipeline = `
source "jsonl" "in" {
  paths = ["in.jsonl"]
}

first "shape" {
  step "act" "one" {}
  step "act" "two" {}
}

step "act" "three" {}

step "patient" "apart" {
  host {
    process = "own"
  }
}

step "act" "last" {}

sink "jsonl" "out" {
  path = "out.jsonl"
}
`
	inFolder(t, pipeline, "{}\n")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		behind := map[string]bool{}
		_, err := load(t, host.Options{InProcess: true, Progress: func(p host.Progress) {
			for _, s := range p.Steps {
				behind[s.Name] = s.Behind
			}
			cancel()
		}}).Run(ctx)
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		want := map[string]bool{"act.one": false, "act.two": true, "act.three": true, "patient.apart": false, "act.last": false}
		if diff := cmp.Diff(want, behind); diff != "" {
			t.Errorf("want the steps of a chain and of a first behind its head (-want +have):\n%s", diff)
		}
	})
}
