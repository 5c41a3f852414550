package chatml

import (
	"bytes"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A toolList caches the written list of tools for the rows that share it.
type toolList struct {
	id   uint64 // canonical.Row.ToolsID of those rows
	json []byte
	lost losses
}

// losses count what a list of function schemas cannot express.
type losses struct {
	opaque   int // tools without a schema of their own
	members  int // of tools, other than name, description and schema
	same     int // tools that are listed twice
	repeated int // tools whose name another one has
	types    int // schemas whose types JSON Schema does not have
	nulls    int // schemas with members that are null
	anyOf    int // types that the target does not show
}

// tools returns the row's tools as a list of function schemas, empty when there are none.
func (c *conversation) tools(r *sdk.Record) ([]byte, error) {
	list, err := c.offered(r)
	if err != nil || len(list) > 0 {
		return list, err
	}
	if c.needsTools {
		return nil, sdk.Reject("target_tools", "request.tools", "want a row with tools: the template raises without, and there is no other for such rows")
	}
	if c.callsNeedTools {
		return nil, c.rejectCalls("show", "shows", "them in rows with tools only")
	}
	return nil, nil
}

// offered returns the list for the template to show.
func (c *conversation) offered(r *sdk.Record) ([]byte, error) {
	if c.row.Tools == "" {
		return nil, nil
	}
	list := &c.lists[c.row.ToolsID%canonical.KnownTools]
	if c.row.ToolsID == 0 || list.id != c.row.ToolsID {
		w := toolWriter{dst: list.json[:0], types: c.types}
		list.id = 0
		if err := w.list(c.row.Tools); err != nil {
			return nil, err
		}
		*list = toolList{id: c.row.ToolsID, json: w.dst, lost: w.lost}
	}
	list.lost.count(r)
	if (c.noTools || c.hidesTools) && len(list.json) > 0 { // not left to the template, which would say nothing
		if c.hidden == "reject" {
			return nil, sdk.Reject("target_tools", "request.tools", "want a row without tools: %s not show them; hidden_tools = \"drop\" leaves them out", c.templates("do", "does"))
		}
		r.Count("loss.tools", 1)
		return nil, nil
	}
	return list.json, nil
}

func (l *losses) count(r *sdk.Record) {
	for _, c := range [...]struct {
		name string
		n    int
	}{
		{"loss.tool_schema", l.opaque}, {"loss.tool_member", l.members}, {"repair.repeated_tool", l.same},
		{"loss.repeated_tool", l.repeated}, {"repair.schema_type", l.types}, {"repair.schema_null", l.nulls}, {"repair.any_of", l.anyOf},
	} {
		if c.n > 0 {
			r.Count(c.name, c.n)
		}
	}
}

type toolWriter struct {
	dst   []byte
	types string // the rule of the target
	lost  losses
}

func (w *toolWriter) list(raw jsontext.JSON) error {
	tools, fault := canonical.ReadTools(raw)
	switch {
	case fault != nil:
		return sdk.Reject(fault.Code, fault.Path, "%s", fault.Message)
	case len(tools) == 0:
		return nil
	}
	w.dst = append(w.dst, '[')
	known := map[string]canonical.ToolSpec{}
	for _, t := range tools {
		name := t.Name.Text()
		switch before, ok := known[name]; {
		case ok && before == t:
			w.lost.same++
			continue
		case ok:
			w.lost.repeated++
			continue
		}
		known[name] = t
		w.lost.members += t.Left
		w.dst = append(append(jsontext.AppendComma(w.dst), `{"type":"function","function":{"name":"`...), t.Name...)
		w.dst = append(append(w.dst, `","description":"`...), t.Description...)
		w.dst = append(w.dst, `","parameters":`...)
		start := len(w.dst)
		w.schema(t)
		if have := tooLarge(jsontext.Of(w.dst[start:])); have != "" {
			return sdk.Reject("bad_tools", "request.tools", "want schemas with numbers of at most %d digits in the range of a double, have %s", mostDigits, have)
		}
		if err := w.fitTypes(start); err != nil {
			return err
		}
		w.dst = append(w.dst, "}}"...)
	}
	w.dst = append(w.dst, ']')
	return nil
}

// schema appends the JSON schema of a tool, which gets properties if it does not describe its members. A provider's own tool has no schema.
func (w *toolWriter) schema(t canonical.ToolSpec) {
	schema, types, nulls := t.Schema()
	if schema == "" {
		w.lost.opaque++
		schema = `{"type":"object","properties":{}}`
	}
	if types {
		w.lost.types++
	}
	if nulls {
		w.lost.nulls++
	}
	w.dst = append(w.dst, schema...)
	for key := range schema.Members() {
		switch key {
		case "properties", "$ref", "anyOf", "oneOf", "allOf":
			return
		}
	}
	w.dst = bytes.TrimRight(w.dst[:len(w.dst)-1], " \t\r\n") // templates iterate the properties
	w.dst = append(jsontext.AppendComma(w.dst), `"properties":{}}`...)
}
