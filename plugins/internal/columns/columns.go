// Package columns keeps what stands beside the conversation in a record: where it comes from, how good it is, and
// whatever else a dataset says about a row. All of it goes to the metadata of the canonical row.
package columns

import (
	"maps"
	"slices"
	"strings"
	"unsafe"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/sdk"
)

// Beside are the members of a record that an adapter has no use for. The zero value is empty.
type Beside struct{ members []canonical.Member }

// Reset makes it empty.
func (b *Beside) Reset() { b.members = b.members[:0] }

// Take takes a member of the record: its key, decoded, and its JSON.
func (b *Beside) Take(key, value string) {
	b.members = append(b.members, canonical.Member{Key: key, Value: value})
}

// Get gives the last value of a key, or "".
func (b *Beside) Get(key string) (value string) {
	for _, m := range b.members {
		if m.Key == key {
			value = m.Value
		}
	}
	return value
}

// Drop takes all members of a key out.
func (b *Beside) Drop(key string) {
	b.members = slices.DeleteFunc(b.members, func(m canonical.Member) bool { return m.Key == key })
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
	if err := b.auxiliary(); err != nil {
		return err
	}
	for _, m := range b.members {
		switch {
		case m.Value == "null" || m.Value == `""` || m.Value == "{}" || m.Value == "[]":
		case (m.Key == "metadata" || m.Key == "meta") && m.Value[0] == '{':
			cursor := jsontext.Cursor{Text: m.Value}
			for key := range cursor.Members() {
				put(c, key, cursor.Value())
			}
		case identity[m.Key]:
			c.Identify(m.Key, m.Value)
		default:
			put(c, m.Key, m.Value)
		}
	}
	return nil
}

// identity are the members that say which model call a row is, and can mean nothing else in a dataset.
var identity = map[string]bool{
	"trajectoryId": true, "agentId": true, "scenarioId": true, "batchId": true, "stepId": true, "callId": true,
	"stepIndex": true, "callIndex": true, "model": true, "modelVersion": true, "modelType": true, "provider": true,
}

func put(c *canonical.Conversation, key, value string) {
	if name, ok := names[key]; ok && !c.HasMeta(name) {
		key = name
	}
	c.Meta(canonical.Body(key), value)
}

// Defaults makes texts that a step's attributes give for every row, sorted by key.
func Defaults(texts map[string]string) (b Beside) {
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		b.Take(key, string(jsontext.AppendString(nil, texts[key])))
	}
	return b
}

// Fill puts all members into the metadata of the row where that does not have them.
func (b *Beside) Fill(c *canonical.Conversation) {
	for _, m := range b.members {
		c.Meta(canonical.Body(m.Key), m.Value)
	}
}

// auxiliary looks for the marks of the repair loop at the top and, where that is silent, in metadata
// (render-and-adapters, 1.3 and R16).
func (b *Beside) auxiliary() error {
	meta := b.Get("metadata")
	split, path := b.Get("split"), "split"
	if word(split) == "" {
		split, path = Get(meta, "split"), "metadata.split"
	}
	if s := word(split); s == "repair" || s == "repair_eval" {
		return sdk.Reject("repair_split", path, "want a split for training, have %q", s)
	}
	quality, path := b.Get("quality"), "quality"
	if !strings.HasPrefix(quality, "{") {
		quality, path = Get(meta, "quality"), "metadata.quality"
	}
	q := jsontext.Cursor{Text: quality}
	for key := range q.Members() {
		switch v := q.Value(); {
		case key == "success" && (v == "false" || v == "0" || word(v) == "false"):
			return sdk.Reject("unsuccessful", path+".success", "want a successful row")
		case key == "requiresRepair" && (v == "true" || v == "1" || word(v) == "true"), key == "rating" && word(v) == "repair":
			return sdk.Reject("requires_repair", path+"."+key, "want a row that needs no repair")
		}
	}
	return nil
}

// word gives a string in lower case without the space around it, "" of any other value.
func word(value string) string {
	body, _ := jsontext.Quoted(value)
	return strings.ToLower(strings.TrimFunc(jsontext.Unquote(body), jsontext.IsSpace))
}

// Get gives the last member of that name of an object, "" without.
func Get(object, name string) (value string) {
	c := jsontext.Cursor{Text: object}
	if c.Kind() != '{' {
		return ""
	}
	for key := range c.Members() {
		if v := c.Value(); key == name {
			value = v
		}
	}
	return value
}

// Body gives the body of a value that is a text, "" of others.
func Body(value string) string {
	body, _ := jsontext.Quoted(value)
	return body
}

// GetBody gives the body of a member that is a text, "" without.
func GetBody(object, name string) string { return Body(Get(object, name)) }

// Renamed gives an object of the members that have another name in names, or "" when none has. null is left out.
func Renamed(object string, names map[string]string) string {
	out := []byte("{")
	c := jsontext.Cursor{Text: object}
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
	return string(append(out, '}'))
}

// Text gives a record as a string, without a copy.
func Text(r *sdk.Record) string {
	data := r.JSON()
	return unsafe.String(unsafe.SliceData(data), len(data))
}
