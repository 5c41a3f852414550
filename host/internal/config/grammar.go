package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/sluicehq/sluice/host/filehash"
)

// form is what one kind of block takes.
type form struct {
	labels     []string // what each label means
	free       bool     // labels are any text
	inner      bool     // a label names the block within the one around it, not within the file
	repeats    bool     // several may have one label
	attributes []string // of the host
	open       bool     // attributes belong to the plugin, source or sink
	blocks     []string // blocks inside it
	once       []string // those of them that may be there once
	needs      []need
}

// need is an attribute or block that has to be there; or names a block that does as well.
type need struct{ word, or, why string }

// stream are the blocks that records go through.
var stream = []string{"step", "first", "route", "tee", "shadow", "sink"}

// StepsEnding is how the name of a file of steps ends, which pipelines include.
const StepsEnding = ".steps.hcl"

// branch are the blocks of a branch.
var branch = append([]string{"include"}, stream...)

// Kinds of the top level.
const (
	PipelineFileKind = ""
	TestFileKind     = "NAME" + TestEnding
	StepsFileKind    = "NAME" + StepsEnding
)

// grammar has the form of every kind of block. A kind of two words is a block whose first label is the second word.
var grammar = map[string]form{
	PipelineFileKind: {
		blocks: append([]string{"variable", "plugin", "source", "dead_letter", "manifest", "receipt", "include"}, stream...),
		once:   []string{"dead_letter", "manifest", "receipt"},
		needs:  []need{{word: "source", why: "want at least one, to say where records come from"}},
	},
	"variable": {labels: []string{"NAME"}, attributes: []string{"default", "type", "description", "sensitive"}},
	"plugin":   {labels: []string{"NAME"}, attributes: []string{"path", "sha256", "name", "env"}},
	"source":   {labels: []string{"TYPE", "NAME"}, open: true},
	"step":     {labels: []string{"PLUGIN", "NAME"}, open: true, blocks: []string{"host", "output"}, once: []string{"host"}},
	"host":     {attributes: []string{"workers", "batch", "process", "timeout", "memory", "on_crash", "restarts", "env", "keep", "deprecated", "enabled"}},
	"output": {
		labels: []string{"NAME"}, inner: true, blocks: []string{"sink"}, once: []string{"sink"},
		needs: []need{{word: "sink", why: "want one, to say where the rows go"}},
	},
	"first": {
		labels: []string{"NAME"}, attributes: []string{"report"}, open: true, blocks: []string{"step", "shadow", "include"},
		needs: []need{{word: "step", or: "shadow", why: "want at least one; they are tried in order until one does not decline"}},
	},
	"route": {
		labels: []string{"NAME"}, attributes: []string{"on", "rejects_others"}, blocks: []string{"case", "default"}, once: []string{"default"},
		needs: []need{
			{word: "on", why: `want a path into the record such as "metadata.split", or a label such as "@split"`},
			{word: "case", why: "add at least one; use a tee for a branch that every record takes"},
		},
	},
	"case":    {labels: []string{"VALUE"}, free: true, inner: true, blocks: branch},
	"default": {blocks: branch},
	"tee":     {labels: []string{"NAME"}, blocks: branch},
	"include": {
		labels: []string{"NAME"}, attributes: []string{"file"}, open: true,
		needs: []need{{word: "file", why: "want the path of a file of steps, found from the folder of the pipeline"}},
	},
	"shadow": {
		labels: []string{"NAME"}, attributes: []string{"limit", "ignore", "report", "values", "unfiltered"},
		blocks: []string{"current", "candidate", "sink"}, once: []string{"current", "candidate", "sink"},
		needs: []need{
			{word: "current", why: "want a block with the step whose records go on"},
			{word: "candidate", why: "want a block with the step to compare"},
		},
	},
	"current":     {blocks: []string{"step"}, once: []string{"step"}, needs: []need{{word: "step", why: "want one, whose records go on"}}},
	"candidate":   {blocks: []string{"step"}, once: []string{"step"}, needs: []need{{word: "step", why: "want one, to compare"}}},
	"sink":        {labels: []string{"TYPE", "NAME"}, open: true},
	"manifest":    {attributes: []string{"path"}, needs: []need{{word: "path", why: "want the path of a file"}}},
	"receipt":     {attributes: []string{"hash"}},
	"dead_letter": {attributes: []string{"limit"}, blocks: []string{"sink"}, once: []string{"sink"}},

	StepsFileKind: {blocks: []string{"variable", "step", "first", "route", "tee", "shadow"}},
	TestFileKind: {
		blocks: append([]string{"test", "mock"}, invariants...),
		needs:  []need{{word: "test", why: "want at least one"}},
	},
	"test": {
		labels: []string{"NAME"}, free: true, attributes: []string{"variables"},
		blocks: slices.Concat([]string{"input", "mock"}, expectations, invariants),
		needs:  []need{{word: "input", why: "want at least one, to say what a source reads"}},
	},
	"input": {labels: []string{"SOURCE"}, free: true, inner: true, attributes: []string{"rows", "text", "file", "name"}},
	"mock": {
		labels: []string{"STEP"}, free: true, inner: true, attributes: []string{"key", "pairs"},
		needs: []need{{word: "pairs", why: "want records with what becomes of each"}},
	},
	ExpectSink:   {labels: []string{"NAME"}, free: true, inner: true, repeats: true, attributes: []string{"rows", "contains", "count", "bytes", "path"}},
	ExpectOutput: {labels: []string{"STEP.OUTPUT"}, free: true, inner: true, repeats: true, attributes: []string{"rows", "contains", "count", "bytes"}},
	ExpectReject: {attributes: []string{"code", "step", "path", "line", "count"}},
	ExpectDrop:   {attributes: []string{"reason", "step", "count"}},
	Never:        {labels: []string{"NAME"}, free: true, inner: true, attributes: invariantAttributes},
	Always:       {labels: []string{"NAME"}, free: true, inner: true, attributes: invariantAttributes},
}

// Kinds of Expect.
const (
	ExpectSink   = "expect sink"
	ExpectOutput = "expect output"
	ExpectReject = "expect reject" // rows of the dead letter
	ExpectDrop   = "expect drop"
)

var expectations = []string{ExpectSink, ExpectOutput, ExpectReject, ExpectDrop}

// Kinds of Invariant.
const (
	Never  = "never"
	Always = "always"
)

var (
	invariants          = []string{Never, Always}
	invariantAttributes = []string{"sink", "output", "rejects", "path", "matches", "equals", "code", "file"}
)

// kindOf returns the kind of a block inside one of this form.
func (s form) kindOf(h *hclsyntax.Block) string {
	twoWords := func(kind string) bool { return strings.HasPrefix(kind, h.Type+" ") }
	if len(h.Labels) > 0 && slices.ContainsFunc(s.blocks, twoWords) {
		return h.Type + " " + h.Labels[0]
	}
	return h.Type
}

// places names the blocks that a kind of block may be in, for messages.
func places(kind string) string {
	var in []string
	for k, s := range grammar {
		if k != PipelineFileKind && k != StepsFileKind && slices.Contains(s.blocks, kind) {
			in = append(in, k)
		}
	}
	slices.Sort(in)
	top := slices.Contains(grammar[PipelineFileKind].blocks, kind)
	switch {
	case top && in == nil:
		return "belongs at the top level"
	case top:
		return "belongs at the top level or in " + strings.Join(in, ", ")
	}
	return "belongs in " + strings.Join(in, ", ")
}

// A Known word is one that the language has: a block, an attribute of the host, a function.
type Known struct {
	Name string
	Meaning
}

// A Meaning is what a word of the language is for.
type Meaning struct {
	Doc   string
	Takes string   // of an attribute or function, in words
	Words []string // that an attribute may be
}

// Blocks returns the kinds of blocks that belong in one of a kind: PipelineFileKind or TestFileKind at the top level.
func Blocks(kind string) (all []Known) {
	for _, name := range grammar[kind].blocks {
		all = append(all, Known{name, meanings[name]})
	}
	return all
}

// Attributes returns the attributes of the host in a kind of block.
func Attributes(kind string) (all []Known) {
	for _, name := range grammar[kind].attributes {
		all = append(all, Known{name, meanings[kind+"."+name]})
	}
	return all
}

// HostTakes reports whether the block host of a step takes an attribute.
func HostTakes(attribute string) bool { return slices.Contains(grammar["host"].attributes, attribute) }

// AsBlock says how to write a block that belongs in one of a kind, "" when none of that name does.
func AsBlock(kind, name string) string {
	for _, k := range grammar[kind].blocks {
		words := strings.Fields(k)
		if words[0] != name {
			continue
		}
		written := name
		for _, label := range append(words[1:], grammar[k].labels...) {
			written += " " + strconv.Quote(label)
		}
		return fmt.Sprintf("%s is a block: %s {}", name, written)
	}
	return ""
}

// Labels returns the meaning of each label of a kind of block, as in NAME.
func Labels(kind string) []string { return grammar[kind].labels }

// Functions returns the functions that an expression may call.
func Functions() (all []Known) {
	for _, name := range slices.Sorted(maps.Keys((&loader{}).newScope().Functions)) {
		all = append(all, Known{name, meanings[name+"()"]})
	}
	return all
}

// meanings has one for every kind of block, BLOCK.ATTRIBUTE and FUNCTION().
var meanings = map[string]Meaning{
	"variable":             {Doc: "an input of the file, used as var.NAME and set by --var NAME=VALUE, SLUICE_VAR_NAME or its default"},
	"variable.default":     {"its value unless it is set; without a default it must be set where something uses it", "a value of its type", nil},
	"variable.type":        {"its type; without one, that of its default", "a type, without quotes", []string{"string", "number", "bool", "list(string)", "map(string)", "map(number)"}},
	"variable.description": {"what it is for", "a string", nil},
	"variable.sensitive":   {"keeps the value out of messages and the receipt", "a boolean", []string{"true", "false"}},

	"plugin":        {Doc: "pins an external plugin to one executable"},
	"plugin.path":   {"the executable, found from the folder of the file", "a string", nil},
	"plugin.sha256": {"the SHA-256 of the executable, wherever it is found", "64 hexadecimal digits", nil},
	"plugin.name":   {"what the executable calls itself when that is not the label", "a string", nil},
	"plugin.env":    {"names of environment variables that the process may see", "a list of strings", nil},

	"source": {Doc: "where records come from; several are read one after another"},
	"step":   {Doc: "sends each record through a plugin, whose attributes are in it"},
	"sink":   {Doc: "where records go; nothing comes after it"},

	"host":            {Doc: "how the host runs the step"},
	"host.workers":    {"how many batches are at work at a time: as many as there are cores, or one when the plugin keeps state or makes several calls at once", "a whole number", nil},
	"host.batch":      {"how much a worker gets at a time, in records or in bytes; small batches let workers share few or short records", "a number of records or a size", nil},
	"host.process":    {"together with neighbouring steps of the same program, or by itself", "a string", []string{processShared, ProcessOwn}},
	"host.timeout":    {"the longest time without any answer of the plugin, 5m by default, 0s for none", "a duration", nil},
	"host.memory":     {"how much the process may use, 4GiB by default, 0 for no limit", "a size", nil},
	"host.on_crash":   {"whether a record that crashes the plugin is rejected and all others go on, or the run fails; it always fails when the plugin keeps state", "a string", []string{CrashIsolates, CrashFails}},
	"host.restarts":   {"how often the process may be ended by records and started again before the run fails, 100 by default", "a whole number", nil},
	"host.env":        {"names of environment variables that the process may see", "a list of strings", nil},
	"host.keep":       {"whether a run with --store also stores the records that leave the step, so that after a change further down only what comes behind it is run again", "a boolean", []string{"true", "false"}},
	"host.deprecated": {"why the step should go, and what to use instead; the summary reports what still needs it", "a string", nil},
	"host.enabled":    {"whether the step is part of the pipeline", "a boolean", []string{"true", "false"}},

	"output":       {Doc: "takes rows that the plugin writes apart from the stream"},
	"first":        {Doc: "tries its steps in order until one does not decline; a record that all decline is rejected"},
	"first.report": {"a file with the number of records that each step took", "a string", nil},

	"include":      {Doc: "takes in the steps of a file of steps, and sets the variables of that file"},
	"include.file": {"the file, found from the folder of the pipeline, without variables", "a string", nil},

	"route":                {Doc: "sends a record into one of several branches; a branch without a sink rejoins the stream"},
	"route.on":             {"the path of one value in the record, such as messages.0.role, or @label", "a string", nil},
	"route.rejects_others": {"says that records without a case are meant to be rejected, so that nothing warns of them", "a boolean", []string{"true", "false"}},
	"case":                 {Doc: "takes records whose value is the label; the empty label takes those without a value"},
	"default":              {Doc: "takes records that no case takes"},
	"tee":                  {Doc: "sends a copy of the stream into a branch of its own, which ends in a sink"},

	"shadow":            {Doc: "compares two steps on the same records; what current emits goes on"},
	"shadow.limit":      {"most records that may differ before the run fails; a share, such as \"1%\", is of those compared and decided at the end", "a whole number or a share", nil},
	"shadow.ignore":     {"paths of values that may differ, with # for any index and * for any key; by default, those that say which adapter made a row", "a list of strings", nil},
	"shadow.report":     {"a file with what differs, as one JSON document", "a string", nil},
	"shadow.values":     {"whether the report shows the values that differ", "a boolean", []string{"true", "false"}},
	"shadow.unfiltered": {"values that no step privacy has seen are meant in the report, which is otherwise a warning when the file makes text for training", "a boolean", []string{"true", "false"}},
	"current":           {Doc: "the step whose records go on"},
	"candidate":         {Doc: "the step to compare"},

	"dead_letter":       {Doc: "takes what was rejected, with code, message and place"},
	"dead_letter.limit": {"most rejects before the run fails; a share, such as \"1%\", is of the records read and decided at the end", "a whole number or a share", nil},
	"manifest":          {Doc: "lists what the run wrote, for those who get the files"},
	"manifest.path":     {"the file", "a string", nil},
	"receipt":           {Doc: "how the run accounts for the files that it reads and writes"},
	"receipt.hash":      {"the algorithm of their hashes: blake3 by default; sha256 for those who compare with sha256sum, slow on processors without instructions for it; xxh3, the fastest, finds what broke but not who changed it", "a string", filehash.Algorithms},

	"test":           {Doc: "sends its inputs through the pipeline next to it, and checks what comes out"},
	"test.variables": {"values of the pipeline's variables", "an object", nil},
	"input":          {Doc: "what a source of the pipeline reads instead of its paths"},
	"input.rows":     {"rows as JSON, one behind the other", "a string", nil},
	"input.text":     {"what the source reads, byte for byte", "a string", nil},
	"input.file":     {"a file to read, found from the folder of the tests", "a string", nil},
	"input.name":     {"the name that the input has in messages and rows", "a string", nil},

	"mock":       {Doc: "takes the place of a step, in a test or at the top of the file for all tests; a record without a pair fails the test"},
	"mock.key":   {"the path of what tells records apart, in place of the whole record", "a string", nil},
	"mock.pairs": {"JSON objects, each with a record as in, and with emit, reject, drop or decline", "a string", nil},

	"expect sink":            {Doc: "what a sink has to get"},
	"expect sink.rows":       {"all its rows, in order, compared as JSON", "a string", nil},
	"expect sink.contains":   {"rows of which each has all that is in one of these", "a string", nil},
	"expect sink.count":      {"how many rows", "a whole number", nil},
	"expect sink.bytes":      {"compares rows byte for byte", "a boolean", []string{"true", "false"}},
	"expect sink.path":       {"how the path of one of the sink's files ends, when it has several", "a string", nil},
	"expect output":          {Doc: "what a side output of a step has to get"},
	"expect output.rows":     {"all its rows, in order, compared as JSON", "a string", nil},
	"expect output.contains": {"rows of which each has all that is in one of these", "a string", nil},
	"expect output.count":    {"how many rows", "a whole number", nil},
	"expect output.bytes":    {"compares rows byte for byte", "a boolean", []string{"true", "false"}},
	"expect reject":          {Doc: "a record that a step has to reject"},
	"expect reject.code":     {"the code", "a string", nil},
	"expect reject.step":     {"the step that rejects", "a string", nil},
	"expect reject.path":     {"where in the record", "a string", nil},
	"expect reject.line":     {"the line of the input", "a whole number", nil},
	"expect reject.count":    {"how many such records", "a whole number", nil},
	"expect drop":            {Doc: "a record that a step has to leave out"},
	"expect drop.reason":     {"the reason", "a string", nil},
	"expect drop.step":       {"the step that leaves it out", "a string", nil},
	"expect drop.count":      {"how many such records", "a whole number", nil},

	"never":         {Doc: "what no row may hold, in a test or at the top of the file for all tests"},
	"never.sink":    {"the sink whose rows are meant; all sinks of the stream without sink, output, rejects and code", "a string", nil},
	"never.output":  {"the side output whose rows are meant, as STEP.OUTPUT", "a string", nil},
	"never.rejects": {"whether the rows of the dead letter are meant", "a boolean", []string{"true", "false"}},
	"never.path":    {"the path of a value in the row, in the syntax of gjson; # is each element", "a string", nil},
	"never.matches": {"a regular expression (RE2) for the text of a value; without path, for any text of the row", "a string", nil},
	"never.equals":  {"the value, compared as JSON", "a value", nil},
	"never.code":    {"the code of a reject", "a string", nil},
	"never.file":    {"how the path of the file ends that the row is in", "a string", nil},

	"always":         {Doc: "what every row has to hold, in a test or at the top of the file for all tests"},
	"always.sink":    {"the sink whose rows are meant; all sinks of the stream without sink, output, rejects and code", "a string", nil},
	"always.output":  {"the side output whose rows are meant, as STEP.OUTPUT", "a string", nil},
	"always.rejects": {"whether the rows of the dead letter are meant", "a boolean", []string{"true", "false"}},
	"always.path":    {"the path of a value in the row, in the syntax of gjson; # is each element", "a string", nil},
	"always.matches": {"a regular expression (RE2) for the text of a value; without path, for any text of the row", "a string", nil},
	"always.equals":  {"the value, compared as JSON", "a value", nil},
	"always.code":    {"the code of a reject", "a string", nil},
	"always.file":    {"how the path of the file ends that the row is in", "a string", nil},

	"env()":        {"a variable of the environment; the receipt has its name and hash", "env(\"NAME\", \"default\")", nil},
	"file()":       {"the text of a file, found from the folder of the pipeline", "file(\"PATH\")", nil},
	"basename()":   {"the last part of a path", "basename(path)", nil},
	"dirname()":    {"a path without its last part", "dirname(path)", nil},
	"lower()":      {"a text in lower case", "lower(text)", nil},
	"upper()":      {"a text in upper case", "upper(text)", nil},
	"trimspace()":  {"a text without blanks at its ends", "trimspace(text)", nil},
	"join()":       {"the elements of a list with a text between them", "join(between, list)", nil},
	"split()":      {"the parts of a text between those that are something", "split(between, text)", nil},
	"format()":     {"a text with values put in, as in \"%s-%02d\"", "format(spec, values...)", nil},
	"concat()":     {"lists behind each other", "concat(lists...)", nil},
	"coalesce()":   {"the first value that is not null", "coalesce(values...)", nil},
	"jsonencode()": {"a value as JSON", "jsonencode(value)", nil},
}
