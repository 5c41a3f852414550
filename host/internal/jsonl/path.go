package jsonl

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/batch"
)

// Codes of the faults that a sink finds.
const (
	NoLabel  = "no_label"
	BadLabel = "bad_label"
)

// maxLabel is the longest label value in a path, in bytes. File systems take names of 255.
const maxLabel = 128

// A labelled path is fixed[0] {labels[0]} fixed[1] and so on.
type labelled struct {
	fixed  []string // one more than labels
	labels []string
}

func parsePath(path string) (labelled, error) {
	var p labelled
	rest := path
	for {
		fixed, behind, more := strings.Cut(rest, "{")
		if strings.Contains(fixed, "}") {
			return p, fmt.Errorf("%q: want '{' before '}'", path)
		}
		p.fixed = append(p.fixed, fixed)
		if !more {
			return p, nil
		}
		name, behind, closed := strings.Cut(behind, "}")
		if !closed || name == "" || strings.Contains(name, "{") {
			return p, fmt.Errorf("%q: want a label such as {split} at '{'", path)
		}
		p.labels = append(p.labels, name)
		rest = behind
	}
}

// appendTo appends the path of r to dst, or says why r has none.
func (p *labelled) appendTo(dst []byte, r *batch.Record) ([]byte, *batch.Fault) {
	dst = append(dst, p.fixed[0]...)
	for i, name := range p.labels {
		value, ok := label(r, name)
		if !ok {
			return dst, &batch.Fault{Code: NoLabel, Message: fmt.Sprintf("want label %q, which the sink's path names, have none", name)}
		}
		if bad := unfit(value); bad != "" {
			return dst, &batch.Fault{Code: BadLabel, Message: fmt.Sprintf("want label %q fit for a file name, have %s", name, bad)}
		}
		dst = append(dst, value...)
		dst = append(dst, p.fixed[i+1]...)
	}
	return dst, nil
}

func label(r *batch.Record, name string) (string, bool) {
	for _, l := range r.Labels {
		if l.Name == name {
			return l.Value, true
		}
	}
	return "", false
}

// unfit says what keeps a label's value out of a path: what could lead to another folder, to a hidden file, or to no
// file at all on some system.
func unfit(value string) string {
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
	}
	return ""
}

// Overlaps is an error when the output path, labels filled in or not, can be one of the inputs.
func Overlaps(inputs []string, output string) error {
	if output == stdin {
		return nil
	}
	p, err := parsePath(output)
	if err != nil {
		return err
	}
	same, err := p.sameFile()
	if err != nil {
		return err
	}
	for _, name := range inputs {
		if name != stdin && same(name) {
			return fmt.Errorf("want an output that is no input, have %q, which is the input %q", output, name)
		}
	}
	return nil
}

// sameFile gives a test whether a file can be the path's.
func (p *labelled) sameFile() (func(name string) bool, error) {
	if len(p.labels) == 0 {
		out, err := os.Stat(p.fixed[0])
		if missing(err) || err == nil && !out.Mode().IsRegular() {
			return func(string) bool { return false }, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.fixed[0], reason(err))
		}
		return func(name string) bool {
			in, err := os.Stat(name)
			return err == nil && os.SameFile(in, out)
		}, nil
	}
	dir, base := filepath.Split(p.fixed[0])
	pattern := regexp.QuoteMeta(filepath.Join(identity(filepath.Clean(dir)), "x"))
	pattern = "^" + strings.TrimSuffix(pattern, "x") + regexp.QuoteMeta(base)
	for _, fixed := range p.fixed[1:] {
		pattern += `[^/\\]+` + regexp.QuoteMeta(filepath.FromSlash(fixed))
	}
	re := regexp.MustCompile(pattern + "$")
	return func(name string) bool { return re.MatchString(identity(name)) }, nil
}
