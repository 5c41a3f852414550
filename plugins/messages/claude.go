package messages

import (
	"cmp"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// isClaude reports whether the record is a conversation of an export of Claude.
func (a *adapter) isClaude() bool {
	list := a.row.Kept("chat_messages")
	return list.Kind() == '[' && (list.Empty() || list.First().Get("sender") != "")
}

// claude reads the messages in their order, or where they name the message before them, those on the way to the last.
func (a *adapter) claude() error {
	list, leaf := a.row.Kept("chat_messages").List(), a.row.Kept("current_leaf_message_uuid")
	a.row.Forget("chat_messages")
	a.row.Forget("current_leaf_message_uuid")
	if len(list) == 0 {
		return sdk.Reject("no_messages", "chat_messages", "want messages, have an empty list")
	}
	if err := a.begin(); err != nil {
		return err
	}
	a.row.Path = "chat_messages"
	way, astray, err := claudeWay(list, leaf)
	if err != nil {
		return err
	}
	a.row.Count("loss.message_member", astray)
	a.row.Count("loss.branch_message", len(list)-len(way))
	for _, m := range way {
		if err := a.claudeMessage(m.at, m.of); err != nil {
			return err
		}
	}
	return nil
}

// claudeRoot is the parent of the first message.
const claudeRoot = `"00000000-0000-4000-8000-000000000000"`

// claudeWay returns the messages from the first to the leaf, or to the last of the list, and how many name a parent that is not read.
func claudeWay(list []jsontext.JSON, leaf jsontext.JSON) (all []branchNode, astray int, err error) {
	nodes := map[string]branchNode{}
	named := false
	for i, m := range list {
		node := branchNode{m.Get("parent_message_uuid"), m, i, m.Get("uuid").Text()}
		named = named || node.parent.Truthy()
		nodes[node.id], all = node, append(all, node)
	}
	if !named {
		return all, 0, nil
	}
	unique := len(nodes) == len(list)
	for _, node := range all {
		if _, ok := nodes[node.parent.Text()]; ok && unique {
			continue
		}
		if node.parent.Truthy() && node.parent != claudeRoot {
			astray++
		}
		node.parent = ""
		nodes[node.id] = node
	}
	if !unique { // an id does not say which message is meant
		return all, astray, nil
	}
	if !leaf.Truthy() {
		leaf = list[len(list)-1].Get("uuid")
	}
	all, err = wayTo(nodes, leaf, "current_leaf_message_uuid", "chat_messages")
	return all, astray, err
}

// claudeMessage adds a message: the results and the text of a person, or in their order what the assistant said, called and was told.
func (a *adapter) claudeMessage(i int, m jsontext.JSON) error {
	role := canonical.RoleOf(canonical.RoleName(m.Get("sender")))
	if role != canonical.User && role != canonical.Assistant {
		return a.reject("unknown_role", i, "sender", "want human or assistant, have %s", jsontext.Seen(m.Get("sender")))
	}
	if m.Get("files").Truthy() {
		if !a.dropMedia {
			return a.reject("media", i, "files", "want text, have files: media = \"drop\" leaves them out")
		}
		a.row.Count("loss.media", len(m.Get("files").List()))
	}
	a.row.Leave("loss.message_member", m, "sender", "text", "content", "attachments", "files", "parent_message_uuid")
	c := claudeTurn{adapter: a, role: role, at: i}
	for _, file := range m.Get("attachments").Elements() {
		if text := file.Get("extracted_content"); text.Truthy() { // it was before the model as text
			c.text.Add(build.BlankLine, text.Body())
			a.row.Count("mended.attachment", 1)
			a.row.Leave("loss.message_member", file, "extracted_content")
		} else {
			a.row.Count("loss.attachment", 1)
		}
	}
	blocks := m.Get("content")
	if blocks.Kind() != '[' || blocks.Empty() {
		c.text.Add(build.BlankLine, cmp.Or(m.Get("text"), `""`).Body())
		return c.flush()
	}
	var said build.Joiner
	for _, block := range blocks.Elements() {
		said.Add(`\n\n`, block.Get("text").Body())
		if err := c.block(block); err != nil {
			return err
		}
	}
	if text := m.Get("text"); text.Truthy() && text.Body() != said.Body() { // with a note in the place of other blocks
		a.row.Count("loss.message_member", 1)
	}
	return c.flush()
}

// A claudeTurn is what was read of a message and is not yet a turn.
type claudeTurn struct {
	*adapter
	role          canonical.Role
	at            int
	text, thought build.Joiner
	found         []build.Call
	added         bool // a turn was made of the message
}

func (c *claudeTurn) block(block jsontext.JSON) error {
	switch kind := block.Get("type"); kind {
	case `"text"`, `"voice_note"`:
		if len(c.found) > 0 { // said after the call
			if err := c.flush(); err != nil {
				return err
			}
		}
		c.row.Leave("loss.part_member", block, "type", "text")
		c.text.Add(build.BlankLine, block.Get("text").Body())
	case `"thinking"`:
		c.row.Leave("loss.part_member", block, "type", "thinking")
		c.thought.Add(build.BlankLine, block.Get("thinking").Body())
	case `"tool_use"`:
		call, ok := calls.Object(block)
		if !ok || c.role != canonical.Assistant {
			return c.reject("bad_tool_call", c.at, "content", "want the name of a tool in a call of the assistant, have %s", unnamedIn(c.role, block))
		}
		c.row.Leave("loss.part_member", block, "type", "id", "name", "input")
		c.found = append(c.found, call)
	case `"tool_result"`:
		if len(c.found) > 0 {
			if err := c.flush(); err != nil {
				return err
			}
		}
		c.row.Leave("loss.part_member", block, "type", "tool_use_id", "name", "content", "is_error")
		t := c.row.Add(canonical.Tool, c.at)
		if id, ok := canonical.ReadID(block.Get("tool_use_id")); ok {
			t.ID = id
		}
		t.Name, t.Failed = block.Get("name").Body(), block.Get("is_error") == "true"
		t.Body = c.row.TextOf(block.Get("content"))
		c.added = true
	case `"token_budget"`, `"flag"`:
		c.row.Count("loss.part", 1)
	case `"image"`, `"document"`:
		if !c.dropMedia {
			return c.reject("media", c.at, "content", "want text, have %s: media = \"drop\" leaves it out", jsontext.Seen(kind))
		}
		c.row.Count("loss.media", 1)
	default:
		return c.reject("bad_content", c.at, "content", "want text, thinking, tool_use or tool_result, have %s", jsontext.Seen(kind))
	}
	return nil
}

// flush adds a turn of what was read, unless that is nothing behind another turn.
func (c *claudeTurn) flush() error {
	text, thought, found := c.text.Take(), c.thought.Take(), c.found
	c.found = nil
	if text == "" && thought == "" && len(found) == 0 && c.added {
		return nil
	}
	c.added = true
	t := c.row.Add(c.role, c.at)
	t.Body, t.Reasoning, t.Calls = text, thought, append(t.Calls, found...)
	if c.role == canonical.Assistant && len(found) == 0 {
		return c.readText(t)
	}
	return nil
}
