package notation

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// OutlineKey is the member of a canonical row's metadata that holds the outline of the thread it was made from.
const OutlineKey = "modelspec"

// Outline is a thread without its contents. A row made from a thread keeps it, so that the row can become the thread again.
type Outline struct {
	Settings jsontext.JSON
	Defined  *Defined // nil where no section was taken out of a text
	Messages []OutlineMessage
	Pair     bool // the thread was a preference row; the member PreferenceKey holds the rejected answer
	Prompt   int  // how many messages the prompt of a pair had
}

// Defined holds the sections that were taken out of a developer's text, without tools and schemas: these are the first tools of
// the row, in order, and the row's response schema.
type Defined struct {
	Sections []Section
	Ahead    bool // of the rest of the text
}

// OutlineMessage is a message without its content.
type OutlineMessage struct {
	Message
	Parts  int   // how many paragraphs it has, since a row joins texts; 0 for an empty content
	Breaks int   // how many line breaks end it
	User   bool  // the row has it as a user's message
	Style  Style // of a call
	Calls  int   // how many calls the content holds; 0 for a text
	Ends   bool  // the sections of Defined were taken out of this message
}

// PreferenceKey is the member of a canonical row's metadata that holds the rejected answer of a preference row.
const PreferenceKey = "preference"

// ReadPreference makes a thread the preference row that it was: the messages behind the prompt are the chosen answer.
func (t *Thread) ReadPreference(prompt int, preference jsontext.JSON) bool {
	other, err := Read(`{"system_settings":{"formats":"markdown"},"messages":` + preference.Get("rejected") + `}`)
	if err != nil || len(other.Faults) > 0 || prompt > len(t.Messages) {
		return false
	}
	t.Shape, t.Reason = PairShape, preference.Get("reason").Body()
	t.Messages, t.Chosen, t.Rejected = t.Messages[:prompt], t.Messages[prompt:], other.Messages
	return true
}

// AppendOutline appends an outline as JSON.
func AppendOutline(dst []byte, o *Outline) []byte {
	dst = append(dst, '{')
	if o.Settings != "" {
		dst = append(append(append(dst, `"system_settings":`...), o.Settings...), ',')
	}
	if d := o.Defined; d != nil {
		dst = append(AppendList(append(dst, `"sections":`...), d.Sections, appendSection), ',')
		dst = appendIf(dst, d.Ahead, `"sections_first":true,`)
	}
	dst = appendIf(dst, o.Pair, `"prompt":%d,`, o.Prompt)
	return append(AppendList(append(dst, `"messages":`...), o.Messages, appendOutlineMessage), '}')
}

func appendSection(dst []byte, s *Section) []byte {
	dst = jsontext.AppendMember(append(dst, '{'), "enables", string(s.Kind))
	if s.Language != "" {
		dst = jsontext.AppendMember(append(dst, ','), "schema_in", s.Language)
	}
	dst = appendIf(dst, s.Wording > 0, `,"wording":%d`, s.Wording)
	dst = appendIf(dst, s.Several, `,"several":true`)
	dst = appendIf(dst, s.Only, `,"only":true`)
	return append(dst, '}')
}

func appendIf(dst []byte, there bool, format string, args ...any) []byte {
	if !there {
		return dst
	}
	return fmt.Appendf(dst, format, args...)
}

func readSections(list jsontext.JSON) (all []Section, ok bool) {
	for _, v := range list.Elements() {
		s := Section{
			Kind: SectionKind(v.Get("enables").Text()), Language: v.Get("schema_in").Text(), Several: v.Get("several") == "true", Only: v.Get("only") == "true",
		}
		if wording := v.Get("wording"); wording != "" {
			var err error
			if s.Wording, err = strconv.Atoi(string(wording)); err != nil {
				return nil, false
			}
		}
		if s.Wording < 0 || s.Wording >= Wordings(s.Kind) || s.Language != "" && !slices.Contains(SchemaLanguages, s.Language) {
			return nil, false
		}
		all = append(all, s)
	}
	return all, len(all) > 0
}

func appendOutlineMessage(dst []byte, m *OutlineMessage) []byte {
	dst = append(append(append(dst, `{"role":"`...), m.String()...), '"')
	if m.Name != "" {
		dst = jsontext.AppendString(append(dst, `,"name":`...), m.Name)
	}
	if m.Role == Assistant {
		dst = jsontext.AppendString(append(dst, `,"format":`...), m.Format)
		dst = appendBool(append(dst, `,"end_turn":`...), m.EndTurn)
		dst = appendMark(dst, `,"correct":`, m.Correct)
		dst = appendMark(dst, `,"halted_on_completion":`, m.Halted)
	}
	dst = appendIf(dst, m.Parts != 1, `,"paragraphs":%d`, m.Parts)
	dst = appendIf(dst, m.Breaks > 0, `,"breaks":%d`, m.Breaks)
	dst = appendIf(dst, m.User, `,"as":"user"`)
	dst = appendIf(dst, m.Ends, `,"defines":true`)
	if m.Calls > 0 {
		dst = appendIf(dst, true, `,"calls":%d`, m.Calls)
		dst = jsontext.AppendString(append(dst, `,"style":`...), m.Style)
	}
	return append(dst, '}')
}

// ReadOutline reads what AppendOutline wrote.
func ReadOutline(json jsontext.JSON) (o Outline, ok bool) {
	ahead := false
	for key, value := range json.Members() {
		switch key {
		case "system_settings":
			o.Settings = value
		case "prompt":
			var err error
			o.Prompt, err = strconv.Atoi(string(value))
			o.Pair = err == nil && o.Prompt >= 0
		case "sections":
			sections, good := readSections(value)
			if !good {
				return o, false
			}
			o.Defined = &Defined{Sections: sections}
		case "sections_first":
			ahead = value == "true"
		case "messages":
			ok = value.Kind() == '['
			for _, v := range value.Elements() {
				m, good := readOutlineMessage(v)
				ok = ok && good
				o.Messages = append(o.Messages, m)
			}
		}
	}
	if o.Defined != nil {
		o.Defined.Ahead = ahead
	}
	return o, ok
}

func readOutlineMessage(message jsontext.JSON) (m OutlineMessage, ok bool) {
	m.Parts = 1
	for key, value := range message.Members() {
		flag := No
		if value == "true" {
			flag = Yes
		}
		switch key {
		case "role":
			m.Role, m.Later, ok = RoleOf(value.Text())
		case "name":
			m.Name = value.Text()
		case "format":
			m.Format = value.Text()
		case "end_turn":
			m.EndTurn = flag == Yes
		case "correct":
			m.Correct = flag
		case "halted_on_completion":
			m.Halted = flag
		case "paragraphs":
			m.Parts, _ = strconv.Atoi(string(value))
		case "breaks":
			m.Breaks, _ = strconv.Atoi(string(value))
		case "as":
			m.User = true
		case "defines":
			m.Ends = flag == Yes
		case "calls":
			m.Calls, _ = strconv.Atoi(string(value))
		case "style":
			m.Style = Style(value.Text())
		}
	}
	return m, ok && m.Parts >= 0 && m.Breaks >= 0 && m.Calls >= 0
}
