package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
)

type pair struct{ Name, Value string }

type fileView struct {
	Path    string
	What    string // of an output the sink and what it takes, of an input its source
	Records int64
	Bytes   int64
	Hash    string // with the name of its algorithm
	Trouble string
	Link    string
}

func (m *maker) outputs() list[fileView] {
	var all []fileView
	for _, o := range slices.SortedStableFunc(slices.Values(m.run.Outputs), func(a, b receipt.Output) int { return cmp.Compare(rank(a), rank(b)) }) {
		f := fileView{Path: o.Path, What: o.Sink, Records: o.Records, Bytes: o.Bytes, Hash: o.Named()}
		switch o.Side {
		case "":
		case receipt.DeadLetter:
			f.What += ", rejects"
		default:
			f.What += ", from " + o.Side
		}
		if len(all) < mostListed { // a file is read to its end for this
			if file := m.open(o.Path, o.Sum); file != nil {
				file.Close()
			}
		}
		if f.Trouble = m.troubles[o.Path]; f.Trouble == "" {
			f.Link = m.links.output(o.Path)
		}
		all = append(all, f)
	}
	return listOf(all)
}

// rank puts the outputs of the stream before side outputs, and the dead letter last.
func rank(o receipt.Output) int {
	switch o.Side {
	case "":
		return 0
	case receipt.DeadLetter:
		return 2
	}
	return 1
}

func (m *maker) inputs() list[fileView] {
	var all []fileView
	for _, in := range m.run.Inputs {
		all = append(all, fileView{Path: in.Name, What: in.Source, Records: in.Records, Bytes: in.Bytes, Hash: in.Named()})
	}
	return listOf(all)
}

type repeatView struct {
	Command   string // empty: too long to show
	Above     bool   // the page begins with the command, since the run failed
	Variables list[pair]
	Defaults  list[pair] // of these, those that nobody set
	About     []pair
	Readings  list[receipt.Dependency]
	Plugins   list[receipt.Plugin]
	Program   string // SHA-256 of the program that all built-in plugins are
}

func (m *maker) repeat() repeatView {
	r := m.run
	v := repeatView{Command: m.command(), About: []pair{
		{"run", r.Run}, {"started", r.Started.UTC().Format("2006-01-02 15:04:05 MST")}, {"sluice", r.Sluice},
		{"pipeline", r.Pipeline.Path}, {"its SHA-256", r.Pipeline.SHA256},
	}}
	var variables, defaults []pair
	for _, name := range slices.Sorted(maps.Keys(r.Variables)) {
		variables = append(variables, pair{name, short(r.Variables[name])})
		if slices.Contains(r.Defaults, name) {
			defaults = append(defaults, pair{name, short(r.Variables[name])})
		}
	}
	v.Variables, v.Defaults, v.Readings = listOf(variables), listOf(defaults), listOf(r.Dependencies)
	for _, p := range r.Plugins {
		if p.Path == receipt.BuiltIn {
			v.Program = p.SHA256
		}
	}
	v.Plugins = listOf(r.Plugins)
	return v
}

// command returns the command line that repeats the run, "" when it is too long to show. The reader fills in values that the receipt hides.
func (m *maker) command() string {
	words := append([]string{"sluice run " + quoted(m.run.Pipeline.Path)}, m.settings()...)
	if p := m.run.Partial; p != nil && p.Sample > 0 {
		words = append(words, fmt.Sprintf("--sample %d --seed %d", p.Sample, p.Seed))
	} else if p != nil {
		words = append(words, fmt.Sprintf("--limit %d", p.Limit))
	}
	if p := m.run.Part; p != nil {
		words = append(words, fmt.Sprintf("--part %d/%d", p.Index, p.Of))
	}
	return inLines(words)
}

func (m *maker) settings() (all []string) {
	for _, name := range slices.Sorted(maps.Keys(m.run.Variables)) {
		if slices.Contains(m.run.Defaults, name) { // the same file has the same
			continue
		}
		all = append(all, "--var "+setting(name, m.run.Variables[name]))
	}
	return all
}

// inLines writes the words of a command, as many in a line as fit, "" when they are too long to show.
func inLines(words []string) string {
	const wide, most = 96, 4000 // characters, bytes
	var b strings.Builder
	at := 0
	for i, word := range words {
		word = format.Printable(word)
		switch n := utf8.RuneCountInString(word); {
		case i == 0:
			at = n
		case at+1+n > wide:
			b.WriteString(" \\\n  ")
			at = 2 + n
		default:
			b.WriteByte(' ')
			at += 1 + n
		}
		b.WriteString(word)
	}
	if b.Len() > most {
		return ""
	}
	return b.String()
}

// setting sets a variable. One that the receipt hides comes from the environment, and the shell reports when it is missing.
func setting(name, value string) string {
	if value != host.Sensitive && !mask.Masked(value) {
		return quoted(name + "=" + value)
	}
	fromEnv := strings.Map(func(c rune) rune {
		if c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			return c
		}
		return '_'
	}, "SLUICE_VAR_"+name)
	return quoted(name+"=") + `"${` + fromEnv + `:?}"`
}

func quoted(word string) string {
	plain := func(c rune) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("_-./=:,@%+", c)
	}
	if word != "" && !strings.ContainsFunc(word, func(c rune) bool { return !plain(c) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
