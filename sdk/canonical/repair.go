package canonical

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// SplitWord returns the word for the row's split in lower case, and its path: the member split, or else metadata.split.
func (r *Row) SplitWord() (word, path string) { return splitWord(r.Split, r.Meta) }

func splitWord(split jsontext.JSON, meta func(key string) jsontext.JSON) (word, path string) {
	if word = split.Word(); word != "" {
		return word, "split"
	}
	return meta("split").Word(), "metadata.split"
}

// splits are the splits of rows, by the words that corpora have for them, with an underscore for a hyphen or a space.
var splits = map[string]string{
	"train": "train", "training": "train",
	"val": "val", "valid": "val", "validation": "val", "dev": "val", "development": "val", "eval": "val", "evaluation": "val",
	"test": "test", "testing": "test", "heldout": "test", "held_out": "test", "holdout": "test", "hold_out": "test",
	"repair": "repair_eval", "repair_eval": "repair_eval",
	"calibration": "calibration",
}

var underscores = strings.NewReplacer("-", "_", " ", "_")

// SplitOf returns the split that a word in any case is for: train, val, test, repair_eval or calibration. It is "" for another word.
func SplitOf(word string) string { return splits[underscores.Replace(strings.ToLower(word))] }

// Repair returns the marks of a row of the repair loop, in any shape: in its split, see Row.SplitWord, and its quality, or else in the
// quality in metadata. It reads them in every spelling, as JSON.Bool does. Arguments are JSON, or "" for none.
func Repair(split, quality, metadata jsontext.JSON) (marks []Fault) {
	if split == "" && quality == "" && metadata == "" {
		return nil
	}
	return repair(split, quality, metadata.Get)
}

// Repair returns the marks of the repair loop that the row has, as the function does.
func (r *Row) Repair() []Fault { return repair(r.Split, r.Quality, r.Meta) }

func repair(split, quality jsontext.JSON, meta func(key string) jsontext.JSON) (marks []Fault) {
	mark := func(code, path, format string, args ...any) {
		marks = append(marks, Fault{code, path, fmt.Sprintf(format, args...)})
	}
	if word, path := splitWord(split, meta); SplitOf(word) == "repair_eval" {
		mark("repair_split", path, "want a split for training, have %q", word)
	}
	qualityPath := "quality"
	if quality.Kind() != '{' {
		quality, qualityPath = meta("quality"), "metadata.quality"
	}
	for key, v := range quality.Members() {
		switch is, ok := v.Bool(); {
		case key == "success" && ok && !is:
			mark("unsuccessful", qualityPath+".success", "want a successful row, have %s", Seen(v))
		case key == "requiresRepair" && is, key == "rating" && v.Word() == "repair":
			mark("requires_repair", qualityPath+"."+key, "want a row that needs no repair, have %s", Seen(v))
		}
	}
	return marks
}

// Seen is jsontext.Seen for members that may also be numbers or booleans: a short one is named as it is.
func Seen(v jsontext.JSON) string {
	if strings.IndexByte(`"[{`, v.Kind()) < 0 && len(v) < 16 && v != "" {
		return string(v)
	}
	return jsontext.Seen(v)
}

// FaultCodes are the codes of a Row's faults, with what each means to a reader of the dead letter.
var FaultCodes = map[string]string{
	"bad_content":    "the content of a message is neither text nor parts; convert the row first",
	"bad_message":    "a message is not an object; convert the row first",
	"bad_messages":   "the messages are not a list; convert the row first",
	"bad_request":    "the request is not an object; convert the row first",
	"bad_response":   "the response is not an object; convert the row first",
	"bad_role":       "a message has a role that is not known; convert the row first",
	"bad_text":       "the text of a response is not a string; convert the row first",
	"bad_tool_call":  "a call has no name, is not a call, or says two things of what was called; leave the row out, or correct it where it was recorded",
	"bad_tools":      "the tools are in no spelling that is known; convert the row first",
	"too_many_calls": "more calls wait for their results than can be paired; split the row",
	"too_many_parts": "a row has more parts than can be read; split the row",
}

// RepairCodes are the codes that Repair returns, with what each means to a reader of the dead letter.
var RepairCodes = map[string]string{
	"repair_split":    "the row is of the repair loop; it is training data of another kind, or allowed by the step's attributes",
	"requires_repair": "the row says of itself that it needs a repair; correct it, or leave it out",
	"unsuccessful":    "the row says of itself that it did not succeed; leave it out",
}

// IsCalibration reports whether a row is for measuring a model and not for training it: its task says so, or its answer is a
// placeholder. The task is JSON, or "" for none.
func IsCalibration(task jsontext.JSON, answer jsontext.Body) bool {
	return strings.HasPrefix(task.Word(), "abliteration") || answer == "<abliteration-calibration>"
}
