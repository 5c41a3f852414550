package config

import (
	"fmt"
	"regexp"
	"strings"
)

// An Invariant holds for every row of some outputs of a test: either no row has something, or all have it.
type Invariant struct {
	Kind    string // Never or Always
	Name    string // what it is about, in words
	Sink    *Block // the sink, also that of a side output; nil: all sinks of the stream, or the dead letter
	Rejects bool   // rows of the dead letter

	Path    string         // of the value; "" for any text in the row
	Matches *regexp.Regexp // of the value's text; nil: not given
	Equals  string         // the value as JSON; "" when it is not given
	File    string         // how the path of the row's file ends
	Range   Range          // of the header
}

// invariant reads a block never or always. A code is the member of that name in the dead letter.
func (l testLoader) invariant(b *block) Invariant {
	v := Invariant{Kind: b.kind, Name: b.name(), Rejects: l.boolean(b, "rejects", false), Range: b.at}
	v.Path, v.Matches = l.nonEmpty(b, "path", "the path of a value in the row"), l.regexp(b, "matches")
	v.File = l.nonEmpty(b, "file", "how the path of a file ends")
	if value, ok := l.attr(b, "equals"); ok {
		v.Equals = string(appendJSON(nil, value))
	} else if len(b.wrote("equals")) > 0 {
		v.Equals = "null" // or a mistake that was reported
	}
	if code := l.nonEmpty(b, "code", "the code of a reject"); code != "" {
		v.Rejects, v.Path, v.Equals = true, "code", string(appendString(nil, code))
	}
	if name := l.nonEmpty(b, "sink", "the name of a sink"); name != "" {
		v.Sink = l.sinkOf(b, b.attrs["sink"].value.Range(), ExpectSink, name)
	}
	if name := l.nonEmpty(b, "output", "STEP.OUTPUT"); name != "" {
		v.Sink = l.sinkOf(b, b.attrs["output"].value.Range(), ExpectOutput, name)
	}
	l.checkInvariant(b)
	return v
}

func (l testLoader) checkInvariant(b *block) {
	if l.broken || b.partial {
		return
	}
	report := func(summary, detail string) { l.report(b.header, b.context, summary, detail, "") }
	if where := b.wrote("sink", "output", "rejects", "code"); len(where) > 1 && strings.Join(where, " ") != "rejects code" {
		report(fmt.Sprintf("want one of sink, output, rejects and code in %s, have %s", b.title(), strings.Join(where, " and ")), "each names the rows that are meant")
	}
	switch what := b.wrote("path", "matches", "equals", "code", "file"); {
	case len(what) == 0:
		report(b.title()+" is empty", "write path, matches, equals, code or file in it")
	case len(b.wrote("file")) == 1 && len(what) > 1, len(b.wrote("code")) == 1 && len(what) > 1:
		report(fmt.Sprintf("want one of file, code, or path with what it holds in %s, have %s", b.title(), strings.Join(what, " and ")), "a block says one thing; write another block")
	case len(b.wrote("equals")) == 1 && len(b.wrote("path")) == 0:
		l.wrongValue(b, "equals", "it with path", "no path", "")
	case len(b.wrote("equals", "matches")) == 2:
		l.wrongValue(b, "matches", "it without equals", "both", "")
	}
}

// regexp returns the regular expression of an attribute, nil when it is absent or wrong.
func (l *loader) regexp(b *block, name string) *regexp.Regexp {
	text := l.nonEmpty(b, name, "a regular expression (RE2)")
	if text == "" {
		return nil
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		l.wrongValue(b, name, "a regular expression (RE2)", strings.TrimPrefix(err.Error(), "error parsing regexp: "), "")
		return nil
	}
	return compiled
}
