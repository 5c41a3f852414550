package check

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/instruction"
	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A view is a thread with what checks need to know of its messages. What only some need is made on demand, once for all.
type view struct {
	*notation.Thread
	messages   []notation.Message
	texts      []string                 // decoded contents of the messages
	plains     []string                 // the texts as appendPlain makes them, on demand
	lines      [][]instruction.Line     // of the texts, on demand
	authority  mentions                 // formats that platform and developer messages name
	users      mentions                 // formats that user messages name, on demand
	asking     int                      // how many messages were searched for those
	ahead      []notation.Role          // before each message: the lowest role in the chain of command
	waiting    []int                    // before each message: how many calls wait for a result
	schemas    map[string]jsontext.JSON // of calls, by tool, in definitions
	mentioned  map[string]jsontext.JSON // of calls, by tool, in other texts
	answer     jsontext.JSON            // the schema of an answer in json
	demanded   []demanded               // by platform and developer messages, in order
	leakLength int                      // in code points
	secrets    []secret                 // of platform and developer messages, on demand
	short      []shortText              // of those messages, on demand
	slots      *[shortSlots]int32       // the last short text of each slot, counted from 1
	searched   int                      // how many messages were searched for them
	quotations []string                 // of a line
	cache      *notation.Cache
	memory     memory // of the texts
}

// view returns a view of messages under the settings of a thread.
func (p *Rules) view(t *notation.Thread, messages []notation.Message) *view {
	var v *view
	if last := len(p.spare) - 1; last >= 0 {
		v, p.spare = p.spare[last], p.spare[:last]
	} else {
		v = &view{leakLength: p.leakLength, cache: &p.cache, authority: mentions{}, users: mentions{}, schemas: map[string]jsontext.JSON{}}
	}
	v.Thread, v.messages = t, messages
	n := len(messages)
	v.texts, v.plains, v.lines, v.secrets = resize(v.texts, n), resize(v.plains, n), resize(v.lines, n), resize(v.secrets, n)
	v.ahead, v.waiting = resize(v.ahead, n), resize(v.waiting, n)
	waiting, lowest := 0, notation.Platform
	for i := range messages {
		m := &messages[i]
		v.setText(i, v.memory.textOf(m.Body))
		v.secrets[i].text = ""
		v.waiting[i], v.ahead[i] = waiting, lowest
		if rank(m.Role) > rank(lowest) {
			lowest = m.Role
		}
		switch {
		case m.Instructs():
			v.formatsIn(i, func(format string) { v.authority.add(format, i) })
			v.define(v.texts[i])
			v.demand(i)
		case m.Role == notation.User:
			waiting = 0
		case m.Role == notation.Tool:
			waiting = max(0, waiting-1)
		case !notation.IsText(m.Format):
			waiting += v.results(i)
		}
	}
	return v
}

// release takes back a view that is not needed any more, for the next thread.
func (p *Rules) release(v *view) {
	clear(v.authority)
	clear(v.users)
	clear(v.schemas)
	v.mentioned, v.answer, v.asking, v.searched = nil, "", 0, 0
	v.demanded = v.demanded[:0]
	if len(v.short) > 0 {
		clear(v.slots[:])
	}
	v.short = v.short[:0]
	v.memory.reset()
	p.spare = append(p.spare, v)
}

// resize returns a list of n elements, in the memory of another where that is enough.
func resize[T any](list []T, n int) []T { return slices.Grow(list[:0], n)[:n] }

// setText sets the text of message i.
func (v *view) setText(i int, text string) {
	v.texts[i], v.plains[i], v.lines[i] = text, "", v.lines[i][:0]
}

// linesOf returns the lines of the text of message i.
func (v *view) linesOf(i int) []instruction.Line {
	if len(v.lines[i]) == 0 {
		v.lines[i], v.memory.bytes = instruction.AppendLines(v.lines[i], v.texts[i], v.memory.bytes)
	}
	return v.lines[i]
}

// plainOf returns the text of message i as appendPlain makes it.
func (v *view) plainOf(i int) string {
	if v.plains[i] == "" {
		v.plains[i] = v.plain(v.texts[i], math.MaxInt)
	}
	return v.plains[i]
}

func (v *view) plain(text string, most int) string {
	return v.memory.keep(appendPlain(v.memory.take(min(len(text), most)+8), text, most))
}

// secretOf returns message i as a secret.
func (v *view) secretOf(i int) *secret {
	if s := &v.secrets[i]; s.text == "" {
		s.cut(v.plainOf(i), v.leakLength)
	}
	return &v.secrets[i]
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
			v.schemas[s.Name] = s.ContentSchema()
		case notation.AnswerSection:
			v.answer = s.Schema
		}
	}
	if schema := notation.AnswerSchema(d.Rest, v.cache); schema != "" {
		v.answer = schema
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

// add notes that message i names a format.
func (all mentions) add(format string, i int) {
	all.first(format, i)
	if tool, _ := notation.Split(format); tool != "" {
		all.first(format[len(tool):], i) // ":json" of "browser:json"
	}
}

func (all mentions) first(name string, i int) {
	if _, known := all[name]; !known {
		all[name] = i
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
		for _, l := range v.linesOf(at) {
			if info := l.Text[l.Backticks():]; len(l.Text)-len(info) >= 3 && info != "" && notation.Canonical(info) == language {
				return true
			}
		}
	}
	return false
}

// asked reports whether a user before message i names the format.
func (v *view) asked(format string, i int) bool {
	for ; v.asking < i; v.asking++ {
		if at := v.asking; v.messages[at].Role == notation.User {
			v.formatsIn(at, func(format string) { v.users.add(format, at) })
		}
	}
	return v.users.before(format, i) || v.spoken(format, i, func(m *notation.Message) bool { return m.Role == notation.User })
}

// spoken reports whether a message for which by holds names a language before message i without a code span.
func (v *view) spoken(format string, i int, by func(*notation.Message) bool) bool {
	language := notation.Canonical(format)
	for at := range v.messages[:i] {
		if by(&v.messages[at]) && v.speaks(at, language) {
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
