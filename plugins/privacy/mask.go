package privacy

import "sync"

var maskEngine = sync.OnceValue(func() *engine { return newEngine(options{regions: defaultRegions}) })

// Mask gives a JSON text with everything masked that the default rules find, for where a record is shown that a
// privacy step did not accept. What cannot be masked, such as a name in a schema, makes it null.
func Mask(json []byte) []byte {
	f := &standard{engine: maskEngine(), actions: actions{hasher: newHasher("")}}
	for range maxPasses {
		findings, edits, err := f.residue(view(json))
		switch {
		case err != nil || len(findings) > 0 && len(edits) == 0:
			return []byte("null")
		case len(findings) == 0:
			return json
		}
		json = apply(nil, view(json), edits)
	}
	return []byte("null")
}
