// Package rowstats sums up rows with plugin "stats": turns, calls, tokens and lengths.
package rowstats

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/rowfile"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/registry"
	"github.com/sluicehq/sluice/host/survey"
	"github.com/sluicehq/sluice/plugins/stats"
)

// Args are the arguments of plugin "stats".
type Args struct {
	Tokens         string `json:"tokens,omitempty"`
	Limit          int    `json:"limit,omitempty"`
	CharacterLimit int    `json:"character_limit,omitempty"`

	Source []string `json:"source,omitempty"`
	Groups int      `json:"groups,omitempty"`
}

// Sums are the sums of inputs.
type Sums struct {
	Layers  []*Layer  `json:"layers"`
	LeftOut []LeftOut `json:"left_out,omitempty"`
	Mixture *Rates    `json:"mixture,omitempty"` // of the first layer
}

// Of sums up inputs: files, patterns for them, and folders. With shares it computes the rates that make them of the first layer,
// since other layers are rendered from that.
func Of(ctx context.Context, inputs []string, args Args, wish Wish, opts host.Options) (*Sums, error) {
	layers, left, err := layersOf(inputs)
	if err != nil {
		return nil, err
	}
	if len(wish.Shares) > 0 {
		args.Groups = manySources
	}
	config, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	for _, l := range layers {
		if err := l.sum(ctx, string(config), opts); err != nil {
			return nil, err
		}
	}
	sums := &Sums{Layers: layers, LeftOut: left}
	if len(wish.Shares) > 0 {
		if sums.Mixture, err = layers[0].rates(wish); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// manySources is how many sources have sums of their own when each may have a share.
const manySources = 10_000

// A Layer is rows that are written in one form. Those of another form may say the same, so they are summed by themselves.
type Layer struct {
	Layer string `json:"layer"` // the form, or "named" for inputs that are no folders, whatever form they have
	stats.Report
	Unreadable int64 `json:"unreadable"`

	paths []string
}

// A LeftOut is a file of a folder that is not summed up.
type LeftOut struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

func (l *Layer) sum(ctx context.Context, config string, opts host.Options) error {
	pass := survey.Scan{
		Paths: l.paths, Then: []survey.Step{{Plugin: stats.Plugin.Name, Args: config, Output: stats.Output}},
		Side: func(r survey.Row) error { return json.Unmarshal(r.JSON, &l.Report) },
		Reject: func(r survey.Row) error {
			if slices.Contains(registry.SourceFaults, gjson.GetBytes(r.JSON, "code").String()) {
				l.Unreadable++
			}
			return nil
		},
	}
	if _, err := pass.Run(ctx, opts); err != nil {
		return err
	}
	if l.All.Rows > 0 {
		return nil
	}
	have := "0 records"
	if l.Unreadable > 0 {
		have = plural.Of(l.Unreadable, "record") + " that cannot be read"
	}
	return fmt.Errorf("%s: want canonical or ChatML rows, have %s", mask.Name(strings.Join(l.paths, ", ")), have)
}

const byName = "named" // the layer of files, patterns and standard input

// layersOf divides inputs into layers: one of named files, and one for each shape of the files in folders.
func layersOf(inputs []string) (all []*Layer, left []LeftOut, err error) {
	by := map[string]*Layer{}
	for _, l := range []*Layer{{Layer: byName}, {Layer: rowfile.Canonical}, {Layer: rowfile.ChatML}} {
		by[l.Layer] = l
		all = append(all, l)
	}
	for _, input := range inputs {
		if info, err := os.Stat(input); err != nil || !info.IsDir() {
			by[byName].paths = append(by[byName].paths, input)
			continue
		}
		files, others, err := rowfile.Folder(input)
		if err != nil {
			return nil, nil, err
		}
		for _, file := range others {
			left = append(left, LeftOut{mask.Name(file), rowfile.Unasked})
		}
		for _, file := range files {
			shape, hasText, err := rowfile.Inspect(file)
			if err != nil {
				return nil, nil, err
			}
			if l := by[shape]; l != nil {
				l.paths = append(l.paths, file)
				continue
			}
			why := "no rows"
			if hasText {
				why = "neither canonical nor ChatML rows"
			}
			left = append(left, LeftOut{mask.Name(file), why})
		}
	}
	all = slices.DeleteFunc(all, func(l *Layer) bool { return len(l.paths) == 0 })
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("%s: want canonical or ChatML rows, have %s without any", mask.Name(inputs[0]), plural.Of(len(left), "file"))
	}
	return all, left, nil
}
