package sdk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// SetLabel attaches a small string to the record, for a route or for {name} in the path of a sink. A label that the
// plugin does not declare rejects the record, and so does a value that is not among the label's LabelValues. The empty value is
// the same as no label for a route, and is always allowed.
func (r *Record) SetLabel(name, value string) {
	r.check()
	if labels, ok := r.step.changes.find(r.labels, name, value); ok {
		r.labels = labels
		return
	}
	plugin := &r.step.plugin
	if !slices.Contains(plugin.Labels, anyName) && !r.step.declares("a label", plugin.Labels, name) {
		return
	}
	if values, ok := plugin.LabelValues[name]; ok && value != "" && !slices.Contains(values, value) {
		wanted := fmt.Sprintf("want a value of label %s that it declares (%s)", name, strings.Join(values, ", "))
		if len(values) == 0 {
			wanted = fmt.Sprintf("want label %s not set with these attributes, as it declares", name)
		}
		r.step.blame(wire.PlainError, "%s, have %s", wanted, jsontext.Seen(jsontext.Quote(value)))
		return
	}
	i, ok := r.findLabel(name)
	name, value = own(name), own(value)
	labels := slices.Clone(r.labels)
	if ok {
		labels[i].Value = value
	} else {
		labels = slices.Insert(labels, i, wire.Label{Name: name, Value: value})
	}
	r.step.changes.add(r.labels, name, value, labels)
	r.labels = labels
}

func (r *Record) findLabel(name string) (int, bool) {
	return slices.BinarySearchFunc(r.labels, name, func(l wire.Label, name string) int {
		return strings.Compare(l.Name, name)
	})
}

// labelChanges are the last changes of labels that a step made. Records in a row mostly get the same label, and share one list then.
type labelChanges struct {
	last [8]labelChange
	next int
}

// A labelChange is a label that was set, with the labels of the record before and after, which nothing changes.
type labelChange struct {
	before, after []wire.Label
	name, value   string
}

func (c *labelChanges) find(before []wire.Label, name, value string) (after []wire.Label, ok bool) {
	for i := range c.last {
		if l := &c.last[i]; l.value == value && l.name == name && sameList(l.before, before) && l.after != nil {
			return l.after, true
		}
	}
	return nil, false
}

func (c *labelChanges) add(before []wire.Label, name, value string, after []wire.Label) {
	c.last[c.next] = labelChange{before, after, name, value}
	c.next = (c.next + 1) % len(c.last)
}

// sameList reports whether two lists of labels are one in memory.
func sameList(a, b []wire.Label) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }
