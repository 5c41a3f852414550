package source

import (
	"bytes"
	"cmp"
	"container/list"
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// ScatteredSession is the code of lines that come after their session was passed on.
const ScatteredSession = "scattered_session"

// sessionsKind makes one record of the lines of each session in a file: {"session": its id, "events": [the lines]}, on the first
// of these lines. A line is of the session that a member names. A line without one begins a session when it is a header, as
// those of Codex and OpenClaw; any other is of the session of the line before, or at the start of a file of the first one.
//
// Sessions may take turns. All are passed on when the file ends, in the order of their first lines. Until then those of one
// file take openLimits times the limit of a record; when they would take more, the one that has waited longest for
// a line is passed on, and lines that it still gets are rejected.
var sessionsKind = kind{
	doc:    "reads the lines of each session as one record, such as the transcripts of coding agents",
	split:  newSessionGrouper,
	ending: ".jsonl",
	args: func() (any, *Args) {
		args := &sessionsArgs{Args: defaultArgs(), Session: slices.Clone(sessionMembers)}
		return args, &args.Args
	},
}

type sessionsArgs struct {
	Args
	Session []string `hcl:"session,optional" doc:"members that name the session of a line, of which the first that a line has counts; with dots for members of members; none: each file is one session"`
}

func (a *sessionsArgs) check() (wrong []Mistake) {
	for _, path := range a.Session {
		if slices.Contains(strings.Split(path, "."), "") {
			wrong = append(wrong, Mistake{"session", fmt.Sprintf("want names of members with dots between, have %q", path)})
		}
	}
	return wrong
}

// sessionMembers are the usual names of the member that names the session.
var sessionMembers = []string{"sessionId", "session_id", "sessionID", "conversationId", "conversation_id", "info.sessionID"}

// openLimits is how many times the limit of a record the unfinished sessions of a file may take.
const openLimits = 4

// sessionCost is about what a session takes beside its lines.
const sessionCost = 256

// A sessionGrouper collects the lines of one file by session.
type sessionGrouper struct {
	lineSplitter
	name         string     // of sessions without one
	paths        [][]string // of the member that names the session
	limit, depth int

	open  map[string]*session
	order list.List // open sessions, the one with the latest line last
	held  int       // bytes of their lines
	now   *session  // of the last line
	lost  bool      // a line before the first session was rejected
	past  map[[16]byte]bool
	ready []*session
}

// A session is the lines of one session so far.
type session struct {
	id      string
	named   bool  // id is the session's own
	headers bool  // there are only headers
	line    int64 // the first
	events  []byte
	size    int64 // of all lines, also of those that are not kept
	lost    bool  // the line at hand follows a rejected one
	fault   *wire.Fault
	place   *list.Element
}

func newSessionGrouper(e entry, opts Options) (splitter, error) {
	members := sessionMembers
	if own, ok := opts.Own.(*sessionsArgs); ok {
		members = own.Session
	}
	g := &sessionGrouper{lineSplitter: lineSplitter{at: 1}, limit: opts.Limit, depth: max(opts.Depth-2, 1), open: map[string]*session{}, past: map[[16]byte]bool{}}
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(e.name), ".gz"), ".zst")
	g.name = cmp.Or(strings.TrimSuffix(base, filepath.Ext(base)), base)
	for _, path := range members {
		g.paths = append(g.paths, strings.Split(path, "."))
	}
	return g, nil
}

func (g *sessionGrouper) end() stretch {
	is := g.lineSplitter.end()
	g.lineSplitter.open = false
	return is
}

// convert adds a line to its session. A line that is no JSON object is rejected by itself.
func (g *sessionGrouper) convert(dst, line []byte) ([]byte, *wire.Fault) {
	if line = trim(line); len(line) == 0 {
		return dst, nil
	}
	if bad := jsontext.Check(line, g.depth); bad != nil {
		g.lose()
		return dst, &wire.Fault{Code: bad.Code, Message: bad.Message}
	}
	if line[0] != '{' {
		g.lose()
		return dst, &wire.Fault{Code: jsontext.InvalidJSON, Message: "want an object in each line of a session, have " + jsontext.KindName(line[0])}
	}
	id, header := g.idOf(jsontext.Of(line))
	s := g.sessionOf(id, header)
	s.headers = s.headers && header
	g.add(s, line)
	return dst, nil
}

// lose notes that the line at hand was rejected: the session that it was in, most likely that of the line before, says so by null.
func (g *sessionGrouper) lose() {
	if g.now != nil {
		g.now.lost = true
	} else {
		g.lost = true
	}
}

// sessionOf returns the session of a line.
func (g *sessionGrouper) sessionOf(id string, header bool) *session {
	switch {
	case header && g.now != nil && g.now.headers && g.open[id] == nil: // a session that continues another has the header of that one too
		return g.now
	case id == "" && g.now != nil:
		return g.now
	case id != "" && g.now != nil && !g.now.named: // the lines before name no session
		delete(g.open, g.now.id)
		g.now.id, g.now.named = id, true
		g.open[id] = g.now
		return g.now
	}
	s := g.open[cmp.Or(id, g.name)]
	if s == nil {
		s = &session{id: cmp.Or(id, g.name), named: id != "", headers: header, line: g.at, lost: g.lost}
		s.place = g.order.PushBack(s)
		g.lost = false
		if g.past[keyOf(s.id)] {
			s.fault = &wire.Fault{Code: ScatteredSession, Message: fmt.Sprintf(
				"want the lines of a session closer together: %d bytes of other sessions came between these and those before", openLimits*g.limit)}
		}
		g.open[s.id] = s
		g.held += sessionCost
	}
	return s
}

func keyOf(id string) [16]byte {
	sum := sha256.Sum256([]byte(id))
	return [16]byte(sum[:])
}

// idOf returns the id of the session of a line, "" for none, and reports whether the line is the header of a session.
func (g *sessionGrouper) idOf(line jsontext.JSON) (id string, header bool) {
	rank := len(g.paths)
	var kind, own, payload jsontext.JSON
	for key, v := range line.Members() {
		switch key {
		case "type":
			kind = v
		case "id":
			own = v
		case "payload":
			payload = v
		}
		for i, path := range g.paths[:rank] {
			if path[0] != key {
				continue
			}
			for _, inner := range path[1:] {
				v = v.Get(inner)
			}
			if name := nameOf(v); name != "" {
				id, rank = name, i
			}
			break
		}
	}
	if id != "" || len(g.paths) == 0 {
		return id, false
	}
	switch kind {
	case `"session_meta"`:
		id = nameOf(payload.Get("id"))
	case `"session"`:
		id = nameOf(own)
	}
	return id, id != ""
}

// nameOf returns a string or number as text, "" for any other value.
func nameOf(v jsontext.JSON) string {
	switch c := v.Kind(); {
	case c == '"':
		return strings.Clone(v.Text())
	case c == '-' || c >= '0' && c <= '9':
		return strings.Clone(string(v))
	}
	return ""
}

// add adds a line to a session, and passes on what waits longest when more is open than may be.
func (g *sessionGrouper) add(s *session, line []byte) {
	g.now = s
	g.order.MoveToBack(s.place)
	s.size += int64(len(line)) + 1
	if s.fault == nil && s.size > int64(g.limit) {
		s.fault = &wire.Fault{Code: TooLarge}
		g.held -= len(s.events)
		s.events = nil
	}
	if s.fault == nil {
		before := len(s.events)
		if s.lost {
			s.events = append(jsontext.AppendComma(s.events), "null"...)
		}
		s.events = append(jsontext.AppendComma(s.events), line...)
		g.held += len(s.events) - before
	}
	s.lost = false
	for g.held > openLimits*g.limit && g.order.Len() > 1 {
		oldest := g.order.Front().Value.(*session)
		g.past[keyOf(oldest.id)] = true
		g.pass(oldest)
	}
}

// pass makes a session ready.
func (g *sessionGrouper) pass(s *session) {
	g.order.Remove(s.place)
	delete(g.open, s.id)
	g.held -= sessionCost + len(s.events)
	g.ready = append(g.ready, s)
}

// finish passes all sessions on: the file has ended.
func (g *sessionGrouper) finish() {
	for _, s := range slices.SortedFunc(maps.Values(g.open), func(a, b *session) int { return cmp.Compare(a.line, b.line) }) {
		g.pass(s)
	}
}

// next appends the record of the next session that is ready, and returns its first line, 0 when none is ready.
func (g *sessionGrouper) next(dst []byte, limit int) (row []byte, line int64, fault *wire.Fault) {
	if len(g.ready) == 0 {
		return dst, 0, nil
	}
	s := g.ready[0]
	switch {
	case s.fault != nil && s.fault.Code != TooLarge:
		return dst, s.line, s.fault
	case s.fault == nil:
		row = jsontext.AppendMember(append(dst, '{'), "session", s.id)
		row = append(append(row, `,"events":[`...), s.events...)
		if row = append(row, "]}"...); len(row) <= limit {
			return row, s.line, nil
		}
		s.size = int64(len(row))
	}
	return dst, s.line, &wire.Fault{Code: TooLarge, Message: fmt.Sprintf("want a session of at most %d bytes, have %d", limit, s.size)}
}

// taken says that the record that next returned was taken.
func (g *sessionGrouper) taken() {
	g.ready[0] = nil
	g.ready = g.ready[1:]
}

// sniffedLines is how many lines of a file decide whether they are parts of sessions.
const sniffedLines = 32

// holdsSessions reports whether a text begins with lines of a coding agent's sessions. No single line of these is a record, so a line
// decides that has all that such a line has and no messages of its own.
func holdsSessions(head []byte) bool {
	for range sniffedLines {
		line, rest, _ := bytes.Cut(head, []byte("\n"))
		if line = trim(line); len(line) > 0 && line[0] == '{' && ofSession(jsontext.Of(line)) && isJSON(line) { // most lines are none
			return true
		}
		if head = rest; len(head) == 0 {
			break
		}
	}
	return false
}

// ofSession reports whether a line is one of Claude Code, as it stores or prints it, the header of a session of Codex or
// OpenClaw, or a message or a part of opencode.
func ofSession(line jsontext.JSON) bool {
	var kind, id, uuid, parent, session, message, payload, info, parts, whole, version, cwd, time, messages jsontext.JSON
	line.Fill([]string{"type", "id", "uuid", "parentUuid", "sessionId", "session_id", "sessionID", "message", "payload", "info", "parts", "messageID", "version", "cwd", "timestamp", "messages"},
		[]*jsontext.JSON{&kind, &id, &uuid, &parent, &session, &session, &session, &message, &payload, &info, &parts, &whole, &version, &cwd, &time, &messages}, nil)
	switch {
	case messages != "":
		return false
	case info.Kind() == '{' && parts.Kind() == '[':
		return nameOf(info.Get("sessionID")) != "" && info.Get("role") != ""
	case whole != "": // a part of an answer in opencode's storage
		return nameOf(whole) != "" && nameOf(session) != "" && kind.Body() != ""
	case kind == `"session_meta"`:
		return nameOf(payload.Get("id")) != ""
	case kind == `"session"`:
		return nameOf(id) != "" && (version != "" || cwd != "" || time != "")
	case kind == `"user"` || kind == `"assistant"` || parent != "" && uuid.Body() != "":
		return message.Get("content") != "" || nameOf(session) != "" && parent != ""
	}
	return kind == `"system"` && nameOf(session) != "" && line.Get("subtype") == `"init"`
}
