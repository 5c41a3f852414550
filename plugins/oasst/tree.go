package oasst

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A node is one message of a tree.
type node struct {
	id, text, lang, spelled jsontext.JSON
	role                    canonical.Role
	rank                    float64 // 0 for the best; infinite for one without a rank
	out                     bool    // deleted, reviewed as bad, or empty: it and all replies to it are left out
	left                    int     // members that no turn has a place for
	size                    int     // messages here and below

	parent  *node
	at      int // its index in the replies to the parent
	replies []*node
	lowest  *node // the answer that was kept and ranked lowest, or nil
}

// parse reads the message at the cursor with all replies to it, in one pass. first is the path of the first message.
func (n *node) parse(c *jsontext.Cursor, first string) error {
	if c.Kind() != '{' {
		return sdk.Reject("bad_message", n.path(first, ""), "want an object, have %s", jsontext.KindName(c.Kind()))
	}
	n.rank, n.size = math.Inf(1), 1
	for key := range c.Members() {
		if key != "replies" || c.Kind() != '[' {
			n.set(key, c.Value())
			continue
		}
		for i := range c.Elements() {
			reply := &node{parent: n, at: i}
			if err := reply.parse(c, first); err != nil {
				return err
			}
			n.size += reply.size
			n.replies = append(n.replies, reply)
			ranked := !reply.out && reply.role == canonical.Assistant && !math.IsInf(reply.rank, 1)
			if ranked && (n.lowest == nil || reply.rank > n.lowest.rank) {
				n.lowest = reply
			}
		}
	}
	if n.text.Kind() != '"' {
		return sdk.Reject("bad_message", n.path(first, "text"), "want a string, have %s", jsontext.KindName(n.text.Kind()))
	}
	switch n.spelled {
	case `"prompter"`:
		n.role = canonical.User
	case `"assistant"`:
		n.role = canonical.Assistant
	default:
		return sdk.Reject("bad_role", n.path(first, "role"), "want prompter or assistant, have %s", jsontext.Seen(n.spelled))
	}
	n.out = n.out || n.text.Body().Blank()
	return nil
}

// path returns the path of a member of a message.
func (n *node) path(first, member string) string {
	var steps []string
	for ; n.parent != nil; n = n.parent {
		steps = append(steps, "replies."+strconv.Itoa(n.at))
	}
	if first != "" {
		steps = append(steps, first)
	}
	slices.Reverse(steps)
	if member != "" {
		steps = append(steps, member)
	}
	return strings.Join(steps, ".")
}

// set stores a member of a message, and counts one that says how it was made or rated.
func (n *node) set(key string, value jsontext.JSON) {
	switch key {
	case "message_id":
		n.id = value
	case "text":
		n.text = value
	case "role":
		n.spelled = value
	case "lang":
		n.lang = value
	case "rank":
		if rank, ok := value.Number(); ok {
			n.rank = rank
		}
	case "deleted":
		n.out = n.out || value == "true"
	case "review_result":
		n.out = n.out || value == "false"
	default:
		if value.Truthy() {
			n.left++
		}
	}
}

// best returns the reply that people ranked best, the first of those that share a rank, or nil. Of questions, only those count
// that are answered.
func (n *node) best() (best *node) {
	for _, r := range n.replies {
		if !r.out && (r.role == canonical.Assistant || r.answered()) && (best == nil || r.rank < best.rank) {
			best = r
		}
	}
	return best
}

// answered reports whether a message has an answer that was kept.
func (n *node) answered() bool {
	for _, r := range n.replies {
		if !r.out && r.role == canonical.Assistant {
			return true
		}
	}
	return false
}

// worse returns the answer to the same question that people ranked lowest, or nil when none is ranked below this one.
func (n *node) worse() *node {
	if n.parent == nil || n.role != canonical.Assistant || n.parent.lowest == nil || n.parent.lowest.rank <= n.rank || math.IsInf(n.rank, 1) {
		return nil
	}
	return n.parent.lowest
}

// bestPath returns the messages from the first on, by the best reply to each.
func bestPath(tree *node) (path []*node) {
	for n := tree; n != nil; n = n.best() {
		path = append(path, n)
	}
	return path
}

// eachPath calls yield for each path that ends with an answer to which no answered question replies, until it returns false.
func eachPath(n *node, before []*node, yield func(path []*node) bool) bool {
	path := append(before, n)
	further := false
	for _, r := range n.replies {
		if r.out || r.role != canonical.Assistant && !r.answered() {
			continue
		}
		further = true
		if !eachPath(r, path, yield) {
			return false
		}
	}
	return further || n.role != canonical.Assistant || yield(path)
}
