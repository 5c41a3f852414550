package output

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/wire"
)

// Codes of the faults that a sink finds.
const (
	NoLabel      = "no_label"
	BadLabel     = "bad_label"
	TooManyFiles = "too_many_files"
	BadRow       = "bad_row"
)

// Lengths in bytes. File systems take names of 255.
const (
	maxLabel = 128
	maxName  = 255
)

// A pattern is the path fixed[0] {labels[0]} fixed[1] and so on.
type pattern struct {
	fixed  []string // one more than labels
	labels []string
}

func parsePattern(path string) (pattern, error) {
	var p pattern
	rest := path
	for {
		fixed, behind, more := strings.Cut(rest, "{")
		if strings.Contains(fixed, "}") {
			return p, fmt.Errorf("want '{' before '}', have %q", path)
		}
		p.fixed = append(p.fixed, fixed)
		if !more {
			return p, p.checkDots(path)
		}
		name, behind, closed := strings.Cut(behind, "}")
		if !closed || name == "" || strings.Contains(name, "{") {
			return p, fmt.Errorf("want a label such as {split} at '{', have %q", path)
		}
		p.labels = append(p.labels, name)
		rest = behind
	}
}

// checkDots keeps ".." from taking a label back: all of its values would lead to one file.
func (p *pattern) checkDots(path string) error {
	behind := strings.Join(append([]string{""}, p.fixed[1:]...), "label")
	if slices.Contains(strings.FieldsFunc(behind, isSeparator), "..") {
		return fmt.Errorf("want no \"..\" behind a label, have %q", path)
	}
	return nil
}

func isSeparator(r rune) bool { return r == '/' || r == filepath.Separator }

// key returns the same text for two patterns that lead to the same file for every record.
func (p *pattern) key(s *Set, folder *target) string {
	_, base := filepath.Split(p.fixed[0])
	key := folder.key + "\x00" + s.fold(folder.real, base)
	for i, label := range p.labels {
		key += "{" + label + "}" + s.fold(folder.real, filepath.FromSlash(p.fixed[i+1]))
	}
	return key
}

// appendTo appends the path of r to dst, or returns why r has none.
func (p *pattern) appendTo(dst []byte, r *wire.Record) ([]byte, *wire.Fault) {
	dst = append(dst, p.fixed[0]...)
	for i, name := range p.labels {
		value, ok := Label(r, name)
		if !ok {
			return dst, &wire.Fault{Code: NoLabel, Message: fmt.Sprintf("want label %q, which the sink's path names, have a record without it", name)}
		}
		if bad := unfitLabel(value); bad != "" {
			return dst, badLabel("want label %q fit for a file name, have %s", name, bad)
		}
		dst = append(dst, value...)
		dst = append(dst, p.fixed[i+1]...)
	}
	return dst, nil
}

// matches reports whether there are labels with which the pattern is the path.
func (p *pattern) matches(path string) bool { return matches(path, p.fixed) }

func matches(path string, fixed []string) bool {
	rest, fits := strings.CutPrefix(path, fixed[0])
	if !fits || len(fixed) == 1 {
		return fits && rest == ""
	}
	for n := 1; n <= min(len(rest), maxLabel); n++ {
		if matches(rest[n:], fixed[1:]) && unfitLabel(rest[:n]) == "" {
			return true
		}
	}
	return false
}

// Fill returns a path with the labels of a record filled in, or the path as it is when a label is missing or unfit.
func Fill(path string, r *wire.Record) string {
	p, err := parsePattern(path)
	if err != nil {
		return path
	}
	filled, fault := p.appendTo(nil, r)
	if fault != nil {
		return path
	}
	return string(filled)
}

// Label returns the value of a label of a record.
func Label(r *wire.Record, name string) (value string, ok bool) {
	for _, l := range r.Labels {
		if l.Name == name {
			return l.Value, true
		}
	}
	return "", false
}

func badLabel(format string, args ...any) *wire.Fault {
	return &wire.Fault{Code: BadLabel, Message: fmt.Sprintf(format, args...)}
}

// isUnseen reports characters that have no form of their own: names with them look like other names.
func isUnseen(c rune) bool {
	return unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp) && c != '\u200c' && c != '\u200d' // these join letters of some scripts
}

// unfitLabel returns what keeps a label's value out of a path: what could lead to another folder, to a hidden file, or to no
// file at all on some system.
func unfitLabel(value string) string {
	switch {
	case value == "":
		return "an empty value"
	case value[0] == '.':
		return "a leading '.'"
	case len(value) > maxLabel:
		return fmt.Sprintf("%d bytes of at most %d", len(value), maxLabel)
	case strings.ContainsAny(value, `/\`):
		return "a path separator"
	case strings.ContainsAny(value, `:*?"<>|`):
		return "a character that not every file system takes"
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		return "a control character or invalid UTF-8"
	case strings.ContainsFunc(value, isUnseen):
		return "a character that does not show, or changes the direction of others"
	case strings.TrimSpace(value) != value:
		return "white space at its start or end"
	}
	return ""
}
