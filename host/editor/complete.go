package editor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Kinds of a Candidate.
const (
	AttributeKind = "attribute"
	BlockKind     = "block"
	ValueKind     = "value"
	VariableKind  = "variable"
	FunctionKind  = "function"
	PluginKind    = "plugin"
)

// A Candidate is something that may be written at a point.
type Candidate struct {
	Name   string
	Kind   string
	Detail string // a few words
	Doc    string // Markdown
	Text   string // to insert
	// Snippet is the same with tab stops as editors have them, such as ${1:NAME}; empty when it is Text.
	Snippet string
}

// Complete returns what may be written at an offset, and which stretch of the text it replaces.
func (d *Document) Complete(offset int) ([]Candidate, Span) {
	p := d.outline.At(offset)
	if w, ok := d.braced(p, offset); ok {
		return d.inBraces(w), Span{w.Start, offset}
	}
	all := d.candidates(p)
	if p.In == config.InBody {
		there := d.outline.Find(p.Around.Kind.Start)
		all = slices.DeleteFunc(all, func(c Candidate) bool {
			return c.Kind == AttributeKind && there != nil && slices.ContainsFunc(there.Attributes, func(a config.Assignment) bool {
				return a.Name.Text == c.Name && a.Name.Start != p.Word.Start
			})
		})
	}
	return all, Span{p.Word.Start, p.Word.End}
}

// Explain returns what the word at an offset means, as Markdown.
func (d *Document) Explain(offset int) (string, Span) {
	p := d.outline.At(d.outline.WordEnd(offset))
	at := Span{p.Word.Start, p.Word.End}
	if m, ok := d.mentioned(p, offset); ok && m.value == "" {
		return d.labelDoc(m.label), m.at
	}
	if at.Start == at.End || p.In == config.InLabel && p.Label > 0 {
		return "", at
	}
	for _, c := range d.candidates(p) {
		if c.Name == p.Word.Text {
			return c.Doc, at
		}
	}
	if arg, ok := d.argument(p); ok && p.In == config.InText {
		return argDoc(arg), at
	}
	return "", at
}

func (d *Document) candidates(p config.Cursor) []Candidate {
	switch p.In {
	case config.InBody:
		return d.inBody(p.Around)
	case config.InLabel:
		return d.inLabel(p)
	case config.InKey:
		return d.members(p.Around, p.Attribute+".")
	case config.InValue:
		return append(d.values(p, quoted), d.names()...)
	case config.InText:
		return d.values(p, func(word string) string { return word })
	case config.InPath:
		return d.behind(p.Root)
	}
	return nil
}

func (d *Document) inBody(b *config.Item) []Candidate {
	all := d.members(b, "")
	for _, a := range config.Attributes(d.kind(b)) {
		all = append(all, assignment(wire.Arg{Name: a.Name, Type: a.Takes, Doc: a.Doc, Words: a.Words}))
	}
	for _, k := range config.Blocks(d.kind(b)) {
		c := Candidate{Name: k.Name, Kind: BlockKind, Detail: "block", Doc: k.Doc, Text: k.Name}
		text, snippet := k.Name, k.Name
		for i, label := range config.Labels(k.Name) {
			text += ` ""`
			snippet += fmt.Sprintf(` "${%d:%s}"`, i+1, label)
		}
		c.Text, c.Snippet = text+" {\n}", snippet+" {\n  $0\n}"
		all = append(all, c)
	}
	return all
}

// members returns the attributes that a plugin, source or sink takes in a block, or in an object there whose path is under.
func (d *Document) members(b *config.Item, under string) (all []Candidate) {
	info, ok := d.info(b)
	if !ok {
		return nil
	}
	for _, a := range info.Args {
		name, below := strings.CutPrefix(a.Name, under)
		if !below || strings.Contains(name, ".") {
			continue
		}
		a.Name = name
		all = append(all, assignment(a))
	}
	return all
}

func assignment(a wire.Arg) Candidate {
	c := Candidate{Name: a.Name, Kind: AttributeKind, Detail: a.Takes(), Doc: argDoc(a), Text: a.Name + " = "}
	value := "$0"
	switch {
	case len(a.Words) > 0 && a.Type == "a string":
		value = `"${1|` + strings.Join(a.Words, ",") + `|}"`
	case a.Type == "a string":
		value = `"$1"`
	case strings.HasPrefix(a.Type, "a list"):
		value = "[$1]"
	case a.Type == "an object", strings.HasPrefix(a.Type, "a map of "):
		value = "{\n  $0\n}"
	}
	c.Snippet = c.Text + value
	return c
}

// info returns the declaration of the plugin, source or sink of a block.
func (d *Document) info(b *config.Item) (wire.Info, bool) {
	name := b.Label(0)
	switch b.Kind.Text {
	case "step":
		return d.known.Plugin(name)
	case "first":
		return d.shared(b), true
	case "include":
		return d.settable(b)
	case "source":
		return called(d.known.Sources, name)
	case "sink":
		return called(d.known.Sinks, name)
	}
	return wire.Info{}, false
}

func called(infos []wire.Info, name string) (wire.Info, bool) {
	i := slices.IndexFunc(infos, func(info wire.Info) bool { return info.Name == name })
	if i < 0 {
		return wire.Info{}, false
	}
	return infos[i], true
}

// inLabel returns the plugins that a step may name, the types of sources and sinks, and the outputs of a step.
func (d *Document) inLabel(p config.Cursor) (all []Candidate) {
	var infos []wire.Info
	switch {
	case p.Label > 0:
		return nil
	case p.Head == "case":
		return d.caseValues(p)
	case p.Head == "source":
		infos = d.known.Sources
	case p.Head == "sink":
		infos = d.known.Sinks
	case p.Head == "step":
		for _, name := range d.known.Plugins {
			info, _ := d.known.Plugin(name)
			info.Name = name
			infos = append(infos, info)
		}
	case p.Head == "output":
		info, _ := d.info(p.Around)
		for _, name := range info.Outputs {
			infos = append(infos, wire.Info{Name: name, Doc: "rows that " + info.Name + " writes apart from the stream"})
		}
	}
	for _, info := range infos {
		text := info.Name
		if !p.Quoted {
			text = quoted(text)
		}
		all = append(all, Candidate{Name: info.Name, Kind: PluginKind, Detail: info.Doc, Doc: infoDoc(info), Text: text})
	}
	return all
}

// argument returns the attribute whose value a cursor is in, or the nearest around it.
func (d *Document) argument(p config.Cursor) (wire.Arg, bool) {
	for _, a := range config.Attributes(d.kind(p.Around)) {
		if a.Name == p.Attribute {
			return wire.Arg{Name: a.Name, Type: a.Takes, Doc: a.Doc, Words: a.Words}, true
		}
	}
	info, ok := d.info(p.Around)
	if !ok {
		return wire.Arg{}, false
	}
	for path := p.Attribute; path != ""; path = path[:max(strings.LastIndexByte(path, '.'), 0)] {
		for _, a := range info.Args {
			if a.Name == path {
				return a, true
			}
		}
	}
	return wire.Arg{}, false
}

// values returns the known values of an attribute. write makes text of a string.
func (d *Document) values(p config.Cursor, write func(string) string) (all []Candidate) {
	a, ok := d.argument(p)
	if !ok {
		return nil
	}
	doc := argDoc(a)
	add := func(name, text, detail string) {
		all = append(all, Candidate{Name: name, Kind: ValueKind, Detail: detail, Doc: doc, Text: text})
	}
	words := a.Words
	if p.Around.Kind.Text == "route" && a.Name == "on" {
		words = d.labels()
	}
	for _, w := range words {
		if a.Type == "a boolean" || strings.HasPrefix(a.Type, "a type") {
			add(w, w, "")
		} else {
			add(w, write(w), "")
		}
	}
	if p.In == config.InText || p.Attribute != a.Name || len(words) > 0 {
		return all
	}
	if a.Type == "a boolean" {
		add("true", "true", "")
		add("false", "false", "")
		return all
	}
	for detail, json := range map[string]string{"the default": a.Default, "an example": a.Example} {
		if json != "" {
			text := config.Literal(json)
			add(text, text, detail)
		}
	}
	slices.SortFunc(all, func(a, b Candidate) int { return strings.Compare(a.Detail, b.Detail) })
	return all
}

// labels returns those that the plugins of the file may set, as a route has them.
func (d *Document) labels() (all []string) {
	for _, name := range d.Plugins() {
		info, _ := d.known.Plugin(name)
		for _, label := range info.Labels {
			if label != "*" {
				all = append(all, "@"+label)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// caseValues returns the values that plugins of the file list for the label that a route is on, without those that have a case.
func (d *Document) caseValues(p config.Cursor) (all []Candidate) {
	label, ok := d.routeLabel(p.Around)
	if !ok {
		return nil
	}
	route := p.Around
	if there := d.outline.Find(route.Kind.Start); there != nil {
		route = there
	}
	taken := map[string]bool{}
	for _, b := range route.Blocks {
		if len(b.Labels) > 0 && b.Labels[0].Start != p.Word.Start {
			taken[b.Label(0)] = true
		}
	}
	for _, name := range d.Plugins() {
		info, _ := d.known.Plugin(name)
		for _, value := range info.LabelValues[label] {
			if taken[value] {
				continue
			}
			taken[value] = true
			text := value
			if !p.Quoted {
				text = quoted(value)
			}
			all = append(all, Candidate{
				Name: value, Kind: ValueKind, Detail: "of label " + label, Doc: "`" + value + "` is a value of label `" + label + "`, which plugin " + name + " sets", Text: text,
			})
		}
	}
	return all
}

// names returns what an expression may begin with.
func (d *Document) names() []Candidate {
	all := []Candidate{
		{Name: "var", Kind: ValueKind, Detail: "the variables of the file", Doc: "var.NAME is a variable of the file", Text: "var."},
		{Name: "pipeline", Kind: ValueKind, Detail: "the folder of the file", Doc: "pipeline.dir is the folder of the file", Text: "pipeline.dir"},
	}
	for _, f := range config.Functions() {
		all = append(all, Candidate{
			Name: f.Name, Kind: FunctionKind, Detail: f.Takes, Doc: "`" + f.Takes + "`\n\n" + f.Doc, Text: f.Name + "(", Snippet: f.Name + "($0)",
		})
	}
	return all
}

// behind returns what may follow a name and a dot.
func (d *Document) behind(root string) (all []Candidate) {
	switch root {
	case "pipeline", "include":
		return []Candidate{{Name: "dir", Kind: ValueKind, Detail: "the folder of the file", Doc: "the folder of the file", Text: "dir"}}
	case "var":
		for _, v := range d.Variables() {
			all = append(all, Candidate{Name: v.Name, Kind: VariableKind, Detail: v.standing(), Doc: v.doc(), Text: v.Name})
		}
	}
	return all
}
