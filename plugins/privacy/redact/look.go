package redact

import (
	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/coarse"
	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Look returns what a coarse detector, which does not know the rules and so can find what they miss, suspects in a JSON text
// around its edits. It passes over values that the user allows, and with allowed paths it is sure of nothing. PathOf knows where
// a suspect is.
func (f *Filter) Look(doc string, edits []Edit) coarse.Suspects {
	if f.detector.IsOff == nil {
		f.detector = coarse.Detector{IsOff: f.Engine.IsOff, MayStay: f.Allowed.matches, KeepReserved: f.Engine.KeepReserved}
	}
	f.suspects = coarse.Suspects{}
	found, m := &f.suspects, f.mapOf(doc)
	isPlain := m.Escapes() == 0
	size := 0 // of what was read
	for i := range len(edits) + 1 {
		from, to := around(doc, edits, i)
		part := doc[from:to]
		if !isPlain {
			part = f.readPart(part)
		}
		if i > 0 && part != "" && (ascii.IsAlnum(part[0]) || part[0] == '\\') && recognise.GoesOnBehind(edits[i-1].Text, part) {
			found.Sure = append(found.Sure, coarse.Suspect{Kind: "rest", At: size})
		}
		first := len(found.Sure)
		moved := size
		if isPlain {
			f.detector.Look(&m.Map, from, to, found)
			moved -= from
		} else {
			f.part.Read(nil, part)
			f.detector.Look(&f.part, 0, len(part), found)
		}
		for k := range found.Sure[first:] {
			found.Sure[first+k].At += moved
		}
		if size += len(part); i < len(edits) {
			size += len(edits[i].Text)
		}
	}
	m.Release()
	f.part.Release()
	if len(f.Allowed.Paths) > 0 {
		found.Sure = nil
	}
	return *found
}

// around returns the part of a text before the edit with a number, and behind the one before it.
func around(doc string, edits []Edit, i int) (from, to int) {
	to = len(doc)
	if i > 0 {
		from = edits[i-1].End
	}
	if i < len(edits) {
		to = edits[i].Start
	}
	return from, to
}

// readPart returns a part of a JSON text, and of the JSON in its strings, with the escapes alone that JSON requires.
func (f *Filter) readPart(part string) string {
	f.reading = respellAll(f.reading[:0], part)
	return jsontext.View(f.reading)
}

// PathOf returns the path of a suspect of the last Look at a text.
func (f *Filter) PathOf(suspect coarse.Suspect, doc string, edits []Edit) string {
	var read []byte
	for i := range len(edits) + 1 {
		from, to := around(doc, edits, i)
		if read = append(read, f.readPart(doc[from:to])...); i < len(edits) {
			read = append(read, edits[i].Text...)
		}
	}
	return pathAt(jsontext.View(read), suspect.At, f.Hash)
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
