// Package oasst reads message trees of Open Assistant and writes eliza_native_v1 rows: one for the conversation of the best
// replies, or one for each path through the tree.
//
// A record is taken when it has a message with replies under prompt, or is one. A message alone is rejected: without its tree
// nothing says what it answers.
package oasst

import (
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "oasst".
var Plugin = build.Adapter{
	Name: "oasst",
	Doc:  "reads message trees of Open Assistant and writes eliza_native_v1 rows",
	Args: config{Paths: "best"},
	Codes: map[string]string{
		"bad_message":   "a message of the tree is not an object, or has no text; correct it where it was made, or leave it out",
		"bad_role":      "a message of the tree has a role other than prompter and assistant; correct it where it was made, or leave it out",
		"flat_message":  "the record is one message without its tree, so nothing says what it answers; read the export of trees",
		"too_many_rows": "the tree has more paths than its size allows; take it apart before, or read the best one only",
		"undesired":     "people took the tree or its first message back, or reviewed it as bad; leave it out",
	},
	New: open,

	Marks: build.Marked([]string{"message_id"}, []string{"text"}, []string{"role", "prompt"}),
}.Plugin()

type config struct {
	Paths string `hcl:"paths,optional" oneof:"best each" doc:"one row for the replies that people ranked best, or one for each path through the tree"`
	build.Options
}

func open(args sdk.Args) (build.ReadFunc, error) {
	var cfg config
	if err := args.Decode(&cfg); err != nil {
		return nil, err
	}
	a := &adapter{each: cfg.Paths == "each", prefers: cfg.Target != "each"}
	return a.read, nil
}

// An adapter reads one record after the other.
type adapter struct {
	each    bool // a row for each path
	prefers bool // a path is one row, which may have the worst sibling of its answer

	row  *build.Builder
	rest []jsontext.Member // members beside the tree
	id   jsontext.JSON     // of the tree
}

// maxRepeated bounds the bytes of the rows made from one tree, which repeat the messages that paths share.
const maxRepeated = 64 << 20

func (a *adapter) read(record jsontext.JSON, row *build.Builder) error {
	a.row, a.rest, a.id = row, a.rest[:0], ""
	root, path, err := a.recognise(record)
	if err != nil {
		return err
	}
	c := root.Cursor()
	var tree node
	if err := tree.parse(&c, path); err != nil {
		return err
	}
	row.Path = path
	if tree.out {
		return sdk.Reject("undesired", path, "want a first message that was kept, have one that was deleted or reviewed as bad")
	}
	if tree.role != canonical.User {
		return sdk.Reject("bad_role", path+".role", "want prompter in the first message, have %s", jsontext.Seen(tree.spelled))
	}
	if a.each {
		return a.paths(&tree)
	}
	a.begin()
	if err := row.CheckRepair(); err != nil {
		return err
	}
	a.converse(bestPath(&tree), tree.size)
	return nil
}

// recognise returns the first message of a tree and its path.
func (a *adapter) recognise(record jsontext.JSON) (root jsontext.JSON, path string, err error) {
	var prompt, text, role, replies, state jsontext.JSON
	message, placed := false, false
	for key, v := range record.Members() {
		switch key {
		case "prompt":
			prompt = v
			continue
		case "message_tree_id":
			a.id, placed = v, true
			continue
		case "parent_id":
			placed = true
		case "message_id":
			message = true
		case "text":
			text = v
		case "role":
			role = v
		case "replies":
			replies = v
		case "tree_state":
			state = v
		}
		a.rest = append(a.rest, jsontext.Member{Key: key, Value: v})
	}
	switch {
	case prompt.Kind() == '{' && prompt.Get("message_id") != "" && prompt.Get("text") != "":
		if word := state.Word(); word == "aborted_low_grade" || word == "halted_by_moderator" {
			return "", "", sdk.Reject("undesired", "tree_state", "want a tree that people kept, have %s", jsontext.Seen(state))
		}
		return prompt, "prompt", nil
	case !message || text.Kind() != '"' || role != `"prompter"` && role != `"assistant"`:
	case replies.Kind() == '[':
		a.rest = a.rest[:0]
		return record, "", nil
	case placed && prompt == "":
		return "", "", sdk.Reject("flat_message", "", "want a tree of messages, have one message without its replies")
	}
	return "", "", sdk.Decline("want a tree of messages with message_id, text, role and replies")
}

// begin keeps the members beside the tree for the row.
func (a *adapter) begin() {
	if a.id.Kind() == '"' {
		a.row.Identify("trajectoryId", a.id)
	} else {
		a.row.Keep("message_tree_id", a.id)
	}
	for _, m := range a.rest {
		a.row.Keep(m.Key, m.Value)
	}
}

// paths emits a row for each path that ends with an answer.
func (a *adapter) paths(tree *node) error {
	var all [][]*node
	total, size := 0, 0
	for _, m := range a.rest {
		size += len(m.Value)
	}
	eachPath(tree, nil, func(path []*node) bool {
		total += size
		for _, n := range path {
			total += len(n.text)
		}
		if total <= maxRepeated {
			all = append(all, append([]*node(nil), path...))
		}
		return total <= maxRepeated
	})
	if total > maxRepeated {
		return sdk.Reject("too_many_rows", a.row.Path, "want rows of at most %d bytes from one tree", maxRepeated)
	}
	if len(all) == 0 {
		return sdk.Reject("no_target", a.row.Path, "want at least one reply of the assistant that was neither deleted nor reviewed as bad")
	}
	used := map[*node]bool{}
	for _, path := range all {
		for _, n := range path {
			used[n] = true
		}
	}
	at := a.row.Path
	for i, path := range all {
		a.row.Reset()
		a.row.Path = at
		a.begin()
		if err := a.row.CheckRepair(); err != nil {
			return err
		}
		a.row.ShareTrajectory()
		inTree := len(path)
		if i == 0 { // the messages of no path are counted once
			inTree += tree.size - len(used)
		}
		a.converse(path, inTree)
		if err := a.row.Emit(); err != nil {
			return err
		}
	}
	return nil
}

// converse adds the turns of a path. All other messages of the tree are counted. An answer that people ranked below the last one
// becomes the rejected one.
func (a *adapter) converse(path []*node, inTree int) {
	a.row.Count("loss.reply", inTree-len(path))
	lang := path[0].lang
	a.row.Keep("lang", lang)
	for i, n := range path {
		a.row.Count("loss.message_member", n.left)
		if n.lang != lang && n.lang.Truthy() {
			a.row.Count("loss.message_member", 1)
		}
		if n.id.Truthy() {
			a.row.Count("loss.message_member", 1)
		}
		a.row.Add(n.role, i).Body = n.text.Body()
	}
	if last := path[len(path)-1]; a.prefers {
		a.row.KeepMade("message_id", last.id)
		if worst := last.worse(); worst != nil {
			a.row.KeepMade("preference", `{"rejected":`+worst.text+`}`)
		}
	}
}
