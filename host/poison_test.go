package host_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// keeping are plugins that may keep a view of a record.
var keeping = []sdk.Plugin{
	{Name: "keep", Doc: "shows what the record before had", Args: keepArgs{}, New: newKeeper(func(k *keepArgs) sdk.Processor { return k.show() })},
	{Name: "keep-last", Doc: "shows at the end what the last record had", Ordered: true, Args: keepArgs{}, New: newKeeper(func(k *keepArgs) sdk.Processor { return &keepLast{k: k} })},
	{Name: "keep-waiting", Doc: "shows what the record before had", Concurrent: true, Args: keepArgs{}, New: newKeeper(func(k *keepArgs) sdk.Processor { return sdk.Concurrent(1, k.show()) })},
	{Name: "keep-reading", Doc: "shows the reading of the record before", Args: keepArgs{}, New: newKeeper(func(k *keepArgs) sdk.Processor { return k.showReading() })},
}

type keepArgs struct {
	Copy bool `hcl:"copy,optional"`
}

func newKeeper(make func(*keepArgs) sdk.Processor) func(sdk.Args) (sdk.Processor, error) {
	return func(a sdk.Args) (sdk.Processor, error) {
		var k keepArgs
		err := a.Decode(&k)
		return make(&k), err
	}
}

func (k *keepArgs) view(r *sdk.Record) string {
	if k.Copy {
		return r.Get("id").Str
	}
	return r.View("id").Str
}

func (k *keepArgs) show() sdk.Processor {
	before := ""
	return sdk.Map(func(r *sdk.Record) error {
		was := before
		before = k.view(r)
		return r.Set("before", was)
	})
}

type idReading struct{ id string }

func (k *keepArgs) showReading() sdk.Processor {
	before := ""
	return sdk.Map(func(r *sdk.Record) error {
		was := before
		before = sdk.Reading(r, func(into *idReading, json jsontext.JSON) { into.id = string(json[:10]) }).id
		if k.Copy {
			before = strings.Clone(before)
		}
		return r.Set("before", was)
	})
}

type keepLast struct {
	k    *keepArgs
	last string
	pos  sdk.Pos
}

func (l *keepLast) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	l.last, l.pos = l.k.view(r), r.Pos()
	emit(r)
	return nil
}

func (l *keepLast) Flush(_ context.Context, none *sdk.Record, emit func(*sdk.Record)) error {
	r := none.Derive(fmt.Appendf(nil, `{"last":%q}`, l.last))
	r.SetOrigins(l.pos)
	emit(r)
	return nil
}

// TestPoison holds that a poisoned run fails for a view of a record that a plugin keeps, and writes the same as any other when it
// keeps copies: with each kind of processor, in each mode, with one worker and several.
func TestPoison(t *testing.T) {
	var in strings.Builder
	for i := range 40 {
		fmt.Fprintf(&in, "{\"id\":\"%03d\"}\n", i)
	}
	for plugin, where := range map[string]string{
		"keep": "have a changed record at before", "keep-waiting": "have a changed record at before", "keep-reading": "have a changed record at before",
		"keep-last": "after the last record: want plugin keep-last",
	} {
		for mode, opts := range modes {
			for _, workers := range []int{1, 3} {
				if plugin == "keep-last" && workers > 1 {
					continue
				}
				draw := func(copies bool) string {
					return fmt.Sprintf(`
source "jsonl" "in" { paths = ["in.jsonl"] }
step "act" "before" {}
step %q "k" {
  copy = %v
  host {
    workers = %d
    batch = "5 records"
  }
}
step "act" "after" {}
sink "jsonl" "out" { path = "out/out.jsonl" }
`, plugin, copies, workers)
				}
				name := fmt.Sprintf("%s, %s, %d workers", plugin, mode, workers)
				inFolder(t, draw(true), in.String())
				plain := left(t, opts)
				opts.Poison = true
				if poisoned := left(t, opts); plugin == "keep-last" || workers == 1 { // elsewhere the state is that of whichever worker
					if diff := cmp.Diff(plain, poisoned); diff != "" {
						t.Errorf("%s (-plain +poisoned):\n%s", name, diff)
					}
				}
				put(t, "p.hcl", draw(false))
				have := left(t, opts)["error"]
				if !strings.Contains(have, "step "+plugin+".k: ") || !strings.Contains(have, where) {
					t.Errorf("%s: want an error of the step with %q, have %q", name, where, have)
				}
			}
		}
	}
}
