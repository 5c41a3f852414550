package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/sdk"
)

func docsCommand(out *report) *cobra.Command {
	var pipeline string
	var codes, markdown, asJSON bool
	c := &cobra.Command{
		Use:   "docs [NAME]",
		Short: "tell what plugins, sources and sinks take, and what reject codes mean",
		Long: `docs tells of a plugin, or a kind of source or sink, which attributes it takes, with their types, defaults and examples, which
outputs and labels a plugin writes, and what the codes of its rejects mean. It is what the plugin says of itself: one that
is not built in is looked for as a pipeline does, and started for that. Without a NAME it lists what there is.

With --codes NAME is a reject code, as a dead letter has it.`,
		Example: `  sluice docs privacy
  sluice docs house-style --pipeline pipeline.hcl
  sluice docs --codes no_user_turn
  sluice docs --markdown >pipelines/plugins.md`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			name := strings.Join(args, "")
			opts := host.Options{BuiltIns: plugins.All, Version: version(), Log: out.plugin}
			if codes {
				return out.codes(name, asJSON, markdown)
			}
			pages, err := docPages(c, name, pipeline, opts)
			switch {
			case err != nil:
				return out.json(asJSON, err)
			case asJSON:
				return out.writeJSON(pages)
			case markdown:
				return out.text(markdownPages(pages, name == ""))
			case name == "":
				return out.text(listPages(pages))
			}
			return out.text(textPages(pages))
		},
	}
	c.Flags().StringVar(&pipeline, "pipeline", "", "look for the plugin as the steps of `FILE` do, which may pin it")
	c.Flags().BoolVar(&codes, "codes", false, "tell of reject codes, with what to do")
	c.Flags().BoolVar(&markdown, "markdown", false, "write Markdown")
	c.Flags().BoolVar(&asJSON, "json", false, "write what a machine reads to stdout")
	return c
}

// A docPage is the documentation of one plugin, source or sink.
type docPage struct {
	Kind    string            `json:"kind"` // plugin, source or sink
	Name    string            `json:"name"`
	Doc     string            `json:"doc"`
	Path    string            `json:"path,omitempty"` // of a plugin's executable, or built-in
	Version string            `json:"version,omitempty"`
	Ordered bool              `json:"ordered,omitempty"` // it keeps state from record to record
	Args    []docArg          `json:"attributes"`
	Outputs []string          `json:"outputs,omitempty"`
	Labels  []string          `json:"labels,omitempty"`
	Codes   map[string]string `json:"codes,omitempty"`
}

// A docArg is one attribute. Values are written as in a pipeline file.
type docArg struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Words    []string `json:"words,omitempty"` // that it may be
	Doc      string   `json:"doc"`
	Default  string   `json:"default,omitempty"`
	Example  string   `json:"example,omitempty"`
	Required bool     `json:"required,omitempty"`
}

// docPages are those of what has a name: of a plugin, and of a source and a sink, which may share it. Without a name they are all that
// are built in.
func docPages(c *cobra.Command, name, pipeline string, opts host.Options) ([]docPage, error) {
	pages := []docPage{}
	add := func(kind string, infos []host.Info) {
		for _, info := range infos {
			if name == "" || name == info.Name {
				pages = append(pages, newDocPage(kind, info))
			}
		}
	}
	add("source", host.Sources())
	add("sink", host.Sinks())
	if name == "" {
		add("plugin", sdk.Host(plugins.All...).Plugins)
		return pages, nil
	}
	if len(pages) > 0 && pipeline == "" && !slices.ContainsFunc(plugins.All, func(p sdk.Plugin) bool { return p.Name == name }) {
		return pages, nil
	}
	d, err := host.Describe(c.Context(), name, pipeline, opts)
	if err != nil {
		return nil, err
	}
	page := newDocPage("plugin", d.Info)
	page.Path, page.Version = d.Path, d.Version
	return append(pages, page), nil
}

func newDocPage(kind string, info host.Info) docPage {
	p := docPage{
		Kind: kind, Name: info.Name, Doc: info.Doc, Ordered: info.Ordered, Args: []docArg{},
		Outputs: info.Outputs, Labels: info.Labels, Codes: info.Codes,
	}
	for _, a := range info.Args {
		arg := docArg{Name: a.Name, Type: a.Type, Words: a.Words, Doc: a.Doc, Required: a.Required}
		if a.Default != "" {
			arg.Default = host.Literal(a.Default)
		}
		if a.Example != "" {
			arg.Example = host.Literal(a.Example)
		}
		p.Args = append(p.Args, arg)
	}
	return p
}

// takes says in words what an attribute takes.
func (a docArg) takes() string {
	if a.Words == nil {
		return a.Type
	}
	var words []string
	for _, w := range a.Words {
		words = append(words, fmt.Sprintf("%q", w))
	}
	list := strings.Join(words, ", ")
	switch a.Type {
	case "a string":
		return list
	case "an object":
		return "an object, each value " + list
	}
	return "a list, each " + list
}

// A docCode is a reject code with what it means, to whom.
type docCode struct {
	Code    string   `json:"code"`
	Plugins []string `json:"plugins"` // none: any step, source or sink
	Means   string   `json:"means"`
}

// docCodes are all codes of built-in plugins and of the host, by name. A code that means several things comes several times.
func docCodes() []docCode {
	all := []docCode{}
	for _, code := range slices.Sorted(maps.Keys(host.Codes)) {
		all = append(all, docCode{code, []string{}, host.Codes[code]})
	}
	for _, p := range plugins.All {
		for _, code := range slices.Sorted(maps.Keys(p.Codes)) {
			i := slices.IndexFunc(all, func(c docCode) bool { return c.Code == code && c.Means == p.Codes[code] })
			if i < 0 {
				i = len(all)
				all = append(all, docCode{Code: code, Means: p.Codes[code]})
			}
			all[i].Plugins = append(all[i].Plugins, p.Name)
		}
	}
	slices.SortStableFunc(all, func(a, b docCode) int { return strings.Compare(a.Code, b.Code) })
	return all
}

// codes tells of one code, or of all.
func (r *report) codes(code string, asJSON, markdown bool) error {
	all := docCodes()
	if code != "" {
		names := []string{}
		for _, c := range all {
			names = append(names, c.Code)
		}
		all = slices.DeleteFunc(all, func(c docCode) bool { return c.Code != code })
		if len(all) == 0 {
			err := fmt.Errorf("want a code that a built-in plugin declares, have %q", code)
			if near := host.Nearest(code, names); near != "" {
				err = fmt.Errorf("%w; did you mean %q?", err, near)
			}
			return r.json(asJSON, fmt.Errorf("%w\nthe codes of a plugin that is not built in: sluice docs PLUGIN", err))
		}
	}
	switch {
	case asJSON:
		return r.writeJSON(all)
	case markdown:
		return r.text(markdownCodes(all))
	}
	return r.text(textCodes(all))
}
