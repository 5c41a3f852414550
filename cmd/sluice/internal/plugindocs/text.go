package plugindocs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mitchellh/go-wordwrap"

	"github.com/sluicehq/sluice/host/receipt"
)

const width = 80 // columns

// List returns one line for each page, by kind.
func List(pages []Page) string {
	var b strings.Builder
	kind := ""
	for _, p := range pages {
		if p.Kind != kind {
			if kind != "" {
				b.WriteByte('\n')
			}
			kind = p.Kind
			fmt.Fprintf(&b, "%ss\n", kind)
		}
		b.WriteString(hanging(2, 22, p.Name, p.Doc))
	}
	b.WriteString("\nsluice docs NAME shows one in full, sluice docs --codes what rejects mean\n")
	return b.String()
}

// hanging puts a text after a term and wraps it there. A term that is too long has a line to itself.
func hanging(indent, column int, term, text string) string {
	head := strings.Repeat(" ", indent) + term
	if len(head)+2 > column {
		return head + "\n" + below(column, text)
	}
	return head + below(column, text)[len(head):]
}

// below returns a text that begins at a column, wrapped.
func below(column int, text string) string {
	margin := strings.Repeat(" ", column)
	return margin + strings.ReplaceAll(wordwrap.WrapString(text, uint(width-column)), "\n", "\n"+margin) + "\n"
}

// Text returns whole pages for a terminal.
func Text(pages []Page) string {
	var texts []string
	for _, p := range pages {
		texts = append(texts, p.text())
	}
	return strings.Join(texts, "\n")
}

func (p Page) text() string {
	var b strings.Builder
	where := ""
	switch p.Path {
	case "":
	case receipt.BuiltIn:
		where = " (built-in)"
	default:
		where = fmt.Sprintf(" (%s, version %s)", p.Path, p.Version)
	}
	fmt.Fprintf(&b, "%s %s%s\n\n%s\n", p.Kind, p.Name, where, wordwrap.WrapString(p.Doc, width))
	for _, paragraph := range p.About {
		b.WriteString("\n" + wordwrap.WrapString(paragraph, width) + "\n")
	}
	if p.TakesAll {
		b.WriteString("\nIt declines no record.\n")
	}
	if p.Ordered {
		b.WriteString("\nIt keeps state from record to record, so it has one worker.\n")
	}
	if p.Concurrent {
		b.WriteString("\nIts calls wait, and a worker makes several at once, so it has one worker unless workers is set.\n")
	}
	section := func(title string) { fmt.Fprintf(&b, "\n%s\n", title) }
	if len(p.Args) > 0 {
		section("attributes")
	}
	for _, a := range p.Args {
		b.WriteString(hanging(2, 24, a.Name, a.takes+a.standing()))
		b.WriteString(below(24, a.Doc))
		if a.Example != "" {
			b.WriteString(below(24, "such as "+a.Example))
		}
	}
	if len(p.Outputs) > 0 {
		section("outputs, each taken by a block output \"NAME\"")
		b.WriteString("  " + strings.Join(p.Outputs, ", ") + "\n")
	}
	if len(p.Labels) > 0 {
		section("labels that it may set")
	}
	for _, label := range p.Labels {
		switch values := p.Values[label]; {
		case label == "*":
			b.WriteString("  any\n")
		case len(values) == 0:
			b.WriteString("  " + label + "\n")
		default:
			b.WriteString(hanging(2, 24, label, strings.Join(values, ", ")))
		}
	}
	meanings := func(title string, of map[string]string) {
		if len(of) > 0 {
			section(title)
		}
		for _, name := range slices.Sorted(maps.Keys(of)) {
			b.WriteString(hanging(2, 24, name, of[name]))
		}
	}
	meanings("reject codes", p.Codes)
	meanings("drop reasons", p.Drops)
	return b.String()
}

func (a Attribute) standing() string {
	switch {
	case a.Required:
		return ", required"
	case a.Default != "":
		return ", default " + a.Default
	}
	return ""
}

// CodesText returns codes for a terminal.
func CodesText(codes []Code) string {
	var b strings.Builder
	for _, c := range codes {
		b.WriteString(hanging(0, 24, c.Code, c.Means))
		if len(c.Plugins) > 0 {
			b.WriteString(below(24, "from "+strings.Join(c.Plugins, ", ")))
		}
	}
	return b.String()
}
