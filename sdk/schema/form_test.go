package schema

import (
	"maps"
	"slices"
	"testing"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// rows have everything that the rules of their schemas are about.
var rows = map[string]string{
	"canonical": `{"format":"eliza_native_v1","schemaVersion":1,"boundary":"vercel_ai_sdk.generateText","request":{"system":"s","messages":[{"role":"user","content":"u"}],` +
		`"prompt":null,"tools":[{"name":"F"}],"toolChoice":"auto","responseSchema":{},"settings":{"temperature":0.5,"maxOutputTokens":0,"topP":1}},` +
		`"response":{"text":"t","toolCalls":[{"toolCallId":"c","toolName":"F","input":{"a":{"b":1}}},{"function":{"name":"F"}}],"finishReason":"stop",` +
		`"usage":{"promptTokens":0,"completionTokens":1,"totalTokens":1},"providerMetadata":{}},"trajectoryId":"a","scenarioId":null,"stepIndex":0,"timestamp":1,"metadata":{"x":[1]}}`,
	"chatml": `{"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"u"},{"type":"image"}]},{"role":"assistant","content":null,"tool_calls":[` +
		`{"id":"c","type":"function","function":{"name":"F","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","name":"F","content":"r"},{"role":"assistant","content":"a"}],` +
		`"tools":[{"type":"function","function":{"name":"F","description":"d","parameters":{"type":"object"}}}]}`,
	"trajectory": `{"schema":"eliza.eliza1_trajectory_record.v1","id":"record-000001","split":"train","task":"turn",` +
		`"target":{"modelFamily":"qwen","baseModel":"Qwen","sftFormat":"messages","chatTemplate":"chatml"},"messages":[{"role":"user","content":"u"},{"role":"assistant","content":"a"}],` +
		`"tools":[],"actions":[{"name":"F","originalName":"G","arguments":{}}],"quality":{"success":true,"score":1,"weight":1,"rating":"gold","requiresRepair":false,"reasons":["r"]},` +
		`"source":{"kind":"eliza_native_v1","dataset":"d","path":"p","rowIndex":0,"sourceId":null,"trajectoryId":"t","scenarioId":null,"format":null,"turnIndex":0},"metadata":{}}`,
	"preference": `{"prompt":[{"role":"user","content":"u"}],"chosen":[{"role":"assistant","content":"a"}],"rejected":"no"}`,
	"stepwise":   `{"prompt":"q","completions":["a","b"],"labels":[true,false]}`,
	"thread":     `[{"role":"user","content":"u"},{"role":"assistant","format":"markdown","content":"a","end_turn":true}]`,
}

// TestForm holds that what a form takes for certain the validator takes too, whatever a row has in the place of any of its values, and that a
// canonical row is nothing that needs the validator.
func TestForm(t *testing.T) {
	certain := 0
	check := func(s *Schema, row string) {
		c := jsontext.JSON(row).Cursor()
		if is := s.form.judge(jsontext.JSON(row)); is == yes {
			certain++
			if err := s.compiled.Validate(decode(&c, deepest)); err != nil {
				t.Errorf("want a row that the validator takes, have %s\n%v", row, err)
			}
		} else if is == no && s.compiled.Validate(decode(&c, deepest)) == nil {
			t.Errorf("want a row that the validator refuses, have %s", row)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		s, err := Get(name)
		if err != nil {
			t.Fatal(err)
		}
		c := jsontext.JSON(rows[name]).Cursor()
		if err := s.compiled.Validate(decode(&c, deepest)); err != nil && name != "preference" {
			t.Errorf("%s: want a row without a fault, have %v", name, err)
		}
		for _, path := range places(gjson.Parse(rows[name]), "") {
			for _, value := range []string{"null", "0", "-1", "1", "1.0", "1.5", "1e400", "true", `""`, `"x"`, `"1"`, "[]", "{}", "[1]", "[{}]", `{"a":1}`, `{"name":null}`} {
				row, err := sjson.SetRaw(rows[name], path, value)
				if err != nil {
					t.Fatal(err)
				}
				check(s, row)
			}
			row, _ := sjson.Delete(rows[name], path)
			check(s, row)
		}
	}
	if certain < 300 {
		t.Errorf("want many rows that certainly fit, have %d", certain)
	}
	s, _ := Get("canonical")
	if is := s.form.judge(jsontext.JSON(rows["canonical"])); is != yes {
		t.Errorf("want a canonical row that certainly fits, have %d", is)
	}
	twice := `{"format":"eliza_native_v1","format":5,` + rows["canonical"][1:]
	check(s, twice)
	check(s, rows["canonical"][:len(rows["canonical"])-1]+`,"stepIndex":"x"}`)
}

// places returns the paths of all values of a row.
func places(v gjson.Result, at string) (all []string) {
	if !v.IsObject() && !v.IsArray() {
		return nil
	}
	v.ForEach(func(key, value gjson.Result) bool {
		path := at + key.String()
		all = append(append(all, path), places(value, path+".")...)
		return true
	})
	return all
}
