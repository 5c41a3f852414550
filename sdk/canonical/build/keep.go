package build

import (
	"cmp"
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// kept is a member of the record that is not part of the conversation, such as its provenance or quality. It goes to the row's metadata.
type kept struct {
	key   string // decoded
	value jsontext.JSON
	made  bool // by the adapter, of what it has read
	names bool // the row's call, whatever identity says
}

// Keep keeps a member that is not part of the conversation for the row's metadata: its key, decoded, and its JSON. It ignores an
// absent value, "".
func (c *Builder) Keep(key string, value jsontext.JSON) {
	if value != "" {
		c.keep(kept{key: key, value: value})
	}
}

// KeepMade keeps a member for the row's metadata that the adapter made of columns that it has read. It is no column of the record
// and is not counted as one.
func (c *Builder) KeepMade(key string, value jsontext.JSON) {
	c.keep(kept{key: key, value: value, made: true})
}

// KeepIdentity keeps a member that identifies the row's model call in records of this shape, such as a timestamp.
func (c *Builder) KeepIdentity(key string, value jsontext.JSON) {
	if value != "" {
		c.keep(kept{key: key, value: value, names: true})
	}
}

func (c *Builder) keep(m kept) {
	c.rest, c.restBits = append(c.rest, m), c.restBits|bitOf(m.key)
}

// bitOf returns the bit of a key in restBits. Keys may share one.
func bitOf(key string) uint64 {
	if key == "" {
		return 1
	}
	return 1 << ((len(key)*5 + int(key[0]) + int(key[len(key)-1])*3) & 63)
}

// Kept returns the last value that was kept under a key, or "".
func (c *Builder) Kept(key string) (value jsontext.JSON) {
	if c.restBits&bitOf(key) == 0 { // most keys that are asked for are absent
		return ""
	}
	return c.keptLast(key)
}

func (c *Builder) keptLast(key string) jsontext.JSON {
	for _, m := range slices.Backward(c.rest) {
		if m.key == key {
			return m.value
		}
	}
	return ""
}

// Forget removes all values that were kept under a key.
func (c *Builder) Forget(key string) {
	c.rest = slices.DeleteFunc(c.rest, func(m kept) bool { return m.key == key })
}

// Leave counts the members of an object that rows have no place for: all but those in read. name is the count's, as in
// "loss.message_member". null is no loss.
func (c *Builder) Leave(name string, object jsontext.JSON, read ...string) {
	n := 0
	for key, v := range object.Members() {
		if v != "null" && !slices.Contains(read, key) {
			n++
		}
	}
	c.Count(name, n)
}

// KeepOthers keeps all members of an object but some.
func (c *Builder) KeepOthers(object jsontext.JSON, but ...string) {
	for key, v := range object.Members() {
		if !slices.Contains(but, key) {
			c.Keep(key, v)
		}
	}
}

// names are the other spellings of a provenance member.
var names = map[string]string{
	"id": "original_id", "uuid": "original_id", "_id": "original_id",
	"dataset": "source_dataset", "dataset_name": "source_dataset", "licence": "license", "taskType": "task_type",
}

// CheckRepair rejects a row of the repair loop, as far as its marks have been kept, with the codes of plugin native. Emit calls it
// too; an adapter may call it earlier to save reading the row.
func (c *Builder) CheckRepair() error {
	if c.settings.keepsRepair {
		return nil
	}
	for _, mark := range canonical.Repair(c.Kept("split"), c.Kept("quality"), c.Kept("metadata")) {
		return sdk.Reject(mark.Code, mark.Path, "%s", mark.Message)
	}
	return nil
}

// settleKept moves the kept members to the row's metadata and counts them, without empty values; those of an object "metadata" one by one.
func (c *Builder) settleKept() error {
	for i, name := range identityNames {
		if c.unkept&(1<<i) != 0 {
			if err := c.Beside(name, c.identity[i]); err != nil {
				return err
			}
		}
	}
	c.metadata = slices.Grow(c.metadata, len(c.rest))
	for _, m := range c.rest {
		var err error
		switch {
		case empty(m.value):
		case m.made:
			c.provenance(m.key, m.value)
		case (m.key == "metadata" || m.key == "meta") && m.value[0] == '{':
			if len(m.value) > manyMembers {
				c.metadata = slices.Grow(c.metadata, count(m.value))
			}
			for key, v := range m.value.Members() {
				if err == nil {
					err = c.Beside(key, v)
				}
				c.provenance(key, v)
			}
		case m.names || identity[m.key]:
			err = c.Beside(m.key, m.value)
			if c.identified(m.key, m.value) {
				c.provenance(m.key, m.value)
			} else {
				c.Identify(m.key, m.value)
			}
		default:
			err = c.Beside(m.key, m.value)
			c.provenance(m.key, m.value)
		}
		if err != nil {
			return err
		}
	}
	c.rest = jsontext.Reuse(c.rest)
	return nil
}

// manyMembers is the size in bytes from which on the members of an object are counted before they are added.
const manyMembers = 64 << 10

func count(object jsontext.JSON) (n int) {
	for range object.Members() {
		n++
	}
	return n
}

func (c *Builder) provenance(key string, value jsontext.JSON) {
	if name, ok := names[key]; ok && !c.HasMeta(jsontext.Body(name)) {
		key = name
	}
	body := jsontext.BodyOf(key)
	if c.HasMeta(body) && (len(c.metadata) > fewMembers || !slices.Contains(c.metadata, Member{body, value})) {
		c.clashes++ // among many, an equal one counts too: finding it would take long
	}
	c.Meta(body, value)
}

// fewMembers is how many members of metadata are compared one by one.
const fewMembers = 32

// identity are the members that identify the model call of a row, and mean nothing else in any dataset.
var identity = map[string]bool{
	"trajectoryId": true, "agentId": true, "scenarioId": true, "batchId": true, "stepId": true, "callId": true,
	"stepIndex": true, "callIndex": true, "model": true, "modelVersion": true, "modelType": true, "provider": true,
}

// Renamed returns an object with its members renamed by names, others as they are and without those that are null; "" when none
// is left.
func Renamed(object jsontext.JSON, names map[string]string) jsontext.JSON {
	out := []byte("{")
	for key, v := range object.Members() {
		if v != "null" {
			out = append(jsontext.AppendKey(out, cmp.Or(names[key], key)), v...)
		}
	}
	if len(out) == 1 {
		return ""
	}
	return jsontext.JSON(append(out, '}'))
}
