package canonicaltest

import (
	"slices"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Problem returns what a row of an adapter lacks, of the minimal accepted shape and unique call ids, or "".
func Problem(row string) string {
	var r canonical.Row
	r.Read(jsontext.JSON(row))
	ids := map[jsontext.Body]bool{}
	for _, p := range r.Parts {
		if p.Kind == canonical.CallPart && p.ID != "" {
			if ids[p.ID] {
				return "a call id twice"
			}
			ids[p.ID] = true
		}
	}
	switch {
	case r.Format != canonical.Format:
		return "another format"
	case !slices.Contains(canonical.Boundaries, r.Boundary):
		return "another boundary"
	case len(r.Faults) > 0:
		return r.Faults[0].Code + " at " + r.Faults[0].Path
	case !slices.ContainsFunc(r.Turns, func(t canonical.Turn) bool { return t.Role == canonical.User }):
		return "no user turn"
	case !r.HasText(r.Response) && !r.Has(r.Response, canonical.CallPart):
		return "an empty response"
	}
	return ""
}
