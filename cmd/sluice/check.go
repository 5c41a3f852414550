package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/plugins/check"
	"github.com/sluicehq/sluice/sdk/schema"
)

// A checking is what check is asked to do, and what it has found.
type checking struct {
	as     string
	strict bool
	show   int           // most findings to tell; 0: all
	tell   func(finding) // of those, as they come; nil: keep them
	told   int
	result checked
}

// What a machine reads of a check.
type checked struct {
	host.Passed
	Wrong    int64            `json:"wrong"`  // rows
	Shapes   map[string]int64 `json:"shapes"` // of the rows, where the row or --as says
	Codes    map[string]int64 `json:"codes"`
	Findings []finding        `json:"findings"` // the first ones
}

// A finding is one thing that is wrong with a row.
type finding struct {
	File    string `json:"file"`
	Line    int64  `json:"line"`
	Shape   string `json:"shape,omitempty"`
	Level   string `json:"level"`
	Code    string `json:"code"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
}

func (f finding) String() string {
	where, level, at := "", "", ""
	if f.Shape != "" {
		where = f.Shape + ": "
	}
	if f.Level != levelError {
		level = f.Level + ": "
	}
	if f.Path != "" {
		at = " at " + f.Path
	}
	return fmt.Sprintf("%s:%d: %s%s%s%s: %s", f.File, f.Line, where, level, f.Code, at, f.Message)
}

// levelError is the level of a finding that makes its row wrong. The others are "warning" and "note".
const levelError = "error"

// unknownShape is the code of a row that is nothing that is known.
const unknownShape = "unknown_shape"

// Shapes that plugin "check" knows, as check.ShapeOf gives them.
const (
	canonicalShape = "canonical"
	chatmlShape    = "chatml"
)

// The shape that plugin "modelspec-check" knows.
const (
	threadShape  = "thread"
	threadPlugin = "modelspec-check"
)

func checkCommand(out *report) *cobra.Command {
	var inProcess, asJSON bool
	var schemaOf string
	k := checking{}
	shapes := append(check.Shapes(), threadShape)
	c := &cobra.Command{
		Use:   "check FILE...",
		Short: "hold rows to their schemas and rules",
		Long: `check reads files, or patterns for them, and holds each row to its JSON Schema and to what a schema cannot say: that
results answer calls, that calls are of tools on offer, that roles come in order. It tells file, line, code, place, what
was wanted and what was found, and never a value of a row. What a row is it tells from the row: canonical, ChatML,
trajectory, preference, or a thread of the Modular Model Spec; --as says it for all.

A finding is an error, a warning, such as a call of a tool that the row does not offer, or a note, such as the name of a
format that is not in snake_case. Errors alone make a row wrong; --strict takes the others for errors too.

The exit code is 0 when every row is right, 1 when one is wrong or there is none, 2 on wrong use.`,
		Example: `  sluice check out/train.jsonl
  sluice check 'out/canonical/*.jsonl' --as canonical --json
  sluice check --schema chatml > chatml.schema.json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && schemaOf == "" {
				return &usageError{command: c, err: errors.New("want at least one file, have none")}
			}
			if k.as != check.Auto && !slices.Contains(shapes, k.as) {
				return &usageError{command: c, err: fmt.Errorf("--as: want auto, %s, have %q", strings.Join(shapes, ", "), k.as)}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if schemaOf != "" {
				text, err := schema.Text(schemaOf)
				if err != nil {
					return &usageError{command: c, err: fmt.Errorf("--schema: %w", err)}
				}
				_, err = out.out.Write(text)
				return err
			}
			if !asJSON {
				k.tell = out.finding
			}
			err := k.run(c, args, host.Options{
				BuiltIns: plugins.All, Version: version(), InProcess: inProcess, Stdin: c.InOrStdin(), Log: out.plugin, MaskName: mask.Name,
			})
			if err != nil {
				return out.json(asJSON, err)
			}
			if asJSON {
				out.printed = true
				return errors.Join(out.writeJSON(k.result), k.verdict())
			}
			out.checked(&k.result)
			return k.verdict()
		},
	}
	c.Flags().StringVar(&k.as, "as", check.Auto, "what the rows are: "+strings.Join(shapes, ", "))
	c.Flags().IntVar(&k.show, "show", 100, "tell the first `N` findings, 0 for all; the rest are only counted")
	c.Flags().BoolVar(&k.strict, "strict", false, "take warnings and notes for errors")
	c.Flags().StringVar(&schemaOf, "schema", "", "write the JSON Schema of `NAME` to stdout instead")
	c.Flags().BoolVar(&inProcess, "in-process", false, "run the built-in plugins without processes")
	c.Flags().BoolVar(&asJSON, "json", false, "write what a machine reads to stdout")
	return c
}

// run checks the rows of files.
func (k *checking) run(c *cobra.Command, paths []string, opts host.Options) error {
	k.result = checked{Shapes: map[string]int64{}, Codes: map[string]int64{}, Findings: []finding{}}
	pass := host.Pass{Paths: paths, Beside: k.found, Reject: k.rejected}
	if k.as == check.Auto || k.as == threadShape { // which declines at once what is no thread
		pass.First = append(pass.First, host.Ask{Plugin: threadPlugin, Args: fmt.Sprintf(`{"strict":%t}`, k.strict), Output: check.Findings})
	}
	if k.as != threadShape {
		pass.First = append(pass.First, host.Ask{Plugin: check.Plugin.Name, Args: fmt.Sprintf(`{"as":%q,"strict":%t}`, k.as, k.strict), Output: check.Findings})
	}
	done, err := pass.Run(c.Context(), opts)
	if err != nil {
		return err
	}
	k.result.Passed = *done
	slices.SortStableFunc(k.result.Findings, func(a, b finding) int { return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	known := int64(0)
	for name, n := range done.Counts {
		if shape, ok := strings.CutPrefix(name, "rows."); ok {
			k.result.Shapes[shape], known = n, known+n
		}
	}
	if n := done.Records - known - k.unknown(); n > 0 {
		k.result.Shapes[threadShape] = n
	}
	return nil
}

// unknown counts the rows that have no shape.
func (k *checking) unknown() (n int64) {
	for _, code := range append([]string{unknownShape}, host.SourceFaults...) {
		n += k.result.Codes[code]
	}
	return n
}

// found takes a row of the side outputs.
func (k *checking) found(r host.Row) error {
	row := gjson.ParseBytes(r.JSON)
	f := finding{r.File, r.Line, row.Get("shape").Str, row.Get("level").Str, row.Get("code").Str, row.Get("path").Str, row.Get("message").Str}
	if f.Code == "" {
		f.Code, f.Shape = row.Get("check").Str, threadShape
	}
	k.note(f)
	return nil
}

// rejected takes a row of the dead letter. What the steps have found in it is told already.
func (k *checking) rejected(r host.Row) error {
	k.result.Wrong++
	row := gjson.ParseBytes(r.JSON)
	code := row.Get("code").Str
	switch plugin := row.Get("plugin").Str; {
	case plugin == check.Plugin.Name && code != "declined" && check.Plugin.Codes[code] != "":
	case plugin == threadPlugin && code != "declined" && code != "crash":
	case code == "declined":
		k.note(finding{r.File, r.Line, "", levelError, unknownShape, "", "want a row of one of the known shapes, have another"})
	default:
		k.note(finding{r.File, r.Line, "", levelError, code, row.Get("path").Str, row.Get("message").Str})
	}
	return nil
}

func (k *checking) note(f finding) {
	k.result.Codes[f.Code]++
	if k.told++; k.show > 0 && k.told > k.show {
		return
	}
	if k.tell != nil {
		k.tell(f)
		return
	}
	k.result.Findings = append(k.result.Findings, f)
}

// verdict is the error of a check that has found something, or had nothing to look at.
func (k *checking) verdict() error {
	switch x := &k.result; {
	case x.Records == 0:
		return errors.New("want rows to check, have none")
	case x.Wrong > 0:
		return fmt.Errorf("%s of %s wrong", format.Count(x.Wrong), format.Plural(x.Records, "row"))
	}
	return nil
}
