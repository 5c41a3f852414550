package oasst

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestOASST(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func FuzzOASST(f *testing.F) {
	canonicaltest.Fuzz(f, Plugin, "", canonicaltest.Records(f, "testdata/rows.txtar")...)
}

// TestGrows protects a run from a tree with many replies, or deep ones, that takes hours.
func TestGrows(t *testing.T) {
	const (
		first  = `{"message_tree_id":"t","prompt":{"message_id":"p","text":"q","role":"prompter","replies":[`
		asks   = `{"message_id":"p","text":"q","role":"prompter","replies":[`
		answer = `{"message_id":"a","text":"a","role":"assistant","rank":1,"replies":[`
	)
	for what, record := range map[string]func(n int) string{
		"wide": func(n int) string { return first + strings.Repeat(answer+`]},`, n) + answer + `]}]}}` },
		"deep": func(n int) string {
			return first + strings.Repeat(answer+asks, n) + answer + `]}` + strings.Repeat(`]}]}`, n) + `]}}`
		},
	} {
		for _, args := range []string{"", `{"paths":"each"}`} {
			t.Run(what+args, func(t *testing.T) {
				sdktest.Grows(t, Plugin, args, func(n int) []byte { return []byte(record(n)) })
			})
		}
	}
}
