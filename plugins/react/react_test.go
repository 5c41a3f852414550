package react

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestReact(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func FuzzReact(f *testing.F) {
	canonicaltest.Fuzz(f, Plugin, "", canonicaltest.Records(f, "testdata/*.txtar")...)
}

// TestGrows protects a run from a record of many steps, or of steps with many members, that takes hours.
func TestGrows(t *testing.T) {
	for what, record := range map[string]func(n int) string{
		"steps": func(n int) string {
			return `{"question":"q","steps":[` + strings.Repeat(`{"thought":"t","action":"f[x]","observation":"o"},`, n) + `{"action":"finish[a]","thought":"t"}]}`
		},
		"members": func(n int) string {
			return `{"question":"q","steps":[{"thought":"t",` + strings.Repeat(`"k":1,`, n) + `"action":"finish[a]"}]}`
		},
	} {
		t.Run(what, func(t *testing.T) {
			sdktest.Grows(t, Plugin, "", func(n int) []byte { return []byte(record(n)) })
		})
	}
}
