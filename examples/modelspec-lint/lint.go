package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// lint labels threads of the Modular Model Spec. It rejects none: its rules read English and programs without a grammar of
// either, so each finding is a guess that a person should look at.
var lint = sdk.Plugin{
	Name:    "modelspec-lint",
	Doc:     "labels threads with what may be wrong in them, as far as their words show",
	New:     func(sdk.Args) (sdk.Processor, error) { return sdk.Map(check), nil },
	Outputs: []string{"findings"},
	Labels:  []string{"lint"},
	Codes:   map[string]string{},
}

func check(r *sdk.Record) error {
	messages := r.View("messages").Array()
	if len(messages) == 0 {
		return sdk.Decline("want a row with messages, have none")
	}
	var found []string
	report := func(rule string, i int, text string) {
		if !slices.Contains(found, rule) {
			found = append(found, rule)
		}
		row := jsontext.AppendMember([]byte("{"), "rule", rule)
		row = jsontext.AppendMember(append(row, ','), "path", "messages."+strconv.Itoa(i))
		row = jsontext.AppendMember(append(row, ','), "message", text)
		r.Side("findings", append(row, '}'))
	}
	var demanded []string // the formats that the latest demand asks for
	for i, m := range messages {
		content := m.Get("content").Str
		switch m.Get("role").Str {
		case "platform", "developer":
			if all := demands(content); all != nil {
				demanded = all
			}
		case "assistant":
			format := m.Get("format").Str
			if demanded != nil && !strings.Contains(format, ":") && !slices.Contains(demanded, format) {
				report("demanded_format", i, "want "+strings.Join(demanded, " or ")+", have "+format)
			}
			if isProgram(format) && !balanced(content) {
				report("open_program", i, "want brackets and strings that end, have one that does not")
			}
		}
	}
	label := "pass"
	if len(found) > 0 {
		label = strings.Join(found, ",")
	}
	r.SetLabel("lint", label)
	return nil
}

var (
	sentence = regexp.MustCompile("(?:`[^`]*`|[^.!?`])+")
	must     = regexp.MustCompile(`(?i)\b(?:only|must|always|shall|exclusively)\b`)
	hedge    = regexp.MustCompile(`(?i)\b(?:if|when|unless|until|not|never|no|avoid|call)\b|n['’]t\b`)
	answer   = regexp.MustCompile(`(?i)\b(?:respond|answer|reply|response|output|use|write)\b`)
	name     = regexp.MustCompile("`([A-Za-z0-9_]+)`")
)

// demands returns the formats that a text demands, as "you may only respond in the `plaintext` format" does; nil where it
// demands none. A sentence with a condition or a denial demands nothing.
func demands(text string) (formats []string) {
	for _, s := range sentence.FindAllString(text, -1) {
		words := name.ReplaceAllString(s, "")
		if !must.MatchString(words) || !answer.MatchString(words) || hedge.MatchString(words) || !strings.Contains(words, "format") {
			continue
		}
		for _, m := range name.FindAllStringSubmatch(s, -1) {
			formats = append(formats, m[1])
		}
	}
	return formats
}

func isProgram(format string) bool {
	language := format[strings.LastIndexByte(format, ':')+1:]
	return slices.Contains([]string{"python", "py", "javascript", "js", "typescript", "ts"}, language)
}

// balanced reports whether the brackets of a program close in order. It knows strings, and no comments.
func balanced(program string) bool {
	var open []byte
	var quote byte
	for i := 0; i < len(program); i++ {
		c := program[i]
		switch {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case strings.IndexByte("([{", c) >= 0:
			open = append(open, c)
		case strings.IndexByte(")]}", c) >= 0:
			if len(open) == 0 || strings.IndexByte("([{", open[len(open)-1]) != strings.IndexByte(")]}", c) {
				return false
			}
			open = open[:len(open)-1]
		}
	}
	return quote == 0 && len(open) == 0
}
