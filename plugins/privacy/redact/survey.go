package redact

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// A survey is what objects and arrays of a JSON text say of others beside them, which may precede them.
type survey struct {
	manifests []int   // offsets of the objects that hold the values of Kubernetes secrets
	tables    []table // in order
}

// A table is an array of rows: arrays, or objects with one array alone.
type table struct {
	start, width int
	columns      []rules.Class
}

// A layer is an object or array that is open during a survey.
type layer struct {
	kind             byte
	start            int
	keyStart, keyEnd int // of the current member
	count            int // of members or elements
	nested, stacked  bool
	isSecret         bool
	data             []int // offsets of the values of data and stringData

	isNamed  bool // an object that says what a column is
	name     rules.Class
	cells    int // of an object, the elements of its first array
	isHeader bool
	titles   []rules.Class // of an array of names of columns
	width    int           // of the widest row of an array of rows, or -1 when it holds something else
	first    []rules.Class // the titles of the first row
	headers  []header
	tables   []table
}

// A header is what the columns of a table are, found so many objects further inside.
type header struct {
	titles []rules.Class
	inside int
}

// The most columns of a table, headers of an object, and objects around a header, as in {"schema": {"fields": []}, "rows": []}.
const mostColumns, mostHeaders, mostInside = 200, 8, 2

// A surveyor makes a survey.
type surveyor struct {
	f    *Filter
	doc  string
	open []layer
	survey
}

// survey reads the objects and arrays of a JSON text.
func (f *Filter) survey(doc string) survey {
	s := surveyor{f: f, doc: doc}
	for kind, start, end, next := Token(doc, 0); kind != 0; kind, start, end, next = Token(doc, next) {
		switch kind {
		case '{', '[':
			s.enter(kind, start)
		case '}', ']':
			s.leave()
		case KeyKind:
			top := &s.open[len(s.open)-1]
			top.keyStart, top.keyEnd = start, end
			top.count++
		default:
			if len(s.open) > 0 {
				s.scalar(&s.open[len(s.open)-1], kind, start, end)
			}
		}
	}
	slices.Sort(s.manifests)
	slices.SortFunc(s.tables, func(a, b table) int { return a.start - b.start })
	return s.survey
}

// opensTable reports whether an array is at at, behind a colon and blanks, that begins with an array, or as rows of BigQuery and Athena do.
func opensTable(doc string, at int) bool {
	for at < len(doc) && (isBlank(doc[at]) || doc[at] == ':') {
		at++
	}
	if at == len(doc) || doc[at] != '[' {
		return false
	}
	if at = pastBlanks(doc, at+1); at == len(doc) || doc[at] != '{' {
		return at < len(doc) && doc[at] == '['
	}
	row := doc[pastBlanks(doc, at+1):]
	return strings.HasPrefix(row, `"f"`) || strings.HasPrefix(row, `"Data"`)
}

func pastBlanks(doc string, at int) int {
	for at < len(doc) && isBlank(doc[at]) {
		at++
	}
	return at
}

func (s *surveyor) enter(kind byte, start int) {
	if n := len(s.open); n > 0 {
		top := &s.open[n-1]
		top.nested = true
		switch key := s.doc[top.keyStart:top.keyEnd]; {
		case top.kind == '[':
			top.count++
			top.stacked = top.stacked || kind == '['
		case kind == '{' && (key == "data" || key == "stringData"):
			top.data = append(top.data, start)
		}
	}
	s.open = append(s.open, layer{kind: kind, start: start, isHeader: kind == '['})
}

func (s *surveyor) scalar(top *layer, kind byte, start, end int) {
	if top.kind == '[' {
		top.count++
		top.width = -1
		if kind == StringKind && end-start <= longestName && !strings.ContainsAny(s.doc[start:end], noTitle) {
			s.title(top, s.f.nameIn(s.doc, start, end))
		} else {
			top.isHeader = false
		}
		return
	}
	if kind != StringKind {
		return
	}
	top.isSecret = top.isSecret || isManifestKind(s.doc[top.keyStart:top.keyEnd], s.doc[start:end])
	if !top.isNamed && s.f.keys.at(s.doc, top.keyStart, top.keyEnd, s.f.Engine).class&rules.PairNameKey != 0 {
		top.isNamed, top.name = true, s.f.nameIn(s.doc, start, end)
	}
}

// noTitle are signs that the name of a column lacks, but code, addresses and what replaces a finding have.
const noTitle = "<>{}[]()=;$@\"\\!?/+&%,~"

// title adds the name of a column to an array.
func (s *surveyor) title(array *layer, name rules.Class) {
	if array.isHeader = array.isHeader && array.count <= mostColumns; array.isHeader {
		array.titles = append(array.titles, name)
	}
}

// leave closes the innermost layer, and notes in the one around it what it was.
func (s *surveyor) leave() {
	l := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	if l.isSecret {
		s.manifests = append(s.manifests, l.data...)
	}
	for _, t := range l.tables {
		s.settle(t, l.headers)
	}
	if len(s.open) == 0 {
		s.settle(tableOf(&l), nil)
		return
	}
	if around := &s.open[len(s.open)-1]; around.kind == '[' {
		s.element(around, &l)
	} else {
		s.member(around, &l)
	}
}

// element notes in an array what an element of it was, which has ended.
func (s *surveyor) element(around, l *layer) {
	row := 0
	switch {
	case l.kind == '[' && !l.stacked:
		row = l.count
	case l.kind == '{' && l.count == 1:
		row = l.cells
	}
	if row == 0 {
		around.width = -1
	} else if around.width >= 0 {
		around.width = max(around.width, row)
	}
	if around.count == 1 && l.kind == '[' && l.isHeader {
		around.first = l.titles
	}
	if l.isNamed {
		s.title(around, l.name)
	} else {
		around.isHeader = false
	}
}

// member notes in an object what the value of its current member was, which has ended.
func (s *surveyor) member(around, l *layer) {
	if n := len(around.data); l.nested && n > 0 && around.data[n-1] == l.start {
		around.data = around.data[:n-1] // the values of a secret are strings
	}
	if l.kind == '{' {
		for _, h := range l.headers {
			if h.inside < mostInside && len(around.headers) < mostHeaders {
				around.headers = append(around.headers, header{h.titles, h.inside + 1})
			}
		}
		return
	}
	if around.cells == 0 {
		around.cells = l.count
	}
	if l.isHeader && len(around.headers) < mostHeaders && slices.ContainsFunc(l.titles, isNamedValue) {
		around.headers = append(around.headers, header{titles: l.titles})
	}
	if l.width > 1 {
		around.tables = append(around.tables, tableOf(l))
	}
}

// tableOf returns an array of rows, the first of which names the columns when others follow it.
func tableOf(l *layer) table {
	if l.count < 2 {
		return table{l.start, l.width, nil}
	}
	return table{l.start, l.width, l.first}
}

func isNamedValue(class rules.Class) bool { return class != 0 }

// settle adds a table with its columns, by a header beside it or by its first row. Rows of two of which only the first is a name are
// pairs of name and value.
func (s *surveyor) settle(t table, headers []header) {
	for _, h := range headers {
		if len(h.titles) == t.width {
			s.tables = append(s.tables, table{t.start, t.width, h.titles})
			return
		}
	}
	if t.width < 2 || len(t.columns) == 2 && t.columns[1] == 0 || !slices.ContainsFunc(t.columns, isNamedValue) {
		return
	}
	s.tables = append(s.tables, t)
}

// isManifestKind reports whether a member makes its object a Kubernetes secret.
func isManifestKind(key, value string) bool { return key == "kind" && value == "Secret" }

// tell notes in the innermost frame, which is of the object or array at start, what the survey knows of it. The survey is made at the first
// object or array that it may know something of.
func (f *Filter) tell(s *sweep, top *frame, start int) {
	if !s.surveyed {
		if top.class&rules.DataKey == 0 && (top.kind == '{' || !opensTable(s.doc, start)) {
			return
		}
		s.surveyed, s.survey = true, f.survey(s.doc)
		s.isTold = len(s.manifests)+len(s.tables) > 0
	}
	if !s.isTold {
		return
	}
	f.cleanTo = 0 // the skim did not know of it
	if len(s.manifests) > 0 && s.manifests[0] == start {
		s.manifests, top.packed = s.manifests[1:], true
	} else if len(s.tables) > 0 && s.tables[0].start == start {
		s.tables, top.columns = s.tables[1:], s.tables[0].columns
		return
	}
	if len(s.frames) < 2 {
		return
	}
	switch around := &s.frames[len(s.frames)-2]; {
	case around.columns != nil && top.kind == '[':
		top.row = around.columns
	case around.columns != nil && around.kind == '[':
		top.columns = around.columns // of a row that is an object with an array
	case top.kind == '{':
		top.cell = around.column()
	}
}

// column returns the class of the column that the current element of a row is in.
func (f *frame) column() rules.Class {
	if f.index >= 0 && f.index < len(f.row) {
		return f.row[f.index]
	}
	return 0
}

// numbered returns what the value of the current member is when its key is a number: a cell of a table by columns, as in
// {"phone": {"0": 1}}. Of a token, which a number may stand for in a vocabulary, heldText decides.
func (s *sweep) numbered(f *frame) rules.Class {
	if f.held == 0 || f.start == f.end || forwardDigits(s.doc[f.start:f.end]) < f.end-f.start {
		return 0
	}
	return f.held &^ (rules.SecretKey | rules.VagueKey)
}

func forwardDigits(text string) (n int) {
	for n < len(text) && ascii.IsDigit(text[n]) {
		n++
	}
	return n
}
