package native

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// codes are the codes a row can be rejected with, in the order they are looked at. Each can be switched off with allow.
var codes = []string{
	// Repair fodder.
	"repair_split", "unsuccessful", "requires_repair",
	// The minimal accepted shape.
	"bad_version", "bad_boundary", "bad_request", "bad_response", "bad_messages", "bad_message", "bad_role", "bad_content",
	"bad_tool_call", "bad_text", "no_user_turn", "empty_response",
	// What teaches a model to fail.
	"truncated_response", "filtered_response", "errored_response",
	// What a chat template cannot show.
	"dangling_call", "orphan_result",
}

// check returns the first reason to reject the row.
func (c *checker) check() error {
	for _, check := range []func() error{c.repair, c.shape, c.outcome, c.pairs} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// reject returns a reject unless its code is allowed.
func (c *checker) reject(code, path, format string, args ...any) error {
	if slices.Contains(c.allow, code) {
		return nil
	}
	return sdk.Reject(code, path, format, args...)
}

// repair rejects rows of the repair loop.
func (c *checker) repair() error {
	r := c.row
	for _, mark := range r.Repair() {
		if err := c.reject(mark.Code, mark.Path, "%s", mark.Message); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) shape() error {
	r := c.row
	if v := r.Version; v != "" {
		if err := c.reject("bad_version", "schemaVersion", "want 1, have %s", canonical.Seen(v)); err != nil {
			return err
		}
	}
	if !slices.Contains(canonical.Boundaries, r.Boundary) {
		have := "nothing"
		if r.Boundary != "" {
			have = jsontext.Seen(jsontext.Quote(r.Boundary))
		}
		if err := c.reject("bad_boundary", "boundary", "want one of %s, have %s", strings.Join(canonical.Boundaries, ", "), have); err != nil {
			return err
		}
	}
	for _, f := range r.Faults {
		if err := c.reject(f.Code, f.Path, "%s", f.Message); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(r.Turns, func(t canonical.Turn) bool {
		return t.Role == canonical.User && (r.HasText(t) || r.Has(t, canonical.MediaPart) || r.Has(t, canonical.UnknownPart))
	}) {
		if err := c.reject("no_user_turn", "request", "want a user turn in messages or a prompt, have %s", c.row.Roles()); err != nil {
			return err
		}
	}
	return nil
}

// outcome looks at how the call ended.
func (c *checker) outcome() error {
	r := c.row
	code, path, have := "", "response.finishReason", r.FinishReason
	switch r.Ending() {
	case "cut":
		code = "truncated_response"
	case "filtered":
		code = "filtered_response"
	case "bad":
		code = "errored_response"
	}
	if r.Status == "error" || r.Status == "timeout" {
		code, path, have = "errored_response", "status", r.Status
	}
	if code != "" {
		if err := c.reject(code, path, "want a call that ended well, have %q", have); err != nil {
			return err
		}
	}
	if !r.HasText(r.Response) && !r.Has(r.Response, canonical.CallPart) && r.Response.Envelope == "" {
		return c.reject("empty_response", "response", "want text or a tool call")
	}
	return nil
}

// pairs looks for calls without a result and results without a call.
func (c *checker) pairs() error {
	for _, t := range c.row.Turns {
		for i := t.From; i < t.To; i++ {
			f := c.row.Unpaired(t, i)
			if f == nil {
				continue
			}
			if err := c.reject(f.Code, f.Path, "%s", f.Message); err != nil {
				return err
			}
		}
	}
	return nil
}
