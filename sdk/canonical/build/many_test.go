package build

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestManyTurns protects memory from a record whose turns take far more than its bytes: they are counted before they become turns.
func TestManyTurns(t *testing.T) {
	var turns int
	crowd := Adapter{Name: "crowd", Doc: "fills a row with turns", New: func(sdk.Args) (ReadFunc, error) {
		return func(record jsontext.JSON, c *Builder) error {
			c.Path = "turns"
			for i := range canonical.MaxParts + 2 {
				c.Add(canonical.User, i).Body = "hi"
			}
			turns = len(c.Turns)
			return nil
		}, nil
	}}.Plugin()
	results, _ := sdktest.Run(t, crowd, "", `{}`)
	if turns != canonical.MaxParts || results[0].Code != "too_many_parts" || results[0].Path != "turns" {
		t.Errorf("want %d turns and too_many_parts at turns, have %d and %s at %s", canonical.MaxParts, turns, results[0].Code, results[0].Path)
	}
}

// TestManyMembers holds that each of many members goes to the metadata once, with its first value, also after a large row.
func TestManyMembers(t *testing.T) {
	var c Builder
	for range 2 {
		c.Reset()
		for _, n := range []int{fewMembers - 1, fewMembers, fewMembers + 1, 1000, 100_000} {
			for i := len(c.metadata); i < n; i++ {
				key := jsontext.Body(fmt.Sprintf("key%d", i))
				if c.HasMeta(key) {
					t.Fatalf("want no %s among %d members", key, len(c.metadata))
				}
				c.Meta(key, "1")
			}
			for i := range n {
				key := jsontext.Body(fmt.Sprintf("key%d", i))
				if c.Meta(key, "2"); !c.HasMeta(key) || c.metadata[i].Value != "1" {
					t.Fatalf("want the first value of %s among %d members, have %s", key, n, c.metadata[i].Value)
				}
			}
			if len(c.metadata) != n {
				t.Fatalf("want %d members, have %d", n, len(c.metadata))
			}
		}
	}
}

// TestManyToolMembers holds that the work for a tool is in proportion to its members.
func TestManyToolMembers(t *testing.T) {
	sdktest.Grows(t, fill, "", func(n int) []byte {
		members := strings.Repeat(`,"x":1`, n)
		return []byte(`{"Tools":[{"type":"function","strict":1` + members + `,"function":{"name":"f"` + members + `}}],"Turns":[{"Role":"u","Body":"q"},{"Role":"a","Body":"a"}]}`)
	})
}

// TestLongFirstTurn holds that a long first turn, such as an image, is followed by a comma.
func TestLongFirstTurn(t *testing.T) {
	long := strings.Repeat("x", jsontext.LongPiece)
	raw := `{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"image\":\"` + long + `\"}]}`
	results, _ := sdktest.Run(t, fill, "", `{"Turns":[{"Role":"u","Raw":"`+raw+`"},{"Role":"a","Body":"no"},{"Role":"u","Body":"q"},{"Role":"a","Body":"yes"}]}`)
	if len(results[0].Emitted) != 1 || !strings.Contains(results[0].Emitted[0], `"messages":[`+strings.ReplaceAll(raw, `\`, "")+`,{"role":"assistant","content":"no"},{`) {
		t.Errorf("want a row with the turn and a comma, have %d rows, %s", len(results[0].Emitted), results[0].Code)
	}
}

// TestLongTexts holds that a row has its long texts where shorter ones stand, in the history and in the answer.
func TestLongTexts(t *testing.T) {
	mark := strings.NewReplacer("#q", strings.Repeat("q", jsontext.LongPiece), "#a", strings.Repeat("a", jsontext.LongPiece),
		"#r", strings.Repeat("r", jsontext.LongPiece), "#s", strings.Repeat("s", jsontext.LongPiece), "#m", strings.Repeat("m", jsontext.LongPiece))
	const record = `{"Meta":{"k":"#m"},"Turns":[{"Role":"s","Body":"#s"},{"Role":"u","Body":"#q"},
		{"Role":"a","Body":"#a","Reasoning":"#r","Calls":[["i","f","{\"x\":\"#q\"}"]]},{"Role":"t","ID":"i","Body":"#r"},
		{"Role":"a","Body":"#a","Reasoning":"#r","Calls":[["j","f","{\"x\":\"#q\"}"]]}]}`
	short, _ := sdktest.Run(t, fill, "", record)
	long, _ := sdktest.Run(t, fill, "", mark.Replace(record))
	if len(short[0].Emitted) != 1 || len(long[0].Emitted) != 1 || long[0].Emitted[0] != mark.Replace(short[0].Emitted[0]) {
		t.Errorf("want the long row as the short one is, have %v %v %v", short[0].Emitted, len(long[0].Emitted), long[0].Code)
	}
}
