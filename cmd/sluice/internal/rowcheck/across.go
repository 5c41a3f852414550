package rowcheck

import (
	"fmt"
	"hash/maphash"
	"path"
	"strings"

	"github.com/sluicehq/sluice/host/survey"
	"github.com/sluicehq/sluice/plugins/check"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Codes of what no row shows by itself.
const (
	duplicateID = "duplicate_id"
	otherSplit  = "other_split"
)

// ids remembers whose ids came, as hashes.
type ids struct {
	seed  maphash.Seed
	first map[uint64]place // of each id
	files []string
	most  int
	left  int64 // rows whose ids are not remembered
}

// A place is a row of one of the files.
type place struct{ file, line uint32 }

// mostIDs is how many ids are remembered, in about 1 GB.
const mostIDs = 1 << 25

func newIDs(most int) *ids {
	return &ids{seed: maphash.MakeSeed(), first: map[uint64]place{}, most: most}
}

// add remembers the id of a row, and returns the place of the row that had it first, "" when none had.
func (x *ids) add(shape, id string, r survey.Row) string {
	key := maphash.String(x.seed, shape+"\x00"+id)
	if at, known := x.first[key]; known {
		return fmt.Sprintf("%s:%d", x.files[at.file], at.line)
	}
	if len(x.first) >= x.most {
		x.left++
		return ""
	}
	if n := len(x.files); n == 0 || x.files[n-1] != r.File {
		x.files = append(x.files, strings.Clone(r.File))
	}
	x.first[key] = place{uint32(len(x.files) - 1), uint32(r.Line)}
	return ""
}

// compare compares a row that is right by itself with those before it, and with the name of its file. What a trajectory record says of
// itself has to be true; a canonical row may be there several times on purpose, as step mix draws them.
func (k *checking) compare(r survey.Row) error {
	row, shape := jsontext.Of(r.JSON), k.As
	if shape == check.Auto {
		shape = check.ShapeOf(row)
	}
	if shape != "trajectory" && shape != "canonical" {
		return nil
	}
	var id, split, metadata, trajectory, step, call jsontext.JSON
	row.Fill([]string{"id", "split", "metadata", "trajectoryId", "stepId", "callId"}, []*jsontext.JSON{&id, &split, &metadata, &trajectory, &step, &call}, nil)
	name, at := id.Text(), "id"
	if shape == "canonical" {
		if name, at = metadata.Get("trajectory_record_id").Text(), "metadata.trajectory_record_id"; name == "" && trajectory.Truthy() && step.Truthy() && call.Truthy() {
			name, at = string(trajectory+step+call), "callId"
		}
	}
	var found []Finding
	if name != "" {
		if first := k.ids.add(shape, name, r); first != "" {
			found = append(found, Finding{Code: duplicateID, Path: at, Message: "want an id that no other row has, have that of " + first})
		}
	}
	word, at := split.Word(), "split"
	if word == "" && shape == "canonical" {
		word, at = metadata.Get("split").Word(), "metadata.split"
	}
	if says, is := canonical.SplitOf(word), splitOfFile(r.File); says != "" && is != "" && says != is {
		found = append(found, Finding{Code: otherSplit, Path: at, Message: "want " + is + ", as the name of the file says, have " + says})
	}
	k.noteAll(r, shape, found)
	return nil
}

// noteAll notes what was found in a row that is right by itself.
func (k *checking) noteAll(r survey.Row, shape string, found []Finding) {
	level := levelError
	if shape == "canonical" && !k.Strict {
		level = "warning"
	}
	for _, f := range found {
		f.File, f.Line, f.Shape, f.Level = r.File, r.Line, shape, level
		k.note(f)
	}
	if len(found) > 0 && level == levelError {
		k.result.Wrong++
	}
}

// splitOfFile returns the split that a file's name is the word for, without endings, "" for another name.
func splitOfFile(name string) string {
	stem, _, _ := strings.Cut(path.Base(strings.ReplaceAll(name, `\`, "/")), ".")
	return canonical.SplitOf(stem)
}
