package schema_test

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/schema"
)

// TestSchemas holds that every file is a schema of draft 2020-12 that says what it is of, and that it can be got by its
// name.
func TestSchemas(t *testing.T) {
	names := schema.Names()
	if len(names) < 4 {
		t.Fatalf("want the schemas, have %v", names)
	}
	for _, name := range names {
		text, err := schema.Text(name)
		if err != nil {
			t.Fatal(err)
		}
		doc := jsontext.Of(text)
		if have := doc.Get("$schema").Text(); have != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("%s: want draft 2020-12, have %q", name, have)
		}
		if !strings.HasPrefix(doc.Get("$id").Text(), "urn:sluice:schema:") || doc.Get("title") == "" || doc.Get("description") == "" {
			t.Errorf("%s: want an id, a title and a description", name)
		}
		if _, err := schema.Get(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := schema.Get("nothing"); err == nil || !strings.Contains(err.Error(), "canonical") {
		t.Errorf("want an error that names the schemas, have %v", err)
	}
}

// TestFaults holds that a fault has its code and place, and shows no name of a member that is not a plain word: such a
// name may be somebody's.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ schema, row, want string }{
		{"chatml", `{"messages":[{"role":"user","content":"a"}]}`, ""},
		{"chatml", `[]`, "wrong_type at : want object, have array"},
		{"chatml", `{"messages":[{"role":"x","content":1e999}]}`,
			"wrong_type at messages.0.content: want null or string or array, have number; " +
				"bad_value at messages.0.role: want one of system, user, assistant, tool, have a string of length 1"},
		{"trajectory", `{"ann@example.org":1}`, "missing at : want schema, id, split, task, target, messages, tools, actions, quality, source, metadata; " +
			"unknown_member at : want members of the schema only, have 1 more"},
		{"canonical", `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"prompt":"a","tools":{"a b":1}},"response":{"text":"a"},"stepIndex":12345678901234567890}`,
			""},
	} {
		s, err := schema.Get(c.schema)
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for _, f := range s.Check(jsontext.JSON(c.row)) {
			have = append(have, f.Code+" at "+f.Path+": "+f.Message)
			if strings.Contains(f.Message+f.Path, "ann@") {
				t.Errorf("%s: want no name that is no word, have %s", c.row, f.Message)
			}
		}
		if text := strings.Join(have, "; "); text != c.want {
			t.Errorf("%s: want %s\nhave %s", c.row, c.want, text)
		}
	}
}

// TestDeep holds that a record of any depth the source allows is looked at in bounded depth.
func TestDeep(t *testing.T) {
	s, err := schema.Get("chatml")
	if err != nil {
		t.Fatal(err)
	}
	const depth = 1 << 20
	row := `{"messages":[{"role":"user","content":"a","x":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}]}`
	if faults := s.Check(jsontext.JSON(row)); faults != nil {
		t.Errorf("want no fault, have %v", faults)
	}
}
