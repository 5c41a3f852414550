package privacy

import (
	"sync"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/redact"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

var maskEngine = sync.OnceValue(func() *recognise.Engine { return recognise.New(recognise.Options{Regions: defaultRegions}) })

// Mask returns a JSON text with everything masked that the default rules find, so that a record can be shown that a privacy step
// did not accept. It returns null for a text with something that cannot be masked, such as a name in a schema.
func Mask(json []byte) []byte {
	f := &redact.Filter{Engine: maskEngine()}
	return masked(f.Find, json)
}

// Found is a personal or secret value with its entity, such as EMAIL_ADDRESS.
type Found struct{ Entity, Value string }

// Find returns all that the default rules find in a JSON text. Values are decoded, in JSON in strings at every level.
func Find(json []byte) (all []Found) {
	f := &redact.Filter{Engine: maskEngine()}
	for range redact.MaxPasses {
		found, _ := f.Find(jsontext.View(json), nil) // an error comes with the findings
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

// masked returns a JSON text without what find finds, or null when something stays.
func masked(find find, json []byte) []byte {
	for range redact.MaxPasses {
		found, _ := find(jsontext.View(json), nil) // an error comes with all edits
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
