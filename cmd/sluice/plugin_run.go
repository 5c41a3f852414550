package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

func pluginRunCommand(out *report) *cobra.Command {
	var given []string
	var output string
	c := &cobra.Command{
		Use:   "run NAME [INPUT...]",
		Short: "run one plugin on rows, the quickest way to try it",
		Long: `run sends the rows of INPUT, or of standard input, through one plugin and writes what it emits to stdout. Rejects and what became
of the rows are told on stderr. The exit code is 1 when a row was rejected.`,
		Example: `  sluice plugin run hello --arg greeting='good morning' <rows.jsonl
  sluice plugin run alias corpus.jsonl --arg 'aliases={"SEND": "REPLY"}'
  sluice plugin run privacy --output ledger corpus.jsonl`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{command: c, err: errors.New("want the name of a plugin, have none")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			opts := pluginOptions(c, out)
			plugin, err := host.Describe(c.Context(), args[0], "", opts)
			if err != nil {
				return err
			}
			values, err := attributes(given, plugin.Args)
			if err != nil {
				return &usageError{command: c, err: err}
			}
			one := onePlugin{out: out, name: args[0]}
			pass := host.Pass{
				Paths: args[1:], Then: []host.Ask{{Plugin: args[0], Args: values, Output: output}},
				Out: one.row, Reject: one.rejected,
			}
			if len(pass.Paths) == 0 {
				pass.Paths = []string{"-"}
			}
			if output != "" {
				pass.Out, pass.Beside = nil, one.row
			}
			done, err := pass.Run(c.Context(), opts)
			if err != nil {
				return err
			}
			return one.end(done)
		},
	}
	c.Flags().StringArrayVar(&given, "arg", nil, "an attribute of the step, as `name=value`: JSON, or text where the plugin wants a string; may be given again")
	c.Flags().StringVar(&output, "output", "", "write the rows of this side output to stdout instead")
	return c
}

// attributes makes a JSON object of attributes that stand on the command line.
func attributes(given []string, declared []host.Arg) (string, error) {
	object := []byte("{")
	for _, text := range given {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return "", fmt.Errorf("--arg: want name=value, have %q", text)
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		text := !json.Valid([]byte(value))
		for _, a := range declared {
			text = text || a.Name == name && a.Type == "a string"
		}
		if text {
			object = jsontext.AppendMember(object, name, value)
			continue
		}
		object = append(jsontext.AppendString(object, name), ':')
		object = append(object, value...)
	}
	return string(object) + "}", nil
}

// onePlugin is what becomes of rows that go through one plugin.
type onePlugin struct {
	out     *report
	name    string
	rejects int
}

func (o *onePlugin) row(r host.Row) error { return o.out.text(string(r.JSON) + "\n") }

func (o *onePlugin) rejected(r host.Row) error {
	o.rejects++
	reject := gjson.ParseBytes(r.JSON)
	at := ""
	if path := reject.Get("path").String(); path != "" {
		at = " at " + path
	}
	o.out.say("%s:%d: %s: %s%s", r.File, r.Line, reject.Get("code"), oneLine(reject.Get("message").String()), oneLine(at))
	return nil
}

// end sums up.
func (o *onePlugin) end(done *host.Passed) error {
	o.out.say("read %s, wrote %d", format.Plural(done.Records, "record"), done.Written)
	for _, line := range breakdown(done.Dropped) {
		o.out.say("dropped %s", line)
	}
	for _, line := range breakdown(done.Counts) {
		o.out.say("counted %s", line)
	}
	if o.rejects > 0 {
		return fmt.Errorf("plugin %s rejected %s", o.name, format.Plural(o.rejects, "record"))
	}
	return nil
}
