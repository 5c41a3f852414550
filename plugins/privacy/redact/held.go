package redact

import (
	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// heldText returns the class of a secret that the key of its object names, if the string has the shape of one and its own key does not say
// that it is something else about it, as in {"api_keys": {"prod": "x"}}.
func heldText(s *sweep, top *frame, start, end int) rules.Class {
	if top == nil || top.held&(namedSecrets|rules.SeedKey) == 0 || end-start < recognise.LeastHeld || rules.IsProperty(s.keyStep(top).Key) {
		return 0
	}
	return recognise.HeldClass(Decode(s.doc[start:end], start).Decoded, top.held)
}

// heldNumber returns the classes of numbers with a check that the value of an object has by the object's key, as in {"card": {"number": 1}}.
func heldNumber(top *frame, class rules.Class) rules.Class {
	if top == nil || class&rules.PairValueKey == 0 {
		return 0
	}
	return top.held & (rules.CardKey | ^(rules.FirstOwn - 1))
}

// mayBeHeld reports whether a value of an object whose key is of a class may be what that names, by a key such as value, or as a secret.
func mayBeHeld(doc, key string, at int, class rules.Class) bool {
	if isValueName(key) || class&rules.SeedKey != 0 || forwardDigits(key) == len(key) {
		return true
	}
	if class&namedSecrets == 0 {
		return false
	}
	kind, start, end, _ := Token(doc, at)
	return kind == StringKind && end-start >= recognise.LeastHeld && recognise.MayBeHeld(doc[start:end])
}

// value searches a string by what the array or object that it is in says of it.
func (f *Filter) value(s *sweep, top *frame, at span, next int, class rules.Class, depth int) {
	switch {
	case top == nil:
	case top.kind == '[':
		class |= f.besideName(s, top, at.start, at.end, next) | f.argument(s, top, at)
	case top.packed:
		s.told = f.Engine.ManifestMatches(Decode(s.doc[at.start:at.end], at.start).Decoded)
	default:
		if class |= heldText(s, top, at.start, at.end); class&paired != 0 && f.wait(s, top, at.start, at.end, class, depth) {
			return
		}
	}
	f.text(s, at.start, at.end, class, depth)
}
