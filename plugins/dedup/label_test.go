package dedup

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sluicehq/sluice/plugins/fingerprint"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// behind is dedup with step fingerprint before it, and between the two what another step does.
func behind(printed string, between func(*sdk.Record) error) sdk.Plugin {
	p := Plugin
	p.New = func(a sdk.Args) (sdk.Processor, error) {
		first, err := fingerprint.Plugin.New(sdk.ParseArgs([]byte(printed)))
		if err != nil {
			return nil, err
		}
		second, err := Plugin.New(a)
		return sdk.Func(func(ctx context.Context, r *sdk.Record, emit func(*sdk.Record)) (err error) {
			printedErr := first.Process(ctx, r, func(r *sdk.Record) {
				if err = between(r); err == nil {
					err = second.Process(ctx, r, emit)
				}
			})
			if err == nil {
				err = printedErr
			}
			return err
		}), err
	}
	return p
}

// TestPrinted holds that step fingerprint changes nothing but who does the work, and that its label goes no further.
func TestPrinted(t *testing.T) {
	in := func(id, row string) string { return strings.Replace(row, `{`, `{"trajectoryId":"`+id+`",`, 1) }
	question := "what is the best way from here to the station and how long does it take on foot in the rain"
	rows := []string{
		chat("q", "a"), chat("q", "a"), chat("Q", "a"), in("t", chat("q", "a")), in("t", chat("q", "b")),
		chat(question, "twenty minutes"), chat(question+" today", "twenty minutes"), `{"messages":[]}`, `{ "messages":[]}`,
		`{"format":"eliza_native_v1","trajectoryId":"u","request":{"messages":[{"role":"user","content":"1"},{"role":"assistant","content":"one"},{"role":"user","content":"2"}]},"response":{"text":"two"}}`,
		`{"format":"eliza_native_v1","trajectoryId":"u","request":{"messages":[{"role":"user","content":"1"}]},"response":{"text":"one"}}`,
	}
	for _, c := range []struct{ reason, printed, args string }{
		{"with sketches", `{"near":0.8}`, `{"near":0.8}`},
		{"without", `{}`, `{}`},
		{"with some that nobody needs", `{"near":0.8}`, `{}`},
		{"without some that are needed", `{}`, `{"near":0.8}`},
	} {
		want, _ := sdktest.Run(t, Plugin, c.args, rows...)
		have, _ := sdktest.Run(t, behind(c.printed, func(*sdk.Record) error { return nil }), c.args, rows...)
		if diff := cmp.Diff(want, have, cmpopts.IgnoreFields(sdktest.Result{}, "Labels")); diff != "" {
			t.Errorf("%s: %s", c.reason, diff)
		}
		for _, r := range have {
			for _, labels := range r.Labels {
				if text := labels[fingerprint.Label]; text != "" {
					t.Errorf("%s: want no print behind dedup, have %s", c.reason, text)
				}
			}
		}
	}
}

// TestPrintedBefore holds that a step between the two is seen: what was printed is no longer the row.
func TestPrintedBefore(t *testing.T) {
	p := behind(`{"near":0.8}`, func(r *sdk.Record) error { return r.Set("response.text", r.View("agentId")) })
	by := func(agent string) string { return strings.Replace(chat("q", "a"), `{`, `{"agentId":"`+agent+`",`, 1) }
	results, _ := sdktest.Run(t, p, `{"near":0.8}`, by("red"), by("blue"), by("red"))
	have := ""
	for _, r := range results {
		have += r.Verdict + " "
	}
	if want := "emit emit drop "; have != want {
		t.Errorf("want %s, have %s", want, have)
	}
}
