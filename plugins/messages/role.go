package messages

import (
	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

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

// kinds are the roles that do more than say whose turn it is (formats, 3.4 and 3.12).
var kinds = map[string]kind{
	"observation": observation, "tool_response": observation, "tool response": observation, "function_response": observation,
	"function response": observation,
	"function_call":     call, "tool_call": call, "tool call": call, "function call": call,
	"reasoning": thought, "thought": thought, "analysis": thought, "thinking": thought,
}

var kindsOfRoles = [...]kind{eliza.System: system, eliza.User: user, eliza.Assistant: assistant, eliza.Tool: tool}

func kindOf(role jsontext.JSON) kind {
	switch role {
	case `"user"`:
		return user
	case `"assistant"`:
		return assistant
	}
	name := canonical.RoleName(role)
	if k, ok := kinds[name]; ok {
		return k
	}
	return kindsOfRoles[canonical.RoleOf(name)]
}
