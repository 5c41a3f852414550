package rows

import "slices"

// A Column is what rows may be filtered and sorted by.
type Column struct {
	Name   string
	Doc    string // what it is, a phrase
	Number bool   // it has one number for each row: Between and Order use it. Others have words: In, Order and Facets do.
}

// A column of words, as tables keep it.
type column int

const (
	shape column = iota
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
	stored // how many there are
)

// besideColumn and fileColumn are in no table: they are about other files, or all rows of one.
const (
	fileColumn   = "file"
	besideColumn = "beside"
)

// Numbers of a row.
const (
	sizeColumn  = "size"
	turnsColumn = "turns"
	callsColumn = "calls"
)

var words = [stored]Column{
	shape:   {Name: "shape", Doc: "what kind of row it is"},
	split:   {Name: "split", Doc: "the split that the row says it is of"},
	source:  {Name: "source", Doc: "the dataset that the row says it comes from"},
	task:    {Name: "task", Doc: "what the row trains for"},
	tag:     {Name: "tag", Doc: "the tags of the row"},
	quality: {Name: "quality", Doc: "success, failure, need of repair, rating"},
	model:   {Name: "model", Doc: "the model that answered"},
	adapter: {Name: "adapter", Doc: "the adapter that made the row of another shape"},
	finish:  {Name: "finish", Doc: "why the answer ended"},
	action:  {Name: "action", Doc: "the names that are called"},
	code:    {Name: "code", Doc: "the code of a reject, the check of a finding, why a duplicate was left out"},
	step:    {Name: "step", Doc: "the step that wrote a reject or finding"},
	entity:  {Name: "entity", Doc: "the kind of personal data or secret that was found"},
}

// Columns are all that there are. The words of "file" are the names of the files; those of "beside" are the shapes of rows in
// other files that come of the same record, such as reject and finding.
func Columns() []Column {
	all := []Column{
		{Name: sizeColumn, Doc: "bytes", Number: true},
		{Name: turnsColumn, Doc: "messages, with the response", Number: true},
		{Name: callsColumn, Doc: "calls of tools in all messages", Number: true},
		{Name: fileColumn, Doc: "the file that the row is in"},
	}
	return append(append(all, words[:]...), Column{Name: besideColumn, Doc: "what else became of its record: reject, finding"})
}

// The shapes of rows that are about no other.
const (
	noJSON      = "no JSON"
	tooLong     = "too long"
	valueShape  = "value"
	otherShape  = "other"
	canonical   = "canonical"
	chatml      = "chatml"
	thread      = "thread"
	preference  = "preference"
	elizaRecord = "eliza-record"
	chatText    = "text"
	promptShape = "prompt"
	statsShape  = "stats"
)

// The shapes of rows that say something about a record, as the words of "shape" and "beside" are.
const (
	RejectShape  = "reject"
	FindingShape = "finding"
	CheckShape   = "check"
	PairShape    = "pair"
)

// about are those shapes, in the order of their bits.
var about = []string{RejectShape, FindingShape, CheckShape, PairShape}

// IsAbout tells whether rows of a shape say something about a record.
func IsAbout(shape string) bool { return slices.Contains(about, shape) }
