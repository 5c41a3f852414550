package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/sdk/nearest"
)

// sequence returns the nodes of a block in file order.
func (l *loader) sequence(b *block) []Node {
	var nodes []Node
	for _, c := range b.all(stream...) {
		if n := l.node(c); n != nil {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// node returns the node of a block, nil for a step that is not enabled. It has a case for every kind in stream.
func (l *loader) node(b *block) Node {
	defer l.enter(b.hclFile)()
	switch b.kind {
	case "step":
		if s, enabled := l.step(b); enabled && b.labelled() {
			return s
		}
		return nil
	case "first":
		return l.firstOf(b)
	case "route":
		return l.route(b)
	case "tee":
		return &Tee{Name: b.name(), Body: l.sequence(b)}
	case "shadow":
		return l.shadow(b)
	case "sink":
		if s := l.sink(b); b.labelled() {
			return s
		}
		return nil
	}
	panic("no case for block " + b.kind)
}

func (l *loader) firstOf(b *block) *First {
	f := &First{Name: b.name(), Report: l.nonEmpty(b, "report", "the path of a file"), Shared: l.args(b), Range: b.at}
	l.shared = f.Shared
	f.Members = l.sequence(b)
	l.shared = Args{}
	if len(f.Members) == 0 && len(b.blocks) > 0 && !l.moved(b.header) {
		l.report(b.header, b.context, b.title()+" has no enabled step", "enable at least one, to take the records", "")
	}
	return f
}

func (l *loader) step(b *block) (s *Step, enabled bool) {
	s = &Step{
		Type: b.labels[0], Name: b.name(), Args: l.args(b), Shared: l.shared, Range: b.at,
		Host: HostOptions{Timeout: DefaultTimeout, Memory: DefaultMemory, OnCrash: CrashIsolates, Restarts: DefaultRestarts},
	}
	l.plugins[s.Type] = true
	enabled = true
	if host := b.one("host"); host != nil {
		s.Host, s.Deprecated = l.hostOptions(host)
		enabled = l.boolean(host, "enabled", true)
	}
	for _, o := range b.all("output") {
		if sink := l.sinkIn(o); sink != nil {
			s.Outputs = append(s.Outputs, SideOutput{Name: o.name(), Sink: sink, Range: o.at})
		}
	}
	return s, enabled
}

func (l *loader) hostOptions(b *block) (h HostOptions, deprecated string) {
	h.Workers = int(l.integer(b, "workers", 1, 0))
	h.Batch = l.batchSize(b, "batch")
	h.Process = l.choice(b, "process", processShared, ProcessOwn)
	h.Timeout = l.duration(b, "timeout", DefaultTimeout)
	h.Memory = l.size(b, "memory", DefaultMemory)
	h.OnCrash = l.onCrash(b)
	h.Restarts = int(l.integer(b, "restarts", 0, DefaultRestarts))
	h.Env = l.envNames(b)
	h.Keep = l.boolean(b, "keep", false)
	h.at = map[string]Range{}
	for name, a := range b.attrs {
		h.at[name] = l.file.rangeOf(a.value.Range())
	}
	return h, l.nonEmpty(b, "deprecated", "the reason, and what to use instead")
}

// onCrash reads what a crash of the plugin does. "reject" is what CrashIsolates was called.
func (l *loader) onCrash(b *block) string {
	words := []string{CrashIsolates, CrashFails}
	want := strconv.Quote(CrashIsolates) + " or " + strconv.Quote(CrashFails)
	return valueOf(l, b, "on_crash", want, CrashIsolates, func(v cty.Value) (string, string, bool) {
		given := stringIn(v)
		if given == "reject" {
			return "", CrashIsolates, false
		}
		return given, nearest.Word(given, words), slices.Contains(words, given)
	})
}

func (l *loader) sink(b *block) *Sink {
	return &Sink{Type: b.labels[0], Name: b.name(), Args: l.args(b), Range: b.at}
}

// sinkIn returns the sink inside a block, nil when there is none.
func (l *loader) sinkIn(b *block) *Sink {
	if c := b.one("sink"); c != nil {
		if s := l.sink(c); c.labelled() {
			return s
		}
	}
	return nil
}

func (l *loader) route(b *block) *Route {
	route := &Route{Name: b.name(), On: l.routeOn(b), RejectsOthers: l.boolean(b, "rejects_others", false), Range: b.at}
	for _, c := range b.blocks {
		switch c.kind {
		case "case":
			route.Cases = append(route.Cases, Case{Value: c.name(), Body: l.sequence(c), Range: c.at})
		case "default":
			route.Default, route.HasDefault = l.sequence(c), true
		}
	}
	if route.HasDefault && route.RejectsOthers {
		l.warn(b, b.title()+" rejects no others", "its default takes them; remove rejects_others or the default", "")
	}
	return route
}

// routeOn returns what a route is on. A pattern is refused: it may match several values, or none.
func (l *loader) routeOn(b *block) string {
	const want = "a path into the record, or @label"
	on := l.nonEmpty(b, "on", want)
	if on == "@" {
		l.wrongValue(b, "on", want, "@ without a label", "")
		return ""
	}
	if c := patternIn(on); c != "" {
		l.wrongValue(b, "on", `the path of one value such as "metadata.split"`,
			fmt.Sprintf(`a pattern with %q; a key that has it is written with \\%[1]s`, c), "")
		return ""
	}
	return on
}

// patternIn returns what makes a gjson path more than names of keys and places in lists, "" when nothing does.
func patternIn(on string) string {
	path, isLabel := strings.CutPrefix(on, "@")
	if strings.HasPrefix(path, "..") {
		return ".."
	}
	for i, start := 0, !isLabel; i < len(path); i++ {
		switch c := path[i]; {
		case c == '\\':
			i++
		case strings.IndexByte("*?#|", c) >= 0, start && strings.IndexByte("@!{[", c) >= 0:
			return string(c)
		}
		start = i < len(path) && path[i] == '.'
	}
	return ""
}

// shadow returns a shadow, or only its current step when the candidate is not enabled.
func (l *loader) shadow(b *block) Node {
	s := &Shadow{
		Name: b.name(), Limit: l.limit(b), Ignore: l.ignore(b), Report: l.text(b, "report"),
		Values: l.boolean(b, "values", false), Unfiltered: l.boolean(b, "unfiltered", false), Sink: l.sinkIn(b), Range: b.at,
	}
	compares := true
	for _, c := range b.all("current", "candidate") {
		step := c.one("step")
		if step == nil || !step.labelled() {
			continue
		}
		read, enabled := l.step(step)
		switch {
		case c.kind == "candidate":
			s.Candidate, compares = read, enabled
		case enabled:
			s.Current = read
		default:
			l.report(step.header, step.context, "the current step of "+b.title()+" is not enabled", "enable it, since its records go on", "")
		}
	}
	switch {
	case s.Current == nil: // which was reported
		return nil
	case !compares || s.Candidate == nil:
		return s.Current
	}
	return s
}

// distrust marks the steps whose program a block with a mistake names: what is wrong with them may be due to that.
func (l *loader) distrust(p *Pipeline) {
	eachStep(p.Body, func(s *Step) { s.Doubted = l.mispinned[s.Type] })
}

func (l *loader) pin(b *block) Pin {
	pin := Pin{
		Name: b.name(), Path: l.text(b, "path"), SHA256: l.text(b, "sha256"),
		Calls: b.name(), Env: l.envNames(b),
	}
	if len(b.attrs) == 0 && !b.partial && !l.broken {
		l.report(b.header, b.context, b.title()+" is empty", "write path, sha256, name or env in it", "")
	}
	if have := notSum(pin.SHA256); pin.SHA256 != "" && have != "" {
		if !isLiteral(b.attrs["sha256"].value) { // it may be a secret
			have = plural.Of(utf8.RuneCountInString(pin.SHA256), "character")
		}
		l.wrongValue(b, "sha256", "64 hexadecimal digits", have, "")
	}
	if calls, ok := l.str(b, "name"); ok {
		pin.Calls = calls
		if !wellNamed.MatchString(calls) {
			l.wrongValue(b, "name", "letters, digits, _ and - only", l.describe(cty.StringVal(calls), b.attrs["name"].value), "")
		}
	}
	pin.SHA256 = strings.ToLower(pin.SHA256)
	if pin.Path != "" && !filepath.IsAbs(pin.Path) {
		pin.Path = filepath.Join(l.dir, pin.Path)
	}
	return pin
}
