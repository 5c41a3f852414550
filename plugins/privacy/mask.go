package privacy

import "sync"

var maskEngine = sync.OnceValue(func() *engine { return newEngine(options{regions: defaultRegions}) })

// Mask gives a JSON text with everything masked that the default rules find, for where a record is shown that a
// privacy step did not accept. What cannot be masked, such as a name in a schema, makes it null.
func Mask(json []byte) []byte {
	return masked(&standard{engine: maskEngine(), actions: actions{hasher: newHasher(nil)}}, json)
}

// masked takes out of a JSON text what f finds by its rules, and gives null when something stays.
func masked(f finder, json []byte) []byte {
	for range maxPasses {
		found, _ := f.residue(view(json)) // what is to be rejected has an edit too
		switch {
		case len(found.findings) == 0:
			return json
		case len(found.edits) == 0:
			return []byte("null")
		}
		json = apply(nil, view(json), found.edits)
	}
	return []byte("null")
}
