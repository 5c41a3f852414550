package main

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// lint labels threads of the Modular Model Spec. It rejects none: its rules read English without a
// grammar, so each finding is a guess that a person should look at.
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
		return sdk.Decline("want a row with messages")
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
	var demanded, forbidden []string // by the latest sentence that demands a format, and by all that forbid one
	for i, m := range messages {
		content := m.Get("content").Str
		switch m.Get("role").Str {
		case "platform", "developer":
			yes, no := demands(content)
			if yes != nil {
				demanded = yes
			}
			forbidden = append(forbidden, no...)
		case "assistant":
			format := m.Get("format").Str
			switch {
			case slices.Contains(forbidden, format):
				report("forbidden_format", i, "want another format than "+format)
			case demanded != nil && !strings.Contains(format, ":") && !slices.Contains(demanded, format):
				report("demanded_format", i, "want "+strings.Join(demanded, " or ")+", have "+format)
			}
		}
	}
	r.SetLabel("lint", cmp.Or(strings.Join(found, ","), "pass"))
	return nil
}

var (
	sentence = regexp.MustCompile("(?:`[^`]*`|[^.!?`])+")
	must     = regexp.MustCompile(`(?i)\b(?:only|must|always|shall|exclusively)\b`)
	deny     = regexp.MustCompile(`(?i)\b(?:not|never|avoid)\b|n['’]t\b`)
	hedge    = regexp.MustCompile(`(?i)\b(?:if|when|unless|until|no|call|forget|need|have to)\b`)
	answer   = regexp.MustCompile(`(?i)\b(?:respond|answer|reply|response|output|use|write)\b`)
	name     = regexp.MustCompile("`([A-Za-z0-9_:]+)`")
)

// demands returns the formats that a text demands, as "you may only respond in the `plaintext` format" does, and those that it
// forbids. A sentence with a condition does neither.
func demands(text string) (demanded, forbidden []string) {
	for _, s := range sentence.FindAllString(text, -1) {
		words := name.ReplaceAllString(s, "")
		if !answer.MatchString(words) || hedge.MatchString(words) || !strings.Contains(words, "format") {
			continue
		}
		for _, m := range name.FindAllStringSubmatch(s, -1) {
			switch {
			case deny.MatchString(words):
				forbidden = append(forbidden, m[1])
			case must.MatchString(words):
				demanded = append(demanded, m[1])
			}
		}
	}
	return demanded, forbidden
}
