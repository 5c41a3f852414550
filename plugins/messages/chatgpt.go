package messages

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// isChatGPT reports whether the record is a conversation of an export of ChatGPT: nodes by their ids, of which each names its parent.
func (a *adapter) isChatGPT() bool {
	mapping := a.row.Kept("mapping")
	for _, node := range mapping.Members() {
		return node.Kind() == '{' && (node.Get("parent") != "" || node.Get("children") != "")
	}
	return mapping.Kind() == '{' && a.row.Kept("current_node") != ""
}

// chatGPT reads what was said on the way from the root to the current node, which is what the user saw last.
func (a *adapter) chatGPT() error {
	mapping, current := a.row.Kept("mapping"), a.row.Kept("current_node")
	a.row.Forget("mapping")
	a.row.Forget("current_node")
	nodes := map[string]branchNode{}
	for id, node := range mapping.Members() {
		nodes[id] = branchNode{node.Get("parent"), node, len(nodes), id}
	}
	way, err := wayTo(nodes, current, "current_node", "mapping")
	if err != nil {
		return err
	}
	if err := a.begin(); err != nil {
		return err
	}
	beside := 0
	for _, node := range nodes {
		a.row.Leave("loss.message_member", node.of, "id", "parent", "children", "message")
		if c := (chatGPTMessage{node, node.of.Get("message")}); !c.empty() {
			beside++
		} else if node.of.Kind() != '{' {
			a.row.Count("loss.branch_message", 1)
		}
	}
	a.row.Path, a.row.Merge = "mapping", true
	reader := chatGPTReader{adapter: a, result: -1}
	for _, node := range way {
		for _, child := range node.of.Get("children").Elements() {
			if _, ok := nodes[child.Text()]; !ok {
				a.row.Count("loss.branch_message", 1) // which the export does not have
			}
		}
		c := chatGPTMessage{node, node.of.Get("message")}
		if c.empty() {
			if c.said.Truthy() {
				a.row.Count("loss.empty_message", 1)
			}
			continue
		}
		beside--
		if err := reader.read(c); err != nil {
			return err
		}
	}
	reader.settle()
	a.row.Count("loss.branch_message", beside)
	return nil
}

// A branchNode is one of the messages of a tree.
type branchNode struct {
	parent, of jsontext.JSON // the id of the one before it, and itself
	at         int           // its place in the record
	id         string
}

// wayTo returns the messages from the root to the node that id names. For rejects, path is where the record has the id, and tree where it has
// the nodes.
func wayTo(nodes map[string]branchNode, id jsontext.JSON, path, tree string) (way []branchNode, err error) {
	if !id.Truthy() {
		return nil, sdk.Reject("bad_tree", path, "want the id of the last message, have %s", jsontext.Describe(id))
	}
	for id.Truthy() {
		node, ok := nodes[id.Text()]
		switch {
		case !ok:
			return nil, sdk.Reject("bad_tree", path, "want the id of a message in %s, have %s", tree, jsontext.Seen(id))
		case len(way) == len(nodes):
			return nil, sdk.Reject("bad_tree", tree, "want a way from the root to the last message, have a cycle through %s", jsontext.Seen(id))
		}
		way = append(way, node)
		id, path = node.parent, tree
	}
	slices.Reverse(way)
	return way, nil
}

// A chatGPTMessage is a message of such a conversation.
type chatGPTMessage struct {
	branchNode
	said jsontext.JSON
}

func (c chatGPTMessage) reject(code, member, format string, args ...any) error {
	return sdk.Reject(code, "mapping."+c.id+".message."+member, format, args...)
}

func (c chatGPTMessage) role() string { return c.said.Get("author").Get("role").Text() }

func (c chatGPTMessage) kind() string { return c.said.Get("content").Get("content_type").Text() }

// empty reports whether a node has no message, or one without contents, as the first ones do.
func (c chatGPTMessage) empty() bool {
	content := c.said.Get("content")
	if content.Kind() != '{' {
		return true
	}
	for key, v := range content.Members() {
		if parts := v.List(); key == "parts" && len(parts) == 1 && parts[0] == `""` {
			continue
		}
		if key != "content_type" && key != "language" && v.Truthy() {
			return false
		}
	}
	return true
}

// hidden reports whether the user does not see a message, which may hold instructions that the user gave once for all conversations.
func (c chatGPTMessage) hidden() bool {
	metadata := c.said.Get("metadata")
	return metadata.Get("is_visually_hidden_from_conversation") == "true" || metadata.Get("is_user_system_message") == "true" ||
		strings.HasSuffix(c.kind(), "_editable_context")
}

// A chatGPTReader adds messages one after the other.
type chatGPTReader struct {
	*adapter
	asked  bool         // a call waits for its result
	result int          // the turn of the result that further messages of the tool go on with; -1 for none
	told   build.Joiner // that result so far
	model  jsontext.JSON
}

// settle ends a result.
func (r *chatGPTReader) settle() {
	if r.result >= 0 {
		r.row.Turns[r.result].Body = r.told.Take()
	}
	r.result = -1
}

func (r *chatGPTReader) read(c chatGPTMessage) error {
	role, to := c.role(), c.said.Get("recipient").Text()
	toTool := role == "assistant" && to != "" && to != "all"
	switch {
	case role == "tool":
		return r.toolSays(c)
	case c.kind() == "reasoning_recap": // how long it thought
		r.row.Count("loss.reasoning_recap", 1)
		return nil
	case c.hidden() && !toTool && c.kind() != "thoughts":
		r.row.Count("loss.hidden_message", 1)
		return nil
	}
	r.settle()
	body, err := r.text(c)
	if err != nil {
		return err
	}
	r.leave(c, toTool)
	weight := c.said.Get("weight")
	m := message{at: c.at, role: canonical.RoleOf(role), noTarget: weight != "" && weight != "null" && isZero(weight)}
	switch m.role {
	case canonical.System, canonical.Developer:
		return r.system(c.at, body)
	case canonical.User:
		r.asked = false
		return r.user(&m, body)
	case canonical.Assistant:
	default:
		return c.reject("unknown_role", "author.role", "want system, user, assistant or tool, have %s", jsontext.Seen(c.said.Get("author").Get("role")))
	}
	if r.finish = ""; c.cut() {
		r.finish = `"length"`
	}
	switch {
	case c.kind() == "thoughts":
		r.thought.Add(build.BlankLine, body)
	case toTool:
		t := r.row.Add(canonical.Assistant, c.at)
		t.Reasoning, t.NoTarget = r.thought.Take(), m.noTarget
		t.Calls = append(t.Calls, build.Call{Name: jsontext.BodyOf(to), Args: chatGPTArguments(to, body)})
		r.asked = true
	default:
		r.asked = false
		return r.assistant(&m, body)
	}
	return nil
}

// chatGPTArguments returns the arguments of a call: its text where that is an object, or an object with it.
func chatGPTArguments(tool string, body jsontext.Body) jsontext.JSON {
	if value, ok := body.Embedded(); ok && value.Kind() == '{' {
		return value
	}
	parameter := "input"
	if tool == "python" {
		parameter = "code"
	}
	return jsontext.JSON(append(append(jsontext.AppendKey([]byte("{"), parameter), body.JSON()...), '}'))
}

// toolSays adds the result of the call before it. A tool may say it in several messages; one that nobody called is not told.
func (r *chatGPTReader) toolSays(c chatGPTMessage) error {
	body, err := r.text(c)
	if err != nil {
		return err
	}
	switch {
	case r.result >= 0:
		r.leave(c, false)
		r.told.Add(build.BlankLine, body)
	case r.asked:
		r.leave(c, false)
		r.row.Add(canonical.Tool, c.at).Failed = c.kind() == "system_error"
		r.result, r.asked = len(r.row.Turns)-1, false
		r.told.Add("", body)
	default:
		r.row.Count("loss.unasked_result", 1)
	}
	return nil
}

// cut reports whether the limit or the user ended an answer.
func (c chatGPTMessage) cut() bool {
	why := c.said.Get("metadata").Get("finish_details").Get("type")
	return why == `"max_tokens"` || why == `"interrupted"`
}

// leave counts what a message has beside its contents, and reads the model.
func (r *chatGPTReader) leave(c chatGPTMessage, toTool bool) {
	const lost = "loss.message_member"
	r.row.Leave(lost, c.said, "id", "author", "content", "recipient", "weight", "metadata")
	r.row.Leave(lost, c.said.Get("author"), "role")
	read := []string{"finish_details", "is_visually_hidden_from_conversation"}
	answers := c.role() == "assistant"
	if slug := c.said.Get("metadata").Get("model_slug"); answers && slug.Kind() == '"' {
		if read = append(read, "model_slug"); r.model != "" && r.model != slug {
			r.row.Count(lost, 1)
		}
		r.model = slug
		r.row.Identify("model", slug)
	}
	r.row.Leave(lost, c.said.Get("metadata"), read...)
	if details := c.said.Get("metadata").Get("finish_details"); answers && (c.cut() || details.Get("type") == `"stop"`) {
		r.row.Leave(lost, details, "type")
	} else if details.Truthy() {
		r.row.Count(lost, 1)
	}
	if to := c.said.Get("recipient"); to.Truthy() && to != `"all"` && !toTool {
		r.row.Count(lost, 1)
	}
	if weight := c.said.Get("weight"); weight != "" && weight != "null" && weight != "1" && weight != "1.0" && !(answers && isZero(weight)) {
		r.row.Count(lost, 1)
	}
}

// text returns what a message says.
func (r *chatGPTReader) text(c chatGPTMessage) (jsontext.Body, error) {
	content := c.said.Get("content")
	var text build.Joiner
	leave := func(read ...string) { r.row.Leave("loss.part_member", content, append(read, "content_type")...) }
	switch c.kind() {
	case "text", "multimodal_text":
		leave("parts")
		for _, part := range content.Get("parts").Elements() {
			switch kind := part.Get("content_type").Text(); {
			case part.Kind() == '"':
				text.Add(`\n`, part.Body())
			case kind == "audio_transcription":
				r.row.Leave("loss.part_member", part, "content_type", "text")
				text.Add(`\n`, part.Get("text").Body())
			case !r.dropMedia:
				return "", c.reject("media", "content.parts", "want text, have %s: media = \"drop\" leaves it out", jsontext.Seen(part.Get("content_type")))
			default:
				r.row.Count("loss.media", 1)
			}
		}
	case "thoughts":
		leave("thoughts")
		for _, thought := range content.Get("thoughts").Elements() {
			said, name := thought.Get("content"), "content"
			if !said.Truthy() {
				said, name = thought.Get("summary"), "summary"
			}
			r.row.Leave("loss.part_member", thought, name)
			text.Add(build.BlankLine, said.Body())
		}
	case "code", "execution_output", "tether_quote", "system_error":
		leave("text")
		text.Add("", content.Get("text").Body())
	case "tether_browsing_display":
		leave("result")
		text.Add("", content.Get("result").Body())
	default:
		return "", c.reject("bad_content", "content.content_type", "want text, code, thoughts or what a tool said, have %s", jsontext.Seen(content.Get("content_type")))
	}
	return text.Body(), nil
}
