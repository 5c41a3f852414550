package plugindocs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Markdown returns pages in Markdown. whole makes them the reference of everything built in, with a title and the codes.
func Markdown(pages []Page, whole bool) string {
	var b strings.Builder
	if whole {
		b.WriteString("# Sources, sinks and plugins\n\nWritten by `sluice docs --markdown` from what they say of themselves.\n\n")
	}
	for i, p := range pages {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.markdown())
	}
	if whole {
		b.WriteString("\n## Reject codes\n\nWhat the `code` of a dead letter's row means, and what to do.\n\n")
		b.WriteString(CodesMarkdown(Codes()))
	}
	return b.String()
}

func (p Page) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s `%s`\n\n%s.\n", p.Kind, p.Name, inProse(p.Doc))
	for _, paragraph := range p.About {
		fmt.Fprintf(&b, "\n%s\n", inProse(paragraph))
	}
	if p.Ordered {
		b.WriteString("It keeps state from record to record, so it has one worker.\n")
	}
	if p.Concurrent {
		b.WriteString("Its calls wait, and a worker makes several at once, so it has one worker unless workers is set.\n")
	}
	if len(p.Args) > 0 {
		b.WriteString("\n| attribute | takes | default | |\n|---|---|---|---|\n")
	}
	for _, a := range p.Args {
		standing := inCode(a.Default)
		if a.Required {
			standing = "required"
		}
		about := inProse(a.Doc)
		if a.Example != "" {
			about += ", such as " + inCode(a.Example)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", a.Name, inProse(a.takes), standing, about)
	}
	if len(p.Outputs) > 0 {
		fmt.Fprintf(&b, "\nOutputs: `%s`.\n", strings.Join(p.Outputs, "`, `"))
	}
	if len(p.Labels) > 0 {
		fmt.Fprintf(&b, "\nLabels that it may set: %s.\n", p.labels())
	}
	if len(p.Codes) > 0 {
		fmt.Fprintf(&b, "\nReject codes: `%s`.\n", strings.Join(slices.Sorted(maps.Keys(p.Codes)), "`, `"))
	}
	if len(p.Drops) > 0 {
		fmt.Fprintf(&b, "\nDrop reasons: `%s`.\n", strings.Join(slices.Sorted(maps.Keys(p.Drops)), "`, `"))
	}
	return b.String()
}

// labels names the labels, with the values that they may have.
func (p Page) labels() string {
	if slices.Contains(p.Labels, "*") {
		return "any"
	}
	all := slices.Clone(p.Labels)
	for i, label := range all {
		if values := p.Values[label]; len(values) > 0 {
			all[i] += " (" + strings.Join(values, ", ") + ")"
		}
	}
	return strings.Join(all, ", ")
}

// CodesMarkdown returns codes as a table in Markdown.
func CodesMarkdown(codes []Code) string {
	var b strings.Builder
	b.WriteString("| code | means | from |\n|---|---|---|\n")
	for _, c := range codes {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Code, inProse(c.Means), strings.Join(c.Plugins, ", "))
	}
	return b.String()
}

func inCode(text string) string {
	if text == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(text, "|", `\|`) + "`"
}

// inProse escapes the marks of Markdown in a sentence.
func inProse(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", `\<`, "_", `\_`, "[", `\[`).Replace(text)
}
