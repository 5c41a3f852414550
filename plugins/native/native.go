// Package native checks eliza_native_v1 rows and changes nothing but texts of published rows: it declines other formats and rejects what breaks the
// minimal shape or cannot be trained on.
package native

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/profile"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "native".
var Plugin = sdk.Plugin{
	Name:  "native",
	Doc:   "checks eliza_native_v1 rows, puts JSON text of published rows back, and declines other formats",
	Args:  config{Profile: "standard"},
	New:   open,
	Codes: meanings(),
}

type config struct {
	Profile string   `hcl:"profile,optional" oneof:"standard reference" doc:"reference takes the rows that the Python renderer renders"`
	Allow   []string `hcl:"allow,optional" doc:"codes that are not looked at" example:"[\"dangling_call\"]"`
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	if err := a.Decode(&cfg); err != nil {
		return nil, err
	}
	if cfg.Profile == "reference" {
		if len(cfg.Allow) > 0 {
			return nil, a.Errorf("allow", "want no codes with profile \"reference\", have %d", len(cfg.Allow))
		}
		return profile.Open(a, "native")
	}
	var errs []error
	for _, code := range cfg.Allow {
		errs = append(errs, a.OneOf("allow", code, codes...))
	}
	return &checker{allow: cfg.Allow}, errors.Join(errs...)
}

// A checker is the standard profile.
type checker struct {
	allow []string
	row   *canonical.Row // of the record at hand
}

// Process implements sdk.Processor.
func (c *checker) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	if !mayDeclare(r.JSON()) {
		return foreign
	}
	c.row = canonical.Read(r)
	if c.row.Format != canonical.Format {
		if strings.Contains(c.row.Format, anyVersion) {
			return sdk.Decline("want format " + canonical.Format + ", have " + jsontext.Seen(jsontext.BodyOf(c.row.Format).JSON()))
		}
		return foreign
	}
	if canonical.Unpack(r) {
		c.row = canonical.Read(r)
	}
	if err := c.check(); err != nil {
		return err
	}
	if u := c.row.Usage; u.Prompt+u.Completion > 0 {
		r.Count("tokens.prompt", u.Prompt)
		r.Count("tokens.completion", u.Completion)
	}
	emit(r)
	return nil
}

var foreign = sdk.Decline("want format " + canonical.Format)

// anyVersion is how the name of the format goes on in all its versions.
const anyVersion = "_native_v"

// mayDeclare reports whether a record can have the format, before it is read: it holds the end of the name, which begins with
// a rarer letter than the whole, or escapes that may spell it. So other formats are declined at the speed of a byte search.
func mayDeclare(record []byte) bool {
	return bytes.Contains(record, []byte(anyVersion)) || bytes.Contains(record, []byte(`\u`))
}

// meanings explain each code to the reader of a dead letter.
func meanings() map[string]string {
	all := map[string]string{
		"auxiliary":          "the row is of the repair loop, which profile reference leaves out",
		"bad_boundary":       "the row is of a boundary that the format does not have; correct it, or allow the code",
		"bad_version":        "the row is of a version of the format that is not known; migrate it, or allow the code",
		"dangling_call":      "a call of the history has no result, which no chat template shows; leave the row out, or allow the code",
		"empty_response":     "the response says nothing and calls nothing, so there is nothing to train on",
		"errored_response":   "the call ended in an error, which teaches a model to fail; leave the row out",
		"filtered_response":  "the provider held the answer back; leave the row out",
		"no_user_turn":       "the user says nothing, so there is nothing to answer",
		"orphan_result":      "a result answers no call of the row; orphan_results = \"user\" of an adapter makes it the user's word, or allow the code",
		"reference_error":    "the Python renderer cannot read the row, which profile reference follows",
		"truncated_response": "the answer was cut off, which teaches a model to stop early; leave the row out",
	}
	maps.Copy(all, canonical.FaultCodes)
	maps.Copy(all, canonical.RepairCodes)
	return all
}
