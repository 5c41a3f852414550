package sdktest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// The sections of a case.
const (
	argsName = "args.json"
	inName   = "in.jsonl"
	wantName = "want"
)

// maxDepth is how deep an input may nest.
const maxDepth = 10_000

func sections(a *txtar.Archive) (args string, inputs []string, want string, err error) {
	for _, f := range a.Files {
		switch f.Name {
		case argsName:
			args = string(f.Data)
		case inName:
			inputs = slices.DeleteFunc(strings.Split(string(f.Data), "\n"), func(s string) bool { return s == "" })
		case wantName:
			want = string(f.Data)
		default:
			return "", nil, "", fmt.Errorf("want the sections %s, %s and %s, have %q", argsName, inName, wantName, f.Name)
		}
	}
	return args, inputs, want, check(args, inputs)
}

// check returns an error unless args and inputs are such as a host sends.
func check(args string, inputs []string) error {
	if bad := jsontext.Check([]byte(args), maxDepth); args != "" && (bad != nil || !jsontext.IsObject([]byte(args))) {
		return fmt.Errorf("%s: want a JSON object, have %d bytes that are not one", argsName, len(args))
	}
	for i, s := range inputs {
		if bad := jsontext.Check([]byte(s), maxDepth); bad != nil {
			return fmt.Errorf("%s: record %d: want JSON, have %d bytes that are not: %w", inName, i+1, len(s), bad)
		}
	}
	return nil
}

// words are the words that a line of a want section may begin with.
var words = []string{"emit", "drop", "decline", "reject", "side", "flush", "last", "count", "bad"}

// misspelt names the first line of a want section that no plugin's answer can match, or returns "".
func misspelt(want string) string {
	for i, line := range strings.Split(strings.TrimSuffix(want, "\n"), "\n") {
		if word, _, _ := strings.Cut(line, " "); line != "" && !slices.Contains(words, word) {
			return fmt.Sprintf("line %d of %s: want one of %s, have %q", i+1, wantName, strings.Join(words, ", "), word)
		}
	}
	return ""
}

// String returns the outcome as the text of a want section.
func (o *outcome) String() string {
	var b strings.Builder
	for _, e := range o.Bad {
		fmt.Fprintf(&b, "bad %s: %s\n", e.Name, e.Message)
	}
	for i := range o.Results {
		o.Results[i].write(&b)
	}
	o.Flushed.writeEmitted(&b, "flush ")
	for _, name := range slices.Sorted(maps.Keys(o.Last)) {
		for _, row := range o.Last[name] {
			fmt.Fprintf(&b, "last %s %s\n", name, row)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Counts)) {
		fmt.Fprintf(&b, "count %s %d\n", name, o.Counts[name])
	}
	return b.String()
}

func (r *Result) write(b *strings.Builder) {
	for _, name := range slices.Sorted(maps.Keys(r.Sides)) {
		for _, row := range r.Sides[name] {
			fmt.Fprintf(b, "side %s %s\n", name, row)
		}
	}
	switch r.Verdict {
	case "emit":
		r.writeEmitted(b, "emit ")
	case "reject":
		at := ""
		if r.Path != "" {
			at = " at " + r.Path
		}
		fmt.Fprintf(b, "reject %s%s: %s\n", r.Code, at, r.Message)
	default:
		fmt.Fprintf(b, "%s %s\n", r.Verdict, r.Message)
	}
}

// writeEmitted writes a line for each emitted record.
func (r *Result) writeEmitted(b *strings.Builder, word string) {
	for i, e := range r.Emitted {
		b.WriteString(word + e)
		for _, name := range slices.Sorted(maps.Keys(r.Labels[i])) {
			fmt.Fprintf(b, " %s=%s", name, r.Labels[i][name])
		}
		if lines := r.Origins[i]; len(lines) > 0 {
			fmt.Fprintf(b, " (from %s)", strings.Trim(strings.ReplaceAll(fmt.Sprint(lines), " ", ", "), "[]"))
		}
		b.WriteByte('\n')
	}
}
