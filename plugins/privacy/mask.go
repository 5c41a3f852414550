package privacy

import (
	"sync"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/redact"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

var maskEngine = sync.OnceValue(func() *recognise.Engine { return recognise.New(recognise.Options{Regions: defaultRegions}) })

// Mask returns a JSON text with everything masked that the default rules find, for where a record is shown that a
// privacy step did not accept. What cannot be masked, such as a name in a schema, makes it null.
func Mask(json []byte) []byte {
	f := &redact.Filter{Engine: maskEngine()}
	return masked(f.Find, json)
}

// A Found is a value that is personal or secret, with the name of what it is, such as EMAIL_ADDRESS.
type Found struct{ Entity, Value string }

// Find returns all that the default rules find in a JSON text. Values are decoded, those in JSON inside a string as often as
// they are encoded.
func Find(json []byte) (all []Found) {
	f := &redact.Filter{Engine: maskEngine()}
	for range redact.MaxPasses {
		found, _ := f.Find(jsontext.View(json), nil) // what is to be rejected was found too
		for _, x := range found.Findings {
			all = append(all, Found{x.Entity, x.Value})
		}
		if len(found.Edits) == 0 {
			break
		}
		json = redact.Apply(nil, jsontext.View(json), found.Edits)
	}
	return all
}

// masked takes out of a JSON text what find finds by its rules, and returns null when something stays.
func masked(find find, json []byte) []byte {
	for range redact.MaxPasses {
		found, _ := find(jsontext.View(json), nil) // what is to be rejected has an edit too
		switch {
		case len(found.Findings) == 0:
			return json
		case len(found.Edits) == 0:
			return []byte("null")
		}
		json = redact.Apply(nil, jsontext.View(json), found.Edits)
	}
	return []byte("null")
}
