package canonical

import (
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// kept is a member of the record that the adapter has no use for: where the row comes from, how good it is, and whatever
// else a dataset says about it. All of it goes to the metadata of the row.
type kept struct {
	key   string // decoded
	value jsontext.JSON
}

// Keep keeps a member that stands beside the conversation for the row's metadata: its key, decoded, and its JSON.
func (c *Builder) Keep(key string, value jsontext.JSON) { c.rest = append(c.rest, kept{key, value}) }

// Kept gives the last value that Keep had under a key, or "".
func (c *Builder) Kept(key string) (value jsontext.JSON) {
	for _, m := range c.rest {
		if m.key == key {
			value = m.value
		}
	}
	return value
}

// Forget takes all that Keep had under a key out.
func (c *Builder) Forget(key string) {
	c.rest = slices.DeleteFunc(c.rest, func(m kept) bool { return m.key == key })
}

// names are the other spellings of a provenance member.
var names = map[string]string{
	"id": "original_id", "uuid": "original_id", "_id": "original_id", "conversation_id": "original_id", "trajectory_id": "original_id",
	"dataset": "source_dataset", "dataset_name": "source_dataset", "licence": "license", "taskType": "task_type",
}

// CheckRepair rejects a row of the repair loop, by what Keep had so far, with the codes of plugin native. Emit does so too; an
// adapter calls it earlier to spare itself the reading.
func (c *Builder) CheckRepair() error {
	if c.settings.keepsRepair {
		return nil
	}
	for _, mark := range Repair(c.Kept("split"), c.Kept("quality"), c.Kept("metadata")) {
		return sdk.Reject(mark.Code, mark.Path, "%s", mark.Message)
	}
	return nil
}

// settleBeside puts all that Keep had into the metadata of the row: provenance under one name each, members of an object
// "metadata" each for itself. null and empty texts say nothing and are left out.
func (c *Builder) settleBeside() {
	for _, m := range c.rest {
		switch {
		case m.value == "null" || m.value == `""` || m.value == "{}" || m.value == "[]":
		case (m.key == "metadata" || m.key == "meta") && m.value[0] == '{':
			members := m.value.Cursor()
			for key := range members.Members() {
				c.provenance(key, members.Value())
			}
		case identity[m.key]:
			c.Identify(m.key, m.value)
		default:
			c.provenance(m.key, m.value)
		}
	}
	c.rest = c.rest[:0]
}

func (c *Builder) provenance(key string, value jsontext.JSON) {
	if name, ok := names[key]; ok && !c.HasMeta(jsontext.Body(name)) {
		key = name
	}
	c.Meta(jsontext.BodyOf(key), value)
}

// identity are the members that say which model call a row is, and can mean nothing else in a dataset.
var identity = map[string]bool{
	"trajectoryId": true, "agentId": true, "scenarioId": true, "batchId": true, "stepId": true, "callId": true,
	"stepIndex": true, "callIndex": true, "model": true, "modelVersion": true, "modelType": true, "provider": true,
}

// Renamed gives an object of the members that have another name in names, or "" when none has. null is left out.
func Renamed(object jsontext.JSON, names map[string]string) jsontext.JSON {
	out := []byte("{")
	c := jsontext.Cursor{JSON: object}
	for key := range c.Members() {
		v := c.Value()
		name, ok := names[key]
		if !ok || v == "null" {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(append(out, '"'), name...), `":`...), v...)
	}
	if len(out) == 1 {
		return ""
	}
	return jsontext.JSON(append(out, '}'))
}
