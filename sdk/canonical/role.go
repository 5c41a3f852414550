package canonical

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Role is whose turn it is.
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

// String gives the role as a ChatML row spells it.
func (r Role) String() string { return roleNames[r] }

// roles are the names that corpora give to whose turn it is, in lower case.
var roles = map[string]struct {
	role    Role
	foreign bool // stands in other shapes, never in a canonical row
}{
	"system": {role: System}, "developer": {role: Developer}, "user": {role: User}, "assistant": {role: Assistant},
	"model": {role: Assistant}, "tool": {role: Tool}, "function": {role: Tool},

	"human": {User, true}, "question": {User, true}, "prompter": {User, true}, "customer": {User, true},

	"gpt": {Assistant, true}, "ai": {Assistant, true}, "answer": {Assistant, true}, "response": {Assistant, true},
	"agent": {Assistant, true}, "bot": {Assistant, true}, "chatgpt": {Assistant, true}, "bing": {Assistant, true},
	"bard": {Assistant, true}, "claude": {Assistant, true},

	"ipython": {Tool, true}, "environment": {Tool, true}, "tool_output": {Tool, true}, "tool_result": {Tool, true},
	"tool_response": {Tool, true}, "function_response": {Tool, true}, "observation": {Tool, true},
}

// RoleOf gives the role that a name from RoleName means in any corpus, NoRole for one that is not known. A developer's
// word counts as the system's.
func RoleOf(name string) Role {
	if role := roles[name].role; role != Developer {
		return role
	}
	return System
}

// RoleName gives the name of a role as RoleOf knows it: a JSON string decoded, in lower case and without the space around
// it; "" of any other value.
func RoleName(value jsontext.JSON) string {
	body, _ := value.Quoted()
	if _, ok := roles[string(body)]; ok {
		return string(body)
	}
	return value.Word()
}

// rowRole gives the role that a message of a canonical row names.
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
