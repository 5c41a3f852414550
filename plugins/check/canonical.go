package check

import (
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// canonical checks the conversation of a canonical row, in whatever spelling.
func (c *checker) canonical(r *sdk.Record) {
	row := canonical.Read(r)
	for _, f := range row.Faults {
		c.fault(f.Code, f.Path, f.Message)
	}
	if !slices.ContainsFunc(row.Turns, func(t canonical.Turn) bool {
		return t.Role == canonical.User && (row.HasText(t) || row.Has(t, canonical.MediaPart) || row.Has(t, canonical.UnknownPart))
	}) {
		c.fault("no_user_turn", "request", "want a user turn in messages or a prompt, have "+row.Roles())
	}
	if !row.HasText(row.Response) && !row.Has(row.Response, canonical.CallPart) {
		c.fault("empty_response", "response", "want text or a tool call")
	}
	c.talk.reset()
	c.canonicalTools(row)
	for _, t := range row.Turns {
		c.turn(row, t)
	}
	c.turn(row, row.Response)
}

func (c *checker) canonicalTools(row *canonical.Row) {
	if row.Tools == "" {
		return
	}
	tools, fault := canonical.ReadTools(row.Tools)
	if fault != nil {
		c.fault(fault.Code, fault.Path, fault.Message)
	}
	for i, t := range tools {
		c.tool(t.Name, "request.tools."+strconv.Itoa(i), c.warn)
	}
}

// turn checks the calls of a turn. Names and ids that are there twice are warnings, as are calls and results that are not paired: the
// model was sent them like that, and only a rendered row has no place for them.
func (c *checker) turn(row *canonical.Row, t canonical.Turn) {
	for i := t.From; i < t.To; i++ {
		if p := &row.Parts[i]; p.Kind == canonical.CallPart {
			c.call(p.Name, p.ID, t.Path(), c.warn)
			c.arguments(p, t.Path())
		}
		if f := row.Unpaired(t, i); f != nil {
			c.warn(f.Code, f.Path, f.Message)
		}
	}
}

func (c *checker) arguments(call *canonical.Part, path string) {
	if _, have := call.Arguments(); have != "" {
		c.fault("bad_arguments", path, "want arguments that are an object, have "+have)
	}
}

// tool notes a tool of the row. report is called for one whose name another has.
func (c *checker) tool(name jsontext.Body, path string, report noter) {
	if !add(c.talk.tools, name.Text()) {
		report("duplicate_tool", path, "want each tool once, have its name twice")
	}
}

// call checks one call, and that the row has its tool. report is called for one whose id another has.
func (c *checker) call(name, id jsontext.Body, path string, report noter) {
	if !c.talk.offers(name.Text()) {
		c.warn("undeclared_call", path, "want a call of one of the row's tools")
	}
	if id != "" && !add(c.talk.ids, id.Text()) {
		report("duplicate_call_id", path, "want an id for each call, have one twice")
	}
}
