package editor

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
)

// A mention is a label, and of a case one of its values, at a point of the text.
type mention struct {
	label, value string
	at           Span // of the word that is there
}

// mentioned returns the label at an offset: in braces in the path of a sink, behind the @ of a route, or in a case of one.
func (d *Document) mentioned(p config.Cursor, offset int) (m mention, ok bool) {
	if w, ok := d.braced(p, offset); ok {
		return mention{label: w.Text, at: Span{w.Start, w.End}}, true
	}
	m.at = Span{p.Word.Start, d.outline.WordEnd(p.Word.End)}
	switch text := d.text(m.at); {
	case p.In == config.InText && p.Around.Kind.Text == "route" && p.Attribute == "on":
		m.label, ok = strings.CutPrefix(text, "@")
	case p.In == config.InLabel && p.Head == "case":
		m.value = text
		m.label, ok = d.routeLabel(p.Around)
	}
	return m, ok && m.label != ""
}

// braced returns the word behind an open brace at an offset in the path of a sink, be it empty.
func (d *Document) braced(p config.Cursor, offset int) (w config.Word, ok bool) {
	if p.Around.Kind.Text != "sink" || p.Attribute != "path" || p.In == config.InPath || p.In == config.InKey {
		return w, false
	}
	w.Start, w.End = offset, d.outline.WordEnd(offset)
	for w.Start > 0 && d.outline.WordEnd(w.Start-1) > w.Start-1 {
		w.Start--
	}
	before := d.src[:w.Start]
	for _, other := range []string{"${", "%{"} {
		if strings.HasSuffix(string(before[max(0, len(before)-2):]), other) {
			return w, false
		}
	}
	w.Text = d.text(Span{w.Start, w.End})
	return w, len(before) > 0 && before[len(before)-1] == '{'
}

func (d *Document) text(at Span) string { return string(d.src[at.Start:at.End]) }

// routeLabel returns the label that a route is on.
func (d *Document) routeLabel(route *config.Item) (label string, ok bool) {
	if there := d.outline.Find(route.Kind.Start); there != nil { // route may end where the editor's user writes
		route = there
	}
	return strings.CutPrefix(strings.Trim(route.Value("on"), `"`), "@")
}

// inBraces returns the labels that the path of a sink may have.
func (d *Document) inBraces(w config.Word) (all []Candidate) {
	end := ""
	if w.End >= len(d.src) || d.src[w.End] != '}' {
		end = "}"
	}
	for _, label := range d.labels() {
		name := strings.TrimPrefix(label, "@")
		all = append(all, Candidate{Name: name, Kind: ValueKind, Detail: "label", Doc: d.labelDoc(name), Text: name + end})
	}
	return all
}

// labelDoc says which plugins set a label, and to what.
func (d *Document) labelDoc(label string) string {
	parts := []string{"label `" + label + "`"}
	for _, name := range d.Plugins() {
		info, _ := d.known.Plugin(name)
		if !slices.Contains(info.Labels, label) {
			continue
		}
		text := "plugin " + name + " sets it"
		if values := info.LabelValues[label]; len(values) > 0 {
			text += " to `" + strings.Join(values, "`, `") + "`"
		}
		parts = append(parts, text)
	}
	if len(parts) == 1 {
		parts = append(parts, "no plugin of the file declares it")
	}
	return paragraphs(parts)
}

// defineLabel returns the name of the step that sets a label: the last one above an offset, else the first of the file, or of an
// included file.
func (d *Document) defineLabel(m mention, offset int) (Location, bool) {
	var found *config.Item
	for _, s := range d.outline.All("step") {
		if d.sets(s, m) && (found == nil || s.Kind.Start < offset) {
			found = s
		}
	}
	if found != nil {
		return Location{Span: spanOf(found.Labels[len(found.Labels)-1])}, true
	}
	for _, by := range d.outline.All("include") {
		x, ok := d.include(by)
		if !ok {
			continue
		}
		for _, s := range x.outline.All("step") {
			if d.sets(s, m) {
				return Location{x.path, x.src, spanOf(s.Labels[len(s.Labels)-1])}, true
			}
		}
	}
	return Location{}, false
}

// sets reports whether a step may set a label, to the value if there is one.
func (d *Document) sets(s *config.Item, m mention) bool {
	info, _ := d.known.Plugin(s.Label(0))
	values, listed := info.LabelValues[m.label]
	return slices.Contains(info.Labels, m.label) && (m.value == "" || !listed || slices.Contains(values, m.value))
}

func spanOf(w config.Word) Span { return Span{w.Start, w.End} }

var (
	quotedText = regexp.MustCompile(`"[^"\n]*"`)
	inTemplate = regexp.MustCompile(`\$\{([^}]*)\}`)
)

// defineFile returns the file that a text in quotes names, when it is there: found from the folder of the document, or from where the
// server runs, as the paths of sources are.
func (d *Document) defineFile(p config.Cursor, offset int) (Location, bool) {
	around := d.outline.Find(p.Around.Kind.Start)
	if around == nil || p.Attribute == "" {
		return Location{}, false
	}
	for _, a := range around.Attributes {
		if offset < a.Value.Start || offset > a.Value.End {
			continue
		}
		for _, at := range quotedText.FindAllStringIndex(a.Value.Text, -1) {
			if from, to := a.Value.Start+at[0], a.Value.Start+at[1]; from < offset && offset < to {
				return d.fileNamed(d.text(Span{from + 1, to - 1}))
			}
		}
	}
	return Location{}, false
}

func (d *Document) fileNamed(text string) (Location, bool) {
	dir := filepath.Dir(d.path)
	path := inTemplate.ReplaceAllStringFunc(text, func(of string) string {
		switch inner := strings.TrimSpace(of[2 : len(of)-1]); {
		case inner == "pipeline.dir" || inner == "include.dir":
			return dir
		case strings.HasPrefix(inner, "var."):
			name := strings.TrimPrefix(inner, "var.")
			if value, ok := d.known.Vars[name]; ok {
				return value
			}
			for _, v := range d.Variables() {
				if v.Name == name {
					return strings.Trim(v.Default, `"`)
				}
			}
		}
		return of
	})
	if path == "" || strings.Contains(path, "${") {
		return Location{}, false
	}
	for _, at := range []string{filepath.Join(dir, path), path} {
		if filepath.IsAbs(path) {
			at = path
		}
		if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() {
			return Location{Path: at}, true
		}
	}
	return Location{}, false
}
