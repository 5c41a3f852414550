package rows

import "slices"

// A Column is a property that rows are filtered and sorted by.
type Column struct {
	Name   string
	Doc    string // a phrase
	Number bool   // it holds one number for each row: Between and Order use it. Others hold words: In, Order and Facets use them.
}

type column int

const (
	fileColumn column = iota
	outcome
	shape
	split
	source
	task
	tag
	quality
	model
	adapter
	finish
	action
	code
	step
	entity
	beside
	columns // how many there are
)

// Numbers of a row.
const (
	sizeColumn  = "size"
	turnsColumn = "turns"
	callsColumn = "calls"
	scoreColumn = "score"
)

var words = [columns]Column{
	fileColumn: {Name: "file", Doc: "the file that the row is in"},
	outcome:    {Name: "outcome", Doc: "what became of the record: kept, copied, rejected or noted; or it is of an input"},
	shape:      {Name: "shape", Doc: "the kind of row"},
	split:      {Name: "split", Doc: "the split that the row names"},
	source:     {Name: "source", Doc: "the dataset that the row names as its source"},
	task:       {Name: "task", Doc: "what the row trains for"},
	tag:        {Name: "tag", Doc: "the tags of the row"},
	quality:    {Name: "quality", Doc: "success, failure, need of repair, rating"},
	model:      {Name: "model", Doc: "the model that answered"},
	adapter:    {Name: "adapter", Doc: "the adapter that converted the row from another shape"},
	finish:     {Name: "finish", Doc: "why the answer ended"},
	action:     {Name: "action", Doc: "the names of the tools that are called"},
	code:       {Name: "code", Doc: "the code of a reject, the check of a finding, why a duplicate was left out"},
	step:       {Name: "step", Doc: "the step that wrote a reject or finding"},
	entity:     {Name: "entity", Doc: "the kind of personal data or secret that was found"},
	beside:     {Name: "beside", Doc: "what else became of its record: reject, finding"},
}

// Columns returns all columns. Words of "beside" are the shapes of rows in other files that come of the same record.
func Columns() []Column {
	return append([]Column{
		{Name: sizeColumn, Doc: "bytes", Number: true},
		{Name: turnsColumn, Doc: "messages, with the response", Number: true},
		{Name: callsColumn, Doc: "calls of tools in all messages", Number: true},
		{Name: scoreColumn, Doc: "the score or reward that the row names", Number: true},
	}, words[:]...)
}

func columnOf(name string) (column, bool) {
	at := slices.IndexFunc(words[:], func(c Column) bool { return c.Name == name })
	return column(at), at >= 0
}

// Shapes of rows that are about no other row.
const (
	noJSON          = "no JSON"
	tooLong         = "too long"
	valueShape      = "value"
	otherShape      = "other"
	canonicalShape  = "canonical"
	chatmlShape     = "chatml"
	threadShape     = "thread"
	preferenceShape = "preference"
)

// Words of "outcome", by the place of a file in its run.
const (
	Kept     = "kept"   // the stream itself, in which each record is once
	Copied   = "copied" // by a tee
	Rejected = "rejected"
	Noted    = "noted" // what a step says about records
	Input    = "input"
)

// The shapes of rows that say something about a record, as words of "shape" and "beside".
const (
	RejectShape  = "reject"
	FindingShape = "finding"
	CheckShape   = "check"
	PairShape    = "pair"
)

var about = []string{RejectShape, FindingShape, CheckShape, PairShape}

// IsAbout reports whether rows of a shape say something about a record.
func IsAbout(shape string) bool { return slices.Contains(about, shape) }

// number returns the column of numbers of a name in SQL. The size of a row that is masked is that of what is shown of it.
func (q *Query) number(name string) string {
	if name == sizeColumn && q.Masked {
		return "r.shown"
	}
	return "r." + name
}

// Limits of the words that are kept.
const (
	longestWord = 80
	mostWords   = 32 // of a row, in a column
)

// Words for those that are not kept.
const (
	longWord  = "(long)"
	otherWord = "(other)"
)
