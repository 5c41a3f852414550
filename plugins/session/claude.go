package session

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A line is an event of Claude Code.
type line struct {
	kind, uuid, parent, logical, tool jsontext.JSON
	message, subtype, queued          jsontext.JSON
	side, summary, shown, apiFailure  bool
}

func isClaude(event jsontext.JSON) bool {
	var l line
	l.read(event, nil)
	return l.message.Get("content") != "" && l.says()
}

// read reads the members of an event, and calls other for those that it does not read.
func (l *line) read(event jsontext.JSON, other func(key string, value jsontext.JSON)) {
	for key, v := range event.Members() {
		switch key {
		case "type":
			l.kind = v
		case "uuid":
			l.uuid = v
		case "parentUuid":
			l.parent = v
		case "logicalParentUuid":
			l.logical = v
		case "parent_tool_use_id":
			l.tool = v
		case "message":
			l.message = v
		case "subtype":
			l.subtype = v
		case "attachment":
			if v.Get("type") == `"queued_command"` {
				l.queued = v.Get("prompt")
			}
			if other != nil {
				other(key, v)
			}
		case "isSidechain":
			l.side = v == "true"
		case "isCompactSummary":
			l.summary = v == "true"
		case "isVisibleInTranscriptOnly":
			l.shown = v == "true"
		case "isApiErrorMessage":
			l.apiFailure = v == "true"
		default:
			if other != nil {
				other(key, v)
			}
		}
	}
	l.side = l.side || l.tool.Body() != ""
	if l.kind == "" && l.message != "" { // as tools write them that cut sessions down
		l.kind = l.message.Get("role")
	}
}

// says reports whether an event is a message, or one that the user sent while the model worked.
func (l *line) says() bool {
	return (l.kind == `"user"` || l.kind == `"assistant"`) && l.message.Kind() == '{' || l.kind == `"attachment"` && l.queued != ""
}

func (l *line) boundary() bool { return l.kind == `"system"` && l.subtype == `"compact_boundary"` }

// synthetic is the model of what the program says in the name of one.
const synthetic = `"<synthetic>"`

// claudeConversations follows the parents of the last message. A message of the model is stored as a line for each of its blocks, and the results
// of parallel calls are children of different ones, so all lines of a message and all results of its calls belong to the path.
func claudeConversations(s *session) ([]conversation, error) {
	var conversations []conversation
	var runs sideRuns
	s.lines = make([]line, len(s.events))
	alone, chained := true, false // there are only side chains
	for i, event := range s.events {
		l := &s.lines[i]
		l.read(event, nil)
		alone = alone && (l.side || !l.says())
		chained = chained || l.parent.Body() != ""
	}
	on := make([]bool, len(s.lines))
	for i := range s.lines {
		on[i] = !chained && s.lines[i].side == alone
	}
	if chained {
		s.follow(on, alone)
	}
	open := false  // the conversation has begun with a boundary, and no message
	var kept []int // messages before the boundary that follow the summary
	for i := range s.lines {
		l := &s.lines[i]
		switch {
		case l.says() && l.side != alone:
			if s.sides {
				runs.add(i, l, s.events[i].Get("agentId"))
			} else {
				s.lose("sidechain", 1)
			}
			continue
		case l.says() && !on[i]:
			s.lose("branch", 1)
			continue
		case !l.says() || l.shown && !l.summary || l.apiFailure || l.message.Get("model") == synthetic:
			s.lose("event", 1)
			if !on[i] || !l.boundary() {
				continue
			}
		}
		if starts := l.boundary() || l.summary && !open; starts || len(conversations) == 0 {
			conversations = append(conversations, conversation{at: i})
			kept = s.preserved(i)
		}
		open = l.boundary()
		if t := &conversations[len(conversations)-1]; l.says() {
			if !l.summary {
				t.events, kept = append(t.events, kept...), nil
			}
			t.events = append(t.events, i)
		}
	}
	if len(conversations) == 0 {
		conversations = []conversation{{}}
	}
	return append(conversations, runs.conversations...), nil
}

// preserved returns the messages before a boundary that the model kept.
func (s *session) preserved(boundary int) (kept []int) {
	meta := s.events[boundary].Get("compactMetadata")
	list := meta.Get("preservedMessages").Get("uuids").List()
	segment := meta.Get("preservedSegment")
	if len(list) == 0 && segment.Kind() != '{' {
		return nil
	}
	index := map[jsontext.JSON]int{}
	for i := boundary - 1; i >= 0 && !s.lines[i].boundary(); i-- {
		index[s.lines[i].uuid] = i
	}
	for id := segment.Get("tailUuid"); len(list) == 0 && id != ""; {
		i, ok := index[id]
		if !ok {
			break
		}
		kept = append(kept, i)
		delete(index, id)
		if id == segment.Get("headUuid") {
			break
		}
		id = s.lines[i].parent
	}
	for _, id := range list {
		if i, ok := index[id]; ok {
			kept = append(kept, i)
		}
	}
	slices.Sort(kept)
	return slices.DeleteFunc(kept, func(i int) bool { return !s.lines[i].says() })
}

// follow marks the lines of the conversation that ends last.
func (s *session) follow(on []bool, side bool) {
	index := map[jsontext.JSON]int{}
	before := make([]int, len(s.lines)) // the last message before each line
	last := -1
	for i := range s.lines {
		l := &s.lines[i]
		before[i] = last
		if l.uuid.Body() == "" || l.side != side {
			continue
		}
		if _, again := index[l.uuid]; !again {
			index[l.uuid] = i
		}
		if l.says() {
			last = i
		}
	}
	for i := last; i >= 0 && !on[i]; {
		on[i] = true
		l := &s.lines[i]
		parent := l.parent
		if parent.Body() == "" {
			parent = l.logical
		}
		next, found := index[parent]
		switch {
		case found && next < i:
		case parent.Body() != "": // not in the file
			s.Row.Count("mended.parent", 1)
			next = before[i]
		case l.boundary() || l.summary:
			next = before[i]
		default:
			next = -1
		}
		i = next
	}
	s.rejoin(on, side)
}

// rejoin marks the other lines of the messages that are marked, and of each of their calls the first result, unless one is marked.
func (s *session) rejoin(on []bool, side bool) {
	messages, waiting := map[jsontext.JSON]bool{}, map[jsontext.JSON]bool{}
	for i := range s.lines {
		if id := s.lines[i].message.Get("id"); on[i] && id != "" {
			messages[id] = true
		}
	}
	for i := range s.lines {
		l := &s.lines[i]
		if l.says() && l.side == side && l.kind == `"assistant"` && messages[l.message.Get("id")] {
			on[i] = true
		}
		if on[i] {
			for _, block := range l.message.Get("content").Elements() {
				waiting[block.Get("id")] = true
			}
		}
	}
	answers := func(l *line) (some bool) {
		for _, block := range l.message.Get("content").Elements() {
			if id := block.Get("tool_use_id"); id != "" && waiting[id] {
				waiting[id], some = false, true
			}
		}
		return some
	}
	for i := range s.lines {
		if on[i] {
			answers(&s.lines[i])
		}
	}
	for i := range s.lines {
		if l := &s.lines[i]; !on[i] && l.says() && l.side == side && l.kind == `"user"` {
			on[i] = answers(l)
		}
	}
}

// addClaude adds the messages of a conversation.
func addClaude(s *session, t *conversation) error {
	parts := map[jsontext.JSON][]int{} // the lines of each message of the model
	for _, i := range t.events {
		if l := &s.lines[i]; l.kind == `"assistant"` && l.message.Get("id").Body() != "" {
			id := l.message.Get("id")
			parts[id] = append(parts[id], i)
		}
	}
	seen := map[jsontext.JSON]bool{}
	for _, i := range t.events {
		l := &s.lines[i]
		if l.uuid.Body() != "" && seen[l.uuid] {
			s.lose("event", 1)
			continue
		}
		seen[l.uuid] = true
		s.members(i)
		if l.queued != "" {
			if err := s.addContent(canonical.User, i, l.queued); err != nil {
				return err
			}
			continue
		}
		if l.kind == `"user"` {
			s.Row.Leave("loss.message_member", l.message, "role", "content")
			if err := s.addContent(canonical.User, i, l.message.Get("content")); err != nil {
				return err
			}
			continue
		}
		lines := []int{i}
		if id := l.message.Get("id"); id.Body() != "" {
			if lines = parts[id]; lines[0] != i {
				continue
			}
		}
		from := len(s.Row.Turns)
		if err := s.addAnswer(lines); err != nil {
			return err
		}
		if i < t.at { // preserved
			s.repeated(from)
		}
	}
	return nil
}

// members keeps and counts the members of a line besides its message.
func (s *session) members(i int) {
	s.lines[i].read(s.events[i], func(key string, v jsontext.JSON) {
		switch key {
		case "cwd", "gitBranch", "version":
			s.note(key, v)
		case "sessionId", "session_id":
			if s.id == "" {
				s.id = v
				s.Row.Identify("trajectoryId", v)
			} else if s.id != v {
				s.lose("event_member", 1)
			}
		default:
			if v != "null" {
				s.lose("event_member", 1)
			}
		}
	})
	for _, v := range []jsontext.JSON{s.lines[i].uuid, s.lines[i].parent, s.lines[i].logical, s.lines[i].tool} {
		if v.Truthy() {
			s.lose("event_member", 1)
		}
	}
}

// addAnswer adds a message of the model, the blocks of all its lines.
func (s *session) addAnswer(lines []int) error {
	first := lines[0]
	var content strings.Builder
	var before map[jsontext.JSON]bool
	for _, i := range lines {
		m := s.lines[i].message
		s.Row.Leave("loss.message_member", m, "role", "content", "model", "stop_reason", "usage")
		s.answered(m.Get("model"), m.Get("stop_reason"), m.Get("usage"))
		c := m.Get("content")
		if len(lines) == 1 {
			content.WriteString(string(c))
			break
		}
		for _, block := range blocksOf(c) {
			if before[block] { // stored again while the message grew
				s.Row.Count("repair.repeated_block", 1)
				continue
			}
			if before == nil {
				before = map[jsontext.JSON]bool{}
				content.WriteByte('[')
			} else {
				content.WriteByte(',')
			}
			before[block] = true
			content.WriteString(string(block))
		}
	}
	if len(lines) > 1 {
		if before == nil {
			return nil
		}
		content.WriteByte(']')
	}
	return s.addContent(canonical.Assistant, first, jsontext.JSON(content.String()))
}

// blocksOf returns the blocks of a content, which may be a text.
func blocksOf(content jsontext.JSON) []jsontext.JSON {
	if content.Kind() == '"' {
		return []jsontext.JSON{`{"type":"text","text":` + content + `}`}
	}
	return content.List()
}
