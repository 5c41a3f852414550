// Command sluice-plugin-desk is an adapter of a team's own: it reads the log of a support desk, one ticket a record,
// and writes an eliza_native_v1 row.
package main

import (
	"fmt"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

func main() { sdk.Main(desk) }

// desk is the plugin. It takes a record that has the keys "ticket" and "log":
//
//	{"ticket": "T-7", "desk": "Be brief.", "log": [
//		{"who": "customer", "said": "Where is my parcel?"},
//		{"who": "bot", "did": "track", "with": {"parcel": 12}, "got": {"at": "Oslo"}},
//		{"who": "bot", "said": "In Oslo."}]}
var desk = build.Adapter{
	Name: "desk",
	Doc:  "reads the log of a support desk and writes an eliza_native_v1 row",
	Args: config{Agent: "bot"},
	New: func(args sdk.Args) (build.ReadFunc, error) {
		var c config
		err := args.Decode(&c)
		return c.read, err
	},
	Codes: map[string]string{"desk_log": "log is not an array", "desk_turn": "a stranger speaks"},
}.Plugin()

type config struct {
	build.Options
	Agent string `hcl:"agent,optional" doc:"who in a log is the assistant"`
}

// read fills the row with one ticket.
func (c config) read(record jsontext.JSON, row *build.Builder) error {
	ticket, log := record.Get("ticket"), record.Get("log")
	if ticket == "" || log == "" {
		return sdk.Decline("want the keys ticket and log")
	}
	if log.Kind() != '[' {
		return sdk.Reject("desk_log", "log", "want an array of turns, have %s", jsontext.KindName(log.Kind()))
	}
	row.Path = "log"
	row.KeepMade("source_dataset", `"desk"`)
	row.Keep("original_id", ticket)
	if err := row.SetTools("tools", record.Get("tools")); err != nil {
		return err
	}
	row.Add(canonical.System, 0).Body = record.Get("desk").Body()
	for i, turn := range log.Elements() {
		if err := c.turn(turn, i, row); err != nil {
			return err
		}
	}
	return nil
}

// turn adds one turn of the log: what somebody says, and what the agent does and gets.
func (c config) turn(turn jsontext.JSON, i int, row *build.Builder) error {
	said, did, got := turn.Get("said").Body(), turn.Get("did").Body(), turn.Get("got")
	switch who := turn.Get("who").Text(); who {
	case "customer":
		row.Add(canonical.User, i).Body = said
		return nil
	case c.Agent:
	default:
		return sdk.Reject("desk_turn", fmt.Sprintf("log.%d.who", i), "want customer or %s, have %s", c.Agent, jsontext.Seen(turn.Get("who")))
	}
	answer := row.Add(canonical.Assistant, i)
	if did != "" {
		answer.Calls = append(answer.Calls, build.Call{Name: did, Args: turn.Get("with")})
	}
	err := row.Say(answer, said, fmt.Sprintf("log.%d.said", i))
	if got != "" {
		row.Add(canonical.Tool, i).Body = build.AsText(got)
	}
	return err
}
