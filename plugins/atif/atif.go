// Package atif reads trajectories in the Agent Trajectory Interchange Format, as Harbor, Terminal-Bench and Phoenix write them,
// and writes eliza_native_v1 rows: one for the trajectory, and one for each run of a sub-agent in it.
//
// A record is taken when its schema_version begins with ATIF- and it has a list of steps.
package atif

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "atif".
var Plugin = build.Adapter{
	Name: "atif",
	Doc:  "reads trajectories of agents in the interchange format ATIF and writes eliza_native_v1 rows",
	Args: build.Options{Joiner: "\n"},
	Codes: map[string]string{
		"bad_step":    "a step or a part of one is not what the format has there; correct it where it was recorded, or leave it out",
		"bad_version": "the trajectory is of a version of the format that is not known; convert it to version 1 before",
	},
	New: func(sdk.Args) (build.ReadFunc, error) { return read, nil },

	Marks: build.Marked([]string{"schema_version"}, []string{"steps"}),
}.Plugin()

// mostNested is how deep runs of sub-agents are read. A run nested deeper is counted: each level reads all that is in it again.
const mostNested = 8

// An adapter reads one trajectory.
type adapter struct {
	row   *build.Builder
	model jsontext.JSON // of the agent
	usage jsontext.JSON // figures of the last step of the agent
	last  float64       // the number of the step before
}

func read(record jsontext.JSON, row *build.Builder) error {
	version, ok := record.Get("schema_version").Quoted()
	switch {
	case !ok || !strings.HasPrefix(string(version), "ATIF-"):
		return sdk.Decline("want a schema_version of ATIF")
	case record.Get("steps").Kind() != '[':
		return sdk.Decline("want a list of steps")
	case !strings.HasPrefix(string(version), "ATIF-v1.") && version != "ATIF-v1":
		return sdk.Reject("bad_version", "schema_version", "want ATIF-v1, have %s", jsontext.Seen(version.JSON()))
	}
	a := adapter{row: row}
	row.Identify("trajectoryId", cmp.Or(idOf(record, "session_id"), idOf(record, "trajectory_id")))
	if err := a.trajectory(record, "", "session_id"); err != nil {
		return err
	}
	if !record.Get("subagent_trajectories").Truthy() {
		return nil
	}
	id := row.ShareTrajectory()
	if err := row.Emit(); err != nil {
		return err
	}
	return a.delegated(record, "", id, mostNested)
}

// idOf returns a member that holds a text, or "".
func idOf(object jsontext.JSON, key string) jsontext.JSON {
	if v := object.Get(key); v.Body() != "" {
		return v
	}
	return ""
}

// delegated emits a row for each run of a sub-agent in a trajectory, and for those in it. A run without a request or that has
// no answer is counted.
func (a *adapter) delegated(record jsontext.JSON, path string, id jsontext.Body, deeper int) error {
	for i, run := range record.Get("subagent_trajectories").Elements() {
		at := path + "subagent_trajectories." + strconv.Itoa(i) + "."
		if run.Get("steps").Kind() != '[' || deeper == 0 {
			a.row.Count("loss.subagent", 1)
			continue
		}
		a.row.Reset()
		a.row.Shape = "subagent"
		a.row.Identify("trajectoryId", id.JSON())
		if err := a.trajectory(run, at, ""); err != nil {
			return err
		}
		if a.row.HasTarget() {
			if err := a.row.Emit(); err != nil {
				return err
			}
		} else {
			a.row.Count("loss.subagent", 1)
		}
		if err := a.delegated(run, at, id, deeper-1); err != nil {
			return err
		}
	}
	return nil
}

// trajectory fills the row with one trajectory. id is the member that identifies the row already.
func (a *adapter) trajectory(record jsontext.JSON, path, id string) error {
	row := a.row
	row.Path = path + "steps"
	row.ReadsText("agent", "notes", "final_metrics") // of the recording, not of the conversation
	a.model, a.usage, a.last = "", "", 0
	agent := record.Get("agent")
	for key, v := range record.Members() {
		switch key {
		case "steps", "subagent_trajectories":
		case "agent":
			if err := a.agent(path+key, agent); err != nil {
				return err
			}
		default:
			if id == "" || key != id || v.Body() == "" {
				row.Keep(key, v)
			}
		}
	}
	if err := row.CheckRepair(); err != nil {
		return err
	}
	for i, step := range record.Get("steps").Elements() {
		if err := a.step(i, step); err != nil {
			return err
		}
	}
	if a.model != "" {
		row.Identify("model", a.model)
	}
	row.Usage = a.usage
	return nil
}

// agent takes the tools and the model of the agent, and keeps the rest of what is said of it.
func (a *adapter) agent(path string, agent jsontext.JSON) error {
	if agent.Kind() != '{' {
		a.row.Keep("agent", agent)
		return nil
	}
	rest := []byte("{")
	for key, v := range agent.Members() {
		switch {
		case key == "model_name" && v.Kind() == '"':
			a.model = v
		case key == "tool_definitions":
			if err := a.row.SetTools(path+"."+key, v); err != nil {
				return err
			}
		case v != "null":
			rest = append(jsontext.AppendKey(rest, key), v...)
		}
	}
	a.row.Keep("agent", jsontext.JSON(append(rest, '}')))
	return nil
}
