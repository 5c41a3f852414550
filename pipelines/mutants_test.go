package pipelines_test

import (
	"context"
	"flag"
	"testing"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/pipetest"
	"github.com/sluicehq/sluice/plugins"
)

var long = flag.Bool("long", false, "try every change of the pipelines that make rows to train on, and not a few of one")

// TestMutants holds that the tests of the pipelines that make rows to train on notice every change that can make a difference.
func TestMutants(t *testing.T) {
	files, limit := []string{"eliza-sft.test.hcl", "prepare.test.hcl"}, 0
	if !*long {
		files, limit = files[:1], 6
	}
	for _, file := range files {
		tests, err := pipetest.Load(file, host.Options{BuiltIns: plugins.All, InProcess: true})
		if err != nil {
			t.Fatal(err)
		}
		report, err := tests.Run(context.Background(), pipetest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range report.Tests {
			for _, f := range x.Failures {
				t.Fatalf("%s:%d: %s: %s", file, f.Line, x.Name, f.Message)
			}
		}
		found, err := tests.Mutate(context.Background(), pipetest.MutateOptions{Limit: limit, Seed: 1, Idle: plugins.Idle})
		if err != nil {
			t.Fatal(err)
		}
		if found.Noticed == 0 {
			t.Errorf("%s: want changes that tests notice, have 0 of %d", file, found.Tried)
		}
		for _, m := range found.Unnoticed {
			t.Errorf("%s:%d: want a test that fails with %s, all pass", m.Path, m.Line, m.What)
		}
	}
}
