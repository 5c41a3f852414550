package editor

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/sdk/wire"
)

// An included file of steps, as it is on disk.
type included struct {
	by      *config.Item
	path    string
	src     []byte
	outline *config.Outline
}

// include reads the file that an include block names.
func (d *Document) include(by *config.Item) (included, bool) {
	path, ok := d.includedPath(by)
	if !ok {
		return included{}, false
	}
	src, err := os.ReadFile(path)
	if err != nil {
		return included{}, false
	}
	return included{by, path, src, config.ReadOutline(src)}, true
}

// includedPath returns the path of the file of steps that an include block names.
func (d *Document) includedPath(by *config.Item) (string, bool) {
	path := strings.Trim(by.Value("file"), `"`)
	if !strings.HasSuffix(path, config.StepsEnding) {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(d.path), path)
	}
	return path, true
}

// all returns the blocks of a kind in the file and in those that it includes.
func (d *Document) all(kind string) []*config.Item {
	blocks := d.outline.All(kind)
	for _, by := range d.outline.All("include") {
		if x, ok := d.include(by); ok {
			blocks = append(blocks, x.outline.All(kind)...)
		}
	}
	return blocks
}

// settable returns the variables that an include block may set.
func (d *Document) settable(by *config.Item) (info wire.Info, ok bool) {
	x, ok := d.include(by)
	if !ok {
		return info, false
	}
	for _, v := range (&Document{outline: x.outline}).Variables() {
		info.Args = append(info.Args, wire.Arg{Name: v.Name, Type: typeOf(v), Doc: v.Description})
	}
	return info, true
}

// typeOf returns the type of a variable in words.
func typeOf(v Variable) string {
	switch {
	case strings.HasPrefix(v.Type, "list"), strings.HasPrefix(v.Default, "["):
		return "a list of strings"
	case strings.HasPrefix(v.Type, "map"), strings.HasPrefix(v.Default, "{"):
		return "an object"
	case v.Type == "bool", v.Default == "true", v.Default == "false":
		return "a boolean"
	case v.Type == "number", v.Type == "" && v.Default != "" && !strings.HasPrefix(v.Default, `"`):
		return "a number"
	}
	return "a string"
}

// shared returns the attributes that a first may share: those of its steps.
func (d *Document) shared(b *config.Item) (info wire.Info) {
	if whole := d.outline.Find(b.Kind.Start); whole != nil { // b may end where the editor's user writes
		b = whole
	}
	steps := d.steps(b)
	known := map[string]bool{}
	for _, s := range steps {
		of, _ := d.known.Plugin(s.Label(0))
		for _, a := range of.Args {
			if !known[a.Name] {
				known[a.Name] = true
				a.Required = false
				info.Args = append(info.Args, a)
			}
		}
	}
	return info
}

// steps returns the steps in a block, also those that it includes.
func (d *Document) steps(b *config.Item) (all []*config.Item) {
	for _, c := range b.Blocks {
		if c.Kind.Text == "step" {
			all = append(all, c)
		}
		if c.Kind.Text != "include" {
			all = append(all, d.steps(c)...)
		} else if x, ok := d.include(c); ok {
			all = append(all, x.outline.All("step")...)
		}
	}
	return all
}

// A Location is where something is declared.
type Location struct {
	Path string // of another file, "" when it is the document
	Text []byte // of that file
	Span
}

// defineIncluded returns where the variable that an include block sets is declared, or the file that it names.
func (d *Document) defineIncluded(p config.Cursor) (Location, bool) {
	if p.Around.Kind.Text != "include" {
		return Location{}, false
	}
	x, ok := d.include(d.outline.Find(p.Around.Kind.Start))
	if !ok {
		return Location{}, false
	}
	if p.Attribute == "file" {
		return Location{Path: x.path, Text: x.src}, true
	}
	for _, v := range x.outline.All("variable") {
		if p.In == config.InBody && v.Name() == p.Word.Text && len(v.Labels) > 0 {
			at := v.Labels[0]
			return Location{x.path, x.src, Span{at.Start, at.End}}, true
		}
	}
	return Location{}, false
}
