// Package alias renames actions as the Python tooling does: it normalises every name, known or not, in some places of a row.
package alias

import (
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// New returns a step with the rules of a file, an object of aliases and a list of prefixes, and with inline aliases, which win.
func New(aliases, prefixes gjson.Result, inline map[string]string) sdk.Processor {
	rules := rules{exact: map[string]string{}}
	rules.take(aliases, prefixes, inline)
	return sdk.Map(func(r *sdk.Record) error {
		w := walk{rules: &rules, counts: map[string]int{}}
		c := jsontext.Of(r.JSON()).Cursor()
		w.row(&c)
		for name, n := range w.counts {
			r.Count(name, n)
		}
		for _, e := range w.edits {
			if err := r.Splice(e.start, e.end, []byte(e.text)); err != nil {
				return err
			}
		}
		return nil
	})
}
