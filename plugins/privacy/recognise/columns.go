package recognise

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// A span is s[start:end] of a text.
type span struct{ start, end int }

// columnClasses are the classes of keys that a column can have. Classes of rules are above them.
const columnClasses = rules.PasswordKey | rules.SecretKey | rules.VagueKey | rules.PhoneKey | rules.CardKey | rules.BirthKey |
	rules.MACKey | rules.NINOKey | rules.PassportKey | rules.SeedKey

// isTitle reports whether a cell names a column, and is no code and no sentence.
func (s *Scan) isTitle(c span) bool {
	title := s.s[c.start:c.end]
	if len(title) > 40 {
		return false
	}
	if title != "" && (!strings.ContainsFunc(title, isWord) || strings.IndexByte("+-.", title[0]) >= 0 || 2*len(digitsOf(title)) >= len(title)) {
		return false // of a row of numbers, dates or files
	}
	if strings.ContainsAny(title, "/+&%,~") || strings.Trim(title, ascii.DigitBytes+".:-") == "" && title != "" {
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

// rulePhoneCell is rulePhone in a column of telephones, which holds also where the row reads as something else.
var rulePhoneCell = &Label{rulePhone.Rule, rulePhone.Entity}

// cell adds what the value of a column is by the class of its name. With strict it has to look drawn or chosen.
func (s *Scan) cell(c span, class rules.Class, strict bool) {
	text := s.s[c.start:c.end]
	if class == 0 || text == "" || len(text) > 1<<12 || strict && !looksChosen(text, class) {
		return
	}
	if class&(rules.PasswordKey|rules.SecretKey|rules.VagueKey) != 0 && !isSecretCell(text, class) {
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

// isSecretCell reports whether the cell of a column for secrets can be one. Tables have words for other things in such columns, but what
// has a digit is judged in one of passwords as it is behind a name.
func isSecretCell(text string, class rules.Class) bool {
	switch {
	case strings.ContainsAny(text, " \n"), strings.Trim(text, ascii.DigitBytes+"v.") == "":
		return false
	case class&rules.PasswordKey != 0 && ascii.HasDigit(text) && strings.ToUpper(text) != text && text[0] != '-':
		return true
	}
	return !isWordy(text)
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
	classes := s.columns(s.cells(open+1, closed, ","))
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
			cells := s.cells(line, end, "\t")
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
	e.add(prefilter.Anchor{Text: "insert into ", Fold: true}, handler{try: (*Scan).insert})
	e.add(prefilter.Anchor{Text: "copy ", Fold: true}, handler{try: (*Scan).insert})
	before := func(s *Scan, at int) {
		low := max(0, at-maxHeader)
		if end := low + strings.LastIndexByte(s.s[low:at], '\n'); end > low {
			s.header(end - 1)
		}
	}
	for _, line := range []string{"|--", "| --", "-|-", "-+-", "|:-", "| :-", "- | -", "─┼─", "━┿━", "═╪═"} {
		e.add(prefilter.Anchor{Text: line}, handler{try: before})
	}
	behind := func(s *Scan, at int) {
		if end := at + strings.IndexByte(s.s[at:min(len(s.s), at+maxHeader)], '\n'); end > at {
			s.header(end + 1)
		}
	}
	for _, line := range []string{"─┬─", "━┳━", "═╦═", "═╤═"} {
		e.add(prefilter.Anchor{Text: line}, handler{try: behind})
	}
	never := func(string, int) bool { return false }
	e.add(prefilter.Anchor{Text: "```"}, handler{try: behind, counts: never})
}
