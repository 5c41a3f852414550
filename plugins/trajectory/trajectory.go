// Package trajectory reads records of whole runs, with model calls nested in steps, and writes one eliza_native_v1 row
// for each call.
//
// A record is taken when it holds a list of steps (steps, trajectory.steps, trajectory, stages, or JSON of one in
// stepsJson) and a step holds model calls: a list under llmCalls, or an object under model as recorder stages have it.
// The attributes steps and calls name other places. Results of LifeOpsBench are conversations, and a row for each scenario.
package trajectory

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "trajectory".
var Plugin = build.Adapter{
	Name: "trajectory",
	Doc:  "reads runs with model calls nested in steps and writes an eliza_native_v1 row for each call",
	Args: config{},
	Codes: map[string]string{
		"bad_content": "the content of a message is neither text nor parts; correct it where it was made, or leave it out",
		"bad_message": "a message of a call is not an object; correct it where it was made, or leave it out",
		"bad_role":    "a message of a call has a role that is not known; correct it where it was made, or leave it out",
	},
	New: open,

	Marks: marks,
}.Plugin()

type config struct {
	Preset     string   `hcl:"preset,optional" doc:"one family's places and keys" example:"\"recorder\""`
	Steps      []string `hcl:"steps,optional" doc:"paths of the list of steps: keys joined by dots" example:"[\"trajectory.steps\"]"`
	Calls      []string `hcl:"calls,optional" doc:"keys of calls in a step" example:"[\"tool_calls\"]"`
	Transcript bool     `hcl:"transcript,optional" doc:"user prompts are transcripts"`
	Agent      string   `hcl:"agent,optional" doc:"who in a transcript is the assistant" example:"\"assistant\""`
	build.Options
}

// A family is where runs hold steps, under which keys steps hold calls, and whether prompts are transcripts.
type family struct {
	steps, calls []string
	transcript   bool
	scenarios    bool // results of benchmarks too
}

var presets = map[string]family{
	"":                    {steps: []string{"steps", "trajectory.steps", "trajectory", "stages", "stepsJson"}, calls: []string{"llmCalls", "model"}, scenarios: true},
	"recorder":            {steps: []string{"stages"}, calls: []string{"model"}},
	"export":              {steps: []string{"steps", "stepsJson"}, calls: []string{"llmCalls"}},
	"scam-defense-corpus": {steps: []string{"trajectory.steps", "steps"}, calls: []string{"llmCalls"}, transcript: true},
}

// familyOf returns the family that a step reads.
func familyOf(args sdk.Args) (f family, agent string, err error) {
	var cfg config
	if err := args.Decode(&cfg); err != nil {
		return f, "", err
	}
	f, err = build.Preset(args, cfg.Preset, presets)
	f.steps, f.calls = build.Given(cfg.Steps, f.steps), build.Given(cfg.Calls, f.calls)
	f.transcript = f.transcript || cfg.Transcript
	f.scenarios = f.scenarios && cfg.Steps == nil && cfg.Calls == nil
	return f, cfg.Agent, err
}

// marks are the members at the top of which one leads to the steps. Steps, and the calls in them, may be JSON in a string.
func marks(args sdk.Args) [][]string {
	f, _, _ := familyOf(args)
	var tops []string
	for _, path := range f.steps {
		top, _, _ := strings.Cut(path, ".")
		if !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	if f.scenarios {
		tops = append(tops, "turns")
	}
	return [][]string{tops}
}

func open(args sdk.Args) (build.ReadFunc, error) {
	f, agent, err := familyOf(args)
	if err != nil {
		return nil, err
	}
	r := &reader{keys: f.calls, transcript: f.transcript, scenarios: f.scenarios, agent: agent}
	r.noCalls = sdk.Decline("want steps with model calls, such as " + strings.Join(f.calls[:min(len(f.calls), 4)], ", "))
	for _, path := range f.steps {
		r.places = append(r.places, strings.Split(path, "."))
	}
	return func(record jsontext.JSON, row *build.Builder) error {
		a := adapter{reader: r, row: row}
		return a.read(record)
	}, nil
}

// A reader holds the attributes, and memory that it reuses for each record.
type reader struct {
	places     [][]string // where steps may be
	keys       []string   // where in a step calls may be
	transcript bool
	scenarios  bool
	agent      string
	noCalls    error         // declines a record
	check      canonical.Row // of messages that stay as they are
}

// An adapter is about one record.
type adapter struct {
	*reader
	row    *build.Builder
	run    run
	agents []string // who in a transcript is the assistant
	rows   int
	empty  int // calls without a row
}

// A run holds the members of a record about itself, as JSON.
type run struct {
	steps              jsontext.JSON
	path               string
	id, agent, name    jsontext.JSON // of name: who the agent is in a transcript
	status, tags, last jsontext.JSON // of last: the status that metrics end with
	others             []member
	left               int // members that no row has a place for
}

// A member is one that only the metadata of rows holds.
type member struct {
	key   string
	value jsontext.JSON
}

func (a *adapter) read(record jsontext.JSON) error {
	if a.scenarios {
		if list, path := scenariosOf(record); list != nil {
			return a.benchmark(record, list, path)
		}
	}
	if err := a.find(record); err != nil {
		return err
	}
	a.row.Identify("trajectoryId", a.run.id)
	a.run.id = a.row.ShareTrajectory().JSON()
	a.agents = []string{a.agent, a.run.name.Text(), a.run.agent.Text(), "Agent", "Assistant", "You"}
	for i, step := range a.run.steps.Elements() {
		if err := a.step(i, step); err != nil {
			return err
		}
	}
	if a.rows == 0 {
		return sdk.Reject("no_target", a.run.path, "want a call with a question and an answer, have %d without", a.empty)
	}
	a.row.Count("loss.run_member", a.run.left)
	a.row.Count("loss.call_without_answer", a.empty)
	return nil
}

// find looks for the steps, and notes the other members.
func (a *adapter) find(record jsontext.JSON) error {
	if record.Kind() != '{' {
		return sdk.Decline("want an object")
	}
	best := len(a.places)
	for key, v := range record.Members() {
		if key == "format" || key == "messages" && v[0] == '[' {
			return sdk.Decline("want a record with no other shape than the steps")
		}
		isPlace := false
		for i, place := range a.places[:best] {
			if place[0] != key {
				continue
			}
			isPlace = true
			if steps := a.stepsAt(v, place[1:]); steps != "" {
				a.run.steps, a.run.path, best = steps, strings.Join(place, "."), i
				break
			}
		}
		if !isPlace {
			a.run.member(key, v)
		}
		_, within, nested := strings.Cut(a.run.path, key+".")
		switch {
		case isPlace && nested || key == "trajectory" && v[0] == '{': // holds members that other records have at the top
			for key, v := range v.Members() {
				if key != "steps" && !strings.HasPrefix(within+".", key+".") {
					a.run.member(key, v)
				}
			}
		case isPlace && !strings.HasPrefix(a.run.path+".", key+"."): // another list than the one that is read
			a.run.member(key, v)
		}
	}
	if a.run.steps == "" {
		return a.noCalls
	}
	return nil
}

// stepsAt follows a path and returns the list there if one of its steps holds model calls.
func (a *adapter) stepsAt(value jsontext.JSON, path []string) jsontext.JSON {
	for _, key := range path {
		value = value.Get(key)
	}
	if body, ok := value.Quoted(); ok && strings.HasPrefix(string(body), "[") {
		value, _ = body.Embedded()
	}
	for _, step := range value.Elements() {
		for key, v := range step.Members() {
			if slices.Contains(a.keys, key) && holdsCall(v) {
				return value
			}
		}
	}
	return ""
}

// holdsCall reports whether a value is a list, or an object that asks or answers.
func holdsCall(value jsontext.JSON) bool {
	for key := range value.Members() {
		switch key {
		case "messages", "prompt", "userPrompt", "response", "completion":
			return true
		}
	}
	return value.Kind() == '['
}

// member notes a member of the run. What has no meaning here is kept unless it is large.
func (r *run) member(key string, value jsontext.JSON) {
	switch key {
	case "trajectoryId":
		r.id = value
	case "agentId":
		r.agent = value
	case "agentName", "agent_name":
		r.name = value
		r.others = append(r.others, member{"agentName", value})
	case "status":
		r.status = value
	case "tags":
		r.tags = value
	case "metrics":
		r.last = value.Get("finalStatus")
		r.others = append(r.others, member{key, value})
	default:
		// Large members would be repeated in every row of the run.
		if len(value) < 1<<10 || key == "split" || key == "quality" || key == "metadata" {
			r.others = append(r.others, member{key, value})
		} else {
			r.left++
		}
	}
}

// step emits the rows of a step.
func (a *adapter) step(i int, value jsontext.JSON) error {
	s := step{index: i}
	path := a.run.path + "." + strconv.Itoa(i)
	var list jsontext.JSON
	var at string
	for key, v := range value.Members() {
		if slices.Contains(a.keys, key) && (v[0] == '[' || v[0] == '{') {
			list, at = v, path+"."+key
		} else {
			s.member(key, v)
		}
	}
	if list == "" { // actions and observations
		a.row.Count("loss.step", 1)
		return nil
	}
	if list.Kind() == '{' {
		return a.call(s, 0, at, list)
	}
	for n, call := range list.Elements() {
		if err := a.call(s, n, at+"."+strconv.Itoa(n), call); err != nil {
			return err
		}
	}
	return nil
}

// converse adds the turns of a transcript: lines "[Speaker]: text", each with the lines that follow it. The agent's are
// the assistant's, all others the user's under their names. The text before the first is a system text. A prompt
// without such lines is one turn of the user.
func (a *adapter) converse(body jsontext.Body) {
	prompt := body.Text()
	from, who := 0, "" // where the words of the last speaker begin
	add := func(to int) {
		text := jsontext.BodyOf(strings.TrimSpace(prompt[from:to]))
		switch {
		case text == "":
		case who == "":
			a.row.Add(canonical.System, 0).Body = text
		case slices.ContainsFunc(a.agents, func(agent string) bool { return strings.EqualFold(who, agent) }):
			a.row.Add(canonical.Assistant, 0).Body = text
		default:
			t := a.row.Add(canonical.User, 0)
			t.Body, t.Name = text, jsontext.BodyOf(who)
		}
	}
	at := 0
	for line := range strings.Lines(prompt) {
		if name, ok := speaker(line); ok {
			add(at)
			from, who = at+len("["+name+"]:"), name
		}
		at += len(line)
	}
	if who == "" {
		a.row.Add(canonical.User, 0).Body = body
		return
	}
	add(at)
}

// speaker returns the name in "[name]: text".
func speaker(line string) (name string, ok bool) {
	behind, ok := strings.CutPrefix(line, "[")
	name, _, end := strings.Cut(behind, "]:")
	return name, ok && end && name != "" && !strings.ContainsAny(name, "[]\n")
}
