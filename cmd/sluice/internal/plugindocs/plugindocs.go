// Package plugindocs writes what plugins, sources and sinks say about themselves: their attributes, outputs and reject codes.
package plugindocs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/editor"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/host/registry"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/nearest"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Page is the documentation of one plugin, source or sink.
type Page struct {
	Kind       string              `json:"kind"` // plugin, source or sink
	Name       string              `json:"name"`
	Doc        string              `json:"doc"`
	About      []string            `json:"about,omitempty"` // paragraphs
	Path       string              `json:"path,omitempty"`  // of a plugin's executable, or built-in
	Version    string              `json:"version,omitempty"`
	Ordered    bool                `json:"ordered,omitempty"`    // it keeps state from record to record
	Concurrent bool                `json:"concurrent,omitempty"` // it makes several calls at once
	Args       []Attribute         `json:"attributes"`
	Outputs    []string            `json:"outputs,omitempty"`
	Labels     []string            `json:"labels,omitempty"`
	Values     map[string][]string `json:"label_values,omitempty"` // that labels may have; a label without: any
	TakesAll   bool                `json:"takes_all,omitempty"`    // it declines no record
	Codes      map[string]string   `json:"codes,omitempty"`
	Drops      map[string]string   `json:"drops,omitempty"`
}

// An Attribute is one attribute. Values are written as in a pipeline file.
type Attribute struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Words    []string `json:"words,omitempty"` // that a string in it may be
	Doc      string   `json:"doc"`
	Default  string   `json:"default,omitempty"`
	Example  string   `json:"example,omitempty"`
	Required bool     `json:"required,omitempty"`

	takes string // type and words, for people
}

// All returns the pages of a name: a plugin, or a source and a sink, which may share it. Without a name it returns the pages
// of everything that is built in.
func All(ctx context.Context, name, pipeline string, opts host.Options) ([]Page, error) {
	pages := []Page{}
	add := func(kind string, infos []wire.Info) {
		for _, info := range infos {
			if name == "" || name == info.Name {
				pages = append(pages, newPage(kind, info))
			}
		}
	}
	add("source", registry.Sources())
	add("sink", registry.Sinks())
	if name == "" {
		add("plugin", sdk.Host(plugins.All...).Plugins)
		for i := range pages {
			if pages[i].Kind == "plugin" {
				pages[i].About = about(pages[i].Name)
			}
		}
		return pages, nil
	}
	if len(pages) > 0 && pipeline == "" && !slices.ContainsFunc(plugins.All, func(p sdk.Plugin) bool { return p.Name == name }) {
		return pages, nil
	}
	d, err := registry.Describe(ctx, name, pipeline, opts)
	if err != nil {
		return nil, err
	}
	page := newPage("plugin", d.Info)
	page.Path, page.Version = d.Path, d.Version
	if page.Path == receipt.BuiltIn {
		page.About = about(page.Name)
	}
	return append(pages, page), nil
}

// about returns what a person should know before relying on a built-in plugin.
func about(plugin string) []string {
	if plugin == privacy.Plugin.Name {
		return privacy.About()
	}
	return nil
}

func newPage(kind string, info wire.Info) Page {
	p := Page{
		Kind: kind, Name: info.Name, Doc: info.Doc, Ordered: info.Ordered, Concurrent: info.Concurrent, Args: []Attribute{},
		Outputs: info.Outputs, Labels: info.Labels, Values: info.LabelValues, TakesAll: info.TakesAll, Codes: info.Codes, Drops: info.Drops,
	}
	for _, a := range info.Args {
		arg := Attribute{takes: a.Takes(), Name: a.Name, Type: a.Type, Words: a.Words, Doc: a.Doc, Required: a.Required}
		if a.Default != "" {
			arg.Default = editor.Literal(a.Default)
		}
		if a.Example != "" {
			arg.Example = editor.Literal(a.Example)
		}
		p.Args = append(p.Args, arg)
	}
	return p
}

// A Code is a reject code with one meaning of it.
type Code struct {
	Code    string   `json:"code"`
	Plugins []string `json:"plugins"` // none: any step, source or sink
	Means   string   `json:"means"`
}

// Codes returns the codes of built-in plugins and of the host, by name. A code with several meanings is there several times.
func Codes() []Code {
	all := []Code{}
	for _, code := range slices.Sorted(maps.Keys(registry.Codes)) {
		all = append(all, Code{code, []string{}, registry.Codes[code]})
	}
	for _, p := range plugins.All {
		for _, code := range slices.Sorted(maps.Keys(p.Codes)) {
			i := slices.IndexFunc(all, func(c Code) bool { return c.Code == code && c.Means == p.Codes[code] })
			if i < 0 {
				i = len(all)
				all = append(all, Code{Code: code, Means: p.Codes[code]})
			}
			all[i].Plugins = append(all[i].Plugins, p.Name)
		}
	}
	slices.SortStableFunc(all, func(a, b Code) int { return strings.Compare(a.Code, b.Code) })
	return all
}

// CodesNamed returns the meanings of one code, all codes when it is "".
func CodesNamed(code string) ([]Code, error) {
	all := Codes()
	if code == "" {
		return all, nil
	}
	var found []Code
	var names []string
	for _, c := range all {
		names = append(names, c.Code)
		if c.Code == code {
			found = append(found, c)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	err := fmt.Errorf("want a code that a built-in plugin declares, have %q", code)
	if near := nearest.Word(code, names); near != "" {
		err = fmt.Errorf("%w; did you mean %q?", err, near)
	}
	return nil, fmt.Errorf("%w\nthe codes of a plugin that is not built in: sluice docs PLUGIN", err)
}
