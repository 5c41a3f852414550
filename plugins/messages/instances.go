package messages

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// isAPI reports whether the record is an API of ToolAlpaca with conversations that use it.
func (a *adapter) isAPI() bool {
	return a.row.Kept("Instances").First().Get("input") != "" && a.row.Kept("Function_Description").Kind() == '{'
}

// maxRepeated bounds the bytes of the rows made from one record, each of which repeats its tools.
const maxRepeated = 64 << 20

// instances emits a row for each finished conversation with an API.
func (a *adapter) instances() error {
	record, shape := a.source, a.row.Shape
	list, rows := record.Get("Instances").List(), 0
	if most := 1 + maxRepeated/len(record); len(list) > most {
		return sdk.Reject("too_many_rows", "Instances", "want at most %d conversations in a record of this size, have %d", most, len(list))
	}
	for i, instance := range list {
		if instance.Get("input").Body().Blank() || instance.Get("output").Body().Blank() {
			a.row.Count("loss.instance", 1)
			continue
		}
		rows++
		a.row.Reset()
		a.row.Path, a.row.Shape = "Instances."+strconv.Itoa(i), shape
		a.row.KeepOthers(record, "Instances", "Function_Description", "Functions", "Documentation", "NLDocumentation")
		for _, same := range []string{"Functions", "Documentation", "NLDocumentation"} { // they describe the tools again
			if record.Get(same).Truthy() {
				a.row.Count("loss.tool_documentation", 1)
			}
		}
		if err := a.row.SetTools("Function_Description", described(record.Get("Function_Description"))); err != nil {
			return err
		}
		if err := a.instance(instance); err != nil {
			return err
		}
		if err := a.row.Emit(); err != nil {
			return err
		}
	}
	if rows == 0 {
		return sdk.Reject("no_target", "Instances", "want at least one conversation with a question and an answer among %d", len(list))
	}
	return nil
}

// instance adds one conversation: the question, the calls with their results, the answer.
func (a *adapter) instance(instance jsontext.JSON) error {
	a.row.Add(canonical.User, 0).Body = instance.Get("input").Body()
	for _, v := range instance.Get("intermediate_steps").Elements() {
		step := v.List()
		if len(step) != 2 || step[0].Kind() != '[' {
			return sdk.Reject("bad_message", a.row.Path+".intermediate_steps", "want pairs of a call and its result, have %d elements", len(step))
		}
		call := step[0].List()
		if len(call) < 2 || call[0].Body() == "" {
			return sdk.Reject("bad_tool_call", a.row.Path+".intermediate_steps", "want the name of a tool and its input, have %d elements", len(call))
		}
		t := a.row.Add(canonical.Assistant, 0)
		t.Calls = append(t.Calls, build.Call{Name: call[0].Body(), Args: call[1]})
		if len(call) > 2 {
			thought, rest, _ := strings.Cut(call[2].Text(), "\nAction:")
			t.Reasoning = jsontext.BodyOf(strings.TrimSpace(thought))
			if name, input, _ := strings.Cut(rest, "\nAction Input:"); rest != "" &&
				(strings.TrimSpace(name) != call[0].Text() || strings.TrimSpace(input) != strings.TrimSpace(call[1].Text())) {
				a.row.Count("loss.message_member", 1)
			}
		}
		a.row.Add(canonical.Tool, 0).Body = build.AsText(step[1])
	}
	a.row.KeepOthers(instance, "input", "output", "intermediate_steps", "Final Thought")
	t := a.row.Add(canonical.Assistant, 0)
	t.Body, t.Reasoning = instance.Get("output").Body(), instance.Get("Final Thought").Body()
	return nil
}

// described makes tools of descriptions by name, which list their parameters in a line. The last one gets the text that all
// of them share.
func described(functions jsontext.JSON) jsontext.JSON {
	list := []byte("[")
	all := functions.Unique()
	shared := functions.Get("components").Text()
	last := len(all) - 1
	if last >= 0 && all[last].Key == "components" {
		last--
	}
	for i, f := range all {
		if f.Key == "components" {
			continue
		}
		text := f.Value.Text()
		if i == last {
			text += shared
		}
		list = jsontext.AppendMember(append(jsontext.AppendComma(list), '{'), "name", f.Key)
		list = jsontext.AppendMember(list, "description", text)
		list = append(append(jsontext.AppendKey(list, "parameters"), parametersIn(text)...), '}')
	}
	return jsontext.JSON(append(list, ']'))
}

// parametersIn reads the line "Parameters: {...}", an object of descriptions such as "Required. string. One of: [a, b].".
func parametersIn(description string) string {
	_, line, _ := strings.Cut("\n"+description, "\nParameters: ")
	line, _, _ = strings.Cut(line, "\n")
	parameters, _ := jsontext.Embedded(line)
	properties, required := []byte("{"), []byte("[")
	for _, p := range parameters.Unique() {
		properties = append(jsontext.AppendKey(properties, p.Key), '{')
		text, isRequired := strings.CutPrefix(p.Value.Text(), "Required. ")
		if isRequired {
			required = jsontext.AppendString(jsontext.AppendComma(required), p.Key)
		}
		kind, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(text, "Optional. ")), ".")
		switch kind {
		case "string", "integer", "number", "boolean", "object", "array":
			properties = jsontext.AppendMember(properties, "type", kind)
		}
		properties = append(jsontext.AppendMember(properties, "description", p.Value.Text()), '}')
	}
	return `{"type":"object","properties":` + string(properties) + `},"required":` + string(required) + `]}`
}
