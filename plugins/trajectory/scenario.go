package trajectory

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// scenariosOf returns the results of LifeOpsBench in a record, and their path: those of a run, or the record itself.
func scenariosOf(record jsontext.JSON) (list []jsontext.JSON, path string) {
	var format, messages, scenarios, passed, model jsontext.JSON
	record.Fill([]string{"format", "messages", "scenarios", "pass_at_1", "model_name"},
		[]*jsontext.JSON{&format, &messages, &scenarios, &passed, &model}, nil)
	switch {
	case format != "" || messages != "":
	case isScenario(record):
		return []jsontext.JSON{record}, ""
	case scenarios.Kind() == '[' && isScenario(scenarios.First()) && (passed != "" || model != ""):
		return scenarios.List(), "scenarios."
	}
	return nil, ""
}

func isScenario(value jsontext.JSON) bool {
	var id, turns, score jsontext.JSON
	value.Fill([]string{"scenario_id", "turns", "total_score"}, []*jsontext.JSON{&id, &turns, &score}, nil)
	return id.Truthy() && turns.Kind() == '[' && score != ""
}

// benchmark emits a row for each scenario that was solved. One that was not is counted where others were.
func (a *adapter) benchmark(record jsontext.JSON, list []jsontext.JSON, path string) error {
	for key, v := range record.Members() {
		switch {
		case path == "" || key == "scenarios":
		case len(v) < 1<<10:
			a.run.others = append(a.run.others, member{key, v})
		default: // it would be repeated in every row of the run
			a.row.Count("loss.run_member", 1)
		}
	}
	var unsolved error
	for i, value := range list {
		at := ""
		if path != "" {
			at = path + strconv.Itoa(i) + "."
		}
		err := a.scenario(value, at)
		if err == nil {
			a.rows++
			continue
		}
		unsolved = cmp.Or(unsolved, err)
		a.empty++
	}
	if a.rows == 0 {
		return unsolved
	}
	a.row.Count("loss.scenario", a.empty)
	return nil
}

// scenario emits the row of one scenario: its instruction, and what agent and user said since.
func (a *adapter) scenario(value jsontext.JSON, at string) error {
	a.row.Reset()
	a.row.Path, a.row.Shape = at+"turns", "scenario"
	var turns, instruction jsontext.JSON
	for key, v := range value.Members() {
		switch key {
		case "scenario_id":
			a.row.Identify("scenarioId", v)
		case "turns":
			turns = v
		case "instruction", "scenario_instruction":
			instruction = cmp.Or(instruction, v)
		default:
			a.row.Keep(key, v)
		}
	}
	a.keep(a.run.others)
	if body := instruction.Body(); !body.Blank() {
		a.row.Add(canonical.User, 0).Body = body
	} else {
		return sdk.Reject("no_user_turn", at+"instruction", "want the instruction of the scenario beside its turns, have a result alone")
	}
	for i, turn := range turns.Elements() {
		if err := a.turn(i, turn); err != nil {
			return err
		}
	}
	if a.row.Kept("quality") == "" {
		a.row.KeepMade("quality", solved(value))
	}
	return a.row.Emit()
}

// turn adds a turn of the agent: what it said and called, what the tools returned, and what the user said then.
func (a *adapter) turn(i int, turn jsontext.JSON) error {
	var said, actions, results, heard jsontext.JSON
	left := 0
	turn.Fill([]string{"agent_message", "agent_actions", "tool_results", "user_response"},
		[]*jsontext.JSON{&said, &actions, &results, &heard}, func(_ string, v jsontext.JSON) { // its number, time, tokens and cost
			if v != "null" {
				left++
			}
		})
	if turn.Kind() != '{' {
		left++
	}
	for _, list := range []jsontext.JSON{actions, results} {
		if list.Kind() != '[' && list.Truthy() {
			left++
		}
	}
	a.row.Count("loss.turn_member", left)
	var made []build.Call
	for _, action := range actions.Elements() {
		made = append(made, a.action(action))
	}
	if body := textOf(said); !body.Blank() || len(made) > 0 {
		t := a.row.Add(canonical.Assistant, i)
		if t.Calls = append(t.Calls, made...); len(made) > 0 {
			t.Body = body
		} else if err := a.row.Say(t, body, a.row.Path+"."+strconv.Itoa(i)+".agent_message"); err != nil {
			return err
		}
	}
	n := 0
	for _, result := range results.Elements() {
		a.result(i, result, made[min(n, len(made)):])
		n++
	}
	if body := textOf(heard); !body.Blank() {
		a.row.Add(canonical.User, i).Body = body
	}
	return nil
}

func textOf(value jsontext.JSON) jsontext.Body {
	if value == "null" {
		return ""
	}
	return build.AsText(value)
}

// action returns the call that an action is.
func (a *adapter) action(value jsontext.JSON) (call build.Call) {
	for key, v := range value.Members() {
		switch key {
		case "id":
			call.ID, _ = canonical.ReadID(v)
		case "name":
			call.Name = v.Body()
		case "kwargs", "arguments", "args":
			if call.Args != "" && call.Args != v {
				call.Left++
			}
			call.Args = cmp.Or(call.Args, v)
		default:
			if v != "null" {
				call.Left++
			}
		}
	}
	return call
}

// result adds what a tool returned for the first of the calls that have no result yet.
func (a *adapter) result(i int, value jsontext.JSON, made []build.Call) {
	content, payload := textOf(value.Get("content")), value.Get("payload")
	if a.row.Leave("loss.turn_member", value, "name", "content", "payload", "tool_call_id"); content.Blank() {
		content = textOf(payload)
	} else if payload.Truthy() && !content.Is(textOf(payload)) {
		a.row.Count("loss.turn_member", 1)
	}
	if value.Kind() != '{' || content.Blank() {
		a.row.Count("loss.turn_member", 1)
		return
	}
	t := a.row.Add(canonical.Tool, i)
	t.Body, t.Name = content, value.Get("name").Body()
	if len(made) > 0 { // by position: the id that a result names is not that of its call
		t.ID, t.Name = made[0].ID, made[0].Name
	}
}

// enough is the part of the points that a solved scenario has.
const enough = 0.99

// solved returns the quality of a result: whether the scenario was solved, and which part of its points it got.
func solved(result jsontext.JSON) jsontext.JSON {
	score, _ := result.Get("total_score").Number()
	if most, ok := result.Get("max_score").Number(); ok && most > 0 {
		score /= most
	}
	score = max(0, min(1, score))
	failed := slices.Contains([]string{"error", "timeout", "cost_exceeded", "max_turns"}, result.Get("terminated_reason").Text())
	success := !failed && !result.Get("error").Truthy() && score >= enough
	return jsontext.JSON(`{"success":` + strconv.FormatBool(success) + `,"score":` + strconv.FormatFloat(score, 'g', -1, 64) + `}`)
}
