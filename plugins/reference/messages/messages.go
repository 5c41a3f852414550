// Package messages reads rows with a list of messages as the Python renderer does.
package messages

import (
	"slices"

	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/plugins/reference/render"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// New returns a step whose rows carry the messages unchanged. A row that fails is declined, for the flat shape to try.
func New() sdk.Processor { return render.Adapter(read) }

func read(row *render.Carried, record jsontext.JSON) error {
	if record.Kind() != '{' {
		return sdk.Reject("reference_error", "", "want an object")
	}
	var schema, split, quality, metadata, target, messages jsontext.JSON
	*row = render.Carried{Messages: row.Messages[:0], Whole: true}
	record.Fill([]string{"schema", "split", "quality", "metadata", "target", "messages", "tools"},
		[]*jsontext.JSON{&schema, &split, &quality, &metadata, &target, &messages, &row.Tools}, nil)
	if render.Auxiliary(split, quality, metadata) {
		return sdk.Reject("auxiliary", "", "want a row for training, have one of the repair loop")
	}
	if schema.Text() == "eliza.eliza1_trajectory_record.v1" {
		if name := render.Split(split, metadata); name != "" && !slices.Contains([]string{"train", "val", "validation", "test"}, name) {
			return sdk.Decline("another split")
		}
		if target.Kind() == '{' && target.Truthy() && python.Str(target.Get("sftFormat")) != "messages" {
			return sdk.Decline("another target")
		}
	}
	if messages.Kind() != '[' {
		return sdk.Decline("want an array of messages")
	}
	user, last := false, ""
	for _, m := range messages.Elements() {
		if role := render.RoleOf(m); role != "" {
			row.Messages = append(row.Messages, m)
			user, last = user || role == "user", role
		}
	}
	switch {
	case last != "assistant":
		return sdk.Decline("want an assistant's message at the end")
	case !user:
		return sdk.Decline("want a message of the user")
	}
	end := len(row.Messages) - 1
	row.Answer, row.Messages = row.Messages[end], row.Messages[:end]
	return nil
}
