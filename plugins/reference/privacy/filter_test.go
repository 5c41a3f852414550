package privacy_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/plugins/privacy"
	_ "github.com/sluicehq/sluice/plugins/reference"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// A vector is an input of the reference filter with what it makes of it.
type vector struct {
	Reason  string
	In      json.RawMessage
	Want    json.RawMessage
	Rules   map[string]int64 // findings by rule; not given for the inline filter
	Inline  bool             // without structured coordinates
	Residue bool             // a second pass would find more
}

func vectors(t testing.TB, name string) (all []vector) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, v)
	}
	return all
}

func TestReferenceVectors(t *testing.T) {
	for _, v := range vectors(t, "testdata/reference.jsonl") {
		args := fmt.Sprintf(`{"profile": "reference", "structured": %t, "strict": false}`, !v.Inline)
		have, counts := sdktest.Run(t, privacy.Plugin, args, string(v.In))
		if diff := cmp.Diff(decoded(t, string(v.Want)), decoded(t, have[0].Emitted[0])); diff != "" {
			t.Errorf("%s: %s (-want +have):\n%s", v.In, v.Reason, diff)
		}
		for name, n := range v.Rules {
			if counts["rule."+name] != n {
				t.Errorf("%s: %s: want %d findings of %s, have %d", v.In, v.Reason, n, name, counts["rule."+name])
			}
		}
	}
}

func TestReferenceStrictRejectsWhatASecondPassWouldFind(t *testing.T) {
	for _, v := range vectors(t, "testdata/reference.jsonl") {
		have, _ := sdktest.Run(t, privacy.Plugin, `{"profile": "reference"}`, string(v.In))
		if rejected := have[0].Verdict == "reject"; rejected != v.Residue {
			t.Errorf("%s: want rejected %t, have %s %s", v.In, v.Residue, have[0].Verdict, have[0].Message)
		}
	}
}

func decoded(t testing.TB, s string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}
