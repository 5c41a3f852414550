package check

import (
	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// A check is one rule of the document.
type check struct {
	name    string
	section string // of the document
	mode    string // the default: "reject", "label" or "off"
	group   string // only the first check of a group reports a message, so that one mistake is one finding
	// find returns the mistake in message i, which is m, or "".
	find func(v *view, i int, m *notation.Message) string
	// ofName returns the mistake in a format's name in the settings; nil for checks of messages alone.
	ofName func(format string) string
	others bool // of messages of all but the assistant
}

// checks lists the rules in the order in which they reject a record. By default the document's MUST rejects, and its SHOULD
// and RECOMMENDED label.
var checks = []check{
	{"name_colon", "Tool Formatting", "reject", "format", ofFormats(nameColon), nameColon, false},
	{"user_enabled_format", "Active Capabilities", "reject", "format", userEnabled, nil, false},
	{"format_enabled", "Latent Capabilities", "reject", "format", formatEnabled, nil, false},
	{"format_allowed", "System Settings", "reject", "format", formatAllowed, nil, false},
	{"single_format", "System Settings", "reject", "format", singleFormat, nil, false},
	{"demanded_format", "Response Formatting", "reject", "format", demandedFormat, nil, false},
	{"asked_format", "Response Formatting", "label", "format", askedFormat, nil, false},
	{"format_listed", "System Settings", "off", "format", formatListed, nil, false},
	{"name_case", "Tool Formatting", "label", "case", ofFormats(nameCase), nameCase, false},
	{"json_single", "Weather tool with consecutive tool use", "reject", "content", jsonSingle, nil, false},
	{"content_parses", "System Settings", "reject", "content", contentParses, nil, false},
	{"grammar", "System Settings", "reject", "content", grammarAllows, nil, false},
	{"call_schema", "Tool Schema", "reject", "content", callSchema, nil, false},
	{"answer_schema", "Response Formatting", "reject", "content", answerSchema, nil, false},
	{"mentioned_schema", "Tool Schema", "label", "content", mentionedSchema, nil, false},
	{"call_in_text", "Web browsing assistant with consecutive tool use", "reject", "turn", callInText, nil, false},
	{"tool_without_call", "Tool Formatting", "reject", "call", toolWithoutCall, nil, true},
	{"halt_missing", "Tool Formatting", "reject", "call", haltMissing, nil, false},
	{"call_unanswered", "Message", "reject", "call", callUnanswered, nil, false},
	{"turn_ended", "Message", "reject", "turn", turnEnded, nil, false},
	{"turn_open", "Message", "reject", "turn", turnOpen, nil, false},
	{"default_turn", "Default Capabilities", "label", "turn", defaultTurn, nil, false},
	{"context_escaped", "Escaped context assumed to be untrusted", "label", "escape", contextEscaped, nil, true},
	{"role_order", "Chain of Command", "off", "order", roleOrder, nil, true},
	{"leak", "Rules are assumed to be secrets", "label", "leak", leak, nil, false},
}

func userEnabled(v *view, i int, m *notation.Message) string {
	if notation.IsText(m.Format) || v.listed(m.Format) || v.enabled(m.Format, i) {
		return ""
	}
	if v.asked(m.Format, i) {
		return v.want("a format that the platform or developer enables", m.Format) + ", which only the user names"
	}
	return ""
}

// formatEnabled accepts a format without a tool that the settings allow, since the developer writes them too. A tool also
// needs a definition in a message, unless it is all that the settings allow.
func formatEnabled(v *view, i int, m *notation.Message) string {
	if notation.IsText(m.Format) || v.enabled(m.Format, i) {
		return ""
	}
	if tool, _ := v.Formats.ToolOf(m.Format); v.listed(m.Format) && (tool == "" || len(v.Formats) == 1) {
		return ""
	}
	return v.want("a format that a platform or developer message names", m.Format)
}

// formatAllowed accepts a format that a developer message names in place of the settings: the document's own music control
// example is correct, though its settings name another tool.
func formatAllowed(v *view, i int, m *notation.Message) string {
	if len(v.Formats) == 0 || v.listed(m.Format) || v.enabled(m.Format, i) {
		return ""
	}
	return v.want("a format of the system settings", m.Format)
}

func formatListed(v *view, i int, m *notation.Message) string {
	if len(v.Formats) == 0 || v.listed(m.Format) {
		return ""
	}
	return v.want("a format that the system settings list", m.Format)
}

// singleFormat accepts another format that a developer message names if it does not name the single one: so the document's
// non-interactive example is correct.
func singleFormat(v *view, i int, m *notation.Message) string {
	if len(v.Formats) != 1 || v.listed(m.Format) || v.enabled(m.Format, i) && !v.enabled(v.Formats[0].Name, i) {
		return ""
	}
	return v.want("the one format that the system settings allow", m.Format)
}

func haltMissing(v *view, i int, m *notation.Message) string {
	if i+1 == len(v.messages) || v.messages[i+1].Role != notation.Tool || v.messages[i+1].Later && notation.IsText(m.Format) {
		return ""
	}
	if f, listed := v.Formats.Find(m.Format); listed && !f.Halts() {
		return "want halt_on_completion for a format that gets a result, have " + quote(m.Format) + " without it"
	}
	return ""
}

// callUnanswered wants a result right behind a call that halts. The last message may wait for one, unless it ends its turn.
// An answer in a format without a tool may end its turn and halt, for the system to process it.
func callUnanswered(v *view, i int, m *notation.Message) string {
	f, _ := v.Formats.Find(m.Format)
	switch {
	case !v.halts(i) || m.EndTurn && f.Tool() == "":
	case i+1 < len(v.messages) && v.messages[i+1].Role != notation.Tool:
		return "want the result of a call that halts behind it, have a message of the " + string(v.messages[i+1].Role) + " behind " + quote(m.Format)
	case i+1 == len(v.messages) && m.EndTurn:
		return "want no end_turn on a call that waits for its result, have one on " + quote(m.Format)
	}
	return ""
}

// toolWithoutCall wants a call before a result. A context before which no call waits is a document.
func toolWithoutCall(v *view, i int, m *notation.Message) string {
	if m.Role != notation.Tool || m.Later || v.waiting[i] > 0 {
		return ""
	}
	return "want a call that waits before the result of a tool"
}

func turnEnded(v *view, i int, m *notation.Message) string {
	if i+1 < len(v.messages) && m.EndTurn && v.messages[i+1].Role == notation.Assistant {
		return "want no message of the assistant after it ended its turn, have one in " + quote(v.messages[i+1].Format)
	}
	return ""
}

func turnOpen(v *view, i int, m *notation.Message) string {
	if m.EndTurn || v.isCall(i) {
		return ""
	}
	if i+1 == len(v.messages) || v.messages[i+1].Role == notation.User {
		return "want end_turn on the last message of a turn"
	}
	return ""
}

// roleOrder wants the order of the chain of command, in which the document has its examples. It says who takes precedence and no
// more, and a developer may speak again between the turns of a user, so that the check is off.
func roleOrder(v *view, i int, m *notation.Message) string {
	if !m.Instructs() || rank(v.ahead[i]) <= rank(m.Role) {
		return ""
	}
	return "want platform, then developer messages before all others, have " + string(m.Role) + " after " + string(v.ahead[i])
}
