package calls

import "strings"

// A callMark is the mark around the calls of a family of models.
type callMark struct {
	open, end string
	mayEnd    bool // the end is often missing
	certain   bool // prose does not write the mark outside of code: calls that do not parse behind it are an error
}

// mistral is the only mark that is no tag.
const mistral = "[TOOL_CALLS]"

// callMarks are the marks whose calls are read: JSON, Python literals or <function=name>.
var callMarks = [...]callMark{
	{open: "<tool_call>", end: "</tool_call>"},                     // Hermes, Qwen
	{open: "<functioncall>", end: "</functioncall>", mayEnd: true}, // Glaive
	{open: "<function_call>", end: "</function_call>"},
	{open: "<seed:tool_call>", end: "</seed:tool_call>"},
	{open: "<TOOLCALL>", end: "</TOOLCALL>"},                                    // Nemotron
	{open: "<|tool_call|>", end: "<|/tool_call|>", mayEnd: true, certain: true}, // Granite, Phi
	{open: mistral, mayEnd: true, certain: true},
}

// unread are the marks of calls in forms that are not read. Outside of code they are an error, unless the prompt has them.
var unread = [...]string{
	"<｜tool▁call",                                         // DeepSeek
	"<|tool_calls_section_begin|>", "<|tool_call_begin|>", // Kimi
	"<|tool_call_start|>", // LFM2
	"<|action_start|>",    // InternLM
	"<start_function_call>",
	"<invoke name=", "<minimax:tool_call>", // Anthropic, MiniMax
	"<arg_key>", // GLM
}

// marks are the marks that Read looks for, by the byte after the bracket. A body may spell what is not ASCII with escapes.
var marks = func() (all [256][]string) {
	add := func(list ...string) {
		for _, m := range list {
			if m[0] == '<' {
				all[m[1]] = append(all[m[1]], m)
			}
		}
	}
	for _, m := range callMarks {
		add(m.open)
	}
	add(unread[:]...)
	add("<function=", "<|python_tag|>", "<think>", "<thinking>", "<scratch_pad>", "<|begin_of_thought|>", "</think>", "</s>", `<\uff5c`, `<\uFF5C`)
	add("<function_re", "<tool_res", "<information>", "<interpreter>", "<observation>", "<result", "<|begin_search_result|>")
	add(endMarks...)
	return all
}()

// nextMark returns where the next mark of a call may be, -1 for nowhere.
func nextMark(text string) int {
	return strings.IndexAny(text, "<[")
}

// opens reports whether a text begins with a mark of a call.
func opens(text string) bool {
	if strings.HasPrefix(text, "<function=") || strings.HasPrefix(text, "<|python_tag|>") {
		return true
	}
	for i := range callMarks {
		if strings.HasPrefix(text, callMarks[i].open) {
			return true
		}
	}
	for _, open := range unread {
		if strings.HasPrefix(text, open) {
			return true
		}
	}
	return false
}

// brokenCall returns how many bytes a text that consists of a block for a call has there in place of one, 0 for any other text.
func brokenCall(text string) int {
	for _, m := range callMarks {
		inner, ok := strings.CutPrefix(text, m.open)
		if !ok {
			continue
		}
		inner, closed := strings.CutSuffix(inner, m.end)
		if closed || m.mayEnd {
			return len(strings.TrimSpace(inner))
		}
	}
	return 0
}

// fences tells code in Markdown from other text, in one pass over the text.
type fences struct {
	text       string
	n, counted int // how many fences there are, as far as they were counted
}

// holds reports whether a byte is in code, behind those that were asked for. What comes directly behind a backtick is code too.
func (f *fences) holds(i int) bool {
	f.n += strings.Count(f.text[f.counted:i], "```")
	f.counted = i
	return f.n%2 == 1 || i > 0 && f.text[i-1] == '`'
}

// pass leaves out what is before a byte, such as the arguments of a call.
func (f *fences) pass(i int) { f.counted = i }
