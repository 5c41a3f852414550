package messages

import (
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A kind is what a message is beside whose turn it is.
type kind uint8

const (
	plain       kind = iota
	observation      // a tool's turn of the ShareGPT family, which may answer several calls at once
	callTurn         // an assistant's turn that is nothing but calls
	thoughtTurn      // what the assistant thought before the turn that follows
)

// kinds are the roles that say more than whose turn it is.
var kinds = map[string]kind{
	"observation": observation, "tool_response": observation, "tool response": observation, "function_response": observation,
	"function response": observation,
	"function_call":     callTurn, "tool_call": callTurn, "tool call": callTurn, "function call": callTurn,
	"reasoning": thoughtTurn, "thought": thoughtTurn, "analysis": thoughtTurn, "thinking": thoughtTurn,
}

var rolesOfKinds = [...]canonical.Role{observation: canonical.Tool, callTurn: canonical.Assistant, thoughtTurn: canonical.Assistant}

func roleOf(name jsontext.JSON) (canonical.Role, kind) {
	switch name {
	case `"user"`:
		return canonical.User, plain
	case `"assistant"`:
		return canonical.Assistant, plain
	}
	word := canonical.RoleName(name)
	if k := kinds[word]; k != plain {
		return rolesOfKinds[k], k
	}
	return canonical.RoleOf(word), plain
}
