// Package columns keeps what stands beside the conversation in a record: where it comes from, how good it is, and
// whatever else a dataset says about a row. All of it goes to the metadata of the canonical row.
package columns

import (
	"maps"
	"slices"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Beside are the members of a record that an adapter has no use for. The zero value is empty.
type Beside struct{ members []member }

type member struct {
	key   string // decoded
	value jsontext.JSON
}

// Reset makes it empty.
func (b *Beside) Reset() { b.members = b.members[:0] }

// Take takes a member of the record: its key, decoded, and its JSON.
func (b *Beside) Take(key string, value jsontext.JSON) {
	b.members = append(b.members, member{key, value})
}

// Get gives the last value of a key, or "".
func (b *Beside) Get(key string) (value jsontext.JSON) {
	for _, m := range b.members {
		if m.key == key {
			value = m.value
		}
	}
	return value
}

// Drop takes all members of a key out.
func (b *Beside) Drop(key string) {
	b.members = slices.DeleteFunc(b.members, func(m member) bool { return m.key == key })
}

// names are the other spellings of a provenance member.
var names = map[string]string{
	"id": "original_id", "uuid": "original_id", "_id": "original_id", "conversation_id": "original_id", "trajectory_id": "original_id",
	"dataset": "source_dataset", "dataset_name": "source_dataset", "licence": "license", "taskType": "task_type",
}

// Settle rejects a row of the repair loop, with the codes of plugin native, and else puts all members into the
// metadata of the row: provenance under one name each, members of an object "metadata" each for itself. null and empty
// texts say nothing and are left out.
func (b *Beside) Settle(c *canonical.Conversation) error {
	for _, mark := range eliza.Repair(b.Get("split"), b.Get("quality"), b.Get("metadata")) {
		return sdk.Reject(mark.Code, mark.Path, "%s", mark.Message)
	}
	for _, m := range b.members {
		switch {
		case m.value == "null" || m.value == `""` || m.value == "{}" || m.value == "[]":
		case (m.key == "metadata" || m.key == "meta") && m.value[0] == '{':
			cursor := jsontext.Cursor{JSON: m.value}
			for key := range cursor.Members() {
				put(c, key, cursor.Value())
			}
		case identity[m.key]:
			c.Identify(m.key, m.value)
		default:
			put(c, m.key, m.value)
		}
	}
	return nil
}

// identity are the members that say which model call a row is, and can mean nothing else in a dataset.
var identity = map[string]bool{
	"trajectoryId": true, "agentId": true, "scenarioId": true, "batchId": true, "stepId": true, "callId": true,
	"stepIndex": true, "callIndex": true, "model": true, "modelVersion": true, "modelType": true, "provider": true,
}

func put(c *canonical.Conversation, key string, value jsontext.JSON) {
	if name, ok := names[key]; ok && !c.HasMeta(jsontext.Body(name)) {
		key = name
	}
	c.Meta(jsontext.BodyOf(key), value)
}

// Defaults makes texts that a step's attributes give for every row, sorted by key.
func Defaults(texts map[string]string) (b Beside) {
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		b.Take(key, jsontext.JSON(jsontext.AppendString(nil, texts[key])))
	}
	return b
}

// Fill puts all members into the metadata of the row where that does not have them.
func (b *Beside) Fill(c *canonical.Conversation) {
	for _, m := range b.members {
		c.Meta(jsontext.BodyOf(m.key), m.value)
	}
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
