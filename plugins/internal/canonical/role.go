package canonical

import (
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// roles are the names that corpora give to whose turn it is. A developer's word counts
// as the system's.
var roles = map[string]eliza.Role{
	"system": eliza.System, "developer": eliza.System,
	"user": eliza.User, "human": eliza.User, "question": eliza.User, "prompter": eliza.User, "customer": eliza.User,
	"assistant": eliza.Assistant, "gpt": eliza.Assistant, "model": eliza.Assistant, "ai": eliza.Assistant, "answer": eliza.Assistant,
	"response": eliza.Assistant, "agent": eliza.Assistant, "bot": eliza.Assistant, "chatgpt": eliza.Assistant, "bing": eliza.Assistant,
	"bard": eliza.Assistant, "claude": eliza.Assistant,
	"tool": eliza.Tool, "function": eliza.Tool, "ipython": eliza.Tool, "environment": eliza.Tool, "tool_output": eliza.Tool,
	"tool_result": eliza.Tool, "tool_response": eliza.Tool, "function_response": eliza.Tool, "observation": eliza.Tool,
}

// RoleOf gives the role that a name from RoleName means, eliza.NoRole for one that is not known.
func RoleOf(name string) eliza.Role { return roles[name] }

// RoleName gives the name of a role as RoleOf knows it: a JSON string decoded, in lower case and without the space around
// it; "" of any other value.
func RoleName(value jsontext.JSON) string {
	body, _ := value.Quoted()
	if _, ok := roles[string(body)]; ok {
		return string(body)
	}
	return value.Word()
}
