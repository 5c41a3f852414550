// Package trajectory reads records of whole runs, with model calls nested in steps, and gives one eliza_native_v1 row
// for each call.
//
// A record is taken when a list of steps stands in it (steps, trajectory.steps, trajectory, stages, or JSON of one in
// stepsJson) and a step holds model calls: a list under llmCalls, or an object under model as recorder stages have it.
// The attributes steps and calls name other places.
package trajectory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/choice"
	"github.com/sluicehq/sluice/plugins/internal/columns"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the adapter for runs.
var Plugin = sdk.Plugin{
	Name: "trajectory",
	Doc:  "reads runs with model calls nested in steps and gives an eliza_native_v1 row for each call",
	Args: config{},
	New:  open,

	Labels: []string{"trajectoryId"},
}

type config struct {
	Preset     string            `hcl:"preset,optional" doc:"one family's places and keys"`
	Steps      []string          `hcl:"steps,optional" doc:"paths of the list of steps: keys joined by dots"`
	Calls      []string          `hcl:"calls,optional" doc:"keys of calls in a step"`
	Transcript bool              `hcl:"transcript,optional" doc:"user prompts are transcripts"`
	Agent      string            `hcl:"agent,optional" doc:"who in a transcript is the assistant"`
	Metadata   map[string]string `hcl:"metadata,optional" doc:"texts for the metadata of rows that do not say so themselves"`
}

var anyPlace = config{Steps: []string{"steps", "trajectory.steps", "trajectory", "stages", "stepsJson"}, Calls: []string{"llmCalls", "model"}}

var presets = map[string]config{
	"":                    anyPlace,
	"recorder":            {Steps: []string{"stages"}, Calls: []string{"model"}},
	"export":              {Steps: []string{"steps", "stepsJson"}, Calls: []string{"llmCalls"}},
	"scam-defense-corpus": {Steps: []string{"trajectory.steps", "steps"}, Calls: []string{"llmCalls"}, Transcript: true},
}

func open(a sdk.Args) (sdk.Processor, error) {
	var given config
	if err := a.Decode(&given); err != nil {
		return nil, err
	}
	cfg, err := choice.Named(a, "preset", given.Preset, presets)
	if err != nil {
		return nil, err
	}
	if given.Steps != nil {
		cfg.Steps = given.Steps
	}
	if given.Calls != nil {
		cfg.Calls = given.Calls
	}
	p := &adapter{keys: cfg.Calls, transcript: cfg.Transcript || given.Transcript, agent: given.Agent, metadata: columns.Defaults(given.Metadata)}
	for _, path := range cfg.Steps {
		p.places = append(p.places, strings.Split(path, "."))
	}
	return p, nil
}

type adapter struct {
	places     [][]string // where steps may be
	keys       []string   // where in a step calls may be
	transcript bool
	agent      string
	metadata   columns.Beside

	run   run
	row   canonical.Conversation
	rest  columns.Beside
	check eliza.Row // reads messages that stay as they are
	rows  int
	empty int // calls that gave nothing
}

// A run is what a record says of itself, as JSON.
type run struct {
	steps           jsontext.JSON
	path            string
	id, agent, name jsontext.JSON // of name: who the agent is in a transcript
	status, tags    jsontext.JSON
	beside          columns.Beside
}

// Process implements sdk.Processor.
func (a *adapter) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	record := jsontext.Of(r.JSON())
	a.run.beside.Reset()
	a.run = run{beside: a.run.beside}
	if err := a.find(record); err != nil {
		return err
	}
	if a.run.id.Body() == "" {
		sum := sha256.Sum256(r.JSON())
		a.run.id = jsontext.JSON(`"` + hex.EncodeToString(sum[:12]) + `"`)
	}
	r.SetLabel("trajectoryId", a.run.id.Body().Text())
	a.rows, a.empty = 0, 0
	c := jsontext.Cursor{JSON: a.run.steps}
	for i := range c.Elements() {
		if err := a.step(r, i, &c, emit); err != nil {
			return err
		}
	}
	if a.rows == 0 {
		return sdk.Reject("no_target", a.run.path, "want a call with a question and an answer, have %d without", a.empty)
	}
	if a.empty > 0 {
		r.Count("loss.call_without_answer", a.empty)
	}
	return nil
}

// find looks for the steps, and notes what stands beside them.
func (a *adapter) find(record jsontext.JSON) error {
	c := jsontext.Cursor{JSON: record}
	if c.Kind() != '{' {
		return sdk.Decline("want an object")
	}
	best := len(a.places)
	for key := range c.Members() {
		v := c.Value()
		if key == "format" || key == "messages" && v[0] == '[' {
			return sdk.Decline("want no other shape beside the steps")
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
			a.beside(key, v)
		}
		if key == "trajectory" && v[0] == '{' { // says of the run what others say at the top
			inner := jsontext.Cursor{JSON: v}
			for key := range inner.Members() {
				a.beside(key, inner.Value())
			}
		}
	}
	if a.run.steps == "" {
		return sdk.Decline("want steps with model calls")
	}
	return nil
}

// stepsAt follows a path and gives the list there if a step in it holds model calls.
func (a *adapter) stepsAt(value jsontext.JSON, path []string) jsontext.JSON {
	for _, key := range path {
		value = value.Get(key)
	}
	if body, ok := value.Quoted(); ok && strings.HasPrefix(string(body), "[") {
		value, _ = body.Embedded()
	}
	c := jsontext.Cursor{JSON: value}
	if c.Kind() != '[' {
		return ""
	}
	for range c.Elements() {
		for key := range c.Members() {
			if slices.Contains(a.keys, key) && holdsCall(&c) {
				return value
			}
		}
	}
	return ""
}

// holdsCall tells whether the value ahead is a list, or an object that asks or answers.
func holdsCall(c *jsontext.Cursor) bool {
	if c.Kind() == '[' {
		return true
	}
	found := false
	for key := range c.Members() {
		switch key {
		case "messages", "prompt", "userPrompt", "response", "completion":
			found = true
		}
	}
	return found
}

// beside notes a member of the run. Of what has no meaning here texts, numbers and booleans are kept.
func (a *adapter) beside(key string, value jsontext.JSON) {
	switch key {
	case "trajectoryId":
		a.run.id = value
	case "agentId":
		a.run.agent = value
	case "agentName", "agent_name":
		a.run.name = value
	case "status":
		a.run.status = value
	case "tags":
		a.run.tags = value
	case "metrics":
		if a.run.status == "" {
			a.run.status = value.Get("finalStatus")
		}
	case "split", "quality", "metadata":
		a.run.beside.Take(key, value)
	default:
		if value[0] != '{' && value[0] != '[' && (value[0] != '"' || len(value) < 1<<10) {
			a.run.beside.Take(key, value)
		}
	}
}

// step emits the rows of the step ahead.
func (a *adapter) step(r *sdk.Record, i int, c *jsontext.Cursor, emit func(*sdk.Record)) error {
	var s step
	s.index, s.path = i, a.run.path+"."+strconv.Itoa(i)
	var found jsontext.JSON
	var at string
	for key := range c.Members() {
		v := c.Value()
		if slices.Contains(a.keys, key) && (v[0] == '[' || v[0] == '{') {
			found, at = v, s.path+"."+key
			continue
		}
		s.member(key, v)
	}
	if found.Kind() == '{' {
		inner := jsontext.Cursor{JSON: found}
		return a.call(r, s, 0, at, &inner, emit)
	}
	calls := jsontext.Cursor{JSON: found}
	for n := range calls.Elements() {
		if err := a.call(r, s, n, at+"."+strconv.Itoa(n), &calls, emit); err != nil {
			return err
		}
	}
	return nil
}
