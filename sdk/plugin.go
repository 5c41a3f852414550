package sdk

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A Plugin provides one kind of step. Tests run this value without a process.
type Plugin struct {
	Name string // required; the label in HCL, the directory, and what error messages say
	Doc  string // required; one sentence without a full stop, such as "greets the person whom a record names"

	// Args is the struct that Args.Decode fills, with its defaults: Args: config{Greeting: "hello"}. Its fields have
	// tags `hcl:"name,optional" doc:"what it is for"`, and may have `oneof:"drop keep"`, the words that a string or each
	// string in a list or map may be, and `example:"[\"a\"]"`, a value in JSON. A plugin without Args takes no attributes.
	Args any

	New func(Args) (Processor, error) // required; called once for each worker of a step

	Ordered  bool // one worker, records in order: for state across records
	TakesAll bool // it never returns Decline, so no step behind it in a first gets a record; a Decline rejects the record
	Private  bool // rejects show the text given to Record.Conceal instead of the record, even after a crash; see Record.Count for what makes a step a filter

	// Concurrent says that New returns what the function Concurrent returns: calls wait, and a worker makes several at once.
	// The steps have one worker unless the pipeline says otherwise, and share no chain.
	Concurrent bool

	Outputs []string          // side outputs that it may write
	Labels  []string          // labels that it may set; "*" allows any
	Codes   map[string]string // codes of rejects and warnings, with what each means to a reader of the dead letter; nil: any code
	Drops   map[string]string // reasons of drops, with what each means to a reader of the report; nil: any reason

	// Marks returns groups of strings, keys or values, of which every record that the step takes has one of each group outside of other
	// strings. Other records are declined without a call of Process, so that many steps in a first cost little: all steps of a chain
	// share one pass over a record's strings. The groups may depend on the step's attributes. nil means no group. A string that ends in
	// a colon, as in "system:", is found only as a key, which has no colon.
	Marks func(Args) [][]string

	// LabelValues lists the values that a label may have, so that a misspelt case of a route is a mistake in the file. Labels
	// whose values depend on records are left out: they may have any value. Where attributes decide, the processor is a Labeller.
	LabelValues map[string][]string
}

// anyName, among the names that a plugin declares, allows all names.
const anyName = "*"

var (
	pluginName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)
	innerName  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`) // of an attribute, output or label
)

// Validate returns all mistakes in the plugin's declaration.
func (p Plugin) Validate() error {
	var bad []error
	fail := func(format string, args ...any) {
		bad = append(bad, fmt.Errorf("plugin %q: %w", p.Name, fmt.Errorf(format, args...)))
	}
	if !pluginName.MatchString(p.Name) {
		fail("want a name of a-z, 0-9, _ and -, have %q", p.Name)
	}
	if !isSentence(p.Doc) {
		fail("want a doc of one sentence without a full stop, have %q", p.Doc)
	}
	if p.New == nil {
		fail("want New, have nil")
	}
	if t := reflect.TypeOf(p.Args); t != nil && t.Kind() != reflect.Struct {
		fail("want a struct for Args, have %s", t)
	} else if t != nil {
		wrong := badFields(t, "", nil)
		if wrong == nil {
			wrong = badWords(reflect.ValueOf(p.Args), "")
		}
		for _, err := range wrong {
			fail("args: %w", err)
		}
	}
	if p.Ordered && p.Concurrent {
		fail("want Ordered or Concurrent, have both")
	}
	if p.Marks != nil && (p.TakesAll || p.Concurrent) {
		fail("want Marks of a plugin that may decline and is not Concurrent, have Marks with TakesAll %t and Concurrent %t", p.TakesAll, p.Concurrent)
	}
	for _, err := range badNames(p.Outputs) {
		fail("outputs: %w", err)
	}
	for _, err := range badNames(slices.DeleteFunc(slices.Clone(p.Labels), func(l string) bool { return l == anyName })) {
		fail("labels: %w", err)
	}
	for _, err := range p.badValues() {
		fail("label values: %w", err)
	}
	for _, code := range slices.Sorted(maps.Keys(p.Codes)) {
		if !wire.IsCode(code) {
			fail("codes: want snake_case, have %q", code)
		}
		if p.Codes[code] == "" {
			fail("codes: want what %q means, have an empty text", code)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(p.Drops)) {
		if reason == "" || p.Drops[reason] == "" {
			fail("drops: want reasons with what each means, have %q: %q", reason, p.Drops[reason])
		}
	}
	return errors.Join(bad...)
}

func isSentence(doc string) bool {
	return doc != "" && strings.TrimSpace(doc) == doc && !strings.ContainsAny(doc, "\n\r") &&
		!strings.Contains(doc, ". ") && !strings.HasSuffix(doc, ".")
}

// badValues returns the mistakes in LabelValues.
func (p Plugin) badValues() (bad []error) {
	for _, label := range slices.Sorted(maps.Keys(p.LabelValues)) {
		values := p.LabelValues[label]
		if !slices.Contains(p.Labels, label) {
			bad = append(bad, fmt.Errorf("want labels that Labels has, have %q", label))
		}
		if len(values) == 0 {
			bad = append(bad, fmt.Errorf("want the values of %q; a label that may have any value is left out", label))
		}
		for i, v := range values {
			if v == "" {
				bad = append(bad, fmt.Errorf("want values of %q that are not empty, have an empty one", label))
			}
			if slices.Contains(values[:i], v) {
				bad = append(bad, fmt.Errorf("want value %q of %q once, have it twice", v, label))
			}
		}
	}
	return bad
}

func badNames(names []string) (bad []error) {
	for i, name := range names {
		if !innerName.MatchString(name) {
			bad = append(bad, fmt.Errorf("want a name of letters, digits, _ and -, have %q", name))
		}
		if slices.Contains(names[:i], name) {
			bad = append(bad, fmt.Errorf("want %q once, have it twice", name))
		}
	}
	return bad
}
