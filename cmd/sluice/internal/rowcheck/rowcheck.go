// Package rowcheck holds the rows of files to their schemas and rules.
package rowcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/rowfile"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/registry"
	"github.com/sluicehq/sluice/host/survey"
	"github.com/sluicehq/sluice/plugins/check"
)

// A Result is what a check found.
type Result struct {
	survey.ScanResult
	Wrong    int64            `json:"wrong"`  // rows
	Shapes   map[string]int64 `json:"shapes"` // of the rows, where the row or --as says
	Codes    map[string]int64 `json:"codes"`
	Findings []Finding        `json:"findings"`           // the first ones
	LeftOut  []string         `json:"left_out,omitempty"` // files of folders, each with why

	Uncompared int64 `json:"uncompared,omitempty"` // rows whose ids were not remembered, past mostIDs
}

// A Finding is one thing that is wrong with a row.
type Finding struct {
	File    string `json:"file"`
	Line    int64  `json:"line"`
	Shape   string `json:"shape,omitempty"`
	Level   string `json:"level"`
	Code    string `json:"code"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
}

// String returns the finding as one printable line.
func (f Finding) String() string {
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
	text := fmt.Sprintf("%s:%d: %s%s%s%s: %s", f.File, f.Line, where, level, f.Code, at, f.Message)
	return format.Printable(cli.OneLine(text))
}

const (
	levelError   = "error"           // of a finding that makes its row wrong; the others are "warning" and "note"
	unknownShape = "unknown_shape"   // the code of a row that has none of Shapes
	threadPlugin = "modelspec-check" // checks threads; plugin "check" knows all other shapes
)

// Shapes returns the names of shapes that rows can be held to.
func Shapes() []string { return rowfile.Shapes() }

// Options select the checks and what is kept of them.
type Options struct {
	As     string        // the shape of all rows; check.Auto: each row says its own
	Strict bool          // warnings and notes count as errors
	Show   int           // at most so many findings are kept, or reported; 0: all
	Report func(Finding) // called with findings as they come; nil: they are kept in the result
}

// Rows checks the rows of files, and of the files in folders that have rows of a known shape.
func Rows(ctx context.Context, inputs []string, o Options, opts host.Options) (*Result, error) {
	paths, left, err := rowfile.Split(inputs)
	if err != nil {
		return nil, err
	}
	k := checking{Options: o, ids: newIDs(mostIDs), result: Result{Shapes: map[string]int64{}, Codes: map[string]int64{}, Findings: []Finding{}}}
	pass := survey.Scan{Paths: paths, Out: k.compare, Side: k.found, Reject: k.rejected}
	if k.As == check.Auto || k.As == rowfile.Thread { // which declines anything but a thread at once
		pass.First = append(pass.First, survey.Step{Plugin: threadPlugin, Args: fmt.Sprintf(`{"strict":%t}`, k.Strict), Output: check.Findings})
	}
	if k.As != rowfile.Thread {
		pass.First = append(pass.First, survey.Step{Plugin: check.Plugin.Name, Args: fmt.Sprintf(`{"as":%q,"strict":%t}`, k.As, k.Strict), Output: check.Findings})
	}
	done, err := pass.Run(ctx, opts)
	if err != nil {
		return nil, err
	}
	k.result.ScanResult, k.result.LeftOut, k.result.Uncompared = *done, left, k.ids.left
	slices.SortStableFunc(k.result.Findings, func(a, b Finding) int { return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	threads := done.Records // less the rows of other shapes, and of none
	for name, n := range done.Counts {
		if shape, ok := strings.CutPrefix(name, "rows."); ok {
			k.result.Shapes[shape] = n
			threads -= n
		}
	}
	for _, code := range append([]string{unknownShape}, registry.SourceFaults...) {
		threads -= k.result.Codes[code]
	}
	if threads > 0 {
		k.result.Shapes[rowfile.Thread] = threads
	}
	return &k.result, nil
}

type checking struct {
	Options
	ids    *ids
	shown  int
	result Result
}

// found takes a row of the side outputs.
func (k *checking) found(r survey.Row) error {
	row := gjson.ParseBytes(r.JSON)
	f := Finding{r.File, r.Line, row.Get("shape").Str, row.Get("level").Str, row.Get("code").Str, row.Get("path").Str, row.Get("message").Str}
	if f.Code == "" {
		f.Code, f.Shape = row.Get("check").Str, rowfile.Thread
	}
	k.note(f)
	return nil
}

// rejected takes a row of the dead letter. What the steps found in it is reported already.
func (k *checking) rejected(r survey.Row) error {
	k.result.Wrong++
	row := gjson.ParseBytes(r.JSON)
	code := row.Get("code").Str
	switch plugin := row.Get("plugin").Str; {
	case plugin == check.Plugin.Name && code != "declined" && check.Plugin.Codes[code] != "":
	case plugin == threadPlugin && code != "declined" && code != "plugin_crash":
	case code == "declined":
		k.note(Finding{r.File, r.Line, "", levelError, unknownShape, "", "want a row of a known shape: " + strings.Join(Shapes(), ", ")})
	default:
		k.note(Finding{r.File, r.Line, "", levelError, code, row.Get("path").Str, row.Get("message").Str})
	}
	return nil
}

func (k *checking) note(f Finding) {
	k.result.Codes[f.Code]++
	if k.shown++; k.Show > 0 && k.shown > k.Show {
		return
	}
	if k.Report != nil {
		k.Report(f)
		return
	}
	k.result.Findings = append(k.result.Findings, f)
}

// Verdict returns an error when a row is wrong, or there is none.
func (r *Result) Verdict() error {
	switch {
	case r.Records == 0:
		return errors.New("want rows to check, have 0")
	case r.Wrong > 0:
		return fmt.Errorf("%s of %s wrong", plural.Count(r.Wrong), plural.Of(r.Records, "row"))
	}
	return nil
}

// Text says what the rows were and how many findings there are of each code.
func (r *Result) Text() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	table := func(head string, by map[string]int64) {
		if len(by) > 0 {
			fmt.Fprintf(w, "\n%s\t\n", head)
		}
		for _, name := range slices.Sorted(maps.Keys(by)) {
			fmt.Fprintf(w, "%s\t%s\n", name, plural.Count(by[name]))
		}
	}
	fmt.Fprintf(w, "rows\t%s\nwrong\t%s\n", plural.Count(r.Records), plural.Count(r.Wrong))
	table("shape", r.Shapes)
	table("finding", r.Codes)
	w.Flush()
	if r.Uncompared > 0 {
		fmt.Fprintf(&b, "\nids of %s were not compared with each other: only the first %s are remembered\n",
			plural.Of(r.Uncompared, "row"), plural.Count(mostIDs))
	}
	return b.String()
}
