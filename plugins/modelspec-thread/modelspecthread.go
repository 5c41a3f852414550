// Package modelspecthread reads threads of the Modular Model Spec and writes eliza_native_v1 rows, so that a corpus
// written in that format trains like any other.
//
// A record is taken when it is a row with system_settings or allowed_formats, a row or list whose messages have a format
// or the role platform or context, or token text that begins with <|role|>. Others are declined.
package modelspecthread

import (
	"errors"
	"slices"

	"github.com/sluicehq/sluice/plugins/internal/modelspec"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "modelspec-thread".
var Plugin = canonical.Adapter{
	Name: "modelspec-thread",
	Doc:  "reads threads of the Modular Model Spec and writes eliza_native_v1 rows",
	Args: config{NoUser: "reject"},

	Marks: []string{"system_settings", "system", "allowed_formats", "format", "platform", "context", "text"},
	New: func(a sdk.Args) (canonical.ReadFunc, error) {
		var cfg config
		if err := a.Decode(&cfg); err != nil {
			return nil, err
		}
		promote := cfg.NoUser == "developer"
		return func(record jsontext.JSON, row *canonical.Builder) error { return read(record, row, promote) },
			a.OneOf("no_user", cfg.NoUser, "reject", "developer")
	},
}.Plugin()

type config struct {
	NoUser string `hcl:"no_user,optional" doc:"reject or developer: a thread in which no user speaks, or the developer's words as the user's"`
	canonical.Options
}

// read reads a thread. Where no user speaks in it, promote makes the developer's words the user's.
func read(record jsontext.JSON, row *canonical.Builder, promote bool) error {
	t, err := modelspec.Read(record)
	if not, ok := errors.AsType[*modelspec.NotThreadError](err); ok {
		return sdk.Decline(not.Reason)
	}
	if fault, ok := errors.AsType[*modelspec.Fault](err); ok {
		return sdk.Reject("bad_thread", fault.Path, "%s", fault.Message)
	}
	if err != nil {
		return err
	}
	row.Path, row.Shape = "messages", keep(record, row)
	c := conversation{Thread: t, row: row, speaker: canonical.Developer, only: onlyTools(t.Formats)}
	if promote && !slices.ContainsFunc(t.Messages, func(m modelspec.Message) bool { return m.Role == "user" }) {
		c.speaker = canonical.User
	}
	return c.convert()
}

// keep takes over what stands beside the messages, and tells in which shape the thread came: a row, a list of messages,
// or token text.
func keep(record jsontext.JSON, row *canonical.Builder) (shape string) {
	c := record.Cursor()
	if c.Kind() == '[' {
		return "list"
	}
	shape = "tokens"
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "messages":
			shape = "row"
		case "text", "system_settings", "system", "allowed_formats":
		default:
			if !row.Identify(key, v) {
				row.Keep(key, v)
			}
		}
	}
	return shape
}
