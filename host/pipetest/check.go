package pipetest

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/internal/compare"
	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// checker compares what a run wrote with what its test expects.
type checker struct {
	*runner
	test     *config.Test
	result   *host.Result
	rejects  []*reject
	failures []Failure
	found    map[int]config.Found // by the index of the expectation
	checked  map[int]int64        // rows that each never or always was checked on, by its line
}

type reject struct {
	code, message, path, step, file string
	line                            int64
	expected                        bool
}

// String returns FILE:LINE: CODE, with the path if there is one.
func (r *reject) String() string {
	at := ""
	if r.path != "" {
		at = " at " + r.path
	}
	return fmt.Sprintf("%s:%d: %s%s", r.file, r.line, r.code, at)
}

func (k *checker) check() error {
	k.found, k.checked = map[int]config.Found{}, map[int]int64{}
	rows, err := k.readOutputs(func(o receipt.Output) bool { return o.Side == receipt.DeadLetter })
	if err != nil {
		return err
	}
	for _, row := range rows {
		x := gjson.Parse(row.text)
		k.rejects = append(k.rejects, &reject{
			code: x.Get("code").Str, message: x.Get("message").Str, path: x.Get("path").Str,
			step: x.Get("step").Str, file: x.Get("file").Str, line: x.Get("line").Int(),
		})
	}
	crossed := k.crossed()
	for i := range k.test.Expects {
		switch e := &k.test.Expects[i]; e.Kind {
		case config.ExpectSink, config.ExpectOutput:
			if wrong := crossed[label(e.Sink)]; wrong != "" && e.File == "" {
				k.fail(e, e.Range.Line, wrong)
			}
			if err := k.sink(i, e); err != nil {
				return err
			}
		case config.ExpectReject:
			k.rejected(e)
		case config.ExpectDrop:
			k.dropped(e)
		}
	}
	for _, r := range k.rejects {
		if !r.expected {
			k.unexpected(r)
		}
	}
	return k.invariants()
}

// crossed says of the sinks that seem to have each other's paths, by their names, what is wrong.
func (k *checker) crossed() map[string]string {
	var sinks []plan.Named
	for _, o := range k.result.Outputs {
		_, name, _ := strings.Cut(o.Sink, ".")
		sinks = append(sinks, plan.Named{Name: name, Path: o.Path})
	}
	wrong := map[string]string{}
	for i, j := range plan.Crossed(sinks) {
		file := filepath.Base(sinks[i].Path)
		wrong[k.result.Outputs[i].Sink] = fmt.Sprintf("its rows are in %s, a file named like sink %s", file, k.result.Outputs[j].Sink)
		if k.result.Outputs[i].Side == "" {
			wrong[k.result.Outputs[i].Sink] += fmt.Sprintf("; if that is meant, say path = %q here", file)
		}
	}
	return wrong
}

func (k *checker) fail(e *config.Expect, line int, message string, diff ...Change) {
	k.failures = append(k.failures, failure(e, line, message, diff...))
}

func failure(e *config.Expect, line int, message string, diff ...Change) Failure {
	f := Failure{Line: line, Message: message, Diff: diff}
	if e.Sink != nil {
		f.Where, f.Place = where(e.Sink)
	}
	return f
}

// where returns the name of a block of the pipeline and its position.
func where(p *config.Block) (what, place string) {
	return p.Kind + " " + strings.Join(p.Labels, "."), fmt.Sprintf("%s:%d", p.Range.Path(), p.Range.Line)
}

type writtenRow struct {
	text string
	from string // ", from FILE:LINE,", "" when it comes from no record
}

// readOutputs returns the rows of the wanted outputs, file after file.
func (k *checker) readOutputs(wanted func(receipt.Output) bool) ([]writtenRow, error) {
	var rows []writtenRow
	outputs := slices.SortedFunc(slices.Values(k.result.Outputs), func(a, b receipt.Output) int { return cmp.Compare(a.Path, b.Path) })
	for _, o := range outputs {
		if !wanted(o) {
			continue
		}
		more, err := readRows(o.Path)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func readRows(path string) (rows []writtenRow, err error) {
	text, err := source.OpenText(path)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	origins, err := output.OpenOrigins(path)
	if err != nil {
		return nil, err
	}
	defer origins.Close()
	all, err := io.ReadAll(text)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(all)) {
		row := writtenRow{text: strings.TrimSuffix(line, "\n")}
		at, err := origins.Next()
		if err != nil {
			return nil, err
		}
		if at.File != "" {
			row.from = ", from " + at.String() + others(at) + ","
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// others says how many other records a row was made of.
func others(at output.Origin) string {
	if at.Of == nil || len(at.Of.List) < 2 {
		return ""
	}
	return fmt.Sprintf(" and %d more", int64(len(at.Of.List)-1)+at.Of.More)
}

func (k *checker) sink(i int, e *config.Expect) error {
	label := strings.Join(e.Sink.Labels, ".")
	rows, err := k.readOutputs(func(o receipt.Output) bool {
		return o.Sink == label && (e.File == "" || strings.HasSuffix("/"+filepath.ToSlash(o.Path), "/"+e.File))
	})
	if err != nil {
		return err
	}
	if k.how.Update && (e.Rows != nil || e.Count >= 0) {
		k.note(i, e, rows)
	} else {
		k.compare(e, rows)
	}
	k.contains(e, rows)
	return nil
}

// same reports whether a row equals the nth expected one.
func same(e *config.Expect, n int, row string) bool {
	want := e.Rows.All[n].Text
	return want == row || !e.Bytes && equalRows(want, row)
}

// note keeps what the file should expect instead, if that differs.
func (k *checker) note(i int, e *config.Expect, rows []writtenRow) {
	x := config.Found{Count: int64(len(rows)), Same: func(n int) bool { return n < len(rows) && same(e, n, rows[n].text) }}
	differs := e.Count >= 0 && e.Count != x.Count
	for n, row := range rows {
		x.Rows = append(x.Rows, []byte(row.text))
		differs = differs || e.Rows != nil && (n >= len(e.Rows.All) || !x.Same(n))
	}
	if differs || e.Rows != nil && len(rows) != len(e.Rows.All) {
		k.found[i] = x
	}
}

// maxFailures is how many rows of one expectation are reported.
const maxFailures = 5

func (k *checker) compare(e *config.Expect, rows []writtenRow) {
	if n := int64(len(rows)); e.Count >= 0 && e.Count != n {
		k.fail(e, e.RangeOf("count").Line, fmt.Sprintf("want %s, have %d", plural.Of(int(e.Count), "row"), n))
	}
	if e.Rows == nil {
		return
	}
	want := e.Rows.All
	wanted, have := make([]jsontext.JSON, len(want)), make([]jsontext.JSON, len(rows))
	for i := range want {
		wanted[i] = jsontext.JSON(want[i].Text)
	}
	for i := range rows {
		have[i] = jsontext.JSON(rows[i].text)
	}
	before := len(k.failures)
	for _, m := range compare.Align(wanted, have) {
		if m.A >= 0 && m.B >= 0 && !m.Moved && same(e, m.A, rows[m.B].text) {
			continue
		}
		if len(k.failures)-before == maxFailures {
			k.fail(e, e.RangeOf("rows").Line, fmt.Sprintf("and so on: want %s, have %d", plural.Of(len(want), "row"), len(rows)))
			return
		}
		k.mismatch(e, m, rows)
	}
}

// mismatch reports an expected row and the one that was written for it, either of which may be missing.
func (k *checker) mismatch(e *config.Expect, m compare.Match, rows []writtenRow) {
	if m.A < 0 {
		row := rows[m.B]
		k.fail(e, e.RangeOf("rows").Line, fmt.Sprintf("row %d%s is not expected", m.B+1, row.from), newChange("", "", row.text))
		return
	}
	want := e.Rows.All[m.A]
	if m.B < 0 {
		k.fail(e, want.Line, fmt.Sprintf("row %d that is expected is not there", m.A+1), newChange("", want.Text, ""))
		return
	}
	row := rows[m.B]
	changes := diffRows(want.Text, row.text)
	switch {
	case m.Moved && len(changes) == 0:
		k.fail(e, want.Line, fmt.Sprintf("row %d%s is expected as row %d", m.B+1, row.from, m.A+1))
		return
	case len(changes) == 0:
		changes = []Change{newChange("", want.Text, row.text)}
	}
	k.fail(e, want.Line, fmt.Sprintf("row %d%s differs from what is expected", m.B+1, row.from), changes...)
}

// contains looks for rows that hold the members of the expected ones, in their order.
func (k *checker) contains(e *config.Expect, rows []writtenRow) {
	if e.Contains == nil {
		return
	}
	for _, want := range e.Contains.All {
		at := slices.IndexFunc(rows, func(row writtenRow) bool { return hasAll(want.Text, row.text) })
		if at >= 0 {
			rows = rows[at+1:]
			continue
		}
		k.fail(e, want.Line, fmt.Sprintf("want a row with all of this, have %s without", plural.Of(len(rows), "row")), nearest(want.Text, rows)...)
	}
}

// element is the path of an element of an array, of which a row must not have more than is expected.
var element = regexp.MustCompile(`(^|\.)[0-9]+$`)

// nearest returns what is missing in the row that has most of the expected members, and which elements of arrays it has in addition.
func nearest(want string, rows []writtenRow) []Change {
	var best []Change
	for i, row := range rows {
		missing := slices.DeleteFunc(diffRows(want, row.text), func(c Change) bool { return c.Want == "" && !element.MatchString(c.Path) })
		if i == 0 || len(missing) < len(best) {
			best = missing
		}
	}
	return best
}
