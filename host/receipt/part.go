package receipt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/sluicehq/sluice/host/filehash"
)

// A Part names one of Of runs that share the inputs of a whole run. Index counts from 0.
type Part struct {
	Index int `json:"index"`
	Of    int `json:"of"`
}

// maxParts is the most parts of a run, so that their numbers have five digits.
const maxParts = 99_999

// ParsePart reads INDEX/OF.
func ParsePart(text string) (p Part, err error) {
	index, of, _ := strings.Cut(text, "/")
	if p.Of, err = strconv.Atoi(of); err != nil || p.Of < 1 || p.Of > maxParts {
		return Part{}, fmt.Errorf("want a part such as 0/16 to 15/16, of %d at most, have %q", maxParts, text)
	}
	if p.Index, err = strconv.Atoi(index); err == nil && p.Index >= 0 && p.Index < p.Of {
		return p, nil
	}
	if p.Of == 1 {
		return Part{}, fmt.Errorf("want 0/1, have %q", text)
	}
	return Part{}, fmt.Errorf("want 0/%d to %d/%d, have %q", p.Of, p.Of-1, p.Of, text)
}

// String returns the part as it stands in the names of files, as in 00003-of-00016.
func (p Part) String() string { return fmt.Sprintf("%05d-of-%05d", p.Index, p.Of) }

// PathOf returns the path that the part has for the whole run's: train-00003-of-00016.jsonl.gz for train.jsonl.gz. The path may name
// labels, as in {split}.jsonl.
func (p Part) PathOf(path string) string {
	stem, ending := cutEnding(path)
	return stem + "-" + p.String() + ending
}

// cutEnding cuts the ending off a path, with that of a compressed file. A file whose name has nothing before it has none.
func cutEnding(path string) (stem, ending string) {
	folder, name := filepath.Split(path)
	ending = filepath.Ext(name)
	if ending == ".gz" || ending == ".zst" {
		ending = filepath.Ext(strings.TrimSuffix(name, ending)) + ending
	}
	if strings.Count(ending, "}") != strings.Count(ending, "{") || len(ending) == len(name) {
		ending = "" // a dot in the name of a label, or a hidden file
	}
	return folder + strings.TrimSuffix(name, ending), ending
}

var partForm = regexp.MustCompile(`^(.*)-([0-9]{5})-of-([0-9]{5})((?:-[0-9]{5,})?(?:\.[^/]*)?)$`)

// PartOf returns the part in the name of a file, and the path that the whole run gives it.
func PartOf(path string) (p Part, whole string, ok bool) {
	folder, name := filepath.Split(path)
	m := partForm.FindStringSubmatch(name)
	if m == nil {
		return p, path, false
	}
	p.Index, _ = strconv.Atoi(m[2])
	p.Of, _ = strconv.Atoi(m[3])
	return p, folder + m[1] + m[4], p.Of > 0 && p.Index < p.Of
}

// PartAccount is what the receipt of a part says about the whole run. All its parts agree about it.
type PartAccount struct {
	Part
	Files  int     `json:"files"`            // that the whole run reads
	Bytes  int64   `json:"bytes"`            // of them
	SHA256 string  `json:"inputs_sha256"`    // see HashInputs
	Limits []Limit `json:"limits,omitempty"` // that only the whole run can keep to

	Rotates map[string]Rotation `json:"rotates,omitempty"` // sinks by name whose files are bounded
	Tables  map[string]Table    `json:"tables,omitempty"`  // sinks of Parquet by name that write in a way of their own

	Named   []NamedFile `json:"named,omitempty"`   // files that attributes of steps name
	Secrets string      `json:"secrets,omitempty"` // a short check value of the sensitive variables, from a slow hash
}

// NamedFile is a file that an attribute of a step names, such as rules. Each machine may have it elsewhere.
type NamedFile struct {
	Step string `json:"step"`
	Name string `json:"name"` // without its folders
	filehash.Sum
}

// Table is how a sink writes Parquet. The zero Table infers all types, and bounds row groups as usual.
type Table struct {
	Columns  map[string]string `json:"columns,omitempty"` // types of columns by their paths
	RowGroup Rotation          `json:"row_group,omitzero"`
}

// Rotation is how much each file of a sink holds at most. 0 is no bound.
type Rotation struct {
	Rows  int64 `json:"rows,omitempty"`
	Bytes int64 `json:"bytes,omitempty"` // before compression
}

// HashInputs returns a hash of the names, sources, sizes and times of the inputs of a whole run, in order, as their shares have them.
func HashInputs(all []Input) string {
	hash := sha256.New()
	for _, in := range all {
		fmt.Fprintf(hash, "%q %q %d %d\n", in.Source, in.Name, in.Share.Size, in.Share.Modified.UnixNano())
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// Limit is the most rejects of a run, or the most differences of a shadow.
type Limit struct {
	What string `json:"what"` // DeadLetter, or the name of the shadow
	Most string `json:"most"` // a number, or a share such as "1%"
}

// Share is what a part read of a file: the bytes from From up to To, which begin and end with lines, or all of it. Line is the line
// that From is at, counted from 1, and Lines is how many end in the share. Both are 0 of a file that is not cut.
type Share struct {
	File     int       `json:"file"` // which of the files that the whole run reads, counted from 0: names may look alike, masked
	From     int64     `json:"from"`
	To       int64     `json:"to"`
	Line     int64     `json:"line,omitempty"`
	Lines    int64     `json:"lines,omitempty"`
	Size     int64     `json:"size"`              // of the file
	Modified time.Time `json:"modified,omitzero"` // zero in a manifest
}

// Cut reports whether the share is not the whole file.
func (s *Share) Cut() bool { return s != nil && (s.From > 0 || s.To < s.Size) }
