package check

import (
	"maps"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A view is a thread with what checks need to know of its messages.
type view struct {
	*notation.Thread
	messages   []notation.Message
	texts      []string                 // decoded contents of the messages
	authority  mentions                 // formats that platform and developer messages name
	users      mentions                 // formats that user messages name
	ahead      []notation.Role          // before each message: the lowest role in the chain of command
	waiting    []int                    // before each message: how many calls wait for a result
	schemas    map[string]jsontext.JSON // of calls, by tool, in definitions
	mentioned  map[string]jsontext.JSON // of calls, by tool, in other texts
	answer     jsontext.JSON            // the schema of an answer in json
	plains     []string                 // the texts as plain makes them, on demand
	leakLength int                      // in code points
	cache      *notation.Cache
	secrets    []*secret      // of platform and developer messages, made on demand
	short      []shortSecrets // of those messages, made on demand
	shortTexts int            // how many texts these hold
	searched   int            // how many messages were searched for them
	demanded   []demanded     // by platform and developer messages, in order
}

func (p *Rules) view(t *notation.Thread, messages []notation.Message) *view {
	n := len(messages)
	v := &view{
		Thread: t, messages: messages, leakLength: p.leakLength, cache: &p.cache, authority: mentions{}, users: mentions{},
		schemas: map[string]jsontext.JSON{}, texts: make([]string, n), ahead: make([]notation.Role, n), waiting: make([]int, n),
	}
	waiting, lowest := 0, notation.Platform
	for i := range messages {
		m := &messages[i]
		v.texts[i] = m.Text()
		v.waiting[i], v.ahead[i] = waiting, lowest
		if rank(m.Role) > rank(lowest) {
			lowest = m.Role
		}
		switch {
		case m.Instructs():
			v.authority.add(formatsIn(v.texts[i]), i)
			v.define(v.texts[i])
			if formats := v.demandedIn(v.texts[i]); formats != nil {
				v.demanded = append(v.demanded, demanded{i, formats})
			}
		case m.Role == notation.User:
			v.users.add(formatsIn(v.texts[i]), i)
			waiting = 0
		case m.Role == notation.Tool:
			waiting = max(0, waiting-1)
		case !notation.IsText(m.Format):
			waiting += v.results(i)
		}
	}
	return v
}

func rank(role notation.Role) int {
	switch role {
	case notation.Platform:
		return 0
	case notation.Developer:
		return 1
	}
	return 2
}

func (v *view) define(text string) {
	d := notation.ReadDefinitions(text, v.Formats, v.cache)
	for _, s := range d.Sections {
		switch s.Kind {
		case notation.ToolSection:
			v.schemas[s.Name] = s.Schema
		case notation.AnswerSection:
			v.answer = s.Schema
		}
	}
	mentioned, demanded := notation.Schemas(d.Rest, v.cache)
	for tool := range demanded {
		if !demanded[tool] {
			continue
		}
		if other := v.schemas[tool]; other != "" && other != mentioned[tool] { // it has two definitions
			mentioned[tool] = `{"anyOf":[` + other + `,` + mentioned[tool] + `]}`
		}
		v.schemas[tool] = mentioned[tool]
	}
	maps.Copy(mentioned, v.mentioned) // the first of a tool counts
	v.mentioned = mentioned
}

// mentions holds the index of the first message that names a format. A language names the tools in it too, since the document
// writes the content of a `browser:js` call as a block of "js".
type mentions map[string]int

func (all mentions) add(formats map[string]bool, i int) {
	for format := range formats {
		tool, language := notation.Split(format)
		names := []string{format}
		if tool != "" {
			names = append(names, ":"+language)
		}
		for _, name := range names {
			if _, known := all[name]; !known {
				all[name] = i
			}
		}
	}
}

func (all mentions) before(format string, i int) bool {
	format = notation.Canonical(format)
	at, ok := all[format]
	if tool, _ := notation.Split(format); (!ok || at >= i) && tool == "" {
		at, ok = all[":"+format]
	}
	return ok && at < i
}

// enabled reports whether a platform or developer message before message i names the format.
func (v *view) enabled(format string, i int) bool {
	return v.authority.before(format, i) || v.spoken(format, i, (*notation.Message).Instructs) || v.shown(format, i)
}

// shown reports whether message i is a call with a result, in a language of code in a platform or developer message before it:
// such code defines what may be called.
func (v *view) shown(format string, i int) bool {
	if i+1 >= len(v.messages) || v.messages[i+1].Role != notation.Tool || strings.Contains(format, ":") {
		return false
	}
	language := notation.Canonical(format)
	for at := range v.messages[:i] {
		if !v.messages[at].Instructs() {
			continue
		}
		for line := range strings.Lines(v.texts[at]) {
			line = strings.TrimSpace(line)
			if info := strings.TrimLeft(line, "`"); len(line)-len(info) >= 3 && info != "" && notation.Canonical(info) == language {
				return true
			}
		}
	}
	return false
}

// asked reports whether a user before message i names the format.
func (v *view) asked(format string, i int) bool {
	return v.users.before(format, i) || v.spoken(format, i, func(m *notation.Message) bool { return m.Role == notation.User })
}

// spoken reports whether a message for which by holds names a language before message i without a code span.
func (v *view) spoken(format string, i int, by func(*notation.Message) bool) bool {
	language := notation.Canonical(format)
	for at := range v.messages[:i] {
		if by(&v.messages[at]) && speaks(v.texts[at], language) {
			return true
		}
	}
	return false
}

func (v *view) listed(format string) bool {
	_, ok := v.Formats.Find(format)
	return ok
}

// isCall reports whether message i is a call that a tool may answer.
func (v *view) isCall(i int) bool {
	m := &v.messages[i]
	if m.Role != notation.Assistant || notation.IsText(m.Format) {
		return false
	}
	if tool, _ := notation.Split(m.Format); tool != "" {
		return true
	}
	return v.halts(i)
}

// halts reports whether the settings stop the model at message i.
func (v *view) halts(i int) bool {
	m := &v.messages[i]
	f, ok := v.Formats.Find(m.Format)
	return ok && f.Halts() && m.Role == notation.Assistant
}
