package canonicaltest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// Sample returns a conversation with every feature in the lines of RoundTrip: a system text, letters beyond ASCII, two calls at
// once with a text, results, one of them empty, and an answer with reasoning. #n is the nth call.
func Sample() []string {
	return []string{
		"system: Be brief.",
		"user: Oslo & \"Rome\"? 🌦\nPlease.",
		`assistant: I will check. #0 w {"city":"Oslo"} #1 w {"city":"Rome","days":2}`,
		"tool #0: rain",
		"tool #1: ",
		"assistant (Both are in.): Rain in Oslo, nothing from Rome.",
	}
}

// RoundTrip converts a record with an adapter, reads the row, and compares its turns with want: the lines of Sample that the
// shape of the record can express.
func RoundTrip(t *testing.T, adapter sdk.Plugin, args, record string, want []string) {
	t.Helper()
	results, _ := sdktest.Run(t, adapter, args, record)
	if r := results[0]; r.Verdict != "emit" || len(r.Emitted) != 1 {
		t.Fatalf("want one row, have %d after %s %s: %s", len(r.Emitted), r.Verdict, r.Code, r.Message)
	}
	CheckRow(t, results[0].Emitted[0])
	var row canonical.Row
	row.Read(jsontext.JSON(results[0].Emitted[0]))
	var ids []jsontext.Body // of calls so far
	var have []string
	for _, turn := range append(slices.Clone(row.Turns), row.Response) {
		have = append(have, tell(row.Parts[turn.From:turn.To], turn.Role.String(), &ids))
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("conversation (-want +have):\n%s", diff)
	}
}

// tell returns one turn as a line of Sample.
func tell(parts []canonical.Part, who string, ids *[]jsontext.Body) string {
	var said, did string
	for _, p := range parts {
		switch p.Kind {
		case canonical.TextPart:
			said += p.Body.Text()
		case canonical.ReasoningPart:
			who += " (" + p.Body.Text() + ")"
		case canonical.CallPart:
			did += fmt.Sprintf(" #%d %s %s", len(*ids), p.Name.Text(), spelled(p.Value))
			*ids = append(*ids, p.ID)
		case canonical.ResultPart:
			who += fmt.Sprintf(" #%d", slices.Index(*ids, p.ID))
			said += p.Body.Text()
		}
	}
	return who + ": " + said + did
}

// spelled returns arguments, an object or a string that holds one, in one spelling.
func spelled(arguments jsontext.JSON) string {
	if body, ok := arguments.Quoted(); ok {
		arguments = jsontext.JSON(body.Text())
	}
	var value any
	if err := json.Unmarshal([]byte(arguments), &value); err != nil {
		return string(arguments)
	}
	text, _ := json.Marshal(value)
	return string(text)
}
