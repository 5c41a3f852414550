package canonical

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Role says whose turn it is.
type Role uint8

const (
	NoRole Role = iota
	System
	Developer
	User
	Assistant
	Tool
)

var roleNames = [...]string{NoRole: "none", System: "system", Developer: "developer", User: "user", Assistant: "assistant", Tool: "tool"}

// String returns the role as a ChatML row spells it.
func (r Role) String() string { return roleNames[r] }

// roles are the names of roles in corpora, in lower case.
var roles = map[string]struct {
	role    Role
	foreign bool // used in other shapes, never in a canonical row
}{
	"system": {role: System}, "developer": {role: Developer}, "user": {role: User}, "assistant": {role: Assistant},
	"model": {role: Assistant}, "tool": {role: Tool}, "function": {role: Tool},

	"human": {User, true}, "question": {User, true}, "prompter": {User, true}, "customer": {User, true},

	"gpt": {Assistant, true}, "ai": {Assistant, true}, "answer": {Assistant, true}, "response": {Assistant, true},
	"agent": {Assistant, true}, "bot": {Assistant, true}, "chatgpt": {Assistant, true}, "bing": {Assistant, true},
	"bard": {Assistant, true}, "claude": {Assistant, true}, "chatbot": {Assistant, true}, "ai_assistant": {Assistant, true},
	"ai assistant": {Assistant, true}, "llm": {Assistant, true}, "moss": {Assistant, true},
	"usr": {User, true}, "system_prompt": {System, true},

	"ipython": {Tool, true}, "environment": {Tool, true}, "tool_output": {Tool, true}, "tool_result": {Tool, true},
	"tool_response": {Tool, true}, "function_response": {Tool, true}, "observation": {Tool, true},
	"tool-result": {Tool, true}, "tool-response": {Tool, true}, "function-response": {Tool, true}, "tool_results": {Tool, true},
	"function_result": {Tool, true}, "function_call_output": {Tool, true}, "tool_call_output": {Tool, true},
}

// RoleOf returns the role that a name from RoleName means in any corpus, NoRole for an unknown name. It returns System for a
// developer.
func RoleOf(name string) Role {
	if role := roles[name].role; role != Developer {
		return role
	}
	return System
}

// RoleName returns the name of a role as RoleOf takes it: a JSON string decoded, in lower case and without the space around
// it; "" for any other value.
func RoleName(value jsontext.JSON) string {
	body, _ := value.Quoted()
	if _, ok := roles[string(body)]; ok {
		return string(body)
	}
	return value.Word()
}

func rowRole(body jsontext.Body) Role {
	r, ok := roles[string(body)]
	if !ok {
		r = roles[strings.ToLower(strings.TrimFunc(body.Text(), jsontext.IsSpace))]
	}
	if r.foreign {
		return NoRole
	}
	return r.role
}
