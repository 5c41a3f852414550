package modelspeccheck

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/modelspec"
)

// A check is one rule of the document.
type check struct {
	name    string
	section string // of the document, where the rule stands
	mode    string // what happens by default: "reject", "label" or "off"
	// find gives the mistake of message i, or "" when it has none.
	find func(v *view, i int) string
	// ofName gives the mistake of a format's name in the settings; nil where the check is of messages alone.
	ofName func(format string) string
}

// checks are in the order in which a record is rejected for them. The document's SHOULD and RECOMMENDED, and what
// can only be guessed from text, label by default; its MUST rejects.
var checks = []check{
	{"user_enabled_format", "Active Capabilities", "reject", userEnabled, nil},
	{"format_enabled", "Latent Capabilities", "reject", formatEnabled, nil},
	{"format_allowed", "System Settings", "reject", formatAllowed, nil},
	{"format_listed", "System Settings", "off", formatListed, nil},
	{"single_format", "System Settings", "reject", singleFormat, nil},
	{"demanded_format", "Response Formatting", "reject", demandedFormat, nil},
	{"name_colon", "Tool Formatting", "reject", ofFormats(nameColon), nameColon},
	{"name_case", "Tool Formatting", "label", ofFormats(nameCase), nameCase},
	{"json_single", "Weather tool with consecutive tool use", "reject", jsonSingle, nil},
	{"content_parses", "System Settings", "reject", contentParses, nil},
	{"call_in_text", "Web browsing assistant with consecutive tool use", "reject", callInText, nil},
	{"tool_without_call", "Tool Formatting", "reject", toolWithoutCall, nil},
	{"halt_missing", "Tool Formatting", "reject", haltMissing, nil},
	{"call_unanswered", "Message", "reject", callUnanswered, nil},
	{"turn_ended", "Message", "reject", turnEnded, nil},
	{"turn_open", "Message", "reject", turnOpen, nil},
	{"role_order", "Chain of Command", "label", roleOrder, nil},
	{"leak", "Rules are assumed to be secrets", "label", leak, nil},
}

func userEnabled(v *view, i int) string {
	m := v.Messages[i]
	if m.Role != "assistant" || isText(m.Format) || v.enabled(m.Format, i) {
		return ""
	}
	if before(v.users, i, func(n named) bool { return names(n.formats, m.Format) }) {
		return "want a format that the platform or developer enables, have one that only the user names"
	}
	return ""
}

func formatEnabled(v *view, i int) string {
	m := v.Messages[i]
	if m.Role != "assistant" || isText(m.Format) || v.enabled(m.Format, i) || userEnabled(v, i) != "" {
		return ""
	}
	return "want a format that a platform or developer message names, have another"
}

// formatAllowed takes a developer's word beside the settings: the document's own music control example is correct,
// though its settings name another tool.
func formatAllowed(v *view, i int) string {
	m := v.Messages[i]
	if _, listed := v.setting(m.Format); m.Role != "assistant" || len(v.Formats) == 0 || listed || v.enabled(m.Format, i) {
		return ""
	}
	return "want a format of the system settings, have another"
}

func formatListed(v *view, i int) string {
	m := v.Messages[i]
	if _, listed := v.setting(m.Format); m.Role != "assistant" || len(v.Formats) == 0 || listed {
		return ""
	}
	return "want a format that the system settings list, have another"
}

// singleFormat lets a developer demand another format: the document's non-interactive example is correct so.
func singleFormat(v *view, i int) string {
	m := v.Messages[i]
	if m.Role != "assistant" || len(v.Formats) != 1 {
		return ""
	}
	if _, listed := v.setting(m.Format); listed {
		return ""
	}
	if before(v.authority, i, func(n named) bool { return names(n.demanded, m.Format) }) {
		return ""
	}
	return "want the one format that the system settings allow, have another"
}

func demandedFormat(v *view, i int) string {
	m := v.Messages[i]
	if m.Role != "assistant" || v.isCall(m) {
		return ""
	}
	some := before(v.authority, i, func(n named) bool { return len(n.demanded) > 0 })
	if !some || before(v.authority, i, func(n named) bool { return names(n.demanded, m.Format) }) {
		return ""
	}
	return "want the format that the developer demands, have another"
}

// ofFormats makes a check of names one of the formats that assistants use; those of the settings are looked at too.
func ofFormats(find func(name string) string) func(*view, int) string {
	return func(v *view, i int) string {
		if v.Messages[i].Role != "assistant" {
			return ""
		}
		return find(v.Messages[i].Format)
	}
}

func nameColon(name string) string {
	if strings.Count(name, ":") > 1 || strings.HasPrefix(name, ":") || strings.HasSuffix(name, ":") {
		return fmt.Sprintf("want a format, or a tool and a format with one colon, have %d", strings.Count(name, ":"))
	}
	return ""
}

// nameCase looks for snake_case: small letters and digits, words joined by one underscore.
func nameCase(name string) string {
	for part := range strings.SplitSeq(name, ":") {
		word := false
		for i := range len(part) {
			c := part[i]
			letter, digit := c >= 'a' && c <= 'z', c >= '0' && c <= '9'
			if !letter && !(digit && i > 0) && !(c == '_' && word) {
				return "want snake_case in the names of a format, have another spelling"
			}
			word = c != '_'
		}
		if !word {
			return "want snake_case in the names of a format, have another spelling"
		}
	}
	return ""
}

// callInText finds a call that went out as text: the system does not see it, and cannot halt for it.
func callInText(v *view, i int) string {
	m := v.Messages[i]
	if m.Role != "assistant" || !isText(m.Format) || !isJSON(unfenced(m.Content)) {
		return ""
	}
	for _, f := range v.Formats {
		if tool, language := modelspec.Split(f.Name); tool != "" && language == "json" {
			return "want a call in the format of its tool, have JSON as text"
		}
	}
	return ""
}

// toolWithoutCall lets a call in a format of several lines, such as jsonl or python, have several results.
func toolWithoutCall(v *view, i int) string {
	if v.Messages[i].Role != "tool" {
		return ""
	}
	open := 0
	for _, m := range v.Messages[:i] {
		switch {
		case m.Role == "user":
			open = 0
		case m.Role == "tool":
			open--
		case m.Role == "assistant" && !isText(m.Format):
			open += results(m)
		}
	}
	if open > 0 {
		return ""
	}
	return "want a call before the result of a tool, have none that waits"
}

func results(m modelspec.Message) int {
	switch _, language := modelspec.Split(modelspec.Canonical(m.Format)); language {
	case "jsonl", "python", "javascript":
		n := 0
		for line := range strings.Lines(m.Content) {
			if strings.TrimSpace(line) != "" {
				n++
			}
		}
		return max(n, 1)
	}
	return 1
}

func haltMissing(v *view, i int) string {
	m := v.Messages[i]
	if m.Role != "assistant" || i+1 == len(v.Messages) || v.Messages[i+1].Role != "tool" {
		return ""
	}
	if f, listed := v.setting(m.Format); listed && !f.Halts() {
		return "want halt_on_completion for a format that gets a result, have none"
	}
	return ""
}

// callUnanswered looks at calls that halt. The last message may be one that waits, unless it ends its turn.
func callUnanswered(v *view, i int) string {
	m := v.Messages[i]
	if !v.halts(m) {
		return ""
	}
	for _, after := range v.Messages[i+1:] {
		switch {
		case after.Role == "tool":
			return ""
		case after.Role == "assistant" && !v.halts(after) || after.Role == "user":
			return "want the result of a call that halts, have none before the thread goes on"
		}
	}
	if m.EndTurn {
		return "want no end_turn on a call that waits for its result, have one"
	}
	return ""
}

func turnEnded(v *view, i int) string {
	if i+1 < len(v.Messages) && v.Messages[i].Role == "assistant" && v.Messages[i].EndTurn && v.Messages[i+1].Role == "assistant" {
		return "want nothing of the assistant after it ended its turn, have another message"
	}
	return ""
}

func turnOpen(v *view, i int) string {
	m := v.Messages[i]
	if m.Role != "assistant" || m.EndTurn || v.isCall(m) {
		return ""
	}
	if i+1 == len(v.Messages) || v.Messages[i+1].Role == "user" {
		return "want end_turn on the last message of a turn, have none"
	}
	return ""
}

func roleOrder(v *view, i int) string {
	rank := map[string]int{"platform": 0, "developer": 1}
	own, ok := rank[v.Messages[i].Role]
	if !ok {
		return ""
	}
	for _, m := range v.Messages[:i] {
		if other, ok := rank[m.Role]; !ok || other > own {
			return "want platform, then developer messages before all others, have " + v.Messages[i].Role + " after " + m.Role
		}
	}
	return ""
}
