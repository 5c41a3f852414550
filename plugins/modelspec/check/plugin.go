// Package check checks threads against the rules of the Modular Model Spec.
package check

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "modelspec-check". It reads rows, bare threads, preference rows and token text. The label check names
// the checks that a record fails, or is "pass"; a check in mode "reject" rejects the record with its name as the code. Every
// finding is a row of the side output "findings": {"check", "level", "section", "path", "message"}, with "document_line" for a
// thread of a document, and a count "check.NAME". The chosen answer of a preference row must pass; the label rejected names
// the checks that the rejected one fails, or is "pass".
var Plugin = sdk.Plugin{
	Name: "modelspec-check",
	Doc:  "checks threads against the rules of the Modular Model Spec",
	Args: config{LeakLength: 48},
	New:  newChecker,

	Outputs: []string{"findings"},
	Labels:  []string{"check", "rejected"},
	Codes:   codes(),
}

// codes explains the codes of rejects: the name of every check, and those of reading.
func codes() map[string]string {
	all := map[string]string{
		"unknown_member":  "a member that no type of the document has; take it out, or have checks only label it",
		"role_member":     "a message has a member that only those of the assistant have, such as a format; take it out",
		"same_answers":    "the chosen and the rejected answer say the same, so there is nothing to prefer; leave the pair out",
		"wrong_answer":    "an answer is marked as one not to learn from",
		"rejected_passes": "the rejected answer of a pair breaks no rule, so nothing distinguishes it from the chosen one; leave the pair out",
	}
	for _, c := range checks {
		all[c.name] = "breaks a rule of the document's section " + c.section + "; correct the thread, or change what the check does"
	}
	return notation.Codes(all)
}

type config struct {
	Checks     map[string]string `hcl:"checks,optional" oneof:"reject label off" doc:"what each check does" example:"{\"leak\":\"label\"}"`
	Strict     bool              `hcl:"strict,optional" doc:"checks that would only label reject, but for those that the attribute checks names"`
	LeakLength int               `hcl:"leak_length,optional" doc:"how many code points in a row of a platform or developer message a text may not repeat"`
}

type checker struct {
	*Rules
	failed  []string      // checks that the record fails
	verdict error         // of the first check that rejects
	first   int           // its order
	origin  jsontext.JSON // the metadata of a row, which say where in a document it is from
	size    int           // how many messages the row has
	buf     []byte
}

func newChecker(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	err := a.Decode(&cfg)
	err = errors.Join(err, Accept(a, cfg.Checks, cfg.LeakLength))
	p := &checker{Rules: NewRules(cfg.Checks, cfg.LeakLength)}
	p.strict = cfg.Strict
	return sdk.Map(p.check), err
}

func (p *checker) check(r *sdk.Record) error {
	t, err := notation.ReadRecord(r)
	if err != nil {
		return sdk.Decline(err.Error())
	}
	p.failed, p.verdict, p.origin = p.failed[:0], nil, ""
	p.size = len(t.Messages) + len(t.Chosen) + len(t.Rejected)
	for _, m := range t.Extra {
		if m.Key == "metadata" {
			p.origin = m.Value
		}
	}
	for _, f := range t.Faults {
		c := unknownMember
		switch f.Code {
		case notation.BadThread:
			c = badThread
		case notation.RoleMember:
			c = roleMember
		}
		p.fail(r, c, position{f.Path, -1}, f.Message)
	}
	if _, err := t.Accept(); err != nil {
		return sdk.Keep(err)
	}
	if t.Shape == notation.PairShape {
		p.pair(r, &t)
	} else {
		if i := notation.Wrong(t.Messages); i >= 0 {
			p.fail(r, wrongAnswer, position{t.Member(i), i}, "want answers to learn from, have one that is marked as incorrect")
		}
		p.run(r, &t, t.Messages)
	}
	slices.SortStableFunc(p.failed, func(a, b string) int { return order(a) - order(b) })
	r.SetLabel("check", cmp.Or(strings.Join(p.failed, ","), "pass"))
	for _, name := range p.failed {
		if p.verdict == nil && !isNote(name) {
			r.Warn(name, "")
		}
	}
	return p.verdict
}

// The checks of a whole row.
var (
	unknownMember  = check{name: "unknown_member", section: "Message", mode: "label"}
	roleMember     = check{name: notation.RoleMember, section: "Message", mode: "reject"}
	sameAnswers    = check{name: notation.SameAnswers, section: "Message", mode: "reject"}
	wrongAnswer    = check{name: "wrong_answer", section: "Message", mode: "reject"}
	rejectedPasses = check{name: "rejected_passes", section: "Message", mode: "label"}
	// badThread reports what the types of the document do not allow. Such a thread is not checked further.
	badThread = check{name: notation.BadThread, section: "Message", mode: "reject"}
)

// pair checks a preference row: the chosen answer like any thread, and which rules the rejected one breaks.
func (p *checker) pair(r *sdk.Record, t *notation.Thread) {
	if i := notation.Wrong(t.Chosen); i >= 0 {
		p.fail(r, wrongAnswer, position{"chosen." + strconv.Itoa(i), len(t.Messages) + i}, "want a chosen answer to learn from, have one that is marked as incorrect")
	}
	rejected := position{"rejected", len(t.Messages) + len(t.Chosen)}
	if notation.Same(t.Chosen, t.Rejected) {
		p.fail(r, sameAnswers, rejected, "want two answers, have the same answer twice")
	}
	p.run(r, t, t.Whole(t.Chosen))
	var breaks []string
	v := p.view(t, t.Whole(t.Rejected))
	p.each(v, len(t.Messages), func(c check, i int, message string) {
		r.Count("rejected."+c.name, 1)
		if !slices.Contains(breaks, c.name) {
			breaks = append(breaks, c.name)
		}
	})
	p.release(v)
	if len(breaks) == 0 {
		p.fail(r, rejectedPasses, rejected, "want a rejected answer that breaks a rule which a program can check")
	}
	r.SetLabel("rejected", cmp.Or(strings.Join(breaks, ","), "pass"))
}

// run writes the findings in messages and settings. Behind the messages of the thread are those of the chosen answer.
func (p *checker) run(r *sdk.Record, t *notation.Thread, messages []notation.Message) {
	v := p.view(t, messages)
	p.each(v, 0, func(c check, i int, message string) {
		at := position{t.Member(i), i}
		if n := len(t.Messages); i >= n {
			at.path = "chosen." + strconv.Itoa(i-n)
		}
		p.fail(r, c, at, message)
	})
	for _, c := range p.checks {
		for i, f := range t.Formats {
			if c.ofName == nil {
				break
			}
			if message := c.ofName(f.Name); message != "" {
				p.fail(r, c, position{"system_settings.formats." + strconv.Itoa(i), -1}, message)
			}
		}
	}
	p.release(v)
}

// each calls found with the findings in the messages from index from on, the first of each group for a message.
func (p *Rules) each(v *view, from int, found func(c check, i int, message string)) {
	for i := from; i < len(v.messages); i++ {
		m := &v.messages[i]
		var groups []string // that have a finding
		for _, c := range p.checks {
			if c.others == (m.Role == notation.Assistant) || slices.Contains(groups, c.group) {
				continue
			}
			if message := c.find(v, i, m); message != "" {
				groups = append(groups, c.group)
				found(c, i, message)
			}
		}
	}
}

// A position is where a finding is: its path, and the index of its message among all of the row, or -1.
type position struct {
	path string
	at   int
}

// lineOf returns the line of a position in the document that the row is from, or else that of the thread. It is "" without a document.
func (p *checker) lineOf(at position) jsontext.JSON {
	line := p.origin.Get("line")
	if lines := p.origin.Get("lines").List(); at.at >= 0 && len(lines) == p.size {
		line = lines[at.at]
	}
	if _, err := strconv.Atoi(string(line)); err != nil {
		return ""
	}
	return line
}

// fail writes a finding, and sets the verdict if the check rejects. The first check in order sets it last.
func (p *checker) fail(r *sdk.Record, c check, at position, message string) {
	mode := p.mode(c)
	if mode == "off" {
		return
	}
	r.Count("check."+c.name, 1)
	if !slices.Contains(p.failed, c.name) {
		p.failed = append(p.failed, c.name)
	}
	line := p.lineOf(at)
	if nth := order(c.name); mode == "reject" && (p.verdict == nil || nth < p.first) {
		section := c.section
		if line != "" {
			section += ", line " + string(line) + " of its document"
		}
		p.verdict, p.first = sdk.Keep(sdk.Reject(c.name, at.path, "%s (%s)", message, section)), nth
	}
	p.buf = p.buf[:0]
	for _, member := range [][2]string{{`{"check":`, c.name}, {`,"level":`, level(c, mode)}, {`,"section":`, c.section}, {`,"path":`, at.path}, {`,"message":`, message}} {
		p.buf = jsontext.AppendString(append(p.buf, member[0]...), member[1])
	}
	if line != "" {
		p.buf = append(append(p.buf, `,"document_line":`...), line...)
	}
	p.buf = append(p.buf, '}')
	r.Side("findings", p.buf)
}

func (p *Rules) mode(c check) string {
	switch mode, set := p.modes[c.name]; {
	case set:
		return mode
	case p.strict && c.mode == "label":
		return "reject"
	}
	return c.mode
}

// level returns the severity of a finding. A check that labels warns, or notes where there may be nothing to mend.
func level(c check, mode string) string {
	switch {
	case mode == "reject":
		return "error"
	case isNote(c.name):
		return "note"
	}
	return "warning"
}

// isNote reports whether there may be nothing to mend where a check fails that labels. Other such checks are warnings of the run.
func isNote(name string) bool { return name == "name_case" || name == rejectedPasses.name }

// order returns the place of a check in the order in which checks reject a record. Those of a whole row come first.
func order(name string) int {
	return slices.IndexFunc(checks, func(c check) bool { return c.name == name })
}

// Rules holds the checks that are not off, for plugins that make threads which must pass or fail here.
type Rules struct {
	checks     []check
	modes      map[string]string // of the attributes
	strict     bool              // checks that would label reject
	leakLength int
	cache      notation.Cache
	spare      []*view // that no thread needs
}

// NewRules returns the checks with their modes, "reject", "label" or "off". modes overrides the defaults by name.
func NewRules(modes map[string]string, leakLength int) *Rules {
	p := &Rules{leakLength: leakLength, modes: modes}
	for _, c := range checks {
		if p.mode(c) != "off" {
			p.checks = append(p.checks, c)
		}
	}
	return p
}

// Accept returns the mistakes in the attributes "checks" and "leak_length" of a step.
func Accept(a sdk.Args, modes map[string]string, leakLength int) error {
	var errs []error
	if leakLength < 1 {
		errs = append(errs, a.Errorf("leak_length", "want at least 1, have %d", leakLength))
	}
	known := []string{unknownMember.name, roleMember.name, sameAnswers.name, wrongAnswer.name, rejectedPasses.name}
	for _, c := range checks {
		known = append(known, c.name)
	}
	for _, name := range slices.Sorted(maps.Keys(modes)) {
		errs = append(errs, a.OneOf("checks."+name, name, known...))
	}
	return errors.Join(errs...)
}

// Failure is a check that a message fails.
type Failure struct {
	Check   string
	Message int // its index; -1 for the settings
	Rejects bool
}

// Judge checks a thread, and other answers in its place.
type Judge struct {
	rules    *Rules
	view     *view
	messages []notation.Message
	settled  int // the index behind the last message of the platform or a developer
}

// Judge returns a Judge of messages under the settings of a thread. Release takes it back.
func (p *Rules) Judge(t *notation.Thread, messages []notation.Message) *Judge {
	j := &Judge{rules: p, messages: slices.Clone(messages)}
	for i := range messages {
		if messages[i].Instructs() {
			j.settled = i + 1
		}
	}
	j.view = p.view(t, j.messages)
	return j
}

// Release makes the memory of a Judge free for the next. It is not used any more.
func (j *Judge) Release() { j.rules.release(j.view) }

// Failures returns the checks that the settings and the messages fail, in order.
func (j *Judge) Failures() (all []Failure) {
	for _, c := range j.rules.checks {
		for _, f := range j.view.Formats {
			if c.ofName != nil && c.ofName(f.Name) != "" {
				all = append(all, Failure{c.name, -1, j.rules.mode(c) == "reject"})
			}
		}
	}
	return j.from(j.view, 0, all)
}

// Instead returns the checks that an answer fails which ends the thread in place of message i.
func (j *Judge) Instead(i int, answer notation.Message) []Failure {
	if i < j.settled { // messages behind i are part of the view
		messages := append(slices.Clone(j.messages[:i]), answer)
		v := j.rules.view(j.view.Thread, messages)
		defer j.rules.release(v)
		return j.from(v, i, nil)
	}
	own, text := j.messages[i], j.view.texts[i]
	j.messages[i], j.view.messages = answer, j.messages[:i+1]
	j.view.setText(i, answer.Text())
	all := j.from(j.view, i, nil)
	j.messages[i], j.view.messages = own, j.messages
	j.view.setText(i, text)
	return all
}

func (j *Judge) from(v *view, i int, all []Failure) []Failure {
	j.rules.each(v, i, func(c check, i int, _ string) { all = append(all, Failure{c.name, i, j.rules.mode(c) == "reject"}) })
	return all
}
