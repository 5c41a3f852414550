package redact

import (
	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Look returns what a coarse detector, which does not know the rules and so can find what they miss, suspects in a JSON text
// around its edits. It passes over values that the user allows, and with allowed paths it is sure of nothing. Offsets are in the
// text after the edits.
func (f *Filter) Look(doc string, edits []Edit) recognise.Suspects {
	if f.mayStay == nil {
		f.mayStay = f.Allowed.matches
	}
	f.suspects = recognise.Suspects{}
	found := &f.suspects
	m := f.mapOf(doc)
	at, moved := 0, 0
	look := func(to int) {
		first := len(found.Sure)
		f.Engine.Look(m, at, to, f.mayStay, found)
		for i := range found.Sure[first:] {
			found.Sure[first+i].At += moved
		}
	}
	for i := range edits {
		e := &edits[i]
		look(e.Start)
		at = e.End
		moved += len(e.Text) - (e.End - e.Start)
		behind := doc[at:]
		if i+1 < len(edits) {
			behind = doc[at:edits[i+1].Start]
		}
		if behind != "" && (isLetterOrDigit(behind[0]) || behind[0] == '\\') && recognise.GoesOnBehind(e.Text, behind) {
			found.Sure = append(found.Sure, recognise.Suspect{Kind: "rest", At: at + moved})
		}
	}
	look(len(doc))
	m.Release()
	if len(f.Allowed.Paths) > 0 {
		found.Sure = nil
	}
	return *found
}

// mapOf returns the map of a record, which the last call of Find made when that was the same one.
func (f *Filter) mapOf(doc string) *recognise.Map {
	same := f.mapped.size == len(doc) && f.mapped.address == jsontext.Address(doc)
	f.mapped.address = 0
	if same && len(f.maps) > 0 {
		f.maps[0].Restore(doc)
	}
	return f.read(doc, 0)
}

func isLetterOrDigit(c byte) bool { return isDigit(c) || (c|0x20)-'a' < 26 }
