// Package pluginrun sends rows through one plugin, without a pipeline.
package pluginrun

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/survey"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/nearest"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Attributes returns the values of --arg as a JSON object.
func Attributes(given []string, declared []wire.Arg) (string, error) {
	object := []byte("{")
	for _, text := range given {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return "", fmt.Errorf("--arg: want name=value, have %q", text)
		}
		text := !json.Valid([]byte(value))
		for _, a := range declared {
			text = text || a.Name == name && a.Type == "a string"
		}
		if text {
			value = string(jsontext.AppendString(nil, value))
		}
		object = append(jsontext.AppendKey(object, name), value...)
	}
	return string(object) + "}", nil
}

// CheckOutput returns an error unless a plugin has the side output; "" asks for none.
func CheckOutput(output, plugin string, declared []string) error {
	switch {
	case output == "" || slices.Contains(declared, output):
		return nil
	case len(declared) == 0:
		return fmt.Errorf("--output: plugin %s has no outputs, have %q", plugin, output)
	}
	err := fmt.Errorf("--output: want %s, have %q", strings.Join(declared, " or "), output)
	if near := nearest.Word(output, declared); near != "" {
		err = fmt.Errorf("%w; did you mean %q?", err, near)
	}
	return err
}

// Run sends the rows of files through a plugin. What it emits, or its rows of a side output, goes to stdout; rejects and
// counts go to stderr.
func Run(ctx context.Context, plugin survey.Step, paths []string, opts host.Options, out *cli.Printer) error {
	t := &trial{out: out}
	row := func(r survey.Row) error { return out.Write(string(r.JSON) + "\n") }
	pass := survey.Scan{Paths: paths, Then: []survey.Step{plugin}, Isolate: true, Out: row, Reject: t.rejected}
	if plugin.Output != "" {
		pass.Out, pass.Side = nil, row
	}
	done, err := pass.Run(ctx, opts)
	if err != nil {
		return err
	}
	out.Say("read %s, wrote %d", plural.Of(done.Records, "record"), done.Written)
	for _, line := range cli.Breakdown(done.Dropped) {
		out.Say("dropped %s", line)
	}
	for _, line := range cli.Breakdown(done.Counts) {
		out.Say("counted %s", line)
	}
	for _, code := range slices.Sorted(maps.Keys(done.Foreign)) {
		out.Warn("plugin %s rejected %s with code %q, which it does not declare", plugin.Plugin, plural.Of(done.Foreign[code], "record"), code)
	}
	if t.rejects > 0 {
		return fmt.Errorf("plugin %s rejected %s", plugin.Plugin, plural.Of(t.rejects, "record"))
	}
	return nil
}

type trial struct {
	out     *cli.Printer
	rejects int
}

func (t *trial) rejected(r survey.Row) error {
	t.rejects++
	reject := gjson.ParseBytes(r.JSON)
	at := ""
	if path := reject.Get("path").String(); path != "" {
		at = " at " + path
	}
	t.out.Say("%s:%d: %s: %s%s", r.File, r.Line, reject.Get("code"), cli.OneLine(reject.Get("message").String()), cli.OneLine(at))
	return nil
}
