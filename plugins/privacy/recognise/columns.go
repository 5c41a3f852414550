package recognise

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// maxHeader is the most bytes of the line that names the columns of a table.
const maxHeader = 1000

// A span is s[start:end] of a text.
type span struct{ start, end int }

// columnClasses are the classes of keys that a column can have. Classes of rules are above them.
const columnClasses = rules.PasswordKey | rules.SecretKey | rules.VagueKey | rules.PhoneKey | rules.CardKey | rules.BirthKey |
	rules.MACKey | rules.NINOKey | rules.PassportKey | rules.SeedKey

// header reads the line around at as the names of columns, and the lines behind it as their cells: CSV, tables of Markdown and of
// databases, and what programs print in columns.
func (s *Scan) header(at int) {
	if at < s.tabled {
		return // read before, or a row itself
	}
	low := max(0, at-maxHeader)
	from, to := low+strings.LastIndexByte(s.s[low:at], '\n')+1, 0
	if from == low && low > 0 {
		from = at
	}
	next := strings.IndexByte(s.s[at:min(len(s.s), at+maxHeader)], '\n')
	if next < 0 || next == 0 && from == at {
		s.tabled = min(len(s.s), at+maxHeader)
		return
	}
	to = at + next
	s.tabled = to
	sign := separator(s.s[from:to])
	names := s.cells(from, to, sign)
	if len(names) > 0 {
		names[0].start += strings.LastIndexByte(s.s[names[0].start:names[0].end], '"') + 1 // of the text that the table is in
	}
	if len(names) < 2 || slices.ContainsFunc(names, func(c span) bool { return !s.isTitle(c) }) {
		return
	}
	classes := s.columns(names)
	if classes == nil {
		return
	}
	if last := names[len(names)-1]; last.start == last.end || sign != '|' && s.isRowBelow(from, len(names), sign) {
		return // of a list, whose lines end in commas, or a row of a table
	}
	rows := 0
	for line := to + 1; line < len(s.s); {
		end := until(s.s, line, "\n")
		if strings.Trim(s.s[line:end], "-+|:= \r") != "" {
			cells := s.cells(line, end, sign)
			if len(cells) != len(names) && (rows == 0 || len(cells) < 2) {
				break
			}
			for i := range min(len(cells), len(classes)) {
				s.cell(cells[i], classes[i], sign == ',' && strings.Contains(s.s[from:to], ", "))
			}
			rows++
		} else if rows > 0 && strings.Trim(s.s[line:end], " \r") == "" {
			break
		}
		line = end + 1
		s.tabled = min(line, len(s.s))
	}
}

// isRowBelow reports whether the line before from has as many cells, so that the line at from is no header.
func (s *Scan) isRowBelow(from, cells int, sign byte) bool {
	if from == 0 {
		return false
	}
	line := s.s[max(0, from-1-maxHeader) : from-1]
	start := from - 1 - len(line) + strings.LastIndexByte(line, '\n') + 1
	return len(s.cells(start, from-1, sign)) == cells
}

// separator returns what separates the cells of a line; a blank means two blanks and more.
func separator(line string) byte {
	for _, sign := range []byte("|\t;,") {
		if strings.IndexByte(line, sign) >= 0 {
			return sign
		}
	}
	return ' '
}

// isTitle reports whether a cell names a column, and is no code and no sentence.
func (s *Scan) isTitle(c span) bool {
	title := s.s[c.start:c.end]
	if len(title) > 40 {
		return false
	}
	if title != "" && (!strings.ContainsFunc(title, isWord) || strings.IndexByte("+-.", title[0]) >= 0 || 2*len(digitsOf(title)) >= len(title)) {
		return false // of a row of numbers, dates or files
	}
	if strings.ContainsAny(title, "/+&%,~") || strings.Trim(title, digitBytes+".:-") == "" && title != "" {
		return false
	}
	return strings.Count(title, " ") < 5 && !strings.ContainsAny(title, "(){}[]<>=;$@\"'`\\!?") && !strings.HasSuffix(title, ".") && !strings.HasSuffix(title, ":")
}

// columns returns the classes of columns, or nil when there is one column, or none that matters.
func (s *Scan) columns(names []span) []rules.Class {
	if len(names) < 2 || len(names) > 200 {
		return nil
	}
	classes, any := make([]rules.Class, len(names)), rules.Class(0)
	for i, c := range names {
		class := s.Class(s.s[c.start:c.end])
		classes[i] = class&columnClasses | class&^(rules.FirstOwn-1)
		any |= classes[i]
	}
	if any == 0 {
		return nil
	}
	return classes
}

// cells returns the cells of a line without the blanks and quotation marks around them.
func (s *Scan) cells(from, to int, sign byte) (all []span) {
	for to > from && s.s[to-1] == '\r' {
		to--
	}
	if sign == '|' {
		line := strings.TrimSpace(s.s[from:to])
		from += strings.Index(s.s[from:to], line)
		if to = from + len(line); strings.HasPrefix(line, "|") {
			from++
		}
		if strings.HasSuffix(line, "|") && to > from {
			to--
		}
	}
	for at := from; at <= to; {
		end := at
		for end < to && s.s[end] == ' ' {
			end++
		}
		if sign == ' ' && end == to {
			break
		}
		if end < to && s.s[end] == '"' && sign != '|' && sign != ' ' {
			if n := strings.IndexByte(s.s[end+1:to], '"'); n >= 0 {
				end += n + 1
			}
		}
		for end < to && !(s.s[end] == sign && (sign != ' ' || end+1 < to && s.s[end+1] == ' ')) {
			end++
		}
		c := span{at, end}
		for c.start < c.end && strings.IndexByte(" \"'`", s.s[c.start]) >= 0 {
			c.start++
		}
		for c.end > c.start && strings.IndexByte(" \"'`", s.s[c.end-1]) >= 0 {
			c.end--
		}
		all = append(all, c)
		at = end + 1
	}
	return all
}

// rulePhoneCell is rulePhone in a column of telephones, which holds also where the row reads as something else.
var rulePhoneCell = &Label{rulePhone.Rule, rulePhone.Entity}

// cell adds what the value of a column is by the class of its name. With strict it has to look drawn or chosen.
func (s *Scan) cell(c span, class rules.Class, strict bool) {
	text := s.s[c.start:c.end]
	if class == 0 || text == "" || len(text) > 1<<12 || strict && !looksChosen(text, class) {
		return
	}
	if class&(rules.PasswordKey|rules.SecretKey|rules.VagueKey) != 0 && (isWordy(text) || strings.ContainsAny(text, " ")) {
		return
	}
	if s.inner == nil {
		s.inner = NewScan(s.Engine)
	}
	for _, m := range s.inner.Find(text, class, nil) {
		label := m.Label
		if label == rulePhone && class&rules.PhoneKey != 0 {
			label = rulePhoneCell
		}
		s.add(label, rankContext, c.start+m.Start, c.start+m.End)
	}
	if label := s.Numeral(text, class); label != nil {
		s.add(label, rankContext, c.start, c.end)
	}
}

// isColumn reports whether a name is a cell of a line, as it is when it names a column.
func (s *Scan) isColumn(n name) bool {
	before := strings.TrimRight(s.s[max(0, n.start-4):n.start], " \"'`")
	if before != "" && strings.IndexByte("\n|,;\t", before[len(before)-1]) < 0 && !strings.HasSuffix(s.s[:n.start], "  ") {
		return false
	}
	behind := strings.TrimLeft(s.s[n.end:min(len(s.s), n.end+4)], " \"'`\r")
	return behind == "" && n.end < len(s.s) || behind != "" && strings.IndexByte("\n|,;\t", behind[0]) >= 0 || strings.HasPrefix(s.s[n.end:], "  ")
}

// maxInsert is the most bytes between a statement that names columns and their list, and of the list.
const maxInsert = 2000

// insert reads the rows of a statement of SQL: INSERT INTO t (user, password) VALUES ('u', 'x'), or COPY t (user, password) FROM.
func (s *Scan) insert(at int) {
	limit := min(len(s.s), at+maxInsert)
	open := until(s.s[:limit], at, "(;")
	closed := until(s.s[:limit], open, ");")
	if closed >= limit || s.s[open] != '(' || s.s[closed] != ')' {
		return
	}
	classes := s.columns(s.cells(open+1, closed, ','))
	if classes == nil {
		return
	}
	at = s.lineOn(closed + 1)
	switch word := strings.ToLower(s.s[at:min(len(s.s), at+6)]); {
	case word == "values":
		s.tuples(at+len(word), classes)
	case strings.HasPrefix(word, "from"):
		for line := until(s.s, at, "\n") + 1; line < len(s.s); {
			end := until(s.s, line, "\n")
			cells := s.cells(line, end, '\t')
			if len(cells) != len(classes) {
				return
			}
			for i, c := range cells {
				s.cell(c, classes[i], false)
			}
			line = end + 1
		}
	}
}

// tuples reads lists of values in parentheses from at on.
func (s *Scan) tuples(at int, classes []rules.Class) {
	for {
		if at = s.lineOn(at); s.after(at) != '(' {
			return
		}
		at++
		for column := 0; ; column++ {
			at = s.lineOn(at)
			if c := s.after(at); c|0x20 == 'n' && s.after(at+1) == '\'' { // N'x'
				at++
			}
			start := at
			if end := s.pastString(at); end > at {
				if column < len(classes) {
					s.cell(span{start + 1, end - 1}, classes[column], false)
				}
				at = end
			}
			if at = until(s.s, at, ",();\n"); at >= len(s.s) || s.s[at] == ';' || s.s[at] == '(' {
				return
			}
			if s.s[at] == '\n' {
				at++
				column--
				continue
			}
			if at++; s.s[at-1] == ')' {
				break
			}
		}
		if at = s.lineOn(at); s.after(at) != ',' {
			return
		}
		at++
	}
}

// addColumns adds what announces the columns of a table: statements of SQL, and lines of signs below the names.
func (e *Engine) addColumns() {
	e.add(anchor{text: "insert into ", fold: true, try: (*Scan).insert})
	e.add(anchor{text: "copy ", fold: true, try: (*Scan).insert})
	for _, line := range []string{"|--", "| --", "-|-", "-+-", "|:-", "| :-", "- | -"} {
		e.add(anchor{text: line, try: func(s *Scan, at int) {
			low := max(0, at-maxHeader)
			if before := low + strings.LastIndexByte(s.s[low:at], '\n'); before > low {
				s.header(before - 1)
			}
		}})
	}
}
