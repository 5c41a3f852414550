package canonical

import (
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Unpack puts values in place of the JSON texts that replaced them where rows were published, since readers of columns want
// one type in each. It changes a row only if its request is such a text, and reports whether it does.
func Unpack(r *sdk.Record) (done bool) {
	if !slices.ContainsFunc(Read(r).Faults, func(f Fault) bool { return f.Code == "bad_request" }) {
		return false
	}
	row := jsontext.Of(r.JSON())
	if request := row.Get("request"); request.Kind() != '"' || request.Inner().Kind() != '{' {
		return false
	}
	c := row.Cursor()
	for range c.Members() {
		if c.Kind() != '"' {
			continue
		}
		start := c.At
		if inner := c.Value().Inner(); inner.Kind() == '{' || inner.Kind() == '[' || inner.Kind() == '"' {
			done = r.Splice(start, c.At, []byte(inner)) == nil || done
		}
	}
	return done
}
