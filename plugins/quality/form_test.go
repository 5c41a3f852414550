package quality

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/schema"
)

const schemaOfTool = `{"type":"object","description":"d","properties":{"q":{"type":"string","title":"Q"},"n":{"type":["integer","null"],"default":3},
"r":{"type":"number"},"as":{"enum":["a","b"]},"at":{"anyOf":[{"type":"string"},{"type":"null"}]},"in":{"type":"array","items":{"type":"object","properties":{"y":{"type":"boolean"}},"required":["y"]}}},
"required":["q","n"],"additionalProperties":false}`

// TestForm holds that what most calls have is known to fit without the validator.
func TestForm(t *testing.T) {
	f := schema.ReadForm(schemaOfTool)
	for _, args := range []string{
		`{"q":"","n":1}`, `{"n":null,"q":"x","r":-1.5e3,"as":"b"}`, `{"q":"x","n":0,"in":[{"y":true},{"y":false,"z":[1]}]}`, `{"q":"x","n":1,"in":[]}`, `{"q":"x","n":1,"at":null}`,
	} {
		if !f.Fits(jsontext.Of([]byte(args))) {
			t.Errorf("want arguments that fit, have %s refused", args)
		}
	}
}

// FuzzForm holds that what a form takes is taken by the validator.
func FuzzForm(f *testing.F) {
	for _, text := range []string{
		schemaOfTool, `{}`, `{"type":"string"}`, `{"required":["a","b"]}`, `{"enum":["x",1]}`, `{"enum":["\u0061"],"type":"string"}`, `{"$ref":"#"}`, `{"default":{"$ref":"#"}}`,
		`{"type":"object","type":"string"}`, `{"properties":{"a":{},"a":{"type":"null"}}}`, `{"required":["a","a"]}`, `{"title":1}`, `{"type":["null","null"]}`,
		`{"items":[{}]}`, `{"anyOf":[]}`, `{"anyOf":[{"type":"object"},{"enum":["a"]}]}`, `{"anyOf":[{"$ref":"#"}]}`, `{"additionalProperties":{"type":"string"}}`, `{"properties":[]}`, `{"required":true}`, `{"type":"integer","maximum":3}`, `{"type":"any"}`,
	} {
		for _, args := range []string{
			`{"q":"","n":1}`, `{"q":"x"}`, `{"n":1.0,"q":"x"}`, `{"n":1e2,"q":"x"}`, `{"q":"x","n":1,"as":"c"}`, `{"q":"x","n":1,"more":1}`, `{"a":1,"a":2}`, `"a"`, `"\u0061"`, `5`, `[]`, `null`, `1e999`, `true`,
			`{"q":"x","n":1,"q":2}`, `{"q":"x","n":1,"in":[{}]}`, `{"q":"x","n":1,"at":3}`,
		} {
			f.Add(text, args)
		}
	}
	f.Fuzz(func(t *testing.T, text, args string) {
		if jsontext.Check([]byte(text), 100) != nil || jsontext.Check([]byte(args), 100) != nil {
			return
		}
		of := &tool{text: jsontext.Of([]byte(text))}
		if !schema.ReadForm(of.text).Fits(jsontext.Of([]byte(args))) {
			return
		}
		if fault, err := of.fault(jsontext.Of([]byte(args))); fault != "" || err != nil {
			t.Errorf("%s takes %s: want a fit, have a fault of %q, %v", text, args, fault, err)
		}
	})
}
