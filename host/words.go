package host

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// reword masks the words of plugins in the account of a run: a plugin may take them from records. Each is masked once, at the end of the run.
func (r *run) reword(x *receipt.Receipt) {
	reason := onceEach(r.opts.MaskText) // secrets were hidden when the plugin said it
	own, others := countName(reason, true), countName(onceEach(func(text string) string { return r.opts.MaskText(r.secrets.Replace(text)) }), false)
	for i := range x.Steps {
		if r.fleet.Steps[i].Location.BuiltIn {
			x.Steps[i].Reword(unlessFixed(reason), own, x.Inputs)
		} else {
			x.Steps[i].Reword(reason, others, x.Inputs)
		}
	}
	x.Totals.Dropped = x.Totals.Dropped.Reword(reason)
}

// unlessFixed returns a mask of what a built-in plugin says but for what it wants alone: it says what a record has behind "have", and many
// adapters decline for what they want. To mask these would take as long as some runs.
func unlessFixed(mask func(string) string) func(string) string {
	return func(text string) string {
		if strings.HasPrefix(text, "want ") && !strings.Contains(text, "have ") {
			return text
		}
		return mask(text)
	}
}

// onceEach returns a mask that remembers what it has masked.
func onceEach(mask func(string) string) func(string) string {
	known := map[string]string{}
	return func(text string) string {
		masked, ok := known[text]
		if !ok {
			masked = mask(text)
			known[text] = masked
		}
		return masked
	}
}

// kinds begin the names of counts that the host and its reports read, whatever plugin counts.
var kinds = []string{"loss.", "beside.", wire.WarnPrefix, receipt.RulesCount}

// countName returns a mask of names of counts. What says the kind of a count is no part of a value: a rule might take both for an address.
func countName(mask func(string) string, builtIn bool) func(string) string {
	return func(name string) string {
		kind, rest, dotted := strings.Cut(name, ".")
		kind += "."
		switch {
		case !dotted || !builtIn && !slices.Contains(kinds, kind):
			return mask(name)
		case kind == wire.WarnPrefix && builtIn: // the code of a built-in plugin, too
			code, about, ok := strings.Cut(rest, ".")
			if ok {
				return kind + code + "." + mask(about)
			}
		}
		return kind + mask(rest)
	}
}
