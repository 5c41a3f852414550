package build

import (
	"encoding/json"
	"testing"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// fill is an adapter whose records say what a Builder is filled with.
var fill = Adapter{
	Name: "fill", Doc: "fills a row",
	New: func(sdk.Args) (ReadFunc, error) { return readFill, nil },
}.Plugin()

func readFill(record jsontext.JSON, c *Builder) error {
	var in struct {
		Merge bool
		Tools json.RawMessage
		Meta  map[string]json.RawMessage
		Turns []struct {
			Role, Body, Reasoning, ID, Name, Raw string
			NoTarget                             bool
			Calls                                [][3]string
		}
	}
	if err := json.Unmarshal([]byte(record), &in); err != nil {
		return err
	}
	c.Path, c.Merge = "turns", in.Merge
	if err := c.SetTools("tools", jsontext.JSON(in.Tools)); err != nil {
		return err
	}
	for k, v := range in.Meta {
		c.Meta(jsontext.Body(k), jsontext.JSON(v))
	}
	roles := map[string]canonical.Role{"s": canonical.System, "d": canonical.Developer, "u": canonical.User, "a": canonical.Assistant, "t": canonical.Tool}
	for i, t := range in.Turns {
		turn := c.Add(roles[t.Role], i)
		turn.Body, turn.Reasoning, turn.ID, turn.Name, turn.Raw, turn.NoTarget = jsontext.BodyOf(t.Body), jsontext.BodyOf(t.Reasoning), jsontext.Body(t.ID), jsontext.Body(t.Name), jsontext.JSON(t.Raw), t.NoTarget
		for _, c := range t.Calls {
			turn.Calls = append(turn.Calls, Call{ID: jsontext.Body(c[0]), Name: jsontext.Body(c[1]), Args: jsontext.JSON(c[2])})
		}
	}
	return nil
}

func TestEmit(t *testing.T) { sdktest.Files(t, fill, "testdata/*.txtar") }

func TestSetTools(t *testing.T) {
	const f = `[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}}]`
	const none = `[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}]`
	for _, c := range []struct {
		reason   string
		in, want jsontext.JSON
	}{
		{"a list in form keeps its bytes", `[ {"type" : "function", "function": {"name":"f","parameters":{"type":"object","properties":{}}}} ]`, `[{"type" : "function", "function": {"name":"f","parameters":{"type":"object","properties":{}}}}]`},
		{"flat, OpenAI responses", `[{"type":"function","name":"f","description":"d","parameters":{"type":"object","properties":{"a":{"type":"string"}}},"strict":true}]`, `[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"a":{"type":"string"}}},"strict":true}}]`},
		{"the SDK's schema", `[{"name":"f","description":"d","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}]`, f},
		{"the SDK's wrapped schema, by name", `{"f":{"description":"d","inputSchema":{"jsonSchema":{"type":"object","properties":{"a":{"type":"string"}}}}}}`, f},
		{"Anthropic", `[{"name":"f","description":"d","input_schema":{"type":"object","properties":{"a":{"type":"string"}}}}]`, f},
		{"JSON in a string", `"[{\"name\":\"f\"}]"`, none},
		{"Python in a string", `"[{'name': 'f', 'parameters': None}]"`, none},
		{"one tool alone", `{"name":"f"}`, none},
		{"a name alone", `["f"]`, none},
		{"null", `null`, ``},
		{"an empty list", `[]`, ``},
		{"an empty string", `""`, ``},
		{"a name twice", `[{"name":"f"},{"name":"f"}]`, none},
		{"xLAM's flat parameters, one called type", `[{"name":"f","description":"d","parameters":{"type":{"description":"k","type":"str","default":"x"},"n":{"type":"int, optional"},"l":{"type":"List[int]"}}}]`,
			`[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"type":{"description":"k","type":"string","default":"x"},"n":{"type":"integer"},"l":{"type":"array","items":{"type":"integer"}}},"required":["l"]}}}]`},
		{"one called properties", `[{"name":"f","parameters":{"properties":{"description":"t","type":"str"},"n":{"description":"t","type":"int","default":1}}}]`,
			`[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"properties":{"description":"t","type":"string"},"n":{"description":"t","type":"integer","default":1}},"required":["properties"]}}}]`},
		{"properties alone", `[{"name":"f","parameters":{"properties":{"type":"str"}}}]`, `[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"properties":{"type":"string"}},"required":["properties"]}}}]`},
		{"one called anyOf, and one $ref", `[{"name":"f","parameters":{"anyOf":{"type":"str","default":""},"$ref":{"type":"int","default":1}}}]`,
			`[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"anyOf":{"type":"string","default":""},"$ref":{"type":"integer","default":1}}}}}]`},
		{"properties that are schemas, one of them true", `[{"name":"f","parameters":{"properties":{"a":{"type":"str"},"b":true}}}]`,
			`[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"},"b":true}}}}]`},
		{"definitions beside properties", `[{"name":"f","parameters":{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"str"}}}}]`,
			`[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"}}}}}]`},
		{"a schema that is one of several", `[{"name":"f","parameters":{"anyOf":[{"type":"object"}]}}]`, `[{"type":"function","function":{"name":"f","parameters":{"anyOf":[{"type":"object"}]}}}]`},
		{"BitAgent's required", `[{"name":"f","parameters":{"a":{"required":true,"type":"str"},"b":{"required":false,"type":"any"}}}]`,
			`[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"},"b":{}},"required":["a"]}}}]`},
		{"Python types inside a schema, required null", `[{"type":"function","function":{"name":"f","parameters":{"type":"dict","required":null,"properties":{"a":{"type":"tuple","items":{"type":"float"}}}}}}]`,
			`[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"array","items":{"type":"number"}}}}}}]`},
		{"Gemini's types", `[{"name":"f","parameters":{"type":"OBJECT","properties":{"a":{"type":"STRING"}}}}]`, `[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}}]`},
		{"properties without a type", `[{"name":"f","parameters":{"properties":{}}}]`, none},
		{"a type that is null, in form otherwise", `[{"type":"function","function":{"name":"f","parameters":{"type":null,"properties":{}}}}]`, none},
		{"a number in the place of a type", `[{"name":"f","parameters":{"type":7,"properties":{"a":{"type":{}}}}}]`, `[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{}}}}}]`},
		{"what other rows have, null here, in form otherwise", `[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"a":{"type":"string","enum":null},"x":null}}}}]`, f},
		{"and by name", `[{"name":"f","description":"d","parameters":{"a":{"type":"str","default":"x"},"x":null}}]`, `[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"a":{"type":"string","default":"x"}}}}}]`},
	} {
		var conv Builder
		if err := conv.SetTools("tools", c.in); err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		if conv.tools.list != c.want {
			t.Errorf("%s:\nwant %s\nhave %s", c.reason, c.want, conv.tools.list)
		}
		if c.want != "" && (!conv.Knows("f") || conv.Knows("g")) {
			t.Errorf("%s: want f known and g not", c.reason)
		}
	}
	for _, c := range []struct{ reason, in, want string }{
		{"a number", `5`, "bad_tools at tools: want an array or object, have a number"},
		{"prose in a string", `"call me"`, "bad_tools at tools: want JSON in the string, have 7 bytes that are not"},
		{"a tool without a name", `[{"parameters":{}}]`, "bad_tools at tools: want a name in every tool, have an object with parameters"},
		{"signatures", `["f(a: str) -> dict"]`, "bad_tools at tools: want the names of tools, or objects, have the signature of a function"},
		{"a list of lists", `[[]]`, "bad_tools at tools: want objects, have an array among them"},
	} {
		var conv Builder
		if err := conv.SetTools("tools", jsontext.JSON(c.in)); err == nil || err.Error() != c.want {
			t.Errorf("%s: want %q, have %v", c.reason, c.want, err)
		}
	}
}
