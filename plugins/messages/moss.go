package messages

import (
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// isMOSS reports whether the record is a conversation of MOSS: a chat of turns that are members by number.
func (a *adapter) isMOSS() bool {
	for i, key := range a.keys {
		if key == "chat" && a.record.lists[i].Get("turn_1").Get("Human") != "" {
			a.record.list = i
			return true
		}
	}
	return false
}

// moss reads a conversation of MOSS. Each turn has what the user said, the thought, the commands with their results, and the answer,
// in marks of its own.
func (a *adapter) moss() error {
	chat := a.record.lists[a.record.list]
	a.record.lists[a.record.list] = ""
	instruction := a.row.Kept("meta_instruction")
	a.row.Forget("meta_instruction")
	if err := a.begin(); err != nil {
		return err
	}
	a.row.Path = "chat"
	a.row.Add(canonical.System, 0).Body = jsontext.BodyOf(strings.TrimSpace(instruction.Text()))
	at := 0
	for _, turn := range chat.Members() {
		a.row.Leave("loss.message_member", turn, "Human", "Inner Thoughts", "Commands", "Tool Responses", "MOSS")
		a.row.Add(canonical.User, at).Body = jsontext.BodyOf(unmarked(turn.Get("Human")))
		thought := jsontext.BodyOf(unmarked(turn.Get("Inner Thoughts")))
		if commands := unmarked(turn.Get("Commands")); commands != "" {
			if err := a.commands(at, thought, commands, unmarked(turn.Get("Tool Responses")), instruction.Text()); err != nil {
				return err
			}
			thought = ""
		} else if unmarked(turn.Get("Tool Responses")) != "" {
			return a.reject("bad_result", at, "Tool Responses", "want a command for each response, have a response alone")
		}
		t := a.row.Add(canonical.Assistant, at)
		t.Body, t.Reasoning = jsontext.BodyOf(unmarked(turn.Get("MOSS"))), thought
		at++
	}
	return nil
}

// unmarked returns a text of MOSS without its marks, "" for "None".
func unmarked(value jsontext.JSON) string {
	text := strings.TrimSpace(value.Text())
	if _, rest, ok := strings.Cut(text, "|>:"); ok && strings.HasPrefix(text, "<|") {
		text = rest
	}
	for _, mark := range []string{"<eoh>", "<eot>", "<eoc>", "<eor>", "<eom>"} {
		text = strings.TrimSuffix(text, mark)
	}
	if text = strings.TrimSpace(text); text == "None" {
		return ""
	}
	return text
}

// commands adds the commands of a turn with their results: NAME("text"), one after the other.
func (a *adapter) commands(at int, thought jsontext.Body, commands, results, instruction string) error {
	var found []build.Call
	var spelled []string
	for rest := commands; rest != ""; rest = strings.TrimLeft(rest, ", \n") {
		name, behind, ok := strings.Cut(rest, "(")
		argument, after, err := calls.Literal(nil, behind)
		after = strings.TrimLeft(after, " ")
		if !ok || err != nil || !strings.HasPrefix(after, ")") || strings.ContainsAny(strings.TrimSpace(name), " \n\"") {
			return a.reject("bad_call", at, "Commands", "want commands with a text in brackets, have %d bytes of another form", len(rest))
		}
		name = strings.TrimSpace(name)
		spelled = append(spelled, rest[:len(rest)-len(after)+1])
		key := parameterOf(instruction, name)
		a.row.AddTool(name, jsontext.JSON(`{"type":"object","properties":{`+string(jsontext.Quote(key))+`:{"type":"string"}},"required":[`+string(jsontext.Quote(key))+`]}`))
		args := append(jsontext.AppendKey([]byte("{"), key), argument...)
		found = append(found, build.Call{Name: jsontext.BodyOf(name), Args: jsontext.JSON(append(args, '}'))})
		rest = after[1:]
	}
	t := a.row.Add(canonical.Assistant, at)
	t.Reasoning, t.Calls = thought, append(t.Calls, found...)
	for i := range spelled {
		_, part, ok := strings.Cut(results, spelled[i]+" =>")
		switch {
		case !ok && len(spelled) > 1:
			return sdk.Reject("bad_result", a.pathOf(at, "Tool Responses"), "want a response to each of %d commands, have %d", len(spelled), i)
		case !ok:
			part = results
		case i+1 < len(spelled):
			results = part
			part, _, _ = strings.Cut(part, spelled[i+1]+" =>")
		}
		a.row.Add(canonical.Tool, at).Body = jsontext.BodyOf(strings.TrimSpace(part))
	}
	return nil
}

// longInstruction is how many bytes of an instruction may describe the commands.
const longInstruction = 8 << 10

// parameterOf returns the name that the instruction has for what a command takes, as in Search(query), or "input".
func parameterOf(instruction, name string) string {
	_, behind, _ := strings.Cut(instruction[:min(len(instruction), longInstruction)], name+"(")
	if key, _, ok := strings.Cut(behind, ")"); ok && key != "" && len(key) < 40 && strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" {
		return key
	}
	return "input"
}
