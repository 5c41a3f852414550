package host_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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

// TestProgressBegins holds that the first progress is told before a record moves, so that all of them count in what is told later.
func TestProgressBegins(t *testing.T) {
	const row = `{"text":"moved"}`
	inFolder(t, pipeline, row+"\n")
	synctest.Test(t, func(t *testing.T) {
		told := 0
		_, err := load(t, host.Options{InProcess: true, Progress: func(p host.Progress) {
			if told++; told > 1 {
				return
			}
			time.Sleep(time.Second) // in which a run that has begun would write it
			for name, text := range files(t) {
				if name != "in.jsonl" && strings.Contains(text, row) || p.Records > 0 {
					t.Errorf("want no record moved, have %d read and %s", p.Records, name)
				}
			}
		}}).Run(t.Context())
		if err != nil || told == 0 {
			t.Errorf("want progress told, have %d times, %v", told, err)
		}
	})
}
