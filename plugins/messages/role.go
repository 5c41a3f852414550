package messages

import "strings"

// A kind is what a message is, by its role.
type kind uint8

const (
	unknown kind = iota
	system
	user
	assistant
	tool
	observation // a tool's turn of the ShareGPT family, which may answer several calls at once
	call        // an assistant's turn that is nothing but calls
	thought     // what the assistant thought before the turn that follows
)

// kinds are the roles of the formats this reads (render-and-adapters, 3.3 and R29; formats, 3.4 and 3.12).
var kinds = map[string]kind{
	"system": system, "developer": system,
	"user": user, "human": user, "question": user, "prompter": user,
	"assistant": assistant, "gpt": assistant, "model": assistant, "ai": assistant, "answer": assistant, "response": assistant,
	"agent": assistant, "bot": assistant, "chatgpt": assistant, "bing": assistant, "bard": assistant, "claude": assistant,
	"tool": tool, "function": tool, "ipython": tool, "environment": tool, "tool_output": tool, "tool_result": tool,
	"observation": observation, "tool_response": observation, "tool response": observation, "function_response": observation,
	"function response": observation,
	"function_call":     call, "tool_call": call, "tool call": call, "function call": call,
	"reasoning": thought, "thought": thought, "analysis": thought, "thinking": thought,
}

func kindOf(role string) kind {
	if len(role) > 2 {
		if k, ok := kinds[role[1:len(role)-1]]; ok && role[0] == '"' {
			return k
		}
	}
	return kinds[strings.ReplaceAll(word(role), "-", "_")]
}
