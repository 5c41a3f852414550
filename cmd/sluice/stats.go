package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/plugins/stats"
)

func statsCommand(out *report) *cobra.Command {
	var args struct {
		Tokens         string `json:"tokens,omitempty"`
		Limit          int    `json:"limit,omitempty"`
		CharacterLimit int    `json:"character_limit,omitempty"`
	}
	var inProcess, asJSON bool
	c := &cobra.Command{
		Use:   "stats INPUT...",
		Short: "sum up rows: turns, calls, tokens and lengths",
		Long: `stats reads canonical and ChatML rows from files, patterns for them or folders, and sums them up with the step of the same
name: rows, turns, calls by action, and how long rows are in tokens and characters, of all rows and by split, source and task.

In a folder, canonical and ChatML rows are summed up by themselves, since these are rendered from those. Files of other rows, such as a
ledger or rejects, are left out by name.

Tokens are those that rows say they used, unless --tokens names a vocabulary.`,
		Example: `  sluice stats out/train.jsonl --tokens o200k_base --limit 8192
  sluice stats out
  sluice stats out/canonical --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{command: c, err: errors.New("want at least one file or folder, have none")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, inputs []string) error {
			layers, left, err := layersOf(inputs)
			if err != nil {
				return out.json(asJSON, err)
			}
			config, err := json.Marshal(args)
			if err != nil {
				return err
			}
			opts := host.Options{
				BuiltIns: plugins.All, Version: version(), InProcess: inProcess, Stdin: c.InOrStdin(), Log: out.plugin, MaskName: mask.Name,
			}
			sums := summed{LeftOut: left}
			for _, l := range layers {
				if err := l.sum(c.Context(), string(config), opts); err != nil {
					return out.json(asJSON, err)
				}
				sums.Layers = append(sums.Layers, l)
			}
			if asJSON {
				return out.writeJSON(sums)
			}
			out.stats(&sums)
			return nil
		},
	}
	c.Flags().StringVar(&args.Tokens, "tokens", "usage", "what counts tokens: usage, o200k_base, cl100k_base or none")
	c.Flags().IntVar(&args.Limit, "limit", 0, "count rows of more tokens")
	c.Flags().IntVar(&args.CharacterLimit, "character-limit", 0, "count rows of more characters")
	c.Flags().BoolVar(&inProcess, "in-process", false, "run the built-in plugins without processes")
	c.Flags().BoolVar(&asJSON, "json", false, "write what a machine reads to stdout")
	return c
}

// summed is what there is to say of inputs.
type summed struct {
	Layers  []*layer  `json:"layers"`
	LeftOut []leftOut `json:"left_out,omitempty"`
}

// A layer is rows that are written in one form. Those of another form may say the same, so they are summed by themselves.
type layer struct {
	Layer string `json:"layer"` // the form, or "named" for inputs that are no folders, whatever form they have
	stats.Report
	Unreadable int64 `json:"unreadable"`

	paths []string
}

// A leftOut is a file of a folder that is not summed up.
type leftOut struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// sum sums up the rows of the layer.
func (l *layer) sum(ctx context.Context, config string, opts host.Options) error {
	pass := host.Pass{
		Paths: l.paths, Then: []host.Ask{{Plugin: stats.Plugin.Name, Args: config, Output: stats.Output}},
		Beside: func(r host.Row) error { return json.Unmarshal(r.JSON, &l.Report) },
		Reject: func(r host.Row) error {
			if slices.Contains(host.SourceFaults, gjson.GetBytes(r.JSON, "code").String()) {
				l.Unreadable++
			}
			return nil
		},
	}
	_, err := pass.Run(ctx, opts)
	return err
}

// byName is the layer of files, patterns and standard input.
const byName = "named"

// layersOf divides inputs into layers: what is named is one, and files in folders are of those that their first row tells.
func layersOf(inputs []string) (all []*layer, left []leftOut, err error) {
	by := map[string]*layer{}
	for _, l := range []*layer{{Layer: byName}, {Layer: canonicalShape}, {Layer: chatmlShape}} {
		by[l.Layer] = l
		all = append(all, l)
	}
	for _, input := range inputs {
		if info, err := os.Stat(input); err != nil || !info.IsDir() {
			by[byName].paths = append(by[byName].paths, input)
			continue
		}
		files, err := rowFiles(input)
		if err != nil {
			return nil, nil, err
		}
		for _, file := range files {
			shape, err := configOf(file)
			if err != nil {
				return nil, nil, err
			}
			if l := by[shape]; l != nil {
				l.paths = append(l.paths, file)
				continue
			}
			why := "no rows"
			if info, err := os.Stat(file); err != nil || info.Size() > 0 {
				why = "neither canonical nor ChatML rows"
			}
			left = append(left, leftOut{mask.Name(file), why})
		}
	}
	all = slices.DeleteFunc(all, func(l *layer) bool { return len(l.paths) == 0 })
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("%s: want canonical or ChatML rows, have none in %s", mask.Name(inputs[0]), format.Plural(len(left), "file"))
	}
	return all, left, nil
}

// rowFiles are the files of a folder that are named as files of rows.
func rowFiles(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		name := strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst")
		if filepath.Ext(name) == ".jsonl" {
			files = append(files, path)
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: want files named .jsonl, .jsonl.gz or .jsonl.zst, have none", mask.Name(dir))
	}
	return files, err
}

// stats shows the sums of each layer, and what is not in them.
func (r *report) stats(s *summed) {
	for i, l := range s.Layers {
		heading := ""
		if len(s.Layers) > 1 {
			heading = l.Layer
		}
		if i > 0 {
			fmt.Fprintln(r.out)
		}
		r.layer(heading, l)
	}
	for _, x := range s.LeftOut {
		r.say("left out: %s: %s", x.File, x.Why)
	}
}

// layer shows sums: a line for each group, then the actions.
func (r *report) layer(heading string, s *layer) {
	groups := columns{{heading, "rows", "turns", "calls", tokensFrom(s), "p50", "p95", "max", "over", "characters", "p50", "p95", "max", "over"}}
	add := func(name string, g *stats.Group) {
		var turns int64
		for _, n := range g.Turns {
			turns += n
		}
		line := []string{name, format.Count(g.Rows), format.Count(turns), format.Count(g.Calls)}
		line = append(line, lengths(g.Tokens, s.Limits.Tokens)...)
		groups = append(groups, append(line, lengths(g.Characters, s.Limits.Characters)...))
	}
	add("all", &s.All)
	for _, kind := range []string{"split", "source", "task"} {
		for _, name := range mostRows(s.By[kind]) {
			add(kind+" "+name, s.By[kind][name])
		}
	}
	groups.print(r.out)
	if len(s.All.Actions) > 0 {
		actions := columns{{"action", "calls", "in history"}}
		for _, name := range mostCalls(s.All.Actions) {
			a := s.All.Actions[name]
			actions = append(actions, []string{name, format.Count(a.Calls), format.Count(a.History)})
		}
		fmt.Fprintln(r.out)
		actions.print(r.out)
	}
	for _, x := range []struct {
		n    int64
		what string
	}{{s.Shapes.Other, "is no canonical or ChatML row"}, {s.Unreadable, "could not be read"}} {
		if x.n > 0 {
			r.sayWarning("of %s no length is known: each %s", format.Plural(x.n, "record"), x.what)
		}
	}
	if s.Shapes.Canonical > 0 && s.Shapes.Chat > 0 {
		r.sayWarning("%s and %s are summed together: if these were rendered from those, everything counts twice",
			format.Plural(s.Shapes.Canonical, "canonical row"), format.Plural(s.Shapes.Chat, "ChatML row"))
	}
	if t := s.All.Tokens; t != nil && t.Rows < s.All.Rows {
		r.sayWarning("tokens are those of %s: the others do not tell", format.Plural(t.Rows, "row"))
	}
}

// tokensFrom is the heading over tokens, with what counted them.
func tokensFrom(s *layer) string {
	if s.All.Tokens == nil {
		return "tokens"
	}
	return "tokens (" + s.TokensFrom + ")"
}

func lengths(l *stats.Lengths, limit int) []string {
	if l == nil {
		return []string{"-", "-", "-", "-", "-"}
	}
	over := "-"
	if limit > 0 {
		over = fmt.Sprintf("%.1f%%", 100*l.Share)
	}
	return []string{format.Count(l.Sum), format.Count(l.P50), format.Count(l.P95), format.Count(l.Max), over}
}

// columns are lines of cells, the first a name.
type columns [][]string

// print writes names from the left and everything else up to the right.
func (c columns) print(to io.Writer) {
	var width []int
	for i := range c {
		c[i][0] = oneLine(format.Printable(c[i][0]))
		for k, cell := range c[i] {
			if k == len(width) {
				width = append(width, 0)
			}
			width[k] = max(width[k], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range c {
		fmt.Fprintf(to, "%-*s", width[0], line[0])
		for k, cell := range line[1:] {
			fmt.Fprintf(to, "  %*s", width[k+1], cell)
		}
		fmt.Fprintln(to)
	}
}

func mostRows(groups map[string]*stats.Group) []string {
	rows := map[string]int64{}
	for name, g := range groups {
		rows[name] = g.Rows
	}
	return format.MostFirst(rows)
}

func mostCalls(actions map[string]*stats.Action) []string {
	calls := map[string]int64{}
	for name, a := range actions {
		calls[name] = a.Calls + a.History
	}
	return format.MostFirst(calls)
}
