package build

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An Adapter reads records of one shape and writes eliza_native_v1 rows. It takes the attributes of Options besides
// those that Args declares.
type Adapter struct {
	Name, Doc string
	Args      any                              // a struct that embeds Options, with its defaults; nil for only Options
	New       func(sdk.Args) (ReadFunc, error) // once for each worker
	Codes     map[string]string                // codes of its own rejects, with what each means; nil: any code

	// Marks become Marks of the sdk.Plugin: groups of strings, keys or values, of which every record of the shape has one of each group
	// outside of other strings; "system:" is found only as a key. See Marked for groups that do not depend on the step's arguments. nil
	// means no group.
	Marks func(sdk.Args) [][]string
}

// Marked returns Marks of an adapter that do not depend on arguments.
func Marked(groups ...[]string) func(sdk.Args) [][]string {
	return func(sdk.Args) [][]string { return groups }
}

// A ReadFunc fills the row with the contents of a record, whose JSON is a view that is valid during the call. It declines a record
// of another shape with sdk.Decline before it does anything else, and rejects what it cannot read with sdk.Reject. The row
// is written when it returns, unless it called Emit itself, once for each row of a record that holds several.
type ReadFunc func(record jsontext.JSON, row *Builder) error

// Options are the attributes that every adapter has.
type Options struct {
	Target   string            `hcl:"target,optional" oneof:"last each" doc:"one row for the last answer, or one for each; last by default"`
	Joiner   string            `hcl:"joiner,optional" doc:"between the text parts of one message" example:"\"\\n\""`
	Orphans  string            `hcl:"orphan_results,optional" oneof:"tool user" doc:"what a result becomes whose call is not in the row; tool by default"`
	Repair   string            `hcl:"repair,optional" oneof:"reject keep" doc:"rows of the repair loop; reject by default"`
	Beside   string            `hcl:"beside,optional" oneof:"warn reject count" doc:"rows with a long text in a column that is neither question nor answer; warn by default"`
	Metadata map[string]string `hcl:"metadata,optional" doc:"texts for the metadata of rows that do not say so themselves" example:"{\"source_dataset\":\"support-2024\"}"`
}

// trajectoryID is the label that rows of one conversation share.
const trajectoryID = "trajectoryId"

// Plugin returns the adapter as a plugin.
func (a Adapter) Plugin() sdk.Plugin {
	p := sdk.Plugin{Name: a.Name, Doc: a.Doc, Args: a.Args, New: a.open, Marks: a.Marks, Codes: a.Codes, Labels: []string{trajectoryID}}
	if p.Args == nil {
		p.Args = Options{}
	}
	if a.Codes != nil {
		p.Codes = maps.Clone(codes)
		maps.Copy(p.Codes, canonical.RepairCodes)
		maps.Copy(p.Codes, a.Codes)
	}
	return p
}

// codes are the codes of a Builder's rejects, besides those of Repair.
var codes = map[string]string{
	"bad_arguments":  "the arguments of a call are neither an object nor a string that holds one; correct them where they were recorded",
	"bad_call":       "something in a text is marked as a call and is none, or is not among the turn's own calls; leave the row out, or correct it",
	"bad_result":     "a result comes before its call, is the second one of a call, or is of no call that waits for one; correct it where it was recorded, or leave the row out",
	"bad_tool_call":  "a call has no name, or says two things of what was called; leave the row out, or correct it where it was recorded",
	"bad_tools":      "the tools are in no spelling that is known; the adapter may have an attribute for them",
	"media":          "the answer to train on holds what text cannot, or the record has not as many media as places for them; leave the row out",
	"no_target":      "no turn of the assistant comes behind one of the user, so there is nothing to train on",
	"no_user_turn":   "the user says nothing, so there is nothing to answer",
	"open_thought":   "a text of the assistant begins with a thought that does not end, so its answer was cut off; leave the row out",
	unreadText:       "a column that is neither question nor answer holds a long text, which is in the metadata only",
	"too_many_calls": "more calls wait for their results than can be paired; split the row",
	"too_many_parts": "a row has more turns than can be read; split the row",
}

func (a Adapter) open(args sdk.Args) (sdk.Processor, error) {
	var o Options
	if err := args.Decode(&o); err != nil {
		return nil, err
	}
	read, err := a.New(args)
	if err != nil {
		return nil, err
	}
	s := settings{origin: `{"adapter":"` + a.Name + `"`, each: o.Target == "each", orphansToUser: o.Orphans == "user", keepsRepair: o.Repair == "keep",
		rejectsText: o.Beside == "reject", onlyCounts: o.Beside == "count", joiner: jsontext.BodyOf(o.Joiner)}
	for _, key := range slices.Sorted(maps.Keys(o.Metadata)) {
		s.defaults = append(s.defaults, Member{jsontext.BodyOf(key), jsontext.Quote(o.Metadata[key])})
	}
	b := &Builder{settings: s}
	return sdk.Func(func(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
		b.record, b.emit, b.emitted = r, emit, false
		defer b.Reset() // no large row keeps its memory while later records come, nor what a panic has left
		if err := read(sdk.Reading(r, (*spelling).read).record, b); err != nil || b.emitted {
			return err
		}
		return b.Emit()
	}), nil
}

// A spelling is a record as adapters read it: marks and words of a format look the same in all records, however their encoders escape
// what is ASCII. All adapters of a chain share it.
type spelling struct {
	record jsontext.JSON
	short  []byte // memory of record where that is a copy
}

func (s *spelling) read(record jsontext.JSON) {
	if s.record = record[jsontext.Blanks(record):]; jsontext.Longhand(record, 0) >= 0 {
		s.short = jsontext.AppendShort(jsontext.Reuse(s.short), s.record)
		s.record = jsontext.Of(s.short)
	}
}

// Preset returns the preset that the attribute "preset" names, the zero value when the attribute is absent. Hyphens and
// underscores are the same, and presets are named with hyphens.
func Preset[T any](a sdk.Args, have string, presets map[string]T) (preset T, err error) {
	preset, ok := presets[strings.ReplaceAll(have, "_", "-")]
	if ok || have == "" {
		return preset, nil
	}
	names := slices.Sorted(maps.Keys(presets))
	return preset, a.OneOf("preset", have, slices.DeleteFunc(names, func(n string) bool { return n == "" })...)
}

// Given returns the list of an attribute, or that of the preset when the attribute is absent.
func Given[T any](attribute, preset []T) []T {
	if attribute == nil {
		return preset
	}
	return attribute
}

// Joiner returns the separator of the text parts of one message, as the attribute "joiner" says.
func (c *Builder) Joiner() jsontext.Body { return c.settings.joiner }

// Count adds to a figure of the step in the receipt, such as a loss. Adding 0 changes nothing.
func (c *Builder) Count(name string, n int) {
	if n > 0 {
		c.record.Count(name, n)
	}
}

// Emit settles the row and writes it: one for the last assistant turn, or one for each, as the attribute "target" says.
// It rejects rows of the repair loop with the codes of plugin native, unless the attribute "repair" keeps them, and rejects with
// too_many_parts, no_user_turn, no_target (no assistant turn to train on after a user turn), media (a target that holds more than text)
// and bad_arguments. Turns after the last target are counted as "loss.trailing_turn". Rows of one conversation share their
// trajectoryId, as member and as label.
func (c *Builder) Emit() error {
	c.emitted = true
	if err := c.CheckRepair(); err != nil {
		return err
	}
	if c.above != nil {
		return sdk.Reject("too_many_parts", c.Path, "want at most %d turns, have at least one more", canonical.MaxParts)
	}
	if err := c.placeMedia(); err != nil {
		return err
	}
	if err := c.settleKept(); err != nil {
		return err
	}
	c.Count("loss.metadata_member", c.clashes)
	c.countTools()
	for _, m := range c.settings.defaults {
		c.Meta(m.Key, m.Value)
	}
	c.Meta("conversion", c.conversion())
	if err := c.settle(); err != nil {
		return err
	}
	return c.write()
}

// conversion returns which adapter made the row, from which shape, file and line, without the folder, which is the machine's.
func (c *Builder) conversion() jsontext.JSON {
	pos, shape := c.record.Pos(), c.Shape
	b := append(c.origin[:0], c.settings.origin...)
	if shape != "" {
		b = jsontext.AppendString(append(b, `,"shape":`...), shape)
	}
	if pos.File != "" {
		b = jsontext.AppendString(append(b, `,"file":`...), filepath.Base(pos.File))
		b = strconv.AppendInt(append(b, `,"line":`...), pos.Line, 10)
	}
	c.origin = append(b, '}')
	return jsontext.Of(c.origin)
}
