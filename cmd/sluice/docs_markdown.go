package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// markdownPages are pages of a reference. whole is the reference of all that is built in, with a head and the codes at its end.
func markdownPages(pages []docPage, whole bool) string {
	var b strings.Builder
	if whole {
		b.WriteString("# Sources, sinks and plugins\n\nWritten by `sluice docs --markdown` from what they say of themselves.\n\n")
	}
	for i, p := range pages {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.asMarkdown())
	}
	if whole {
		b.WriteString("\n## Reject codes\n\nWhat the `code` of a dead letter's row means, and what to do.\n\n")
		b.WriteString(markdownCodes(docCodes()))
	}
	return b.String()
}

func (p docPage) asMarkdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s `%s`\n\n%s.\n", p.Kind, p.Name, inProse(p.Doc))
	if p.Ordered {
		b.WriteString("It keeps state from record to record, so it has one worker.\n")
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
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", a.Name, inProse(a.takes()), standing, about)
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
	return b.String()
}

func markdownCodes(codes []docCode) string {
	var b strings.Builder
	b.WriteString("| code | means | from |\n|---|---|---|\n")
	for _, c := range codes {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Code, inProse(c.Means), strings.Join(c.Plugins, ", "))
	}
	return b.String()
}

// inCode is a text as code in a table, "" for none.
func inCode(text string) string {
	if text == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(text, "|", `\|`) + "`"
}

// inProse keeps marks of Markdown in a sentence what they are.
func inProse(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", `\<`, "_", `\_`, "[", `\[`).Replace(text)
}
