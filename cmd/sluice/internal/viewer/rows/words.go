package rows

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/check"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

const deepest = 10_000

// rowWords collects what a row holds for the columns. It is used again for the next row.
type rowWords struct {
	turns, calls uint32
	score        any // nil for none
	words        kind
	file         string // that a row about another row names
	line         int64
	top          map[string]byte // the members of the row: the first byte of each value
}

// read collects the words of a row, which are views of it, and reports whether the row is JSON.
func (s *rowWords) read(row []byte) (ok bool) {
	s.turns, s.calls, s.score, s.file, s.line = 0, 0, nil, "", 0
	for c := range s.words {
		s.words[c] = s.words[c][:0]
	}
	if jsontext.Check(row, deepest) != nil {
		s.add(shape, noJSON)
		return false
	}
	json := jsontext.JSON(strings.Trim(jsontext.View(row), " \t\r"))
	if json.Kind() != '{' {
		s.add(shape, valueShape)
		return true
	}
	if s.top == nil {
		s.top = map[string]byte{}
	}
	clear(s.top)
	s.members(json)
	s.add(shape, s.shape(json))
	return true
}

// mostMasked is how many bytes a row has whose words are masked. A larger one has none that are shown masked.
const mostMasked = 16 << 20

// mask replaces the words of a row that was read by those which it shows when it is masked: what is hidden, and where, depends on the
// whole row. The shape stays, which keys tell that no mask changes. Turns and calls are counted anew, as what is hidden could look like one.
// mask returns how many bytes the row has when it is masked. That of one which is not shown masked is its own.
func (s *rowWords) mask(row []byte, json bool, by *Mask) (shown int64) {
	masked := []byte("null")
	if by != nil && len(row) <= mostMasked {
		if !json {
			if masked = by.Visible(row, false); masked == nil {
				masked = row
			}
			return int64(len(masked))
		}
		masked = by.Row(row)
	}
	if !json || bytes.Equal(row, masked) {
		return int64(len(row))
	}
	is, turns, calls, score := s.words[shape][0], s.turns, s.calls, s.score
	s.read(masked)
	if by == nil {
		s.score = score
	}
	if s.words[shape] = append(s.words[shape][:0], is); string(masked) == "null" {
		s.turns, s.calls = turns, calls
		return int64(len(row))
	}
	return int64(len(masked))
}

func (s *rowWords) add(c column, word string) {
	if word = strings.TrimSpace(word); word == "" || len(s.words[c]) == mostWords {
		return
	}
	if len(word) > longestWord {
		word = longWord
	}
	if !slices.Contains(s.words[c], word) {
		s.words[c] = append(s.words[c], word)
	}
}

// addValue adds a value to a column: a string, a number, or each of an array. A value that is too long becomes longWord.
func (s *rowWords) addValue(c column, value jsontext.JSON) {
	switch kind := value.Kind(); {
	case len(value) > 6*longestWord && kind == '"':
		s.add(c, longWord)
	case kind == '"':
		s.add(c, value.Text())
	case kind == '-' || kind >= '0' && kind <= '9':
		s.add(c, string(value))
	case kind == '[':
		for _, element := range value.Elements() {
			if element.Kind() != '[' {
				s.addValue(c, element)
			}
		}
	}
}

func (s *rowWords) members(row jsontext.JSON) {
	for key, member := range row.Members() {
		switch key {
		case "messages", "conversations", "conversation", "chosen", "contents":
			s.messages(member)
		case "request":
			s.request(member)
		case "response":
			s.response(member)
		case "metadata":
			s.metadata(member)
		case "quality":
			s.quality(member)
		case "score", "reward", "judgeScore", "judge_score":
			s.addScore(member)
		case "code", "check", "left_out":
			s.addValue(code, member)
		case "step":
			s.addValue(step, member)
		case "entity":
			s.addValue(entity, member)
		case "file":
			s.file = member.Text()
		case "line", "record_line": // where a note has a line of its own, that of its record is behind it
			s.line, _ = strconv.ParseInt(string(member), 10, 64)
		default:
			if to, ok := topWords[key]; ok {
				s.addValue(to, member)
			}
		}
		s.top[key] = member.Kind()
	}
}

// topWords are members whose value is a word of a column, at the top of a row and in its metadata.
var topWords = map[string]column{
	"split": split, "source": source, "source_dataset": source, "sourceDataset": source, "dataset": source,
	"task": task, "task_type": task, "taskType": task, "tags": tag, "model": model, "modelId": model, "model_id": model,
	"finishReason": finish, "finish_reason": finish,
}

// addScore takes the first number that rates a row.
func (s *rowWords) addScore(value jsontext.JSON) {
	if score, ok := value.Number(); ok && s.score == nil {
		s.score = score
	}
}

// shape returns the shape of the row: one of those about other rows, what check.ShapeOf says, or one that only sources read.
func (s *rowWords) shape(row jsontext.JSON) string {
	return cmp.Or(s.shapeIn(ownShapes), check.ShapeOf(row), s.shapeIn(readShapes), otherShape)
}

// shapeIn returns the first shape whose keys the row has.
func (s *rowWords) shapeIn(shapes []keyedShape) string {
	for _, is := range shapes {
		if !slices.ContainsFunc(is.keys, func(key string) bool { return s.top[key] == 0 }) {
			return is.name
		}
	}
	return ""
}

// A keyedShape is a shape of rows that have keys.
type keyedShape struct {
	name string
	keys []string
}

var (
	ownShapes = []keyedShape{
		{RejectShape, []string{"code", "step", "plugin", "record"}},
		{FindingShape, []string{"entity", "step", "place"}},
		{CheckShape, []string{"level", "step", "message"}},
		{PairShape, []string{"left_out", "step", "kind"}},
		{threadShape, []string{"messages", "system_settings"}},
	}
	readShapes = []keyedShape{
		{"conversations", []string{"conversations"}},
		{"gemini", []string{"contents"}},
		{"eliza-record", []string{"currentMessage", "expectedResponse"}},
		{"stats", []string{"step", "shapes", "all"}},
		{"prompt", []string{"prompt", "completion"}},
		{"text", []string{"text"}},
	}
)

func (s *rowWords) metadata(value jsontext.JSON) {
	for key, member := range value.Members() {
		switch key {
		case "quality":
			s.quality(member)
		case "score", "reward", "judgeScore", "judge_score":
			s.addScore(member)
		case "conversion":
			s.addValue(adapter, member.Get("adapter"))
		default:
			if to, ok := topWords[key]; ok {
				s.addValue(to, member)
			}
		}
	}
}

func (s *rowWords) quality(value jsontext.JSON) {
	if value.Kind() != '{' {
		s.addValue(quality, value)
		return
	}
	for _, mark := range canonical.Repair("", value, "") {
		s.add(quality, markWords[mark.Code])
	}
	for key, member := range value.Members() {
		switch key {
		case "success":
			if is, _ := member.Bool(); is {
				s.add(quality, "success")
			}
		case "score":
			s.addScore(member)
		case "rating", "label", "labels":
			s.addValue(quality, member)
		}
	}
}

// markWords are the words for the marks of the repair loop.
var markWords = map[string]string{"unsuccessful": "failure", "requires_repair": "repair"}
